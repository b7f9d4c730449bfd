/// Some permits at once, and new ones at a steady rate.
///
/// It has no clock: the time is an argument.
struct TokenBucket: Sendable {
  private let most: Double
  private let perSecond: Double
  private var count: Double
  private var filledAt: ContinuousClock.Instant

  /// A full bucket.
  ///
  /// - Parameters:
  ///   - most: The most permits at once, at least 1.
  ///   - perMinute: How many come back in a minute, at least 1.
  ///   - now: The current time.
  init(most: Int, perMinute: Int, now: ContinuousClock.Instant) {
    self.most = Double(most)
    perSecond = Double(perMinute) / 60
    count = Double(most)
    filledAt = now
  }

  private mutating func fill(_ now: ContinuousClock.Instant) {
    guard now > filledAt else { return }
    count = min(most, count + (now - filledAt) / .seconds(1) * perSecond)
    filledAt = now
  }

  /// The time until a permit is available; `nil` if one is available now.
  mutating func wait(now: ContinuousClock.Instant) -> Duration? {
    fill(now)
    return count >= 1 ? nil : .seconds((1 - count) / perSecond)
  }

  /// Whether nothing is missing.
  mutating func isFull(now: ContinuousClock.Instant) -> Bool {
    fill(now)
    return count == most
  }

  /// Takes a permit; there has to be one.
  mutating func acquire() { count -= 1 }

  /// Gives a permit back.
  mutating func giveBack() { count = min(most, count + 1) }
}
