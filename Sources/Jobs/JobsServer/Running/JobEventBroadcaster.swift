import Jobs
import Synchronization

/// Tells listeners of a job what happens to it, as it happens.
///
/// A listener is there before the past is read, so that nothing falls between; what it hears twice, its
/// queue leaves out.
final class JobEventBroadcaster: Sendable {
  private struct State {
    var isClosed = false
    var next = 0
    var ears: [String: [Int: JobSubscriber]] = [:]
    var count = 0
  }

  private let state = Mutex(State())
  private let limits: JobLimits
  /// What was told last, as it goes out.
  let recent: RecentMessages
  /// Counts what is told.
  let tally = JobMetrics()

  init(limits: JobLimits) {
    self.limits = limits
    recent = RecentMessages(most: limits.recentMessages)
  }

  /// How many listen.
  var count: Int { state.withLock { $0.count } }

  /// Begins to listen; nothing if too many do, or if the server ends.
  func listen(to job: String) -> JobSubscription? {
    state.withLock { state in
      guard !state.isClosed, state.count < limits.listeners,
        state.ears[job, default: [:]].count < limits.listenersOfJob
      else { return nil }
      state.next += 1
      let number = state.next
      let ear = JobSubscriber(most: limits.waitingMessages)
      state.ears[job, default: [:]][number] = ear
      state.count += 1
      // The hub keeps the ear only: whoever lets go of the listener has left.
      return JobSubscription(ear) { [weak self] in self?.leave(job, number) }
    }
  }

  /// Tells an event to all who listen to its job.
  func publish(_ event: JobEvent, of job: String) {
    tally.stored(event)
    let ears = state.withLock { state in state.ears[job].map { Array($0.values) } ?? [] }
    for ear in ears { ear.push(event) }
  }

  /// Lets everybody go, and nobody in any more.
  func close() {
    let ears = state.withLock { state in
      state.isClosed = true
      return state.ears.values.flatMap { Array($0.values) }
    }
    for ear in ears { ear.finish() }
  }

  private func leave(_ job: String, _ number: Int) {
    state.withLock { state in
      guard state.ears[job]?.removeValue(forKey: number) != nil else { return }
      state.count -= 1
      if state.ears[job]?.isEmpty == true { state.ears[job] = nil }
    }
  }
}

/// One who listens to a job, until it is let go.
final class JobSubscription: Sendable {
  private let ear: JobSubscriber
  private let leave: @Sendable () -> Void

  init(_ ear: JobSubscriber, leave: @escaping @Sendable () -> Void) {
    self.ear = ear
    self.leave = leave
  }

  deinit { leave() }

  /// Ends when the server does.
  var wakes: AsyncStream<Void> { ear.wakes }

  /// Something else is to be looked at, such as the time.
  func wake() { ear.wake() }

  /// Takes the next event out of the queue.
  func take() -> SubscriberQueue.Entry? { ear.take() }

  /// Whether the wakes have ended.
  var isFinished: Bool { ear.isFinished }

  /// Ends the wakes.
  func finish() { ear.finish() }
}

/// What the hub speaks into.
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

  func take() -> SubscriberQueue.Entry? { queue.withLock { $0.pop() } }

  var isFinished: Bool { ended.withLock { $0 } }

  func finish() {
    ended.withLock { $0 = true }
    continuation.finish()
  }
}
