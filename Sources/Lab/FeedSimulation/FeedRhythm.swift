/// When a producer publishes: once per period, a little late as producers are, never early.
///
/// Publications are numbered by periods since 1970-01-01T00:00:00Z, so that any instant can be asked
/// for. Instants are milliseconds since then.
struct FeedRhythm: Sendable {
  /// The jitter is at most this share of the period, in percent.
  static let jitterPercent: Int64 = 12

  /// Milliseconds between two publications, jitter apart.
  let period: Int64
  private let chance: RandomSource

  init(period: Int64, chance: RandomSource) {
    self.period = period
    self.chance = chance
  }

  /// When a publication appears.
  func instant(of number: Int64) -> Int64 {
    let most = Int(period * Self.jitterPercent / 100)
    let draws = chance.of(.jitter, UInt64(bitPattern: number))
    return number * period + Int64(draws.within(0...most, .jitter))
  }

  /// The number of the last publication that has appeared at an instant.
  func number(at instant: Int64) -> Int64 {
    let quotient = instant / period
    let candidate = instant < 0 && quotient * period != instant ? quotient - 1 : quotient
    return self.instant(of: candidate) <= instant ? candidate : candidate - 1
  }
}
