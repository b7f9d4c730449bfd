import Foundation
import Freshness
import FreshnessRuntime
import Jobs
import Synchronization

/// The messages of one job as snapshots of its status, for a ``LiveValue``.
final class JobFeed: Sendable {
  private struct State {
    var status = JobStatus()
    var hasStatus = false
    var position: EventPosition?
    var credential: JobCredential
    /// When the newest message arrived.
    var heardAt: Instant?
    /// When the connection was lost, until it is back.
    var interruptedAt: Instant?
  }

  private let client: JobClient
  private let policy: JobFollower.Policy
  private let clock: HostClock
  private let renewed: @MainActor @Sendable (JobCredential) -> Void
  private let state: Mutex<State>

  /// Creates the feed of a job.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - credential: What opens the job.
  ///   - policy: The waits and limits of following.
  ///   - clock: The clock by which ages grow.
  ///   - renewed: Receives new credentials.
  init(
    _ client: JobClient,
    _ credential: JobCredential,
    _ policy: JobFollower.Policy,
    _ clock: HostClock,
    renewed: @escaping @MainActor @Sendable (JobCredential) -> Void
  ) {
    self.client = client
    self.policy = policy
    self.clock = clock
    self.renewed = renewed
    state = Mutex(State(credential: credential))
  }

  /// The feed as a source.
  var source: LiveSource<JobStatus> {
    LiveSource(
      clock: clock,
      snapshot: { self.snapshot },
      freshness: { FreshnessReport(once: self.label) },
      refresh: { _ in },
      observe: { show in await self.observe(show) }
    )
  }

  /// The newest message makes the status live for as long as the follower tolerates silence.
  private var label: FreshnessLabel {
    let (heardAt, isOver) = state.withLock { ($0.heardAt, $0.status.ending != nil) }
    // The status of a job that has ended no longer changes.
    let age = isOver ? nil : heardAt.map { clock.now() - $0 }
    return FreshnessLabel(
      metadata: FreshnessMetadata(status: heardAt == nil ? nil : .applied),
      age: age,
      isKept: false,
      policy: .jobs
    )
  }

  private var snapshot: LiveSnapshot<JobStatus> {
    let label = label
    return state.withLock { state in
      LiveSnapshot(
        value: state.hasStatus ? state.status : nil,
        failure: state.interruptedAt.map { since in
          LiveFailure(
            kind: .unreachable,
            status: nil,
            since: since,
            problem: nil,
            description: "the connection is interrupted"
          )
        },
        isLoading: !state.hasStatus,
        label: label
      )
    }
  }

  private func observe(_ show: @escaping LiveSource<JobStatus>.Show) async {
    await show(snapshot)
    let (credential, position, isOver) = state.withLock {
      ($0.credential, $0.position, $0.status.ending != nil)
    }
    guard !isOver else { return }
    for await update in client.follow(credential, after: position, policy: policy) {
      if case .credential(let fresh) = update { await renewed(fresh) }
      apply(update)
      await show(snapshot)
    }
  }

  private func apply(_ update: JobUpdate) {
    let now = clock.now()
    state.withLock { state in
      switch update {
      case .credential(let fresh): state.credential = fresh
      case .transport(let transport):
        state.status.transport = transport
        state.interruptedAt = nil
      case .interrupted: state.interruptedAt = now
      case .finished(let ending):
        state.status.ending = ending
        state.hasStatus = true
        state.heardAt = now
        state.interruptedAt = nil
      case .message(let message):
        state.heardAt = now
        state.interruptedAt = nil
        state.position = message.position ?? state.position
        switch message.body {
        case .progress(let progress): state.status.progress = progress
        case .snapshot(let report): state.status.progress = report.progress
        case .started(let start): state.status.progress.total = start.total
        default: return
        }
        state.hasStatus = true
      }
    }
  }
}
