import Jobs
import Synchronization

/// Tells listeners of a job what happens to it, as it happens.
///
/// A listener is there before the past is read, so that nothing falls between; what it hears twice, its
/// queue leaves out.
final class JobHub: Sendable {
  private struct State {
    var isClosed = false
    var next = 0
    var listeners: [String: [Int: JobListener]] = [:]
    var count = 0
  }

  private let state = Mutex(State())
  private let limits: JobLimits

  init(limits: JobLimits) { self.limits = limits }

  /// How many listen.
  var count: Int { state.withLock { $0.count } }

  /// Begins to listen; nothing if too many do, or if the server ends.
  func listen(to job: String) -> JobListener? {
    state.withLock { state in
      guard !state.isClosed, state.count < limits.listeners,
        state.listeners[job, default: [:]].count < limits.listenersOfJob
      else { return nil }
      state.next += 1
      let number = state.next
      let listener = JobListener(most: limits.waitingMessages) { [weak self] in
        self?.leave(job, number)
      }
      state.listeners[job, default: [:]][number] = listener
      state.count += 1
      return listener
    }
  }

  /// Tells an event to all who listen to its job.
  func publish(_ event: JobEvent, of job: String) {
    let listeners = state.withLock { state in state.listeners[job].map { Array($0.values) } ?? [] }
    for listener in listeners { listener.push(event) }
  }

  /// Lets everybody go, and nobody in any more.
  func close() {
    let listeners = state.withLock { state in
      state.isClosed = true
      return state.listeners.values.flatMap { Array($0.values) }
    }
    for listener in listeners { listener.finish() }
  }

  private func leave(_ job: String, _ number: Int) {
    state.withLock { state in
      guard state.listeners[job]?.removeValue(forKey: number) != nil else { return }
      state.count -= 1
      if state.listeners[job]?.isEmpty == true { state.listeners[job] = nil }
    }
  }
}

/// One who listens to a job.
final class JobListener: Sendable {
  /// Ends when the server does.
  let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let queue: Mutex<ListenerQueue>
  private let ended = Mutex(false)
  private let leave: @Sendable () -> Void

  init(most: Int, leave: @escaping @Sendable () -> Void) {
    (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    queue = Mutex(ListenerQueue(after: 0, most: most))
    self.leave = leave
  }

  deinit { leave() }

  /// Hears an event.
  func push(_ event: JobEvent) {
    queue.withLock { $0.push(event) }
    continuation.yield()
  }

  /// Something else is to be looked at, such as the time.
  func wake() { continuation.yield() }

  /// Takes the next event out of the queue.
  func take() -> ListenerQueue.Entry? { queue.withLock { $0.pop() } }

  /// Whether the wakes have ended.
  var isFinished: Bool { ended.withLock { $0 } }

  /// Ends the wakes.
  func finish() {
    ended.withLock { $0 = true }
    continuation.finish()
  }
}
