/// Why what git wrote cannot be read.
public struct GitOutputError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The command, such as `git status`.
  public var source: String
  /// Which record, from 1.
  public var record: Int
  /// What is wrong with its output.
  public var problem: String

  /// Creates an error.
  public init(_ source: String, record: Int, _ problem: String) {
    self.source = source
    self.record = record
    self.problem = problem
  }

  /// All of it in one line.
  public var description: String { "\(source), record \(record): \(problem)" }
}
