/// An error in a vector or a policy, with its position.
public struct DocumentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the file, if it has one.
  public var file: String?
  /// The vector's identifier, if it could be read.
  public var vector: String?
  /// The number of the step, from 1.
  public var step: Int?
  /// The path of the member, such as `expect.request.timeout`.
  public var member: String?
  /// What is wrong.
  public var problem: String

  /// Creates an error.
  public init(
    file: String? = nil,
    vector: String? = nil,
    step: Int? = nil,
    member: String? = nil,
    problem: String
  ) {
    self.file = file
    self.vector = vector
    self.step = step
    self.member = member
    self.problem = problem
  }

  /// The position and the problem on one line.
  public var description: String {
    let places = [file, vector, step.map { "step \($0)" }, member].compactMap(\.self)
    return (places + [problem]).joined(separator: ": ")
  }
}
