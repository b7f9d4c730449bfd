/// How long after its source time a change becomes available: a range that every response may
/// narrow (R31).
///
/// It is measured on the server's clock alone. A version in a response was available no later than
/// its age there. A version missing from an earlier response, although its source time had passed,
/// was not available by then. A constant lag is found by bisection. A varying lag is tracked: up by
/// a step after a change that was requested too early, down by a small share of the step after one
/// that was not.
struct Lag: Hashable, Sendable {
  /// The longest time after which a change was not available yet, in milliseconds.
  private(set) var low: Int32 = 0
  /// The shortest time after which a change was available.
  private(set) var high: Int32 = 0
  /// The lag to plan with.
  private(set) var aim: Int32 = 0
  /// The lag that nearly every change exceeds, once the lag has varied: the lower end of its range.
  private(set) var shortest = Int32.max
  /// The step by which a varying lag is tracked.
  private(set) var swing = Self.leastSwing
  /// How many changes must be on time before the lag counts as constant again.
  private var unrest: UInt8 = 0
  /// How many consecutive changes were on time since the range became narrow.
  private var calm: UInt8 = 0
  private var isKnown = false
  private var wasMissed = false

  /// Differences below this are network noise.
  private static let noise: Int32 = 300
  /// The width up to which a range is narrow.
  private static let narrow: Int32 = 500
  /// The most by which a source time may be ahead of the server's clock: `Date` counts whole
  /// seconds.
  private static let mostAhead: Int32 = 1_000
  private static let leastSwing: Int32 = 500
  /// The greatest variation that makes the steps down larger.
  ///
  /// With it one change in thirty comes later than the lag: more than one in twenty would determine
  /// the 95th percentile of the age.
  private static let widest: Int32 = 1_000
  private static let mostSwing: Int32 = 30_000
  /// The share by which the lag approaches a change that was available earlier, as a divisor: while
  /// requests follow it, and while they do not.
  private static let decline: Int32 = 22
  private static let slowDecline: Int32 = 256
  /// The longest lag that is accepted, in milliseconds.
  private static let limit: Int64 = 600_000
  private static let mostUnrest: UInt8 = 24
  /// The number of changes on time after which a shorter lag is tried.
  private static let longCalm: UInt8 = 96

  /// How much the lag is known to vary, in milliseconds.
  var variation: Int64 { unrest > 0 ? Int64(swing) : 0 }

  /// The width of the range of a varying lag: the longest that a change waits for its request.
  var range: Int64 { shortest < aim ? Int64(aim) - Int64(shortest) : 0 }

  /// Whether the lag seems constant, so that its range holds for every change.
  var isConstant: Bool { isKnown && unrest == 0 }

  /// Whether a change was seen about as soon as it became available.
  var hasConverged: Bool { isKnown && (unrest > 0 || high - aim <= 3 * Self.narrow) }

  /// Updates the lag with a change.
  ///
  /// - Parameters:
  ///   - least: The time after which it was not available yet; negative if no request was made
  ///     since then.
  ///   - most: The time after which it was available.
  ///   - isFollowed: Whether requests follow this lag. If they do not, a long varying lag is kept, so
  ///     that it is not learned again at the cost of the changes that come later.
  mutating func learn(least: Int64, most: Int64, isFollowed: Bool = true) {
    let least = Self.clamped(least)
    let most = max(Self.clamped(most), least)
    guard isKnown else {
      isKnown = true
      low = least
      high = most
      search()
      return
    }
    let isMissed = least > aim + Self.noise
    defer { wasMissed = isMissed }
    if unrest > 0 {
      follow(isMissed, least, most, isFollowed)
    } else if least > high + Self.noise || most < low - Self.noise {
      // The lag changed, or it varies.
      unrest = 8
      swing = Self.leastSwing
      if shortest == .max { shortest = min(low, aim) }
      follow(isMissed, least, most, isFollowed)
    } else {
      low = max(low, least)
      high = max(min(high, most), low)
      calm = isMissed || high - low > 4 * Self.narrow ? 0 : min(calm + 1, .max - 1)
      if calm >= Self.longCalm, low > Self.noise || high < -Self.mostAhead {
        low -= 1_000 << Int32(min(calm - Self.longCalm, 4))
        low = max(low, high - Self.mostSwing)
      }
      search()
    }
  }

  /// Records that a due change was not available and never seen: it came later, or was never made.
  ///
  /// Only a varying lag is extended by this.
  mutating func skip() {
    guard unrest > 0 || aim > Self.noise else { return }
    aim = min(aim + 2 * swing, Int32(Self.limit))
    high = max(high, aim)
    unrest = min(unrest + 8, Self.mostUnrest)
  }

  private mutating func search() {
    if low <= Self.noise, high >= -Self.mostAhead {
      // Most servers publish a change as soon as it is made.
      aim = 0
    } else {
      aim = high - low <= Self.narrow ? high : low + (high - low) / 2
    }
  }

  private mutating func follow(
    _ isMissed: Bool,
    _ least: Int32,
    _ most: Int32,
    _ isFollowed: Bool
  ) {
    if isMissed {
      if wasMissed { swing = min(swing * 2, Self.mostSwing) }
      aim = min(least + 2 * swing, max(most, least + Self.narrow))
      unrest = min(unrest + 8, Self.mostUnrest)
    } else {
      // The more the lag varies, the less a miss weighs against waiting for every change.
      let scale = min(max(swing, aim / 4), Self.widest)
      if isFollowed {
        aim -= min(max(swing * (scale * scale / 20_000) / 1_000, swing / 24), swing / 3)
      }
      if most < aim { aim -= (aim - most) / (isFollowed ? Self.decline : Self.slowDecline) }
      swing = max(swing - swing / 8, Self.leastSwing)
      unrest -= 1
    }
    aim = max(aim, min(most, 0))
    bound(isMissed && wasMissed, least, most)
    low = aim - Self.noise
    high = aim
    calm = 0
  }

  /// Updates the lower end of the range with a change.
  ///
  /// A request that would narrow it is seldom sent, so without evidence it declines: a lag that seems
  /// to vary less than it does costs more than one that seems to vary more.
  private mutating func bound(_ isMissedAgain: Bool, _ least: Int32, _ most: Int32) {
    guard shortest < .max else {
      shortest = aim
      return
    }
    if most < shortest {
      shortest -= (shortest - most) / 2
    } else if least > shortest {
      shortest += (least - shortest) / (isMissedAgain ? 2 : 16)
    } else {
      shortest -= (aim - shortest) / 64
    }
    shortest = min(max(shortest, min(aim, 0)), aim)
  }

  private static func clamped(_ value: Int64) -> Int32 {
    Int32(clamping: max(min(value, limit), -limit))
  }
}
