public import TolerantDecoding

/// The newest agent session of a worktree (`GET /v1/sessions/workspace/{id}`), in the seed system's names.
public struct WorkspaceSession: Codable, Hashable, Sendable {
  /// When it ran and how much it used.
  public struct Info: Codable, Hashable, Sendable {
    /// The worktree's absolute path.
    public var worktreePath: String
    /// When the session began, RFC 3339.
    public var sessionStartTime: String?
    /// When its last record was written, RFC 3339; `nil` while it is active.
    public var sessionEndTime: String?
    /// How many prompts a person wrote.
    public var turnCount: Int
    /// Whether an agent works now: ``AgentActivity/Summary/active``.
    public var isActive: Bool
    /// The session before this one.
    public var lastSessionId: String?
    /// The session.
    public var currentSessionId: String?
    /// Its title.
    public var header: String?
    /// Its cost in dollars, if its log reports it.
    public var lastCost: Double?
    /// How long it ran, in seconds.
    public var lastDuration: Double?
    /// Tokens it read.
    public var lastTotalInputTokens: Int?
    /// Tokens it wrote.
    public var lastTotalOutputTokens: Int?

    /// Creates the info of a session.
    public init(worktreePath: String, turnCount: Int = 0, isActive: Bool = false) {
      self.worktreePath = worktreePath
      self.turnCount = turnCount
      self.isActive = isActive
    }
  }

  /// Counts over the session.
  public struct Stats: Codable, Hashable, Sendable {
    /// All messages.
    public var totalMessages = 0
    /// Messages with the role of a user, tool results included.
    public var userMessages = 0
    /// Messages of the agent.
    public var assistantMessages = 0
    /// Prompts of a person.
    public var humanPromptCount = 0
    /// Uses of tools.
    public var toolCallCount = 0
    /// Tokens read, without those of the cache.
    public var totalInputTokens = 0
    /// Tokens written.
    public var totalOutputTokens = 0
    /// Tokens read from the cache.
    public var cacheReadTokens = 0
    /// Tokens written to the cache.
    public var cacheCreationTokens = 0
    /// How full the context was at the last message, in tokens.
    public var lastContextSizeTokens = 0
    /// Calls of the model.
    public var apiCallCount = 0
    /// From the first record to the last, in seconds.
    public var sessionDurationSeconds = 0.0
    /// How much of that the agent worked, in seconds.
    public var activeDurationSeconds = 0.0
    /// Blocks of thought.
    public var thinkingBlockCount = 0
    /// Agents it started itself.
    public var subAgentCount = 0
    /// How often the context was made shorter.
    public var compactionCount = 0
    /// Pictures.
    public var imageCount = 0
    /// The tools in use; one that is used twice at once occurs twice.
    public var activeToolNames: [String] = []

    /// Counts nothing.
    public init() {}

    /// Reads counts; missing ones are 0.
    public init(from decoder: any Decoder) throws {
      self = try TolerantValue.read(from: decoder) { Self($0) }
    }
  }

  /// When it ran and how much it used.
  public var sessionInfo: Info?
  /// The last prompt of a person.
  public var latestUserPrompt: String?
  /// The last message of the agent with text.
  public var latestMessage: String?
  /// The last thought.
  public var latestThought: String?
  /// Its title.
  public var latestSessionTitle: String?
  /// Its plan.
  public var todos: [Todo]
  /// Counts over the session.
  public var stats: Stats?
  /// How the agents are known to do what they do; not in the seed system.
  public var activity: AgentActivity?
  /// What of the answer could not be read; not a part of the session.
  public var issues: [DecodeIssue] = []

  private enum CodingKeys: String, CodingKey {
    case sessionInfo, latestUserPrompt, latestMessage, latestThought, latestSessionTitle, todos,
      stats,
      activity
  }

  /// Creates a session.
  public init(
    sessionInfo: Info?,
    latestUserPrompt: String? = nil,
    latestMessage: String? = nil,
    latestThought: String? = nil,
    latestSessionTitle: String? = nil,
    todos: [Todo] = [],
    stats: Stats? = nil,
    activity: AgentActivity? = nil
  ) {
    self.sessionInfo = sessionInfo
    self.latestUserPrompt = latestUserPrompt
    self.latestMessage = latestMessage
    self.latestThought = latestThought
    self.latestSessionTitle = latestSessionTitle
    self.todos = todos
    self.stats = stats
    self.activity = activity
  }

  /// Reads a session; a missing list of todos is empty.
  public init(from decoder: any Decoder) throws {
    self = try TolerantValue.read(from: decoder) { Self($0) }
  }
}
