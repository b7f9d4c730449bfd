public import ConditionalHTTP
public import Freshness

/// A failure with a message (R21).
public struct LiveFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind, which determines the remedy.
  public var kind: Failure.Kind
  /// The status of the response; `nil` without one.
  public var status: Int?
  /// When the current series of failures became visible.
  public var since: Instant
  /// The server's problem details, if any (RFC 9457).
  public var problem: ProblemDetails?
  /// A readable description of what happened.
  public var description: String

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - status: The status of the response.
  ///   - since: When the current series of failures became visible.
  ///   - problem: The server's problem details.
  ///   - description: A readable description of what happened.
  public init(
    kind: Failure.Kind,
    status: Int?,
    since: Instant,
    problem: ProblemDetails?,
    description: String
  ) {
    self.kind = kind
    self.status = status
    self.since = since
    self.problem = problem
    self.description = description
  }
}

extension LiveFailure {
  /// Adds the messages to a failure of the machine.
  init(kind: Failure.Kind, status: Int?, since: Instant, messages: FailureMessages?) {
    self.init(
      kind: kind,
      status: status,
      since: since,
      problem: messages?.problem,
      description: messages?.description ?? "no answer"
    )
  }
}

/// The messages of a failure.
struct FailureMessages: Hashable, Sendable {
  /// A readable description of what happened.
  var description: String
  /// The server's problem details.
  var problem: ProblemDetails?

  /// Describes an outcome, or returns `nil` for a success or a cancellation (R22).
  init?(_ outcome: ResponseOutcome, problem: ProblemDetails?) {
    self.problem = problem
    let said = problem.map { $0.detail.isEmpty ? $0.title : $0.detail } ?? ""
    let tail = said.isEmpty ? "" : ": \(said)"
    switch outcome {
    case .modified, .notModified, .cancelled: return nil
    case .notModifiedWithoutSnapshot:
      description = "the server says \"not modified\" to a request without a condition"
    case .badQuestion(let status):
      description = "the server refuses the question (\(status))\(tail)"
    case .unauthorised(let status): description = "the server refuses access (\(status))\(tail)"
    case .gone: description = "gone for good (410)\(tail)"
    case .throttled(let status, let delay?):
      description = "the server asks for a pause of \((delay + 999) / 1_000) s (\(status))\(tail)"
    case .throttled(let status, nil): description = "the server asks for a pause (\(status))\(tail)"
    case .serverFailure(let status): description = "the server failed (\(status))\(tail)"
    case .timeout: description = "no answer in time"
    case .network(let reason): description = reason
    case .undecodable(let status, let reason):
      description = status.map { "\(reason) (\($0))" } ?? reason
    }
  }
}
