/// A git worktree and the agents in it (`GET /v1/git/worktrees`, `GET /v1/git/worktrees/{id}`).
///
/// The seed system's names and types, and beside them what it does not have: ``git``, ``activity``,
/// ``revision`` and the ages.
public struct Workspace: Codable, Hashable, Sendable, Identifiable {
  /// How far the server is in learning the state.
  public struct CacheStatus: Codable, Hashable, Sendable {
    /// Whether the state is known.
    public var isCached: Bool
    /// Whether it is being found out for the first time.
    public var isLoading: Bool

    /// Creates a status: known, or being found out.
    public init(isCached: Bool) {
      self.isCached = isCached
      isLoading = !isCached
    }

    private enum CodingKeys: String, CodingKey {
      case isCached = "is_cached"
      case isLoading = "is_loading"
    }
  }

  /// Names the worktree, a UUID that follows from its path.
  public var id: String
  /// `owner/repository` of the remote `origin`, else `local/folder`.
  public var repoId: String
  /// `repository/folder`.
  public var name: String
  /// The absolute path.
  public var path: String
  /// The branch; `HEAD` and the commit's first digits if none is checked out.
  public var branch: String
  /// The branch it was made from, as far as can be told: the repository's default branch.
  public var sourceBranch: String
  /// Whether the seed system renamed the branch; always `false`.
  public var hasBeenRenamed: Bool
  /// The commit that is checked out; empty before the first one.
  public var commitHash: String
  /// Commits the source does not have.
  public var commitCount: Int
  /// Commits only the source has; as old as the last fetch.
  public var commitsBehind: Int
  /// Whether anything is not committed.
  public var isDirty: Bool
  /// Whether paths have conflicts, or an operation waits for somebody.
  public var hasConflicts: Bool
  /// When the worktree was made, RFC 3339.
  public var createdAt: String
  /// When its HEAD last moved, RFC 3339.
  public var lastAccessed: String
  /// What the newest session is about.
  public var sessionTitle: SessionTitle?
  /// What sessions were about, oldest first.
  public var sessionTitleHistory: [SessionTitle]
  /// Whether an agent is there; the seed system's older form of ``claudeActivityState``.
  public var hasActiveClaudeSession: Bool
  /// What the agents do, in the seed system's three words.
  public var claudeActivityState: AgentActivity.Summary
  /// Whether the upstream lacks commits, or there is none and the source lacks some.
  public var hasCommitsAheadOfRemote: Bool
  /// What the newest session wants to do.
  public var todos: [Todo]
  /// The last prompt of a person.
  public var latestUserPrompt: String?
  /// What the newest session is about, as text.
  public var latestSessionTitle: String?
  /// The last message with text.
  public var latestClaudeMessage: String?
  /// Who wrote it: `assistant` or `user`.
  public var latestClaudeMessageType: String?
  /// How far the server is in learning the state.
  public var cacheStatus: CacheStatus
  /// The state as git has it.
  public var git: GitState
  /// What the agents do, and how that is known.
  public var activity: AgentActivity
  /// Whether it is the worktree that came with the repository.
  public var isMain: Bool
  /// The revision at which anything above changed last.
  public var revision: Int64
  /// How long ago git was asked for the state, in seconds; not part of the entity tag.
  public var gitAge: Double?
  /// How long ago the activity's state began, in seconds; not part of the entity tag.
  public var activityAge: Double?

  /// Creates a worktree of which nothing is known but where it is.
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

  /// The names of the members in an answer.
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
    case revision
    case gitAge = "git_age_seconds"
    case activityAge = "activity_age_seconds"
  }
}
