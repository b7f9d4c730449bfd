import ConditionalHTTP
public import HTTPTypes

/// The conditions of a request that changes a resource (RFC 9110 section 13.1).
public struct WriteConditions: Hashable, Sendable {
  /// Whether a write may proceed.
  public enum Verdict: Hashable, Sendable {
    /// It may.
    case proceed
    /// The state is not the one that the client expects: 412.
    case preconditionFailed
    /// The client must say which state it expects: 428.
    case preconditionRequired
  }

  private let match: EntityTagList?
  private let noneMatch: EntityTagList?
  private let isRequired: Bool

  /// Reads `If-Match` and `If-None-Match`.
  ///
  /// - Parameters:
  ///   - fields: The fields of the request.
  ///   - isRequired: Whether a write without any condition is rejected, which prevents lost updates.
  public init(fields: HTTPFields, isRequired: Bool = false) {
    self.isRequired = isRequired
    match = fields[.ifMatch].map { EntityTagList(parsing: $0) }
    noneMatch = fields[.ifNoneMatch].map { EntityTagList(parsing: $0) }
  }

  /// Returns whether a write may proceed.
  ///
  /// - Parameter state: The current state; `nil` if there is no representation yet.
  /// - Returns: The verdict.
  public func verdict(_ state: RepresentationState?) -> Verdict {
    if match == nil, noneMatch == nil, isRequired { return .preconditionRequired }
    if let match {
      guard let state, match.stronglyContains(state.entityTag) else { return .preconditionFailed }
    }
    if let noneMatch, let state, noneMatch.weaklyContains(state.entityTag) {
      return .preconditionFailed
    }
    return .proceed
  }
}
