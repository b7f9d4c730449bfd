import ConditionalHTTP

/// What simulated agents did and when: the lines of `freshet-lab agent-sim --truth`.
package struct AgentGroundTruth: Sendable {
  /// A change of an agent.
  package struct Change: Hashable, Sendable {
    /// The kind of change.
    package enum Kind: Hashable, Sendable {
      /// The state of the agent, such as `working`.
      case state
      /// The states of its todos, a letter each, as ``ShownWorkspace/todos`` has them.
      case todos
    }

    /// The number of the line, from 1.
    package var line: Int
    /// When it was planned, in milliseconds since 1970; it happened then or later.
    package var planned: Int64
    /// When it had happened.
    package var written: Int64
    /// The worktree.
    package var worktree: String
    /// The kind of change.
    package var kind: Kind
    /// The new value.
    package var value: String
    /// Whether an agent began or stopped working.
    package internal(set) var isStartOrStop = false

    /// Returns whether a screen shows it.
    ///
    /// The state that follows work depends on whether the user looked at the results of older
    /// sessions; the beginning and end of work do not. A list may have older todos after those of
    /// the newest plan.
    func isShown(_ shown: ShownWorkspace) -> Bool {
      switch kind {
      case .state:
        (shown.state == AgentGroundTruth.workingState) == (value == AgentGroundTruth.workingState)
      case .todos: shown.todos.hasPrefix(value)
      }
    }
  }

  /// The state in which an agent works.
  static let workingState = "working"

  /// The name of the file, for display.
  package let name: String
  /// The changes, in the order of the file.
  package private(set) var changes: [Change] = []
  /// The lines that cannot be read.
  package private(set) var broken: [Recording.BrokenLine] = []

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - name: The name of the file, for display.
  ///   - bytes: Its bytes, JSON Lines; a last line without an end may be torn.
  package init(name: String, _ bytes: [UInt8]) {
    self.name = name
    var line = 0
    var working: Set<String> = []
    for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      guard !part.isEmpty, changes.count < WorkspaceReportLimits.mostLines else { continue }
      do throws(RecordLine.Fault) {
        guard var change = try Self.change(RecordLine.members(of: Array(part)), line) else {
          continue
        }
        if change.kind == .state {
          let was = working.contains(change.worktree)
          let isNow = change.value == Self.workingState
          change.isStartOrStop = was != isNow
          if isNow {
            working.insert(change.worktree)
          } else {
            working.remove(change.worktree)
          }
        }
        changes.append(change)
      } catch {
        guard part.endIndex < bytes.endIndex else { continue }
        broken.append(Recording.BrokenLine(line: line, problem: error.problem))
      }
    }
  }

  private static func change(
    _ members: [String: RecordLine.Value],
    _ line: Int
  ) throws(RecordLine.Fault) -> Change? {
    let kind: Change.Kind
    switch members["event"] {
    case .text("state"): kind = .state
    case .text("todos"): kind = .todos
    case .text: return nil
    default: throw RecordLine.Fault(problem: "the member \"event\" is missing")
    }
    func text(_ name: String) throws(RecordLine.Fault) -> String {
      guard case .text(let text) = members[name] else {
        throw RecordLine.Fault(problem: "the member \"\(name)\" is missing, or no text")
      }
      return text
    }
    func instant(_ name: String) throws(RecordLine.Fault) -> Int64 {
      guard let seconds = InstantText.read(try text(name)), abs(seconds) < 1e12 else {
        throw RecordLine.Fault(problem: "the member \"\(name)\" is not an instant")
      }
      return Int64((seconds * 1_000).rounded())
    }
    return Change(
      line: line,
      planned: try instant("at"),
      written: try instant("written"),
      worktree: try text("worktree"),
      kind: kind,
      value: try text(kind == .state ? "state" : "todos")
    )
  }
}
