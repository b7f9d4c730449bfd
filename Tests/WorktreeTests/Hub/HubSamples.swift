import ConditionalHTTP
import Workspaces
import WorkspacesServer

/// Worktrees, reports and instants for tests of the hub.
enum HubSamples {
  /// The hub's wall clock at the instant 0, in seconds since 1970.
  static let wall = 1_790_000_000.0

  static func instant(_ time: Double) -> MachineTable.Instant {
    MachineTable.Instant(time: time, wall: wall + time)
  }

  static func workspace(_ name: String, _ state: AgentActivity.State = .unknown) -> Workspace {
    var it = Workspace(
      id: "id-\(name)",
      repoId: "local/shop",
      name: "shop/\(name)",
      path: "/code/\(name)",
      branch: name
    )
    it.activity = AgentActivity(state: state, source: state == .unknown ? "none" : "neutral_log")
    it.claudeActivityState = state.summary
    it.hasActiveClaudeSession = state.summary != .inactive
    return it
  }

  /// A report that came from a machine whose clock is right.
  static func report(
    of instance: String = "a",
    _ sequence: Int64,
    after base: Int64? = nil,
    at time: Double,
    age: Double = 0,
    _ changed: [Workspace] = [],
    removed: [String] = [],
    isLast: Bool = false
  ) -> WorkspaceReport {
    WorkspaceReport(
      instance: instance,
      sequence: sequence,
      base: base,
      age: Int64(age * 1_000),
      clock: Int64((wall + time) * 1_000),
      changed: changed,
      removed: removed,
      isLast: isLast
    )
  }

  static func table(_ names: String...) -> MachineTable {
    var table = MachineTable()
    _ = table.admit(Set(names))
    return table
  }
}

/// What a list shows after changes.
struct ShownList {
  private(set) var worktrees: [String: Workspace] = [:]
  private(set) var starts: [String: Double] = [:]

  mutating func apply(_ changes: [MachineTable.Change]) {
    for change in changes {
      switch change {
      case .put(let workspace, let since):
        worktrees[workspace.id] = workspace
        starts[workspace.id] = since
      case .remove(let id):
        worktrees[id] = nil
        starts[id] = nil
      }
    }
  }

  /// The worktree of a name on a machine.
  func named(_ name: String) -> Workspace? { worktrees.values.first { $0.name == name } }

  var names: [String] { worktrees.values.map(\.name).sorted() }
}
