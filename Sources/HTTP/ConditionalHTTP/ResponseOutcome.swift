public import HTTPTypes

/// The meaning of a response, or of its absence, for a client that keeps a snapshot fresh.
///
/// A client handles each case differently: these are rules R16, R17 and R21 to R24 of the engine.
public enum ResponseOutcome: Hashable, Sendable {
  /// A new representation arrived and was read.
  case modified
  /// 304 or 204: the snapshot is still valid.
  case notModified
  /// 304 or 204, but there is no snapshot: request once more, without a condition (R17).
  case notModifiedWithoutSnapshot
  /// The request is wrong, and repeating it gets the same response: 400, 404, 409, 422 and other
  /// 4xx.
  case badQuestion(status: Int)
  /// The server does not accept the client's credentials: 401, 403, 407.
  case unauthorised(status: Int)
  /// The resource is gone for good: 410.
  case gone
  /// 429, or 503 with a readable Retry-After; the delay in milliseconds if the server gave one.
  case throttled(status: Int, delay: Int64?)
  /// The server failed: 5xx, and numbers that are not a status. Also 421 and 425, which ask to
  /// repeat the request over another connection or later (RFC 9110 section 15.5.20, RFC 8470).
  case serverFailure(status: Int)
  /// The response did not arrive in time; also 408.
  case timeout
  /// The server cannot be reached, or the connection broke; with a readable reason.
  case network(reason: String)
  /// A response arrived that cannot be used; with a readable reason.
  ///
  /// The content could not be read or is too large, or the status does not answer a plain request:
  /// 1xx, 206, or a redirect that was not followed.
  case undecodable(status: Int?, reason: String)
  /// The request was canceled; not an error (R22).
  case cancelled

  /// Classifies a response.
  ///
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - fields: The fields of the response.
  ///   - decodingFailure: Why the content could not be read; `nil` if it was read, or did not need
  ///     to be read.
  ///   - hasSnapshot: Whether the client has the copy that a 304 would confirm.
  ///   - now: The device's clock when the response arrived, in milliseconds since 1970; used only
  ///     for the century of a date whose year has two digits.
  ///   - delayLimit: The longest Retry-After to honor, in milliseconds.
  public init(
    status: HTTPResponse.Status,
    fields: HTTPFields,
    decodingFailure: String?,
    hasSnapshot: Bool,
    now: Int64,
    delayLimit: Int64
  ) {
    let delay = RetryAfter.delay(in: fields, now: now, limit: delayLimit)
    switch status.code {
    case 204, 304:
      self = hasSnapshot ? .notModified : .notModifiedWithoutSnapshot
    case 206:
      self = .undecodable(status: 206, reason: "a part came, but the whole was asked for")
    case 200...299:
      self =
        decodingFailure.map { .undecodable(status: status.code, reason: $0) } ?? .modified
    case 100...199:
      self = .undecodable(status: status.code, reason: "an interim answer came alone")
    case 300...399:
      let place = fields[.location].map { " to \($0.prefix(200))" } ?? ""
      self = .undecodable(status: status.code, reason: "the server redirects\(place)")
    case 401, 403, 407:
      self = .unauthorised(status: status.code)
    case 408:
      self = .timeout
    case 410:
      self = .gone
    case 421, 425:
      self = .serverFailure(status: status.code)
    case 429:
      self = .throttled(status: 429, delay: delay)
    case 503 where delay != nil:
      self = .throttled(status: 503, delay: delay)
    case 400...499:
      self = .badQuestion(status: status.code)
    default:
      // RFC 9110 section 15: a number outside 100 to 599 counts as 5xx.
      self = .serverFailure(status: status.code)
    }
  }

  /// Classifies the reason for a missing response.
  public init(_ error: HTTPExchangeError) {
    switch error.code {
    case .unreachable: self = .network(reason: error.description)
    case .timedOut: self = .timeout
    case .cancelled: self = .cancelled
    case .tooLarge: self = .undecodable(status: nil, reason: error.description)
    }
  }

  /// Whether the client's copy is now known to be current, which clears the error and the backoff
  /// (R16).
  public var isSuccess: Bool {
    switch self {
    case .modified, .notModified: true
    default: false
    }
  }

  /// Whether the same request may succeed soon: 5xx, timeout, network, and an unusable response,
  /// which is retried once before it is reported (R7, R21).
  public var isTransient: Bool {
    switch self {
    case .serverFailure, .timeout, .network, .undecodable: true
    default: false
    }
  }
}
