/// A rule that was broken, when, and how.
public struct Violation: Hashable, Sendable {
  /// The rule.
  public var rule: Rule
  /// The moment.
  public var moment: Int64
  /// What was seen, and what the rule asks for.
  public var reason: String
}
