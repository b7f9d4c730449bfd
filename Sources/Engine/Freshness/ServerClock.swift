/// What responses show of the server's clock: the interval in which it is (R37).
struct ServerClock: Hashable, Sendable {
  /// What one response shows of the clock.
  struct Reading {
    /// The server's time when it responded.
    var served: WallTime
    /// How much later it may be on arrival, with the time in caches.
    var range: Instant.Duration
    /// Whether the duration of the request bounds the way of the response: not that of a long poll or of a stream event.
    var isMeasured: Bool
    /// How long ago the response before it that showed the clock arrived, in quarters of a second.
    var quarters: UInt32
    /// How far the device's timeline and the server's clock may have drifted apart since the last response, in milliseconds.
    var drift: Int64
    /// When it arrived.
    var now: Instant

    /// The server's clock minus the device's timeline, at least.
    fileprivate var least: Instant.Duration { served - WallTime(milliseconds: now.milliseconds) }
    /// The same, at most.
    fileprivate var most: Instant.Duration { least + max(range, .zero) }
  }

  /// The server's clock minus the device's timeline, at most.
  private var greatest = Instant.Duration.zero
  /// How much less it may be, in milliseconds; below zero if no response has shown it.
  private var width: Int32 = -1
  /// Responses in a row that show one earlier clock.
  ///
  /// Their number in the high 5 bits, the time that they took in quarters of a second in the next 6, and how far behind the
  /// nearest of them is, in tenths of a second, modulo 29 hours, in the low 20. The bit between is ``isOpen``.
  private var earlier: UInt32 = 0

  /// The least of the server's clock minus the device's timeline.
  private var least: Instant.Duration { greatest - .milliseconds(Int64(width)) }

  /// Updates the interval with one response.
  ///
  /// Two responses that agree make it narrower. If they do not agree, the one that shows the later
  /// time is right: the other was in a cache or on its way for longer than it says. The clock was set back if
  /// responses in a row agree, within 3 s, on an earlier time that advances: 2 in 4 s if the difference is more than the tolerance, else 20 in 10 s.
  /// The time in the copy of a cache does not advance.
  mutating func note(_ reading: Reading, tolerance: Instant.Duration) {
    guard isKnown else { return set(reading) }
    greatest = greatest + .milliseconds(reading.drift)
    width = Int32(clamping: Int64(width) + 2 * reading.drift)
    // After a long time without any, the clock is hardly known: until one whose way was measured agrees.
    if reading.drift >= Self.mostDrift, !reading.isMeasured { earlier |= Self.openBit }
    guard reading.least <= greatest else { return set(reading) }
    guard reading.most >= least else { return contradict(reading, tolerance: tolerance) }
    let lower = max(reading.least, least)
    // How late one arrives whose way is not measured is not known.
    if reading.isMeasured { greatest = isOpen ? reading.most : min(greatest, reading.most) }
    width = Int32(clamping: (greatest - lower).milliseconds)
    earlier = reading.isMeasured ? 0 : earlier & Self.openBit
  }

  /// Returns how far the device's timeline and the server's clock may have drifted apart since it was counted last, in
  /// milliseconds: 500 ppm, as fast as NTP corrects a clock, in steps of 2 s that have begun.
  ///
  /// - Parameters:
  ///   - quarter: Now, in quarters of a second.
  ///   - counted: Until when it is counted, likewise.
  /// - Returns: The drift.
  @inline(never)
  func drift(until quarter: UInt32, countedUntil counted: inout UInt32) -> Int64 {
    guard isKnown else {
      counted = quarter
      return 0
    }
    let steps = (max(Int64(Int32(bitPattern: quarter &- counted)), 0) + 7) / 8
    counted = counted &+ UInt32(truncatingIfNeeded: steps * 8)
    return steps
  }

  /// Whether a response has shown the clock.
  var isKnown: Bool { width >= 0 }

  /// Whether the clock may be later than ``greatest``, because no response whose way was measured has agreed with it yet.
  var isOpen: Bool { earlier & Self.openBit != 0 }

  /// Returns the server's time at an instant, at its latest, or `nil` if no response has shown it.
  func latest(at now: Instant) -> WallTime? {
    guard isKnown else { return nil }
    return WallTime(milliseconds: (greatest + .milliseconds(now.milliseconds)).milliseconds)
  }

  /// Returns whether a response shows an earlier time than the clock can have.
  func isContradicted(by reading: Reading) -> Bool { isKnown && reading.most < least }

  /// Returns whether responses over 4 s show the same earlier time as one that contradicts the clock does: they come from a
  /// clock that is behind, because the time in the copy of a cache does not advance.
  func advances(_ reading: Reading) -> Bool {
    earlier >> Self.countShift >= Self.farCount
      && earlier >> Self.quartersShift & 0x3F >= Self.farQuarters
      && Self.difference(tenths(behind: least - reading.most), earlier & Self.tenthsMask)
        <= Self.still
  }

  private func tenths(behind: Instant.Duration) -> UInt32 {
    UInt32(truncatingIfNeeded: behind.milliseconds / 100) & Self.tenthsMask
  }

  /// Returns the signed difference of two numbers of as many bits.
  private static func difference(_ tenths: UInt32, _ known: UInt32) -> Int32 {
    Int32(bitPattern: (tenths &- known) << 12) >> 12
  }

  @inline(never)
  private mutating func set(_ reading: Reading) {
    let staysOpen = !reading.isMeasured && (!isKnown || isOpen)
    greatest = reading.most
    width = Int32(clamping: (reading.most - reading.least).milliseconds)
    earlier = staysOpen ? Self.openBit : 0
  }

  /// Adds to the time that responses in a row took.
  @inline(never)
  private mutating func pass(_ quarters: UInt32) {
    let taken = earlier >> Self.quartersShift & 0x3F
    let more = min(quarters, 0x3F - taken)
    earlier += more << Self.quartersShift
  }

  private mutating func contradict(_ reading: Reading, tolerance: Instant.Duration) {
    let behind = least - reading.most
    let isFar = behind > tolerance
    // A delay that is not measured looks like a clock that is a little behind.
    guard isFar || reading.isMeasured else {
      // The time until the next one that counts passes all the same.
      if earlier >> Self.countShift > 0 { pass(reading.quarters) }
      return
    }
    let open = earlier & Self.openBit
    let tenths = tenths(behind: behind)
    let known = earlier & Self.tenthsMask
    let count = earlier >> Self.countShift
    let difference = Self.difference(tenths, known)
    guard count > 0, abs(difference) <= Self.slack else {
      earlier = 1 << Self.countShift | open | tenths
      return
    }
    pass(reading.quarters)
    let taken = earlier >> Self.quartersShift & 0x3F
    let agreed = min(count + 1, 0x1F)
    let nearest = difference < 0 ? tenths : known
    earlier = agreed << Self.countShift | taken << Self.quartersShift | open | nearest
    guard agreed >= (isFar ? Self.farCount : Self.nearCount),
      taken >= (isFar ? Self.farQuarters : Self.nearQuarters)
    else { return }
    if isFar { return set(reading) }
    // By as little as the one that shows the latest time, but at all.
    greatest = greatest - .milliseconds(Int64(max(nearest, 1)) * 100)
    earlier = 0
  }

  /// The drift since the last reading, in milliseconds, from which one whose way was not measured leaves the clock open.
  private static let mostDrift: Int64 = 1_000
  /// The bits of ``earlier``.
  private static let (countShift, quartersShift): (UInt32, UInt32) = (27, 21)
  private static let (openBit, tenthsMask): (UInt32, UInt32) = (1 << 20, 0xF_FFFF)
  /// How far apart readings may be that agree, in tenths of a second: `Date` is cut, and ways differ.
  private static let slack: Int32 = 30
  /// The same for two of one clock that is behind: the copy of a cache that others fill again varies by more.
  private static let still: Int32 = 3
  /// How many readings are needed, and in how many quarters of a second: for a difference above the tolerance, and below it.
  private static let (farCount, farQuarters): (UInt32, UInt32) = (2, 16)
  private static let (nearCount, nearQuarters): (UInt32, UInt32) = (20, 40)
}
