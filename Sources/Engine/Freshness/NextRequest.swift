/// When the machine asks next, and what that follows from: what diagnostics say about a wait.
///
/// It is worked out from the same facts as the alarm (R8, R9), and decides nothing.
public struct NextRequest: Hashable, Sendable {
  /// What the moment follows from.
  public enum Cause: UInt8, Hashable, Sendable, CaseIterable {
    /// Nobody watches, so nothing is due (R5).
    case unwatched
    /// The device has no network, so nothing is due (R24).
    case offline
    /// The application is where the policy lets nothing run (R11).
    case paused
    /// A request is out; its end says when the next one is due (R1, R6).
    case outstanding
    /// The interval of the pace, varied (R9, R10).
    case cadence
    /// The change that the server states (R31).
    case stated
    /// The change that the rhythm of past changes foretells (R31).
    case learned
    /// A request that waits at the server follows the last one (R32).
    case longPoll
    /// The slow poll beside a healthy stream (R33).
    case safetyPoll
    /// The one silent retry (R7).
    case retry
    /// A step of the ladder after a failure (R23).
    case backoff
    /// A step of the ladder after a degraded answer (R34).
    case degraded
    /// The long wait after an answer that a repetition would not change (R21).
    case recheck
    /// The server's `Retry-After` (R21).
    case retryAfter
    /// A moment, so that clients that woke together do not ask together (R14).
    case spread
    /// The same, after the network came back, or a stream was lost or may have missed something
    /// (R24, R33).
    case reconnect
    /// The least gap between two requests that news asks for (R33).
    case news
    /// The origin is failing, and the schedule leaves it alone (R39).
    case origin
    /// The budget of impatient requests has one again (R40).
    case patience
  }

  /// What the moment follows from.
  public var cause: Cause
  /// When the request goes out; `nil` while one is out or nothing is due.
  public var due: Moment?

  /// Creates the answer to "when, and why".
  public init(_ cause: Cause, due: Moment? = nil) {
    self.cause = cause
    self.due = due
  }
}
