/// The screen contents of a client of workspaces from an instant on, for one worktree.
///
/// `{"event":"shown","at":…,"worktree":…,"state":…,"todos":…}`
package struct ShownWorkspace: Hashable, Sendable {
  /// The number of the line, from 1.
  package var line: Int
  /// When, in milliseconds since 1970.
  package var at: Int64
  /// The path of the worktree.
  package var worktree: String
  /// The state of its agents, such as `working`.
  package var state: String
  /// The states of its todos, a letter each: `c` completed, `i` in progress, `p` pending, `x` else.
  package var todos: String
}

/// The bytes of one exchange, or of a piece of a stream.
///
/// `{"event":"wire","at":…,"sent":…,"head":…,"body":…,"stream":…,"whole":…}`; without the last it
/// is not a complete list.
package struct WireBytes: Hashable, Sendable {
  /// The number of the line, from 1.
  package var line: Int
  /// When it had arrived, in milliseconds since 1970.
  package var at: Int64
  /// The bytes of the request.
  package var sent: Int64
  /// The bytes of the response head.
  package var head: Int64
  /// The bytes of its content.
  package var body: Int64
  /// Whether it is part of a stream.
  package var isStream: Bool
  /// Whether it is a complete list.
  package var isWhole: Bool

  /// All bytes that were received.
  package var received: Int64 { head + body }
}

/// Reads the lines of a client of workspaces that are not samples.
struct WorkspaceLineReader {
  let members: [String: RecordLine.Value]
  let line: Int

  /// What a screen showed.
  func shown() throws(RecordLine.Fault) -> ShownWorkspace {
    ShownWorkspace(
      line: line,
      at: try number("at"),
      worktree: try text("worktree"),
      state: try text("state"),
      todos: try text("todos")
    )
  }

  /// The bytes of an exchange.
  func wire() throws(RecordLine.Fault) -> WireBytes {
    guard case .flag(let isStream) = members["stream"] else { throw missing("stream") }
    var isWhole = false
    if let whole = members["whole"] {
      guard case .flag(let flag) = whole else { throw missing("whole") }
      isWhole = flag
    }
    let wire = WireBytes(
      line: line,
      at: try number("at"),
      sent: try number("sent"),
      head: try number("head"),
      body: try number("body"),
      isStream: isStream,
      isWhole: isWhole
    )
    guard wire.sent >= 0, wire.head >= 0, wire.body >= 0 else {
      throw RecordLine.Fault(problem: "a count of bytes is below zero")
    }
    return wire
  }

  private func number(_ name: String) throws(RecordLine.Fault) -> Int64 {
    guard case .number(let number) = members[name] else { throw missing(name) }
    return number
  }

  private func text(_ name: String) throws(RecordLine.Fault) -> String {
    guard case .text(let text) = members[name] else { throw missing(name) }
    return text
  }

  private func missing(_ name: String) -> RecordLine.Fault {
    RecordLine.Fault(problem: "the member \"\(name)\" is missing, or of another kind")
  }
}
