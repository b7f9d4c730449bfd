/// The rhythm of the source times of past responses: a period, and a phase that tracks them (R31).
///
/// Uses only the server's clock, so neither late responses nor intermediate caches affect it. It is
/// a second-order loop: half of a change's error corrects the phase, an eighth corrects the period.
/// Changes that fit no rhythm restart it.
struct Beat: Hashable, Sendable {
  /// The source time of the newest data.
  private(set) var newest = WallTime(milliseconds: 0)
  /// Where the newest change would be if it had kept the rhythm.
  private var phase = WallTime(milliseconds: 0)
  /// The time between two changes in milliseconds; 0 before the second change.
  private(set) var period: Int64 = 0
  /// The mean error of changes against the rhythm, in milliseconds.
  private(set) var deviation: Int32 = 0
  /// How many changes agreed, including the first.
  private(set) var agreement: UInt8 = 0
  /// How many consecutive changes did not fit a rhythm.
  private var misfits: UInt8 = 0
  /// How many changes must be on time before the rhythm counts as free of extra ones again.
  private(set) var surprise: UInt8 = 0
  /// How many overdue changes lately were never made; halved by each that came after all.
  private var absence: UInt8 = 0

  /// The longest time between two changes that counts as a rhythm.
  static let longestPeriod = Instant.Duration.minutes(10)
  /// The number of changes to trust: two periods that agree.
  private static let trusted: UInt8 = 3
  /// The number of misfits that restart the rhythm.
  private static let mostMisfits: UInt8 = 3
  /// How many changes an extra one is remembered for.
  private static let surpriseFor: UInt8 = 16

  /// The number of changes that were never made for which an overdue one is not waited for.
  private static let oftenAbsent: UInt8 = 3

  /// What a change revealed about the rhythm.
  struct Step: Hashable, Sendable {
    /// How many periods passed since the last change; 0 if the change fits no rhythm.
    var periods: Int64 = 0
    /// By how much it missed the rhythm, in milliseconds.
    var miss: Int64 = 0
    /// When the previous change was due, if it was never seen.
    var skipped: WallTime?
  }

  /// Whether any change was seen.
  var isKnown: Bool { agreement > 0 }
  /// Whether a period is known.
  var hasPeriod: Bool { period > 0 && agreement > 1 }
  /// Whether the next change can be predicted.
  var isTrusted: Bool { period > 0 && agreement >= Self.trusted }
  /// Whether overdue changes are usually never made.
  var isOftenAbsent: Bool { absence >= Self.oftenAbsent }
  /// When the next change is expected.
  var next: WallTime { phase.later(period) }

  /// Updates the rhythm with the source time of newer data.
  mutating func follow(_ made: WallTime) -> Step {
    let distance = (made - newest).milliseconds
    newest = made
    guard isKnown, distance <= Self.longestPeriod.milliseconds else {
      begin(at: made, period: 0)
      return Step()
    }
    guard hasPeriod else {
      begin(at: made, period: distance)
      return Step()
    }
    // A poll may have missed changes: the distance is then a multiple of the period.
    let periods = ((made - phase).milliseconds + period / 2) / period
    guard periods >= 1 else {
      surprise = Self.surpriseFor
      misfit(made, distance)
      return Step()
    }
    let expected = phase.later(periods * period)
    let miss = (made - expected).milliseconds
    let skipped = periods > 1 ? expected.later(-period) : nil
    let step = Step(periods: periods, miss: miss, skipped: skipped)
    let isFar = abs(miss) > period / 4
    if isFar, agreement <= Self.trusted {
      begin(at: made, period: distance)
      return step
    }
    note(miss)
    if isFar, abs(miss) > 2 * Int64(deviation) {
      phase = expected
      misfit(made, distance)
      return step
    }
    misfits = 0
    surprise -= surprise > 0 ? 1 : 0
    phase = expected.later(miss / 2)
    period = max(period + miss / (agreement == Self.trusted - 1 ? 2 : 8) / periods, 1)
    agreement = min(agreement + 1, .max - 1)
    return step
  }

  /// Records the outcome of a change that was overdue when it was requested.
  ///
  /// - Parameter isAbsent: Whether it was never made: the next one came in its place.
  mutating func resolve(isAbsent: Bool) {
    absence = isAbsent ? min(absence + 1, 2 * Self.oftenAbsent) : absence / 2
  }

  /// TCP's estimator of round-trip variation (RFC 6298), faster while it has few samples.
  private mutating func note(_ miss: Int64) {
    let off = Int32(clamping: min(abs(miss), period / 2))
    switch agreement {
    case ..<Self.trusted: deviation = off
    case ...5: deviation += (off - deviation) / 3
    default: deviation += (off - deviation) / 8
    }
  }

  private mutating func misfit(_ made: WallTime, _ distance: Int64) {
    misfits += 1
    guard misfits >= Self.mostMisfits || agreement <= Self.trusted else { return }
    begin(at: made, period: distance)
  }

  private mutating func begin(at made: WallTime, period distance: Int64) {
    phase = made
    period = distance
    agreement = distance > 0 ? 2 : 1
    misfits = 0
    surprise = 0
  }
}

extension WallTime {
  /// Returns the wall time a number of milliseconds later.
  func later(_ milliseconds: Int64) -> WallTime {
    let moved =
      Instant.Duration(milliseconds: self.milliseconds)
      + Instant.Duration(milliseconds: milliseconds)
    return WallTime(milliseconds: moved.milliseconds)
  }
}
