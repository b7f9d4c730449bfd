/// The activity of the agents in a worktree, and its evidence (`activity`).
public struct AgentActivity: Codable, Hashable, Sendable {
  /// The state of an agent; an open set.
  public struct State: RawRepresentable, Codable, Hashable, Sendable {
    /// The value in JSON.
    public var rawValue: String

    /// Creates a state from its value.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It generates or uses a tool.
    public static let working = State(rawValue: "working")
    /// It waits for a permission or an answer.
    public static let needsYou = State(rawValue: "needs_you")
    /// Its process is running and waits for the next prompt; its work has been seen.
    public static let idle = State(rawValue: "idle")
    /// It has finished, and the result has not been seen.
    public static let doneUnseen = State(rawValue: "done_unseen")
    /// Its process has ended.
    public static let ended = State(rawValue: "ended")
    /// No evidence of its state is available.
    public static let unknown = State(rawValue: "unknown")
  }

  /// The states of the seed system, derived from ``State`` (`claude_activity_state`).
  public struct Summary: RawRepresentable, Codable, Hashable, Sendable {
    /// The value in JSON.
    public var rawValue: String

    /// Creates a state from its value.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An agent is working.
    public static let active = Summary(rawValue: "active")
    /// An agent is running and waits for the user.
    public static let running = Summary(rawValue: "running")
    /// No agent is running.
    public static let inactive = Summary(rawValue: "inactive")
  }

  /// The state of the worktree: of several agents, that of the one that needs attention most.
  public var state: State
  /// The evidence, such as `claude_log`, `codex_log`, `process` or `none`.
  public var source: String
  /// When the state began, RFC 3339; `nil` if unknown.
  public var since: String?
  /// `high`, `medium` or `low`.
  public var confidence: String
  /// Why the user is needed, or why nothing is known; one line.
  public var reason: String?
  /// Every agent that was seen here; the first one determines the state.
  public var agents: [AgentPresence]

  /// Creates an activity.
  public init(
    state: State,
    source: String,
    since: String? = nil,
    confidence: String = "high",
    reason: String? = nil,
    agents: [AgentPresence] = []
  ) {
    self.state = state
    self.source = source
    self.since = since
    self.confidence = confidence
    self.reason = reason
    self.agents = agents
  }

  /// The ``source`` of an activity that is unknown because its machine is unreachable.
  public static let unreachableSource = "unreachable"

  /// The activity without any evidence.
  public static let unknown = AgentActivity(state: .unknown, source: "none", confidence: "low")

  /// Creates an activity from the seed system's word for it, which is all that its server says.
  ///
  /// - Parameter summary: The word: ``Summary/active`` is ``State/working``, ``Summary/running`` is ``State/idle``, since an
  ///   agent waits, and of everything else nothing is known.
  public init(_ summary: Summary) {
    let state: State =
      switch summary {
      case .active: .working
      case .running: .idle
      default: .unknown
      }
    self.init(
      state: state,
      source: state == .unknown ? "none" : Workspace.CodingKeys.claudeActivityState.rawValue,
      confidence: "low"
    )
  }

  /// Reads an activity; missing members become unknown or empty.
  public init(from decoder: any Decoder) throws {
    self = try TolerantValue.read(from: decoder) { AgentActivity($0) }
  }

  /// The state in the terms of the seed system.
  public var summary: Summary { state.summary }
}

extension AgentActivity.State {
  /// The state in the terms of the seed system.
  public var summary: AgentActivity.Summary {
    switch self {
    case .working: .active
    case .needsYou, .idle, .doneUnseen: .running
    default: .inactive
    }
  }
}

/// One agent in a worktree (`activity.agents[]`).
public struct AgentPresence: Codable, Hashable, Sendable {
  /// The program, such as `claude-code`, `codex` or the name of its process.
  public var agent: String
  /// Its session; `nil` if only a process is known.
  public var sessionId: String?
  /// Its process; `nil` if only a log is known.
  public var pid: Int?
  /// Its state.
  public var state: AgentActivity.State
  /// The evidence, as in ``AgentActivity/source``.
  public var source: String
  /// When the state began, RFC 3339.
  public var since: String?
  /// The tool in use.
  public var tool: String?
  /// Why it needs attention.
  public var reason: String?

  /// Creates a presence.
  public init(
    agent: String,
    sessionId: String? = nil,
    pid: Int? = nil,
    state: AgentActivity.State,
    source: String,
    since: String? = nil,
    tool: String? = nil,
    reason: String? = nil
  ) {
    self.agent = agent
    self.sessionId = sessionId
    self.pid = pid
    self.state = state
    self.source = source
    self.since = since
    self.tool = tool
    self.reason = reason
  }

  private enum CodingKeys: String, CodingKey {
    case agent, pid, state, source, since, tool, reason
    case sessionId = "session_id"
  }
}
