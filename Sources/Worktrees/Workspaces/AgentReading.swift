/// All that is known of the agents of one worktree.
///
/// Two readings are equal if nobody would see a difference: they hold instants, never ages.
public struct AgentReading: Hashable, Sendable {
  /// What the agents are doing.
  public var activity: AgentActivity
  /// What the newest session wants to do.
  public var todos: [Todo]
  /// What the newest session is about.
  public var title: SessionTitle?
  /// What sessions here were about before, oldest first, the newest title included.
  public var titleHistory: [SessionTitle]
  /// The last prompt of a person.
  public var latestPrompt: String?
  /// The last message with text.
  public var latestMessage: String?
  /// Who wrote it: `assistant` or `user`.
  public var latestMessageType: String?
  /// The session answer; `nil` without a session.
  public var session: WorkspaceSession?

  /// Creates a reading.
  public init(
    activity: AgentActivity = .unknown,
    todos: [Todo] = [],
    title: SessionTitle? = nil,
    titleHistory: [SessionTitle] = [],
    latestPrompt: String? = nil,
    latestMessage: String? = nil,
    latestMessageType: String? = nil,
    session: WorkspaceSession? = nil
  ) {
    self.activity = activity
    self.todos = todos
    self.title = title
    self.titleHistory = titleHistory
    self.latestPrompt = latestPrompt
    self.latestMessage = latestMessage
    self.latestMessageType = latestMessageType
    self.session = session
  }
}

/// Watches agents in worktrees, read-only.
public protocol AgentWatching: Sendable {
  /// Replaces the worktrees that are watched.
  ///
  /// - Parameter paths: Absolute paths of worktrees, without a slash at the end.
  func follow(_ paths: [String]) async

  /// The readings as they change: one for each worktree once it was looked at, then only different ones.
  ///
  /// It is asked for once.
  func readings() -> AsyncStream<(path: String, reading: AgentReading)>

  /// Somebody has looked at what the agents of a worktree did.
  func markSeen(_ path: String) async
}
