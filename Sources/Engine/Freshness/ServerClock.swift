/// What responses show of the server's clock: the interval in which it is (R37).
struct ServerClock: Hashable, Sendable {
  /// What one response shows of the clock.
  struct Reading {
    /// The server's time when the response left the last cache, at least.
    var served: WallTime
    /// How much later it may be on arrival.
    var range: Timespan
    /// Whether the duration of the request bounds the way of the response: not that of a long poll or of a stream event.
    var isMeasured: Bool
    /// How long ago the response before it arrived.
    var since: Timespan
    /// When it arrived.
    var now: Moment

    /// The server's clock minus the device's timeline, at least.
    fileprivate var least: Timespan { served - WallTime(milliseconds: now.milliseconds) }
    /// The same, at most.
    fileprivate var most: Timespan { least + max(range, .zero) }
  }

  /// The server's clock minus the device's timeline, at most.
  private var greatest = Timespan.zero
  /// How much less it may be, in milliseconds; below zero if no response has shown it.
  private var width: Int32 = -1
  /// Responses in a row that show one earlier clock: their number in the high 8 bits, and below how far it is behind, in tenths of a second.
  private var earlier: UInt32 = 0

  /// The least of the server's clock minus the device's timeline.
  private var least: Timespan { greatest - .milliseconds(Int64(width)) }

  /// Updates the interval with one response.
  ///
  /// Two responses that agree make it narrower. If they do not agree, the one that shows the later
  /// time is right: the other was in a cache or on its way for longer than it says. The clock was set back if
  /// responses agree on an earlier time that advances: 2 in a row if the difference is more than the tolerance, else 20. The copy of a cache stands still.
  mutating func note(_ reading: Reading, tolerance: Timespan) {
    guard width >= 0 else { return set(reading) }
    // The device's timeline and the server's clock drift apart by up to 100 ppm.
    let drift = (max(reading.since, .zero).milliseconds + 9_999) / 10_000
    width = Int32(clamping: Int64(width) + drift)
    guard reading.least <= greatest else { return set(reading) }
    guard reading.most >= least else { return contradict(reading, tolerance: tolerance) }
    let lower = max(reading.least, least)
    greatest = min(greatest, reading.most)
    width = Int32(clamping: (greatest - lower).milliseconds)
    earlier = 0
  }

  /// Returns the server's time at an instant, at its latest, or `nil` if no response has shown it.
  func latest(at now: Moment) -> WallTime? {
    guard width >= 0 else { return nil }
    return WallTime(milliseconds: (greatest + .milliseconds(now.milliseconds)).milliseconds)
  }

  /// Returns whether a response shows an earlier time than the clock can have.
  func isContradicted(by reading: Reading) -> Bool { width >= 0 && reading.most < least }

  private mutating func set(_ reading: Reading) {
    greatest = reading.most
    width = Int32(clamping: (reading.most - reading.least).milliseconds)
    earlier = 0
  }

  private mutating func contradict(_ reading: Reading, tolerance: Timespan) {
    let behind = least - reading.most
    let isFar = behind > tolerance
    // A delay that is not measured looks like a clock that is a little behind.
    guard isFar || reading.isMeasured else { return }
    let count = earlier >> Self.countShift
    // Soon after the other response, a copy that stands still looks like a clock that goes on.
    guard count == 0 || reading.since >= Self.leastDistance else { return }
    let tenths = UInt32(truncatingIfNeeded: behind.milliseconds / 100) & Self.tenthsMask
    let last = earlier & Self.tenthsMask
    let difference = min((tenths &- last) & Self.tenthsMask, (last &- tenths) & Self.tenthsMask)
    let agrees = count > 0 && difference <= (isFar ? Self.farSlack : Self.nearSlack)
    let agreed = agrees ? count + 1 : 1
    guard agreed < (isFar ? Self.farCount : Self.nearCount) else { return set(reading) }
    earlier = agreed << Self.countShift | tenths
  }

  private static let countShift: UInt32 = 24
  private static let tenthsMask: UInt32 = 0xFF_FFFF
  /// The least time between two responses of which one confirms the other.
  private static let leastDistance = Timespan.seconds(3)
  /// How far apart they may be, in tenths of a second, and how many are needed: for a difference above the tolerance, and below it.
  private static let (farSlack, farCount): (UInt32, UInt32) = (20, 2)
  private static let (nearSlack, nearCount): (UInt32, UInt32) = (2, 20)
}
