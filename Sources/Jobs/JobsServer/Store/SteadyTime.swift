/// The time that stamps and expires jobs, robust against changes of the wall clock.
///
/// It follows the wall clock while that advances steadily. When the wall clock jumps, it continues with the monotonic
/// clock until the wall clock has kept its new time for long. So a clock that is wrong for a while removes no jobs, and
/// jobs created meanwhile do not expire early.
///
/// All times are in milliseconds, those of the wall clock since 1970-01-01T00:00:00Z.
struct SteadyTime: Sendable {
  /// The largest difference that does not count as a jump, in milliseconds.
  static let tolerance: Int64 = 60_000
  /// How long the wall clock must keep a new time before it is trusted, in milliseconds.
  static let settling: Int64 = 3_600_000
  /// How long a server may have been away before its first time is doubted, in milliseconds.
  static let longestAway: Int64 = 86_400_000

  private struct Jump {
    var offset: Int64
    var since: Int64
  }

  private var shown: Int64
  private var steady: Int64
  private var jump: Jump?
  /// By what results end until it is believed how long the server was away: when it was seen last, and the steady time
  /// of its start.
  private var away: (last: Int64, start: Int64)?

  /// Starts.
  ///
  /// - Parameters:
  ///   - wall: The wall clock.
  ///   - steady: The monotonic clock.
  ///   - last: The wall clock at the last sign of a running server; `nil` if none ran before.
  init(wall: Int64, steady: Int64, last: Int64?) {
    shown = wall
    self.steady = steady
    guard let last else { return }
    if wall < last - Self.tolerance {
      // It was later already.
      shown = last
    } else if wall > last + Self.longestAway {
      away = (last, steady)
    }
  }

  /// The time that is stamped.
  mutating func now(wall: Int64, steady now: Int64) -> Int64 {
    let expected = shown + (now - steady)
    let offset = wall - expected
    if abs(offset) <= Self.tolerance {
      (shown, steady, jump) = (wall, now, nil)
      return wall
    }
    guard let known = jump, abs(offset - known.offset) <= Self.tolerance else {
      jump = Jump(offset: offset, since: now)
      return expected
    }
    guard now - known.since >= Self.settling else { return expected }
    (shown, steady, jump) = (wall, now, nil)
    return wall
  }

  /// The time by which results end: never later than the one that is stamped.
  mutating func due(wall: Int64, steady now: Int64) -> Int64 {
    let stamped = self.now(wall: wall, steady: now)
    guard let away else { return stamped }
    guard now - away.start < Self.settling else {
      self.away = nil
      return stamped
    }
    return min(stamped, away.last + (now - away.start))
  }
}
