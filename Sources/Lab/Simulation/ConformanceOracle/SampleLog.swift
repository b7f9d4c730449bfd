import Freshness

/// What the referee remembers of chance: a wait that is not jittered shows only over time.
struct SampleLog: Sendable {
  private var offset: Int64?
  private var bits: UInt32 = 0
  private var equalOffsets = 0
  private var equalRule: Rule = .jitter
  private var unspread = 0
  private var unspreadRule: Rule = .drift

  /// Notes where in its bounds a wait of the cadence ends (R10).
  mutating func cadence(offset: Int64, width: Int64, draw: RandomSample) {
    guard width >= 20 else { return }
    // The same draw would explain the same wait.
    guard draw.bits >> 24 != bits >> 24 else { return }
    equalOffsets = offset == self.offset ? equalOffsets + 1 : 0
    self.offset = offset
    bits = draw.bits
  }

  /// Notes whether a spread wait asked at once (R14, R24).
  ///
  /// Half of all draws ask in the second half of the window: two of those never ask at once.
  mutating func spread(_ reason: Reason, _ policy: Policy, _ turn: CheckedStep, isAtOnce: Bool) {
    guard reason.isSpread, policy.spread.milliseconds >= 100 else { return }
    guard turn.draw.bits >= 1 << 31 else { return }
    unspread = isAtOnce ? unspread + 1 : 0
    unspreadRule = reason.rule
  }

  /// The rule that chance breaks, if any.
  var broken: Rule? {
    if equalOffsets >= 8 { return .jitter }
    return unspread >= 2 ? unspreadRule : nil
  }
}
