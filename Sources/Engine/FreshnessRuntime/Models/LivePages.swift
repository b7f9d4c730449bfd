public import Observation

/// The pages of a list as one observable object: each loaded page is kept fresh.
///
/// ```swift
/// let list = LivePages(first: page(at: 0), client: client) { $0.next.map { page(at: $0) } }
/// // body: ForEach(list.pages.flatMap(\.items)), .task { await list.observe() },
/// // and at the end of the list: .onAppear { list.loadNext() }
/// ```
///
/// A page names the next one. When a page changes so that it names another, the pages after it are
/// requested again, so that no item is missing or shown twice for longer than a refresh.
@MainActor
@Observable
public final class LivePages<R: FreshResource> {
  /// The maximum number of pages that are kept fresh at once.
  public static var mostPages: Int { 50 }

  /// Returns the page after a page, or `nil` after the last one.
  public typealias Next = @Sendable (R.Value) -> R?

  private struct Page {
    var resource: R
    var live: LiveValue<R.Value>
  }

  private var list: [Page] = []
  @ObservationIgnored private let client: FreshnessClient
  @ObservationIgnored private let next: Next
  /// The number of pages that the user wants.
  @ObservationIgnored private var wanted = 1
  @ObservationIgnored private var observers = 0

  /// Creates an object that does not observe yet.
  ///
  /// - Parameters:
  ///   - first: The first page.
  ///   - client: The client that keeps the pages fresh.
  ///   - next: Returns the page after a page.
  public init(first: R, client: FreshnessClient, next: @escaping Next) {
    self.client = client
    self.next = next
    list = [Page(resource: first, live: LiveValue(first, client: client))]
  }

  /// The pages that have arrived, in order, up to the first that has not.
  public var pages: [R.Value] {
    var pages: [R.Value] = []
    for page in list {
      guard let value = page.live.value else { break }
      pages.append(value)
    }
    return pages
  }

  /// The most recent failure of the first page that has one.
  public var failure: LiveFailure? { list.lazy.compactMap(\.live.failure).first }

  /// The age of the oldest page; `nil` before the first arrived.
  public var age: Duration? { list.compactMap(\.live.age).max() }

  /// Whether a page that is wanted has not arrived.
  public var isLoading: Bool { list.contains { $0.live.value == nil && $0.live.failure == nil } }

  /// Whether there is a page after the last one that has arrived.
  public var hasMore: Bool {
    guard list.count < Self.mostPages, let last = list.last?.live.value else { return false }
    return next(last) != nil
  }

  /// Loads the page after the last one, once that has arrived; does nothing while one is loading.
  public func loadNext() {
    guard list.last?.live.value != nil, wanted == list.count, hasMore else { return }
    wanted += 1
    align()
  }

  /// Requests a refresh of all pages on behalf of the user.
  public func refresh() { for page in list { page.live.refresh() } }

  /// Keeps the pages fresh until the task is canceled; for `.task` of a view.
  public func observe() async {
    observers += 1
    for page in list { page.live.start() }
    let (changes, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    track(end)
    for await _ in changes {
      align()
      track(end)
    }
    observers -= 1
    if observers == 0 { for page in list { page.live.stop() } }
  }

  /// Reports the next change of a page.
  private func track(_ changed: AsyncStream<Void>.Continuation) {
    withObservationTracking {
      for page in list { _ = page.live.value }
    } onChange: {
      changed.yield()
    }
  }

  /// Makes each page the one that the page before it names.
  private func align() {
    var place = 1
    while place < min(wanted, Self.mostPages), let value = list[place - 1].live.value {
      guard let resource = next(value) else {
        for page in list[place...] { page.live.stop() }
        list.removeSubrange(place...)
        wanted = max(place, 1)
        return
      }
      if place == list.count {
        let live = LiveValue(resource, client: client)
        list.append(Page(resource: resource, live: live))
        if observers > 0 { live.start() }
      } else if list[place].resource != resource {
        list[place].resource = resource
        list[place].live.follow(resource, client: client)
      }
      place += 1
    }
  }
}
