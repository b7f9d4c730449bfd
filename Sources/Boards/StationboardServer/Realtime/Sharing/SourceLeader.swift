import PostgresSharing
import Synchronization

/// The lease of one realtime source: whether this server polls it.
final class SourceLeader: Sendable {
  /// What a server knows of a lease, for operators.
  struct Status: Hashable, Sendable {
    /// Whether this server polls the source.
    var isLeader = false
    /// Whose lease it is; `nil` while the database does not answer.
    var owner: Lease.Owner?
    /// The name of the server whose lease it was last.
    var ownerName = ""
    /// Whether the database has ever answered for the source.
    var hasAnswered = false
    /// How often this server became the leader.
    var takeovers = 0
  }

  /// Takes an answer of the database, `nil` if it is missing, and when its statement was sent.
  typealias Answered =
    @Sendable (SourceLeader, LeaseAnswer?, _ sentAt: ContinuousClock.Instant) -> Void

  let source: RealtimeSource
  /// The source's id in the database.
  let id: String
  private let store: PostgresPublications
  private let report: @Sendable (RealtimeSource) -> SourceReport
  private let answered: Answered
  private let poll: @Sendable (SourceLeader, _ fence: Int64) async -> Void
  /// `nil` before the first answer.
  private let ownerName = Mutex<String?>(nil)
  /// The name of the other server whose lease it was last; empty if there was none.
  private let otherName = Mutex("")
  private let driver = Mutex<LeaseDriver?>(nil)

  /// Creates the leader of a source.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - store: The database.
  ///   - report: How the source fares here.
  ///   - answered: Called with each answer of the database, and with `nil` when one is missing.
  ///   - poll: Polls the source and publishes under a fence until its task is canceled.
  init(
    _ source: RealtimeSource,
    in store: PostgresPublications,
    report: @escaping @Sendable (RealtimeSource) -> SourceReport,
    answered: @escaping Answered,
    poll: @escaping @Sendable (SourceLeader, _ fence: Int64) async -> Void
  ) {
    self.source = source
    id = PostgresPublications.id(of: source)
    self.store = store
    self.report = report
    self.answered = answered
    self.poll = poll
  }

  private var lease: LeaseDriver? { driver.withLock { $0 } }

  /// What operators may know.
  var status: Status {
    let lease = lease
    return Status(
      isLeader: lease?.fence != nil,
      owner: lease?.owner,
      ownerName: ownerName.withLock { $0 } ?? "",
      hasAnswered: ownerName.withLock { $0 != nil },
      takeovers: lease?.takeovers ?? 0
    )
  }

  /// The name of the other server that polled the source last; empty if none did since this server has started.
  var other: String { otherName.withLock { $0 } }

  /// The fence under which this server may poll and publish now; `nil` if it may not.
  var fence: Int64? { lease?.fence }

  /// Notes that the database announced that the lease was given back.
  func freed() { lease?.freed() }

  /// Follows and leads until the task is canceled, then gives the lease back.
  func run() async {
    let lease = LeaseDriver(
      store.limits.lease,
      statement: { [self] in await send($0) },
      release: { [store, id] in try? await store.release(id, fence: $0) },
      act: { [self] in await poll(self, $0) }
    )
    driver.withLock { $0 = lease }
    await lease.run()
  }

  private func send(_ statement: Lease.Statement) async -> LeaseDriver.Answer? {
    let sentAt = ContinuousClock.now
    do {
      guard let answer = try await store.send(statement, of: id, report(source)) else {
        try await store.add(id, title: source.title)
        return nil
      }
      ownerName.withLock { $0 = answer.ownerName }
      if answer.lease.row.owner == .another { otherName.withLock { $0 = answer.ownerName } }
      answered(self, answer, sentAt)
      return answer.lease
    } catch {
      answered(self, nil, sentAt)
      return nil
    }
  }
}
