package import Agents

/// An act of a simulation, and its time.
package struct SimulatedAct: Hashable, Sendable {
  /// The home folder of a log.
  package enum Home: String, Sendable {
    /// Claude Code's folder.
    case claude
    /// Codex's folder.
    case codex
    /// The folder of neutral logs.
    case neutral
  }

  /// The kind of an act.
  package enum Kind: Hashable, Sendable {
    /// The agent's process starts, with this command, in the worktree.
    case start(command: String)
    /// It exits, or is killed.
    case stop(isKilled: Bool)
    /// Bytes are appended to a log.
    case append(Home, path: String, [UInt8])
    /// A running Claude Code reports its status; `nil` removes the report.
    case register(session: String, status: String?, waitingFor: String?)
    /// The agent changes a file of the worktree.
    case edit(file: String, line: String)
    /// It commits everything.
    case commit(message: String)
    /// The user looks at the result.
    case inspect
    /// The states of the steps of its plan from now on.
    case todos([String])
    /// The true state of the agent from now on.
    case truth(Activity.State, reason: String)
  }

  /// The time.
  package var at: WallTime
  /// The number of the agent, from 0.
  package var agent: Int
  /// The kind of the act.
  package var kind: Kind
}
