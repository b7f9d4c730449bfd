/// Everything known about the agents of one worktree.
///
/// Two readings are equal if they look the same: they hold instants, never ages.
public struct AgentReading: Hashable, Sendable {
  /// The activity of the agents.
  public var activity: AgentActivity
  /// The plan of the newest session.
  public var todos: [Todo]
  /// The title of the newest session.
  public var title: SessionTitle?
  /// What sessions here were about before, oldest first, the newest title included.
  public var titleHistory: [SessionTitle]
  /// The last prompt of a person.
  public var latestPrompt: String?
  /// The last message with text.
  public var latestMessage: String?
  /// The author: `assistant` or `user`.
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

  /// The readings as they change: one for each worktree once it was scanned, then only different ones.
  ///
  /// It is called once.
  func readings() -> AsyncStream<(path: String, reading: AgentReading)>

  /// Marks what the agents of a worktree did as seen.
  func markSeen(_ path: String) async
}
