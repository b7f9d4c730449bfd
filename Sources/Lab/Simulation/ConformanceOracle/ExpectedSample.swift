import Freshness

/// The expected contents of a sample (R29).
struct ExpectedSample: Sendable {
  var ticket: Ticket
  var startedAt: Int64
  var endedAt: Int64
  var answer: Answer
  var verdict: DowngradeProtection.Verdict?
  var isConditional: Bool
  var isChange: Bool
  var cadence: Int64
}
