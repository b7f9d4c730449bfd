/// The limits of what is kept from an agent's files.
///
/// The files are written by other programs and may contain anything: the limits keep the memory of
/// one session below some tens of kilobytes.
package struct AgentLimits: Hashable, Sendable {
  /// The longest line that is read, in bytes; a longer one is counted and skipped.
  package var longestLine = 8 << 20
  /// The most bytes asked for in one read.
  package var longestRead = 1 << 20
  /// How far before its end a file that is found is read, in bytes.
  package var reach: Int64 = 16 << 20
  /// How many bytes before the place that was read are compared again with every read.
  package var overlap = 64
  /// The deepest nesting of a record.
  package var deepestRecord = 96
  /// The most bytes kept of a prompt, a message, a title or an error.
  package var longestText = 4_096
  /// The most todos kept of a session.
  package var mostTodos = 200
  /// The most tool calls without a result that are kept; the oldest go first.
  package var mostToolCalls = 64
  /// The most titles kept of a session; the oldest go first.
  package var mostTitles = 16
  /// The most agents reported for one worktree; the least urgent are left out.
  package var mostAgents = 16

  /// The usual limits.
  package init() {}
}

extension String {
  /// The text, cut at a whole character so that it has at most a number of bytes, marked with "…".
  func limited(to most: Int) -> String {
    guard utf8.count > most else { return self }
    var end = utf8.index(startIndex, offsetBy: max(most - 3, 0))
    while end > startIndex, end.samePosition(in: self) == nil { end = utf8.index(before: end) }
    return self[..<end] + "…"
  }
}
