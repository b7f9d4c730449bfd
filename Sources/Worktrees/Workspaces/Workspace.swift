/// A git worktree and the agents in it (`GET /v1/git/worktrees`, `GET /v1/git/worktrees/{id}`).
///
/// Has the seed system's names and types, plus members of its own: ``git``, ``activity``,
/// ``revision`` and the ages.
public struct Workspace: Codable, Hashable, Sendable, Identifiable {
  /// Whether the server knows the state yet.
  public struct CacheStatus: Codable, Hashable, Sendable {
    /// Whether the state is known.
    public var isCached: Bool
    /// Whether it is being determined for the first time.
    public var isLoading: Bool

    /// Creates a status: known, or being determined.
    public init(isCached: Bool) {
      self.isCached = isCached
      isLoading = !isCached
    }

    private enum CodingKeys: String, CodingKey {
      case isCached = "is_cached"
      case isLoading = "is_loading"
    }
  }

  /// Identifies the worktree: a UUID derived from its path.
  public var id: String
  /// `owner/repository` of the remote `origin`, else `local/folder`.
  public var repoId: String
  /// `repository/folder`.
  public var name: String
  /// The absolute path.
  public var path: String
  /// The branch; `HEAD` and the commit's first digits if none is checked out.
  public var branch: String
  /// The branch it was created from, as far as known: the repository's default branch.
  public var sourceBranch: String
  /// Whether the seed system renamed the branch; always `false`.
  public var hasBeenRenamed: Bool
  /// The commit that is checked out; empty before the first one.
  public var commitHash: String
  /// Commits the source does not have.
  public var commitCount: Int
  /// Commits only the source has; as old as the last fetch.
  public var commitsBehind: Int
  /// Whether anything is uncommitted.
  public var isDirty: Bool
  /// Whether paths have conflicts, or an operation waits for the user.
  public var hasConflicts: Bool
  /// When the worktree was created, RFC 3339.
  public var createdAt: String
  /// When its HEAD last moved, RFC 3339.
  public var lastAccessed: String
  /// The title of the newest session.
  public var sessionTitle: SessionTitle?
  /// The titles of all sessions, oldest first.
  public var sessionTitleHistory: [SessionTitle]
  /// Whether an agent is running; the seed system's older form of ``claudeActivityState``.
  public var hasActiveClaudeSession: Bool
  /// The state of the agents, in the seed system's three values.
  public var claudeActivityState: AgentActivity.Summary
  /// Whether the upstream lacks commits, or without an upstream, the source does.
  public var hasCommitsAheadOfRemote: Bool
  /// The plan of the newest session.
  public var todos: [Todo]
  /// The user's last prompt.
  public var latestUserPrompt: String?
  /// The title of the newest session, as text.
  public var latestSessionTitle: String?
  /// The last message with text.
  public var latestClaudeMessage: String?
  /// The author: `assistant` or `user`.
  public var latestClaudeMessageType: String?
  /// Whether the server knows the state yet.
  public var cacheStatus: CacheStatus
  /// The state as reported by git.
  public var git: GitState
  /// The activity of the agents, and its evidence.
  public var activity: AgentActivity
  /// Whether it is the main worktree.
  public var isMain: Bool
  /// The machine it is on; `nil` for worktrees of the server's own machine.
  public var machine: WorkspaceMachine?
  /// The revision at which any member above last changed.
  public var revision: Int64
  /// The time since git was asked for the state, in seconds; not part of the entity tag.
  public var gitAge: Double?
  /// The time since the activity's state began, in seconds; not part of the entity tag.
  public var activityAge: Double?

  /// Creates a worktree of which only the location is known.
  public init(id: String, repoId: String, name: String, path: String, branch: String) {
    self.id = id
    self.repoId = repoId
    self.name = name
    self.path = path
    self.branch = branch
    sourceBranch = ""
    hasBeenRenamed = false
    commitHash = ""
    commitCount = 0
    commitsBehind = 0
    isDirty = false
    hasConflicts = false
    createdAt = ""
    lastAccessed = ""
    sessionTitleHistory = []
    hasActiveClaudeSession = false
    claudeActivityState = .inactive
    hasCommitsAheadOfRemote = false
    todos = []
    cacheStatus = CacheStatus(isCached: false)
    git = GitState()
    activity = .unknown
    isMain = false
    revision = 0
  }

  /// The names of the members in JSON.
  public enum CodingKeys: String, CodingKey, CaseIterable, Sendable {
    case id
    case repoId = "repo_id"
    case name, path, branch
    case sourceBranch = "source_branch"
    case hasBeenRenamed = "has_been_renamed"
    case commitHash = "commit_hash"
    case commitCount = "commit_count"
    case commitsBehind = "commits_behind"
    case isDirty = "is_dirty"
    case hasConflicts = "has_conflicts"
    case createdAt = "created_at"
    case lastAccessed = "last_accessed"
    case sessionTitle = "session_title"
    case sessionTitleHistory = "session_title_history"
    case hasActiveClaudeSession = "has_active_claude_session"
    case claudeActivityState = "claude_activity_state"
    case hasCommitsAheadOfRemote = "has_commits_ahead_of_remote"
    case todos
    case latestUserPrompt = "latest_user_prompt"
    case latestSessionTitle = "latest_session_title"
    case latestClaudeMessage = "latest_claude_message"
    case latestClaudeMessageType = "latest_claude_message_type"
    case cacheStatus = "cache_status"
    case git, activity
    case isMain = "is_main"
    case machine, revision
    case gitAge = "git_age_seconds"
    case activityAge = "activity_age_seconds"
  }
}
