import Jobs
import Serving
import Synchronization

/// Sends the events of a job to its subscribers.
///
/// Subscribers register before the backlog is read, so no event is lost; their queue drops duplicates.
final class JobEventBroadcaster: Sendable {
  private struct State {
    var isClosed = false
    var next = 0
    var subscribers: [String: [Int: JobSubscriber]] = [:]
    /// Up to which events subscribers were told.
    var positions = RelayPositions()
    var places: FairPlaces
  }

  private let state: Mutex<State>
  private let limits: JobLimits
  /// The last messages, as sent.
  let recent: RecentMessages
  /// Counts the messages.
  let metrics = JobMetrics()

  private let isShared: Bool

  init(limits: JobLimits, isShared: Bool = false) {
    self.limits = limits
    self.isShared = isShared
    state = Mutex(State(places: FairPlaces(most: limits.listeners)))
    recent = RecentMessages(most: limits.recentMessages)
  }

  /// The number of subscribers.
  var count: Int { state.withLock { $0.places.taken } }

  /// Subscribes to a job for the client of the request that the task works on; `nil` if the limit is reached, the client has its
  /// share, or the server shuts down.
  func listen(to job: String) -> JobSubscription? {
    let admission = AdmissionPermit.current
    let network = admission?.network
    return state.withLock { state in
      guard !state.isClosed, state.subscribers[job, default: [:]].count < limits.listenersOfJob,
        state.places.enter(network, percent: admission?.percent ?? 100) == nil
      else { return nil }
      state.next += 1
      let number = state.next
      let subscriber = JobSubscriber(most: limits.waitingMessages)
      state.subscribers[job, default: [:]][number] = subscriber
      state.positions.follow(job)
      // The broadcaster retains only the subscriber: releasing the subscription ends it.
      return JobSubscription(subscriber) { [weak self] in self?.leave(job, number, network) }
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

  /// Reads or changes up to which events subscribers were told.
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

  /// Ends all subscriptions and rejects new ones.
  func close() {
    let subscribers = state.withLock { state in
      state.isClosed = true
      return state.subscribers.values.flatMap { Array($0.values) }
    }
    for subscriber in subscribers { subscriber.finish() }
  }

  private func leave(_ job: String, _ number: Int, _ network: ClientNetwork?) {
    state.withLock { state in
      guard state.subscribers[job]?.removeValue(forKey: number) != nil else { return }
      state.places.leave(network)
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
  private let leave: @Sendable () -> Void

  init(_ subscriber: JobSubscriber, leave: @escaping @Sendable () -> Void) {
    self.subscriber = subscriber
    self.leave = leave
  }

  deinit { leave() }

  /// Ends when the server does.
  var wakes: AsyncStream<Void> { subscriber.wakes }

  /// Wakes the subscriber to check something else, such as the time.
  func wake() { subscriber.wake() }

  /// Takes the next event out of the queue.
  func next() -> SubscriberQueue.Entry? { subscriber.next() }

  /// Whether the wakes have ended.
  var isFinished: Bool { subscriber.isFinished }

  /// Ends the wakes.
  func finish() { subscriber.finish() }
}

/// The receiving end of a subscription.
final class JobSubscriber: Sendable {
  let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let queue: Mutex<SubscriberQueue>
  private let ended = Mutex(false)

  init(most: Int) {
    (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    queue = Mutex(SubscriberQueue(after: 0, most: most))
  }

  /// Hears an event.
  func push(_ event: JobEvent) {
    queue.withLock { $0.push(event) }
    continuation.yield()
  }

  func wake() { continuation.yield() }

  func next() -> SubscriberQueue.Entry? { queue.withLock { $0.pop() } }

  var isFinished: Bool { ended.withLock { $0 } }

  func finish() {
    ended.withLock { $0 = true }
    continuation.finish()
  }
}
