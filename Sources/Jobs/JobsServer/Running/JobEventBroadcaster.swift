import Jobs
import Serving
import Synchronization

/// Sends the events of a job to its subscribers.
///
/// Subscribers register before the backlog is read, so no event is lost; their queue drops duplicates.
final class JobEventBroadcaster: Sendable {
  private struct State {
    var next = 0
    var subscribers: [String: [Int: JobSubscriber]] = [:]
    /// Up to which events subscribers were notified.
    var positions = RelayPositions()
  }

  private let state = Mutex(State())
  private let limits: JobLimits
  private let limiter: LongPollLimiter
  /// The last messages, as sent.
  let recent: RecentMessages
  /// Counts the messages.
  let metrics = JobMetrics()

  private let isShared: Bool

  /// Creates a broadcaster without subscribers.
  ///
  /// - Parameters:
  ///   - limits: The limits of jobs.
  ///   - isShared: Whether the store is shared with other servers.
  ///   - limiter: Limits the subscribers of all jobs, and ends their streams; `nil` for one of its own.
  init(limits: JobLimits, isShared: Bool = false, limiter: LongPollLimiter? = nil) {
    self.limits = limits
    self.isShared = isShared
    self.limiter = limiter ?? LongPollLimiter(most: limits.listeners)
    recent = RecentMessages(most: limits.recentMessages)
  }

  /// Subscribes to a job for the client of the request that the task works on; `nil` if the limit is reached, the client has its
  /// share, or the server shuts down.
  func listen(to job: String) -> JobSubscription? {
    guard case .success(let permit) = limiter.acquire(job, atMost: limits.listenersOfJob) else {
      return nil
    }
    return state.withLock { state in
      state.next += 1
      let number = state.next
      let subscriber = JobSubscriber(most: limits.waitingMessages)
      state.subscribers[job, default: [:]][number] = subscriber
      state.positions.follow(job)
      // The broadcaster retains only the subscriber: releasing the subscription ends it.
      return JobSubscription(subscriber, permit) { [weak self] in self?.leave(job, number) }
    }
  }

  /// Counts an event that this server has stored, and sends it to all subscribers of its job, unless the store is
  /// shared: then it comes back in the order of the log, with those of other servers.
  func publish(_ event: JobEvent, of job: String) {
    metrics.stored(event)
    guard !isShared else { return }
    let subscribers = state.withLock { state in
      state.subscribers[job].map { Array($0.values) } ?? []
    }
    for subscriber in subscribers { subscriber.push(event) }
  }

  /// Reads or changes up to which events subscribers were notified.
  func relaying<Value>(_ change: (inout RelayPositions) -> Value) -> Value {
    state.withLock { change(&$0.positions) }
  }

  /// Sends an event that is in the store to all subscribers of its job.
  func relay(_ event: JobEvent, of job: String) {
    let subscribers = state.withLock { state -> [JobSubscriber] in
      guard let subscribers = state.subscribers[job],
        state.positions.relayed(job, event.position.seq)
      else {
        return []
      }
      return Array(subscribers.values)
    }
    for subscriber in subscribers { subscriber.push(event) }
  }

  private func leave(_ job: String, _ number: Int) {
    state.withLock { state in
      guard state.subscribers[job]?.removeValue(forKey: number) != nil else { return }
      if state.subscribers[job]?.isEmpty == true {
        state.subscribers[job] = nil
        state.positions.unfollow(job)
      }
    }
  }
}

/// A subscription to a job, which ends when it is released.
final class JobSubscription: Sendable {
  private let subscriber: JobSubscriber
  private let permit: LongPollLimiter.Permit
  private let leave: @Sendable () -> Void

  init(
    _ subscriber: JobSubscriber,
    _ permit: LongPollLimiter.Permit,
    leave: @escaping @Sendable () -> Void
  ) {
    self.subscriber = subscriber
    self.permit = permit
    self.leave = leave
  }

  deinit { leave() }

  /// Returns a sequence with an element now and one after each event; elements that are not yet read are merged.
  ///
  /// It can be iterated once.
  func updates() -> AsyncStream<Void> { subscriber.updates() }

  /// Adds an element to ``updates()`` without an event.
  func wake() { subscriber.wake() }

  /// The newest event in the queue.
  var newest: JobEvent? { subscriber.newest }

  /// Removes and returns the next event after a number.
  func next(after number: Int64 = 0) -> SubscriberQueue.Entry? { subscriber.next(after: number) }
}

/// The receiving end of a subscription.
final class JobSubscriber: Sendable {
  private let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let queue: Mutex<SubscriberQueue>

  init(most: Int) {
    (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    queue = Mutex(SubscriberQueue(after: 0, most: most))
  }

  /// Receives an event.
  func push(_ event: JobEvent) {
    queue.withLock { $0.push(event) }
    wake()
  }

  func wake() { continuation.yield() }

  func updates() -> AsyncStream<Void> {
    wake()
    return wakes
  }

  var newest: JobEvent? { queue.withLock { $0.newest } }

  func next(after number: Int64) -> SubscriberQueue.Entry? {
    queue.withLock { $0.pop(after: number) }
  }
}
