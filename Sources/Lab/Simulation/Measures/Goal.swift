/// A figure with a threshold.
public struct Goal: Sendable {
  /// The preset, or `crowd`.
  public var subject: String
  /// What is measured.
  public var name: String
  /// The figure, in units of its last digit.
  public var value: Int64
  /// The minimum.
  public var least: Int64?
  /// The maximum.
  public var most: Int64?
  /// The digits after the point.
  public var digits: Int
  /// The unit, or an empty string.
  public var unit: String

  /// Whether the figure meets its threshold.
  public var isMet: Bool {
    (least.map { value >= $0 } ?? true) && (most.map { value <= $0 } ?? true)
  }

  /// The threshold as text.
  var bound: String {
    let low = least.map { JSONText.fixed($0, digits: digits) }
    let high = most.map { JSONText.fixed($0, digits: digits) }
    if let low, let high { return "\(low) to \(high)" }
    if let low { return "at least \(low)" }
    return high.map { "at most \($0)" } ?? "any"
  }

  var json: JSONText {
    .object([
      ("subject", .string(subject)), ("name", .string(name)),
      ("value", .decimal(value, digits: digits)),
      ("least", least.map { .decimal($0, digits: digits) } ?? .null),
      ("most", most.map { .decimal($0, digits: digits) } ?? .null), ("unit", .string(unit)),
      ("isMet", .bool(isMet)),
    ])
  }
}
