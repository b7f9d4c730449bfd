import HTTPTypes
import Hummingbird
import Serving
import Synchronization
import Timetable

/// Requests for boards that were understood lately, by their text: most clients ask the same again.
///
/// Holds at least ``most`` requests and at most twice as many: when the newer half is full, it replaces the older one.
/// Parsed requests depend on the timetables; new ones clear the cache.
final class UnderstoodRequests: Sendable {
  /// The requests of one half.
  static let most = 4_096

  /// A request without its timetable, which must not live longer than it serves.
  private struct Known {
    let feed: Int
    let stop: Timetable.Stop
    let source: StopResolver.Source
    let limit: Int
    let window: Int
    let language: String?
    let includeAlerts: Bool
    let isDebug: Bool
    let instant: Double?
    let since: Double?
    let hasBoard: Bool

    init?(_ request: BoardRequest, _ feeds: [Feed]) {
      guard let feed = feeds.firstIndex(where: { $0 === request.stop.feed }) else { return nil }
      self.feed = feed
      stop = request.stop.stop
      source = request.stop.source
      limit = request.limit
      window = request.window
      language = request.language
      includeAlerts = request.includeAlerts
      isDebug = request.isDebug
      instant = request.instant
      since = request.since
      hasBoard = request.hasBoard
    }

    func request(_ feeds: [Feed]) -> BoardRequest {
      let stop = StopResolver.Resolved(feed: feeds[feed], stop: stop, source: source)
      var request = BoardRequest(stop: stop, limit: limit, window: window, instant: instant)
      request.language = language
      request.includeAlerts = includeAlerts
      request.isDebug = isDebug
      request.since = since
      request.hasBoard = hasBoard
      return request
    }
  }

  private struct State {
    /// The timetables that everything here is understood with, by their numbers.
    var feeds: [Int] = []
    var newer: [RequestText: Known] = [:]
    var older: [RequestText: Known] = [:]

    /// Caches a request; returns the entries evicted for it, to be freed elsewhere.
    mutating func keep(_ request: Known, _ text: RequestText) -> [RequestText: Known] {
      var gone: [RequestText: Known] = [:]
      if newer.count >= UnderstoodRequests.most { (gone, older, newer) = (older, newer, [:]) }
      newer[text] = request
      return gone
    }
  }

  private let state = Mutex(State())

  /// Understands a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - text: Its text; `nil` if it is not remembered.
  ///   - feeds: The timetables that serve.
  /// - Returns: The parsed request.
  /// - Throws: ``Problem`` as ``BoardRequest``; errors are not cached.
  func request(
    _ request: Request,
    _ text: RequestText?,
    feeds: [Feed]
  ) async throws -> BoardRequest {
    if let text, let known = known(text, feeds) { return known }
    let asked = try await BoardRequest(
      QueryItems(request),
      acceptLanguage: request.headers[.acceptLanguage],
      feeds: feeds
    )
    guard let text, let known = Known(asked, feeds) else { return asked }
    _ = state.withLock { state in
      // Other timetables may have come meanwhile.
      state.feeds.elementsEqual(feeds.lazy.map(\.number)) ? state.keep(known, text) : [:]
    }
    return asked
  }

  private func known(_ text: RequestText, _ feeds: [Feed]) -> BoardRequest? {
    let (known, gone) = state.withLock { state -> (Known?, [RequestText: Known]) in
      guard state.feeds.elementsEqual(feeds.lazy.map(\.number)) else {
        let before = state
        state = State(feeds: feeds.map(\.number))
        return (nil, before.newer)
      }
      if let known = state.newer[text] { return (known, [:]) }
      guard let known = state.older[text] else { return (nil, [:]) }
      return (known, state.keep(known, text))
    }
    withExtendedLifetime(gone) {}
    return known?.request(feeds)
  }
}
