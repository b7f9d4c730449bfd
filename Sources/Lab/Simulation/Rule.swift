/// The rules of the machine, as Documentation/rules.md numbers them.
public enum Rule: Int, CaseIterable, Comparable, Sendable {
  /// One request in flight.
  case oneRequest = 1
  /// One follow-up; requests merge.
  case oneFollowUp
  /// A superseded response changes nothing.
  case superseded
  /// Another context clears everything and leads to a request.
  case contextSwitch
  /// Poll first, then sleep.
  case pollFirst
  /// A request has an end.
  case timeout
  /// One silent retry.
  case silentRetry
  /// One owner of the timer.
  case timerOwner
  /// The interval is a pure function.
  case pureInterval
  /// Jitter, and never faster than the cadence.
  case jitter
  /// Background, suspension and return.
  case lifecycle
  /// Idle is slow, never stopped.
  case neverDead
  /// A burst after a local action.
  case burst
  /// Drift and gaps in time.
  case drift
  /// A stall is ended.
  case stall
  /// Success and not modified.
  case success
  /// Not modified without a copy.
  case missingBody
  /// Unconditional from time to time.
  case unconditional
  /// Validators stay with their copy.
  case validators
  /// Downgrade protection.
  case downgradeProtection
  /// Each outcome is handled differently.
  case outcomes
  /// An error removes nothing.
  case errorsErase
  /// The ladder.
  case backoff
  /// Offline.
  case offline
  /// The loading hint.
  case loadingHint
  /// The order of interpretation.
  case interpretation
  /// Age.
  case age
  /// The text of the age.
  case wording
  /// Samples.
  case samples
  /// Counters.
  case counters
  /// The producer's phase.
  case producerPhase
  /// Long poll.
  case longPoll
  /// Push.
  case push
  /// Degraded responses.
  case degraded
  /// Prefetch.
  case prefetch
  /// Monotonic reads.
  case monotonicReads
  /// Age is an interval that never shrinks without newer data.
  case ageInterval
  /// Provenance.
  case provenance
  /// Back-pressure by origin.
  case backPressure
  /// Bounded impatience.
  case impatience

  /// The rule's name in Documentation/rules.md: `R7`.
  public var name: String { "R\(rawValue)" }

  /// Orders rules by number.
  public static func < (lhs: Rule, rhs: Rule) -> Bool { lhs.rawValue < rhs.rawValue }
}
