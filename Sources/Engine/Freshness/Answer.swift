/// How a request ended, as the host understood it.
public struct Answer: Hashable, Sendable {
  /// The outcome of the request.
  public var outcome: Outcome
  /// The HTTP status; 0 if there was no response.
  public var status: Int32
  /// The bytes received, including the header section.
  public var bytes: Int64
  /// What the response says about the freshness of its data.
  public var metadata: FreshnessMetadata
  /// What the response says about the next change.
  public var hints: Hints
  /// What the watched resource is doing now, if the response says so (R9).
  public var activity: Activity?
  /// The device's wall clock on arrival, to measure clock skew (R27).
  public var deviceTime: WallTime?
  /// The time from sending the request to receiving the complete response, as the host measured it;
  /// `nil` measures from when the machine ordered the request (R37).
  public var delay: Instant.Duration?
  /// The time since the complete response was received, which the host spent on reading it (R37).
  public var decoding: Instant.Duration

  /// Creates a response.
  public init(
    _ outcome: Outcome,
    status: Int32 = 0,
    bytes: Int64 = 0,
    metadata: FreshnessMetadata = FreshnessMetadata(),
    hints: Hints = Hints(),
    activity: Activity? = nil,
    deviceTime: WallTime? = nil,
    delay: Instant.Duration? = nil,
    decoding: Instant.Duration = .zero
  ) {
    self.outcome = outcome
    self.status = status
    self.bytes = bytes
    self.metadata = metadata
    self.hints = hints
    self.activity = activity
    self.deviceTime = deviceTime
    self.delay = delay
    self.decoding = decoding
  }
}

/// A decoded body, as far as the machine needs it.
public struct Content: Hashable, Sendable {
  /// The revision of the body; an equal number means that nothing changed.
  public var revision: Revision
  /// The validator of the body.
  public var validator: Validator?
  /// Whether the body carries realtime data (R20).
  public var hasRealtime: Bool
  /// Whether the body shows the effect of a local action (R13).
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

/// The outcomes of a request, each handled differently (R21).
public enum Outcome: Hashable, Sendable {
  /// `200` with a body that was decoded.
  case content(Content)
  /// `304` or `204`: the current copy is still valid (R16).
  case unchanged
  /// `400`, `404`, `409`, `422` and similar: the request itself is wrong.
  case refused
  /// `401`, `403`: the credentials are wrong.
  case unauthorised
  /// `410`: the resource is gone.
  case gone
  /// `429`, or `503` with a `Retry-After`.
  case throttled(RetryHint?)
  /// `5xx`.
  case serverError
  /// No response in time, or `408`.
  case timedOut
  /// No connection, or the connection broke.
  case unreachable
  /// A body that cannot be decoded; the host keeps the reason under this number.
  case undecodable(reason: Int32)
  /// Canceled by the host or its platform. Not an error (R22).
  case cancelled

  /// Classifies an HTTP status without a decoded body.
  ///
  /// - Parameters:
  ///   - status: Any status except success with a body, whose outcome depends on decoding.
  ///   - retryAfter: The wait that the server asks for.
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

/// A failure that can be shown to the user.
public struct Failure: Hashable, Sendable {
  /// The kinds of failure, each with its own message and remedy (R21).
  public enum Kind: Hashable, Sendable {
    /// The request itself is wrong; repeating it does not help.
    case refused
    /// The credentials are wrong; signing in may help.
    case unauthorised
    /// The resource is gone.
    case gone
    /// The server asked us to wait.
    case throttled
    /// The server failed.
    case serverError
    /// No response in time.
    case timedOut
    /// No connection.
    case unreachable
    /// The body cannot be decoded; the host keeps the reason under this number.
    case undecodable(reason: Int32)
    /// The server said "not modified" twice about a body that the client does not have (R17).
    case missingBody
  }

  /// The most recent failure.
  public var kind: Kind
  /// The status of the last failure; 0 if there was no response.
  public var status: Int32
  /// When the current series of failures became visible.
  public var since: Instant
}
