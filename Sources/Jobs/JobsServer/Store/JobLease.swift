import Synchronization

/// The right to work on a job, which one worker has at a time.
package struct JobLease: Hashable, Sendable {
  /// The job.
  let job: String
  /// Grows with each lease of the job: a store refuses what is written under an older one.
  let fence: Int64
}

/// Leases of one process, which end with it.
final class LocalLeases: Sendable {
  private let state = Mutex((next: Int64(0), held: [String: Int64]()))

  /// Leases a job; `nil` if it is leased.
  func begin(_ job: String) -> JobLease? {
    state.withLock { state in
      guard state.held[job] == nil else { return nil }
      state.next += 1
      state.held[job] = state.next
      return JobLease(job: job, fence: state.next)
    }
  }

  func isHeld(_ lease: JobLease) -> Bool { state.withLock { $0.held[lease.job] == lease.fence } }

  func end(_ lease: JobLease) {
    state.withLock { state in
      if state.held[lease.job] == lease.fence { state.held[lease.job] = nil }
    }
  }
}
