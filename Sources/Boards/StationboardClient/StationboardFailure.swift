public import ConditionalHTTP

/// Why a question to a stationboard server has no usable answer.
public struct StationboardFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Hashable, Sendable {
    /// The server's address is not one.
    case invalidAddress
    /// The server did not respond; trying again may help.
    case unreachable
    /// The server failed (5xx); a retry may help.
    case server
    /// The request was refused (4xx); a retry does not help.
    case refused
    /// The answer is not what the contract says.
    case unreadable
  }

  /// The kind of failure.
  public var code: Code
  /// What happened, for display.
  public var description: String
  /// The status of the response; `nil` without one.
  public var status: Int?
  /// The problem details of the answer, if it had any.
  public var problem: ProblemDetails?

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - description: What happened, for display.
  ///   - status: The status of the response; `nil` without one.
  ///   - problem: The problem details of the response, if it had any.
  public init(
    _ code: Code,
    _ description: String,
    status: Int? = nil,
    problem: ProblemDetails? = nil
  ) {
    self.code = code
    self.description = description
    self.status = status
    self.problem = problem
  }
}
