public import StrictJSON

/// One difference between what a vector says and what a machine did.
public struct ConformanceMismatch: Hashable, Sendable, CustomStringConvertible {
  /// The name of the vector's file.
  public var file: String
  /// The vector's identifier.
  public var vector: String
  /// The number of the step, from 1.
  public var step: Int
  /// The member that differs, with the members around it: `request.timeout`.
  public var member: String
  /// What the vector says.
  public var expected: JSONValue
  /// What the machine gave, in the same terms.
  public var got: JSONValue

  /// Place, expectation and result on one line.
  public var description: String {
    "\(file): \(vector): step \(step): \(member): expected \(expected), got \(got)"
  }
}
