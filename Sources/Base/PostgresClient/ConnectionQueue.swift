import Dispatch

/// Runs the calls of one connection one after another on a queue of Dispatch.
///
/// libpq resolves names and reads certificates synchronously; here that occupies none of the threads of Swift's tasks.
final class ConnectionQueue: SerialExecutor {
  let queue = DispatchQueue(label: "freshet.postgres")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
