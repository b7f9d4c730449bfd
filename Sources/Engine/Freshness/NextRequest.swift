/// When the next request is due, and why.
///
/// For diagnostics. It is derived from the same facts as the alarm (R8, R9), and does not influence
/// decisions.
public struct NextRequest: Hashable, Sendable {
  /// The reason for the time of the next request.
  public enum Cause: UInt8, Hashable, Sendable, CaseIterable {
    /// There are no observers, so no request is due (R5).
    case unwatched
    /// The device has no network, so no request is due (R24).
    case offline
    /// The policy pauses in the application's lifecycle state (R11).
    case paused
    /// A request is in flight; its end determines when the next one is due (R1, R6).
    case outstanding
    /// The interval of the pace, varied (R9, R10).
    case cadence
    /// The change that the server announced (R31).
    case stated
    /// The change predicted from the rhythm of past changes (R31).
    case learned
    /// A long poll follows the last one (R32).
    case longPoll
    /// The slow poll during a healthy stream (R33).
    case safetyPoll
    /// The one silent retry (R7).
    case retry
    /// A backoff step after a failure (R23).
    case backoff
    /// A backoff step after a degraded response (R34).
    case degraded
    /// The long wait after a response that a retry would not change (R21).
    case recheck
    /// The server's `Retry-After` (R21).
    case retryAfter
    /// A short delay, so that clients that woke together do not request together (R14).
    case spread
    /// The same after the network came back, or after a stream was lost or may have missed events
    /// (R24, R33).
    case reconnect
    /// The minimum gap between two requests that stream events ask for (R33).
    case change
    /// The origin is failing, so scheduled requests are suspended (R39).
    case origin
    /// The budget of impatient requests allows one again (R40).
    case patience
  }

  /// The reason.
  public var cause: Cause
  /// When the request is sent; `nil` while one is in flight or none is due.
  public var due: Instant?

  /// Creates a next request from its reason and time.
  public init(_ cause: Cause, due: Instant? = nil) {
    self.cause = cause
    self.due = due
  }
}
