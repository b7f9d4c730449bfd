public import Freshness
public import Observation

/// A live value as an observable object, for views: the copy, its failure, and an age that counts.
///
/// ```swift
/// @State private var board = LiveValue(JSONResource(url, as: Board.self), client: client)
/// // body: Text(board.value?.title ?? ""), .task { await board.observe() }
/// ```
///
/// It is kept fresh while ``observe()`` runs, or between ``start()`` and ``stop()``. Then ``age``,
/// ``state`` and ``freshness`` also change with time: each second, and each minute after an hour.
@MainActor
@Observable
public final class LiveValue<Value: Equatable & Sendable> {
  /// The current copy; `nil` before the first response.
  public private(set) var value: Value?
  /// The most recent failure, until the next success.
  public private(set) var failure: LiveFailure?
  /// Whether to show the loading hint (R25).
  public private(set) var isLoading = false
  /// Counts the changes of the label, with time or by a snapshot.
  private var labels = 0

  @ObservationIgnored private var source: LiveSource<Value>
  @ObservationIgnored private var observers = 0
  @ObservationIgnored private var isStarted = false
  @ObservationIgnored private var run: Task<Void, Never>?
  @ObservationIgnored private var tick: Task<Void, Never>?
  /// The number of runs so far; a snapshot of an earlier run changes nothing (R3).
  @ObservationIgnored private var runs = 0

  /// Creates an object that does not observe yet.
  public init(_ source: LiveSource<Value>) {
    self.source = source
    show(source.snapshot())
  }

  /// Creates an object for a resource that does not observe yet.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - client: The client that keeps it fresh.
  public convenience init<R: FreshResource>(_ resource: R, client: FreshnessClient)
  where R.Value == Value { self.init(LiveSource(resource, of: client)) }

  /// Creates an object for a resource whose newest copy is kept between runs (R38).
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - client: The client that keeps it fresh.
  ///   - store: Keeps the copy.
  public convenience init<R: FreshResource>(
    _ resource: R,
    client: FreshnessClient,
    keptIn store: CopyStore
  ) where R.Value == Value, Value: Codable {
    self.init(LiveSource(resource, of: client, keptIn: store))
  }

  deinit {
    run?.cancel()
    tick?.cancel()
  }

  // MARK: Freshness

  /// How fresh the value is now, and what the engine is doing about it.
  public var freshness: FreshnessReport? {
    _ = labels
    return source.freshness()
  }

  /// The marker, the badge, the age and the provenance now.
  public var label: FreshnessLabel? { freshness?.label }

  /// How old the data is now, at most (R27, R37); `nil` without a copy.
  public var age: Duration? { value == nil ? nil : label?.age?.duration }

  /// Where the copy comes from (R38).
  public var provenance: Provenance { label?.provenance ?? .server }

  /// The freshness in one word.
  public var state: LiveState {
    let freshness = freshness
    return LiveState(
      freshness?.label,
      hasValue: value != nil,
      isFailing: failure != nil,
      isOffline: freshness?.isOffline ?? false
    )
  }

  // MARK: Observing

  /// Observes until the task is canceled; for `.task` of a view.
  public func observe() async {
    observers += 1
    update()
    let (forever, end) = AsyncStream.makeStream(of: Never.self)
    for await _ in forever {}
    end.finish()
    observers -= 1
    let last = run
    update()
    if run == nil { await last?.value }
  }

  /// Observes until ``stop()``, or until the object is released.
  public func start() {
    isStarted = true
    update()
  }

  /// Ends what ``start()`` began.
  public func stop() {
    isStarted = false
    update()
  }

  /// Replaces the source; the old copy is removed at once (R4).
  public func follow(_ source: LiveSource<Value>) {
    self.source = source
    endRun()
    show(source.snapshot())
    update()
  }

  /// Replaces the resource; the old copy is removed at once (R4).
  public func follow<R: FreshResource>(_ resource: R, client: FreshnessClient)
  where R.Value == Value { follow(LiveSource(resource, of: client)) }

  /// Requests a refresh on behalf of the user.
  public func refresh(_ request: RefreshRequest = .person) { source.refresh(request) }

  private func update() {
    let isWanted = isStarted || observers > 0
    guard isWanted else { return endRun() }
    guard run == nil else { return }
    let number = runs
    run = Task { [weak self, source] in
      await source.observe { snapshot in
        guard let self, self.runs == number else { return }
        self.show(snapshot)
      }
    }
    scheduleTick()
  }

  private func endRun() {
    runs += 1
    run?.cancel()
    run = nil
    tick?.cancel()
    tick = nil
  }

  private func show(_ snapshot: LiveSnapshot<Value>?) {
    // Equal values may differ in what is not compared, such as what a response says about itself.
    value = snapshot?.value
    if failure != snapshot?.failure { failure = snapshot?.failure }
    let isLoading = snapshot?.isLoading ?? false
    if self.isLoading != isLoading { self.isLoading = isLoading }
    labels += 1
    if run != nil { scheduleTick() }
  }

  // MARK: Time

  /// Sleeps until the words of the age, or the state, may change.
  private func scheduleTick() {
    tick?.cancel()
    tick = nil
    let clock = source.clock
    // Before the age is read: if the clock moves on in between, the tick is early, not late.
    let now = clock.now()
    guard let label = source.freshness()?.label, let age = label.age else { return }
    // The state may change at any second; the words of hours need no second.
    let wait =
      age < .seconds(3_600) ? Age.untilNext(.seconds(1), age) : Age.untilNext(.minutes(1), age)
    let instant = now + wait
    tick = Task { [weak self] in
      await clock.sleep(instant)
      guard !Task.isCancelled else { return }
      self?.ticked()
    }
  }

  private func ticked() {
    labels += 1
    scheduleTick()
  }
}

extension Age {
  /// Returns the time until an age is a whole number of units again.
  static func untilNext(_ unit: Instant.Duration, _ age: Instant.Duration) -> Instant.Duration {
    unit - .milliseconds(max(age.milliseconds, 0) % unit.milliseconds)
  }
}
