import Jobs
import Logging
package import Serving

extension JobsService {
  /// Whether the list of jobs can be read, and none of them is stuck.
  ///
  /// A server without its shared database still has boards: it stays ready.
  package func dependency() async -> DependencyReading {
    let isRequired = !store.isShared
    let reason: String
    do {
      let stuck = try await inTime { [store] in
        _ = try await store.counts()
        return try await store.stuck()
      }
      if let stuck {
        note(nil)
        guard !stuck.isEmpty else { return DependencyReading("jobs", .ok, isRequired: isRequired) }
        let detail = "\(stuck.count) do not go on, one of them \(stuck[0])"
        return DependencyReading("jobs", .degraded, detail: detail, isRequired: isRequired)
      }
      reason = "the list of jobs cannot be read within \(JobLimits.measureSeconds) s"
    } catch {
      reason = "the list of jobs cannot be read: \(error)"
    }
    note(reason)
    return DependencyReading("jobs", .down, detail: reason, isRequired: isRequired)
  }

  /// Logs when the store ceases to answer, and when it answers again.
  private func note(_ reason: String?) {
    // The end of the server says nothing of the store.
    guard !Task.isCancelled, contact.noted(reason) else { return }
    if let reason {
      logger.warning("the jobs cannot be reached", metadata: ["reason": "\(reason)"])
    } else {
      logger.notice("the jobs can be reached again")
    }
  }
}
