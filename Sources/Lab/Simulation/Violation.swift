/// A violated rule, with time and reason.
public struct Violation: Hashable, Sendable {
  /// The rule.
  public var rule: Rule
  /// The time in milliseconds.
  public var instant: Int64
  /// What was observed, and what the rule requires.
  public var reason: String
}
