import Freshness

/// One step being checked.
struct CheckedStep: Sendable {
  /// Names the rule that keeps the machine from asking; the first reason is the best.
  mutating func hush(_ rule: Rule) { quietRule = quietRule ?? rule }

  var event: Event = .woke
  var now: Int64 = 0
  var draw = RandomSample.middle
  var effects = Effects()

  // What the rules ask for.
  var order: Effects.SnapshotOrder = .none
  var notes: Notes = []
  var cancelled: Ticket?
  var cancelRule: Rule = .oneRequest
  var asked: Want?
  /// The rule that keeps the machine from asking, if it may not.
  var quietRule: Rule?
  var link: PushCommand?
  var sample: ExpectedSample?
  /// The rule to blame for a wrong copy or failure.
  var copyRule: Rule = .errorsErase
  var failureRule: Rule = .errorsErase
  var hasLanded = false
  /// How long the answer took (R37), and the age its server gave (R27).
  var delay: Int64 = 0
  var figure: Int64?
  var rescued = false
  /// Whether another context is wanted now (R4).
  var isSwitched = false
}
