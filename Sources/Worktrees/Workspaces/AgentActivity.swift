/// What the agents of a worktree are doing, and how that is known (`activity`).
public struct AgentActivity: Codable, Hashable, Sendable {
  /// What an agent is doing; an open set.
  public struct State: RawRepresentable, Codable, Hashable, Sendable {
    /// The word in the answer.
    public var rawValue: String

    /// Creates a state from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It generates or uses a tool.
    public static let working = State(rawValue: "working")
    /// It waits for a permission or an answer.
    public static let needsYou = State(rawValue: "needs_you")
    /// It is there and waits for the next prompt; what it did was seen.
    public static let idle = State(rawValue: "idle")
    /// It has finished, and nobody has looked since.
    public static let doneUnseen = State(rawValue: "done_unseen")
    /// Its process is gone.
    public static let ended = State(rawValue: "ended")
    /// There is no evidence.
    public static let unknown = State(rawValue: "unknown")
  }

  /// The states of the seed system, which follow from those of this one (`claude_activity_state`).
  public struct Summary: RawRepresentable, Codable, Hashable, Sendable {
    /// The word in the answer.
    public var rawValue: String

    /// Creates a state from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An agent works.
    public static let active = Summary(rawValue: "active")
    /// An agent is there and waits for a person.
    public static let running = Summary(rawValue: "running")
    /// There is no agent.
    public static let inactive = Summary(rawValue: "inactive")
  }

  /// The state of the worktree: of several agents the one that asks for most attention.
  public var state: State
  /// What says so, such as `claude_log`, `codex_log`, `process` or `none`.
  public var source: String
  /// Since when the state holds, RFC 3339; `nil` if that is not known.
  public var since: String?
  /// `high`, `medium` or `low`.
  public var confidence: String
  /// Why a person is needed, or why nothing is known; one line.
  public var reason: String?
  /// Every agent that was seen here, the one that gives the state first.
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

  /// Nothing is known, because nothing was seen.
  public static let unknown = AgentActivity(state: .unknown, source: "none", confidence: "low")

  /// Reads an activity; what is missing becomes unknown or empty.
  public init(from decoder: any Decoder) throws {
    self = try TolerantValue.read(from: decoder) { AgentActivity($0) }
  }

  /// The state in the words of the seed system.
  public var summary: Summary { state.summary }
}

extension AgentActivity.State {
  /// The state in the words of the seed system.
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
  /// Which program it is, such as `claude-code`, `codex` or the name of its process.
  public var agent: String
  /// Its session; `nil` if only a process is known.
  public var sessionId: String?
  /// Its process; `nil` if only a log is known.
  public var pid: Int?
  /// What it is doing.
  public var state: AgentActivity.State
  /// What says so, as in ``AgentActivity/source``.
  public var source: String
  /// Since when, RFC 3339.
  public var since: String?
  /// The tool it uses now.
  public var tool: String?
  /// Why it needs somebody.
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
