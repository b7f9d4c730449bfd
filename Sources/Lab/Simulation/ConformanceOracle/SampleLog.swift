import Freshness

/// The oracle's record of randomness: missing jitter shows only over time.
struct SampleLog: Sendable {
  private var offset: Int64?
  private var bits: UInt32 = 0
  private var equalOffsets = 0
  private var equalRule: Rule = .jitter
  private var unspread = 0
  private var unspreadRule: Rule = .drift

  /// Records where in its bounds a wait of the cadence ends (R10).
  mutating func cadence(offset: Int64, width: Int64, random: RandomSample) {
    guard width >= 20 else { return }
    // The same sample would explain the same wait.
    guard random.bits >> 24 != bits >> 24 else { return }
    equalOffsets = offset == self.offset ? equalOffsets + 1 : 0
    self.offset = offset
    bits = random.bits
  }

  /// Records whether a spread wait requested at once (R14, R24).
  ///
  /// Half of all samples request in the second half of the window: two of those never request at
  /// once.
  mutating func spread(_ reason: Reason, _ policy: Policy, _ step: CheckedStep, isAtOnce: Bool) {
    guard reason.isSpread, policy.spread.milliseconds >= 100 else { return }
    guard step.random.bits >= 1 << 31 else { return }
    unspread = isAtOnce ? unspread + 1 : 0
    unspreadRule = reason.rule
  }

  /// The rule that the recorded samples violate, if any.
  var broken: Rule? {
    if equalOffsets >= 8 { return .jitter }
    return unspread >= 2 ? unspreadRule : nil
  }
}
