import GTFS
import PostgresClient
import PostgresSharing

// Leases of feeds (rule ST1).
extension PostgresTimetables {
  /// What happens while a lease is waited for.
  private enum LeaseEvent: Sendable {
    case granted(fence: Int64)
    case answered
    case failed(any Error)
  }

  /// Waits for the lease of a feed.
  ///
  /// - Parameters:
  ///   - key: The feed.
  ///   - patience: How long to wait for another one that has it and renews it.
  /// - Returns: The right to change it; `nil` if another one still has it.
  /// - Throws: `PostgresError` if the database does not answer the first statement, or refuses; after an answer, failures are
  ///   tried again until `patience` is over.
  func lock(_ key: String, patience: Duration = .zero) async throws -> FeedChange? {
    let end = ContinuousClock.now + patience
    let (events, inbox) = AsyncStream<LeaseEvent>.makeStream()
    let lease = LeaseDriver(
      limits.lease,
      statement: { [self] statement in
        do {
          let answer = try await send(statement, of: key)
          inbox.yield(.answered)
          return answer
        } catch {
          inbox.yield(.failed(error))
          return nil
        }
      },
      release: { [self] in try? await release(key, fence: $0) },
      act: { fence in
        inbox.yield(.granted(fence: fence))
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
      }
    )
    let task = Task { await lease.run() }
    var hasAnswered = false
    do {
      for await event in events {
        switch event {
        case .granted(let fence): return try await change(key, lease, task, fence: fence)
        case .answered:
          hasAnswered = true
          // One that does not renew it is replaced soon.
          guard lease.owner == .another, lease.hasSeenRenewal, end <= .now else { continue }
          task.cancel()
          await task.value
          return nil
        case .failed(let error):
          let reason = PostgresError(unusable: error)
          // We wait for another owner, not for a database that is down.
          guard hasAnswered || reason.kind == .crowded, end > .now, !reason.isFinal else {
            throw error
          }
        }
      }
      throw CancellationError()
    } catch {
      task.cancel()
      await task.value
      throw error
    }
  }

  /// Reads what the owner of a lease needs.
  private func change(
    _ key: String,
    _ lease: LeaseDriver,
    _ task: Task<Void, Never>,
    fence: Int64
  ) async throws -> FeedChange {
    let rows = try await pool.query(
      "SELECT \(Self.feedColumns) FROM feed WHERE key = $1",
      [.text(key)]
    )
    let (base, fault) = try Self.base(rows.first, key)
    let schedules = try await pool.query(
      "SELECT document FROM schedule WHERE feed = $1",
      [.text(key)]
    )
    let schedule = try schedules.first.map { row -> String in try row[0] }
    return FeedChange(
      lease,
      task,
      fence: fence,
      base: base,
      fault: fault,
      schedule: schedule
    )
  }

  /// Carries out a statement about a lease.
  private func send(
    _ statement: Lease.Statement,
    of key: String
  ) async throws -> LeaseDriver.Answer? {
    let (table, seconds) = (table, limits.lease.answerWithin.seconds)
    return try await leases.withConnection { connection in
      func run() async throws -> PostgresRow? {
        try await table.run(statement, of: key, on: connection, within: seconds)
      }
      if let row = try await run() { return try table.answer(row) }
      try await connection.query(
        "INSERT INTO lease (feed) VALUES ($1) ON CONFLICT DO NOTHING",
        [.text(key)]
      )
      return try await run().map { try table.answer($0) }
    }
  }

  /// Gives a lease back, and announces it.
  private func release(_ key: String, fence: Int64) async throws {
    let (table, channel, seconds) = (table, database.channel, limits.lease.answerWithin.seconds)
    try await leases.withConnection {
      try await table.release(key, fence: fence, announcing: channel, on: $0, within: seconds)
    }
  }

  /// The feed of a row, without its entry if that cannot be read, and why it cannot.
  static func base(
    _ row: PostgresRow?,
    _ key: String
  ) throws -> (SharedFeed, TimetableArtifact.Fault?) {
    var base = SharedFeed(unknown: key)
    guard let row else { return (base, nil) }
    switch try feed(row, 0).1 {
    case .success(let feed): return (feed, nil)
    case .failure(let fault):
      (base.change, base.sequence, base.added) = (try row[1], try row[2], try row[3])
      return (base, fault)
    }
  }
}

/// The right to change a feed, for as long as its lease is renewed.
final class FeedChange: Sendable {
  /// The feed as it was when the lease was granted.
  let base: SharedFeed
  /// Why the entry of the feed cannot be read; `nil` if it can.
  let fault: TimetableArtifact.Fault?
  /// The schedule of its source, if the database has one.
  let schedule: String?
  /// The fence of the lease.
  let fence: Int64
  private let lease: LeaseDriver
  private let task: Task<Void, Never>

  init(
    _ lease: LeaseDriver,
    _ task: Task<Void, Never>,
    fence: Int64,
    base: SharedFeed,
    fault: TimetableArtifact.Fault?,
    schedule: String?
  ) {
    self.lease = lease
    self.task = task
    self.fence = fence
    self.base = base
    self.fault = fault
    self.schedule = schedule
  }

  /// Whether the lease still lasts, by the clock of this machine.
  var isHeld: Bool { lease.fence == fence }

  /// Gives the lease back.
  func release() async {
    task.cancel()
    await task.value
  }
}
