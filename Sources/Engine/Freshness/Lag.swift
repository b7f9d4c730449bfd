/// How long after its source time a change can be had: a bracket that every answer may narrow (R31).
///
/// It is measured on the server's clock alone. A version that an answer shows can be had no later than
/// its age there; one that an earlier answer did not show, though its source time had passed, could not
/// be had before that. A lag that is the same every time is searched for by halves. One that varies is
/// followed: up by a step after a change that was asked for too early, down by a seventh of it after
/// one that was not.
struct Lag: Hashable, Sendable {
  /// The longest time after which a change was not to be had, in milliseconds.
  private(set) var low: Int32 = 0
  /// The shortest time after which one was.
  private(set) var high: Int32 = 0
  /// The lag to reckon with.
  private(set) var aim: Int32 = 0
  /// The step by which a lag that varies is followed.
  private(set) var swing = Self.leastSwing
  /// How many changes have to come in time before the lag counts as the same every time.
  private var unrest: UInt8 = 0
  /// How many changes in a row came in time since the bracket is narrow.
  private var calm: UInt8 = 0
  private var isKnown = false
  private var wasMissed = false

  /// Differences below this are those of the network.
  private static let noise: Int32 = 300
  /// A bracket no wider than this is narrow.
  private static let narrow: Int32 = 500
  /// A source time that is ahead of the server's clock by less is not: `Date` knows whole seconds.
  private static let mostAhead: Int32 = 1_000
  private static let leastSwing: Int32 = 500
  /// From here on a lag that varies costs too much to be waited for every time.
  private static let widest: Int32 = 2_500
  private static let mostSwing: Int32 = 30_000
  /// No longer lag is believed, in milliseconds.
  private static let limit: Int64 = 600_000
  private static let mostUnrest: UInt8 = 24
  /// After so many changes in time a shorter lag is tried.
  private static let longCalm: UInt8 = 96

  /// By how much the lag is known to vary, in milliseconds.
  var variation: Int64 { unrest > 0 ? Int64(swing) : 0 }

  /// Whether a change was seen about as soon as it can be had.
  var isSettled: Bool { isKnown && (unrest > 0 || high - aim <= 3 * Self.narrow) }

  /// Learns from a change.
  ///
  /// - Parameters:
  ///   - least: After which time it was not to be had yet; below zero if nobody asked since it was made.
  ///   - most: After which time it was there.
  mutating func learn(least: Int64, most: Int64) {
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
      follow(isMissed, least, most)
    } else if least > high + Self.noise || most < low - Self.noise {
      // The lag is another one now, or it varies.
      unrest = 8
      swing = Self.leastSwing
      follow(isMissed, least, most)
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

  /// A change that was due was not to be had, and never seen: it was later yet, or never made.
  ///
  /// Only a lag that varies is believed to be longer.
  mutating func skip() {
    guard unrest > 0 || aim > Self.noise else { return }
    aim = min(aim + 2 * swing, Int32(Self.limit))
    high = max(high, aim)
    unrest = min(unrest + 8, Self.mostUnrest)
  }

  private mutating func search() {
    if low <= Self.noise, high >= -Self.mostAhead {
      // Most servers have a change as soon as it is made.
      aim = 0
    } else {
      aim = high - low <= Self.narrow ? high : low + (high - low) / 2
    }
  }

  private mutating func follow(_ isMissed: Bool, _ least: Int32, _ most: Int32) {
    // The wider the lag varies, the less a miss weighs against waiting for every change.
    let scale = min(max(swing, aim / 4), Self.widest)
    if isMissed {
      if wasMissed { swing = min(swing * 2, Self.mostSwing) }
      aim = min(least + (scale < 1_500 ? 2 * swing : swing / 2), max(most, least + Self.narrow))
      unrest = min(unrest + 8, Self.mostUnrest)
    } else {
      aim -= min(max(swing * (scale * scale / 20_000) / 1_000, swing / 24), swing / 3)
      if most < aim { aim -= (aim - most) / 16 }
      swing = max(swing - swing / 8, Self.leastSwing)
      unrest -= 1
    }
    aim = max(aim, min(most, 0))
    low = aim - Self.noise
    high = aim
    calm = 0
  }

  private static func clamped(_ value: Int64) -> Int32 {
    Int32(clamping: max(min(value, limit), -limit))
  }
}
