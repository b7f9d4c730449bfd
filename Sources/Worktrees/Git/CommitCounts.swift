/// How far two commits are apart, as `git rev-list --left-right --count A...B` says.
public struct CommitCounts: Hashable, Sendable {
  /// Commits only the first has.
  public var left: Int
  /// Commits only the second has.
  public var right: Int

  /// Creates counts.
  public init(left: Int, right: Int) {
    self.left = left
    self.right = right
  }

  /// Reads two numbers with a tab between them.
  ///
  /// - Throws: ``GitOutputError`` if they are missing.
  public init(_ bytes: some Collection<UInt8>) throws(GitOutputError) {
    var line = Array(bytes)[...]
    if line.last == 0x0A { line = line.dropLast() }
    guard let (left, right) = line.cut(at: 0x09), let left = left.number, let right = right.number
    else { throw GitOutputError("git rev-list", record: 1, "two counts are expected") }
    self.init(left: left, right: right)
  }
}
