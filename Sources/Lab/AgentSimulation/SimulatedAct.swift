package import Agents

/// One thing that happens in a simulation, and when.
package struct SimulatedAct: Hashable, Sendable {
  /// Which home a log stands in.
  package enum Home: String, Sendable {
    /// Claude Code's folder.
    case claude
    /// Codex's folder.
    case codex
    /// The folder of neutral logs.
    case neutral
  }

  /// What happens.
  package enum Kind: Hashable, Sendable {
    /// The agent's process starts, with this command, in the worktree.
    case start(command: String)
    /// It ends by itself, or is killed.
    case stop(isKilled: Bool)
    /// Bytes are written at the end of a log.
    case append(Home, path: String, [UInt8])
    /// A running Claude Code says what it does; `nil` if it says nothing more.
    case register(session: String, status: String?, waitingFor: String?)
    /// The agent changes a file of the worktree.
    case edit(file: String, line: String)
    /// It commits everything.
    case commit(message: String)
    /// The human looks at what was done.
    case look
    /// From now on these are the states of the steps of its plan.
    case todos([String])
    /// From now on this is what the agent does.
    case truth(Activity.State, reason: String)
  }

  /// When.
  package var at: WallTime
  /// Whose act it is: the number of the agent, from 0.
  package var agent: Int
  /// What happens.
  package var kind: Kind
}
