import Freshness

/// One step being checked.
struct CheckedStep: Sendable {
  /// Records the rule that prevents the machine from requesting; the first reason takes precedence.
  mutating func hush(_ rule: Rule) { quietRule = quietRule ?? rule }

  var event: Event = .woke
  var now: Int64 = 0
  var random = RandomSample.middle
  var effects = Effects()

  // What the rules require.
  var order: Effects.SnapshotOrder = .none
  var notes: Notes = []
  /// R38: when the server can have made the copy at the earliest.
  var asOf: Int64?
  var cancelled: Ticket?
  var cancelRule: Rule = .oneRequest
  var asked: Want?
  /// The rule that prevents the machine from requesting, if any.
  var quietRule: Rule?
  var stream: PushCommand?
  var sample: ExpectedSample?
  /// The rule to blame for a wrong copy or failure.
  var copyRule: Rule = .errorsErase
  var failureRule: Rule = .errorsErase
  var hasEnded = false
  /// How long the response took (R37), and the age that its server gave (R27).
  var delay: Int64 = 0
  var figure: Int64?
  /// R37: the age with the return path, if a whole second is taken for an exact instant.
  var uncut: Int64?
  /// R37: whether the request did not wait at the server, so that its duration bounds the response's way.
  var isMeasured = false
  /// What a canceled request had been for that the host did not send (R39).
  var unsent: Want?
  /// Whether the stream overtook the response (R33).
  var isOvertaken = false
  /// Whether a degraded response asks for its own ladder (R34).
  var isReduced = false
  /// When the host sent the request of the response; `nil` for what the stream delivers.
  var sentAt: Int64?
  /// R37: what the response shows of the server's clock.
  var seenClock: ClockSpan?
  /// How long the response was decoded (R37).
  var decoding: Int64 = 0
  var rescued = false
  /// Whether the context changed in this step (R4).
  var isSwitched = false
}
