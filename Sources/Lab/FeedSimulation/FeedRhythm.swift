/// When a producer publishes: once per period, slightly late, never early.
///
/// Publications are numbered by periods since 1970-01-01T00:00:00Z, so that any instant can be
/// queried. Instants are in milliseconds since then.
struct FeedRhythm: Sendable {
  /// The maximum jitter, in percent of the period.
  static let jitterPercent: Int64 = 12

  /// The milliseconds between two publications, without jitter.
  let period: Int64
  private let random: RandomSource

  init(period: Int64, random: RandomSource) {
    self.period = period
    self.random = random
  }

  /// Returns when a publication appears.
  func instant(of number: Int64) -> Int64 {
    let most = Int(period * Self.jitterPercent / 100)
    let jitter = random.of(.jitter, UInt64(bitPattern: number))
    return number * period + Int64(jitter.within(0...most, .jitter))
  }

  /// Returns the number of the last publication that has appeared at an instant.
  func number(at instant: Int64) -> Int64 {
    let quotient = instant / period
    let candidate = instant < 0 && quotient * period != instant ? quotient - 1 : quotient
    return self.instant(of: candidate) <= instant ? candidate : candidate - 1
  }
}
