import GTFS
import PostgresClient
import PostgresSharing

// Generations that no change names (rule ST9).
extension PostgresTimetables {
  /// Removes the generations of a feed that its entry does not name, and that no later owner of its lease has made its own; it does
  /// not wait for another one that removes them.
  ///
  /// - Parameters:
  ///   - key: The feed.
  ///   - entry: Its entry.
  ///   - fence: The fence under which the newest of them may have been stored.
  /// - Returns: How many there were.
  /// - Throws: `PostgresError`.
  @discardableResult
  func sweep(_ key: String, _ entry: FeedManifest.Feed?, upTo fence: Int64) async throws -> Int {
    let kept = entry?.generationsByNeed ?? []
    return try await pool.query(
      """
      DELETE FROM generation WHERE id IN (
        SELECT id FROM generation WHERE feed = $1 AND fence <= $2 AND name <> ALL($3) FOR UPDATE SKIP LOCKED)
      """,
      [.text(key), .int(fence), .array(.text, kept.map { .text($0) })],
      within: bulkSeconds
    ).changed
  }

  /// The leases of feeds as a sweep sees them.
  struct SweepMemory: Sendable {
    /// A row of a lease, and when it was seen first.
    fileprivate struct Seen: Sendable {
      var fence: Int64
      var beat: Int64
      var since: ContinuousClock.Instant
    }

    fileprivate var seen: [String: Seen] = [:]
  }

  /// Removes what importers left that were killed (ST9).
  ///
  /// It takes no lease and holds no lock, so it never makes an import wait or fail: it removes only what was stored under fences that
  /// are over. A lease that is not renewed is over once its fence is counted up; an owner that renews it at the same instant is
  /// first, or has lost it.
  ///
  /// - Parameter memory: What earlier sweeps saw.
  /// - Returns: How many generations there were.
  /// - Throws: `PostgresError`.
  @discardableResult
  func sweep(_ memory: inout SweepMemory) async throws -> Int {
    try await pool.query(
      "INSERT INTO lease (feed) SELECT DISTINCT feed FROM generation ON CONFLICT DO NOTHING"
    )
    let rows = try await pool.query(
      """
      SELECT lease.feed, lease.fence, lease.beat, lease.owner FROM lease
      WHERE EXISTS (SELECT 1 FROM generation WHERE generation.feed = lease.feed)
      """
    )
    var removed = 0
    var seen: [String: SweepMemory.Seen] = [:]
    for index in 0..<rows.count {
      let row = rows[index]
      let key: String = try row[0]
      let (fence, beat): (Int64, Int64) = (try row[1], try row[2])
      var mark = SweepMemory.Seen(fence: fence, beat: beat, since: .now)
      if let before = memory.seen[key], before.fence == fence, before.beat == beat { mark = before }
      seen[key] = mark
      let owner: Int64 = try row[3]
      let isOver = mark.since.duration(to: .now) > limits.leaseDuration
      removed += try await sweep(key, fence, beat, isFree: owner == 0, isOver: isOver)
    }
    memory.seen = seen
    return removed
  }

  private func sweep(
    _ key: String,
    _ fence: Int64,
    _ beat: Int64,
    isFree: Bool,
    isOver: Bool
  ) async throws -> Int {
    // Read after the fence: what was committed under it is named.
    let found = try await pool.query(
      "SELECT \(Self.feedColumns) FROM feed WHERE key = $1",
      [.text(key)]
    )
    let (feed, fault) = try Self.base(found.first, key)
    // What this program cannot read it does not remove.
    guard fault == nil else { return 0 }
    let kept = feed.entry?.generationsByNeed ?? []
    let left = try await pool.query(
      "SELECT coalesce(max(fence), -1) FROM generation WHERE feed = $1 AND name <> ALL($2)",
      [.text(key), .array(.text, kept.map { .text($0) })]
    )
    guard let row = left.first else { return 0 }
    let newest: Int64 = try row[0]
    guard newest >= 0 else { return 0 }
    // The next owner has another fence.
    if isFree { return try await sweep(key, feed.entry, upTo: fence) }
    guard isOver, newest >= fence else {
      return try await sweep(key, feed.entry, upTo: fence - 1)
    }
    let ended = try await pool.query(
      "UPDATE lease SET fence = fence + 1, beat = beat + 1, owner = 0 WHERE feed = $1 AND fence = $2 AND beat = $3",
      [.text(key), .int(fence), .int(beat)]
    )
    return ended.changed == 1 ? try await sweep(key, feed.entry, upTo: fence) : 0
  }
}
