public import StrictJSON

/// A difference between what a vector expects and what a machine did.
public struct ConformanceMismatch: Hashable, Sendable, CustomStringConvertible {
  /// The name of the vector's file.
  public var file: String
  /// The vector's identifier.
  public var vector: String
  /// The number of the step, from 1.
  public var step: Int
  /// The path of the member that differs, such as `request.timeout`.
  public var member: String
  /// The expected value.
  public var expected: JSONValue
  /// The machine's value, in the terms of the grammar.
  public var got: JSONValue

  /// The position, the expected and the actual value on one line.
  public var description: String {
    "\(file): \(vector): step \(step): \(member): expected \(expected), got \(got)"
  }
}
