public import HTTPTypes

/// What an answer, or the lack of one, means to a client that keeps a snapshot fresh.
///
/// Each case is one a client has to tell from the others, because it does something else then:
/// these are rules R16, R17 and R21 to R24 of the engine.
public enum ResponseOutcome: Hashable, Sendable {
  /// A new representation came, and it was read.
  case modified
  /// 304 or 204: the snapshot is still right.
  case notModified
  /// 304 or 204, but there is no snapshot: ask once more, without a condition (R17).
  case notModifiedWithoutSnapshot
  /// The question is wrong; the same one gets the same answer: 400, 404, 409, 422 and other 4xx.
  case badQuestion(status: Int)
  /// The server does not know the client, or does not let it: 401, 403, 407.
  case unauthorised(status: Int)
  /// There was something, and it is gone for good: 410.
  case gone
  /// 429, or 503 with a readable Retry-After; the delay in milliseconds if the server named one.
  case throttled(status: Int, delay: Int64?)
  /// The server failed: 5xx, and numbers that are no status; also 421 and 425, which ask for the
  /// same question over another connection or a little later (RFC 9110 section 15.5.20, RFC 8470).
  case serverFailure(status: Int)
  /// The answer did not come in time; also 408, by which a server says the same.
  case timeout
  /// The server cannot be reached, or the connection broke; why, for people.
  case network(reason: String)
  /// An answer came that cannot be used; why, for people.
  ///
  /// The content could not be read or is too large, or the status is none that answers a plain
  /// request: 1xx, 206, a redirection that nobody followed.
  case undecodable(status: Int?, reason: String)
  /// Nobody wants the answer any more; not an error (R22).
  case cancelled

  /// Reads an answer.
  ///
  /// - Parameters:
  ///   - status: The status of the answer.
  ///   - fields: The fields of the answer.
  ///   - decodingFailure: Why the content could not be read; nothing if it was read, or if there
  ///     was no reason to read it.
  ///   - hasSnapshot: Whether the client has what a 304 would confirm.
  ///   - now: The device's clock when the answer arrived, milliseconds since 1970; it matters only
  ///     to a Retry-After date on an answer without a Date.
  ///   - delayLimit: The longest Retry-After to obey, milliseconds.
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
      // RFC 9110 section 15: a number outside of 100 to 599 counts as 5xx.
      self = .serverFailure(status: status.code)
    }
  }

  /// Reads why there is no answer.
  public init(_ error: HTTPExchangeError) {
    switch error.code {
    case .unreachable: self = .network(reason: error.description)
    case .timedOut: self = .timeout
    case .cancelled: self = .cancelled
    case .tooLarge: self = .undecodable(status: nil, reason: error.description)
    }
  }

  /// Whether the client now knows what is there: clears the error and the backoff (R16).
  public var isSuccess: Bool {
    switch self {
    case .modified, .notModified: true
    default: false
    }
  }

  /// Whether the same request may fare better soon: 5xx, timeout, network, and an answer that
  /// cannot be used, which is worth one more try before it is reported (R7, R21).
  public var isTransient: Bool {
    switch self {
    case .serverFailure, .timeout, .network, .undecodable: true
    default: false
    }
  }
}
