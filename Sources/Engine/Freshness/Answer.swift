/// How one request ended, as the host understood it.
public struct Answer: Hashable, Sendable {
  /// What the end means.
  public var outcome: Outcome
  /// The HTTP status; 0 when there was none.
  public var status: Int32
  /// The bytes received, head and body.
  public var bytes: Int64
  /// What the answer says about the freshness of its data.
  public var marks: FreshnessMetadata
  /// What the answer says about the next change.
  public var hints: Hints
  /// What the watched thing is doing now, if the answer tells (R9).
  public var activity: Activity?
  /// The device's wall clock on arrival, to measure the skew (R27).
  public var deviceTime: WallTime?
  /// The time from sending the request to the arrival of the whole answer, as the host measured it;
  /// `nil` counts from the order of the request (R37).
  public var delay: Timespan?

  /// Creates an answer.
  public init(
    _ outcome: Outcome,
    status: Int32 = 0,
    bytes: Int64 = 0,
    marks: FreshnessMetadata = FreshnessMetadata(),
    hints: Hints = Hints(),
    activity: Activity? = nil,
    deviceTime: WallTime? = nil,
    delay: Timespan? = nil
  ) {
    self.outcome = outcome
    self.status = status
    self.bytes = bytes
    self.marks = marks
    self.hints = hints
    self.activity = activity
    self.deviceTime = deviceTime
    self.delay = delay
  }
}

/// A decoded body, as far as the machine needs to know it.
public struct Content: Hashable, Sendable {
  /// What the body says; an equal number is no change.
  public var revision: Revision
  /// What validates the body.
  public var validator: Validator?
  /// Whether the body carries realtime data (R20).
  public var hasRealtime: Bool
  /// Whether the body shows the effect a local action was waiting for (R13).
  public var fulfilsAction: Bool

  /// Creates a content.
  public init(
    _ revision: Revision,
    validator: Validator? = nil,
    hasRealtime: Bool = false,
    fulfilsAction: Bool = false
  ) {
    self.revision = revision
    self.validator = validator
    self.hasRealtime = hasRealtime
    self.fulfilsAction = fulfilsAction
  }
}

/// The different ends of a request; different outcomes stay different (R21).
public enum Outcome: Hashable, Sendable {
  /// `200` with a body that was decoded.
  case content(Content)
  /// `304` or `204`: what the client has is still right (R16).
  case unchanged
  /// `400`, `404`, `409`, `422` and their like: the question is wrong.
  case refused
  /// `401`, `403`: the identity is wrong.
  case unauthorised
  /// `410`: the thing is gone.
  case gone
  /// `429`, or `503` with a `Retry-After`.
  case throttled(RetryHint?)
  /// `5xx`.
  case serverError
  /// No answer in time, or `408`.
  case timedOut
  /// No connection, or a broken one.
  case unreachable
  /// A body that cannot be decoded; the host keeps the reason under its number.
  case undecodable(reason: Int32)
  /// Cancelled by the host or its platform. Not an error (R22).
  case cancelled

  /// Sorts an HTTP status without a decoded body.
  ///
  /// - Parameters:
  ///   - status: Any status except the success of a body, which only its decoding decides.
  ///   - retryAfter: The wait the server asks for.
  public init(status: Int32, retryAfter: RetryHint? = nil) {
    switch status {
    case 204, 304: self = .unchanged
    case 401, 403: self = .unauthorised
    case 410: self = .gone
    case 429: self = .throttled(retryAfter)
    case 503 where retryAfter != nil: self = .throttled(retryAfter)
    case 408: self = .timedOut
    case 500...: self = .serverError
    default: self = .refused
    }
  }
}

/// A failure a person may see.
public struct Failure: Hashable, Sendable {
  /// The kinds of failure; each calls for other words and other remedies (R21).
  public enum Kind: Hashable, Sendable {
    /// The question is wrong; repeating it does not help.
    case refused
    /// The identity is wrong; signing in may help.
    case unauthorised
    /// The thing is gone.
    case gone
    /// The server asked us to wait.
    case throttled
    /// The server failed.
    case serverError
    /// No answer in time.
    case timedOut
    /// No connection.
    case unreachable
    /// The body cannot be decoded; the host keeps the reason under this number.
    case undecodable(reason: Int32)
    /// The server says "not modified" about a body nobody has, twice (R17).
    case missingBody
  }

  /// What went wrong last.
  public var kind: Kind
  /// The status of the last failure; 0 when there was none.
  public var status: Int32
  /// When the run of failures became visible.
  public var since: Moment
}
