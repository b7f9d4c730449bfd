public import ConditionalHTTP
public import Freshness

/// A failure, with words (R21).
public struct LiveFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind, which decides what a person can do about it.
  public var kind: Failure.Kind
  /// The status of the answer; nothing when there was none.
  public var status: Int?
  /// When the run of failures became visible.
  public var since: Moment
  /// What the server says about it (RFC 9457), where it says something.
  public var problem: ProblemDetails?
  /// What happened, for people.
  public var description: String

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - status: The status of the answer.
  ///   - since: When the run of failures became visible.
  ///   - problem: What the server says about it.
  ///   - description: What happened, for people.
  public init(
    kind: Failure.Kind,
    status: Int?,
    since: Moment,
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
  /// Puts the words to a failure of the machine.
  init(kind: Failure.Kind, status: Int?, since: Moment, words: FailureMessages?) {
    self.init(
      kind: kind,
      status: status,
      since: since,
      problem: words?.problem,
      description: words?.description ?? "no answer"
    )
  }
}

/// The words of a failure.
struct FailureMessages: Hashable, Sendable {
  /// What happened, for people.
  var description: String
  /// What the server says about it.
  var problem: ProblemDetails?

  /// Words an outcome; nothing if it is a success, or no failure (R22).
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
