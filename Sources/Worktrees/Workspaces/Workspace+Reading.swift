extension Workspace {
  /// Reads a worktree: `id`, `name`, `branch`, `repo_id` and `path` must be there, nothing else.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try members.decode(String.self, forKey: .id),
      repoId: try members.decode(String.self, forKey: .repoId),
      name: try members.decode(String.self, forKey: .name),
      path: try members.decode(String.self, forKey: .path),
      branch: try members.decode(String.self, forKey: .branch)
    )
    func text(_ key: CodingKeys) throws -> String? {
      try members.decodeIfPresent(String.self, forKey: key)
    }
    func flag(_ key: CodingKeys) throws -> Bool {
      try members.decodeIfPresent(Bool.self, forKey: key) ?? false
    }
    func count(_ key: CodingKeys) throws -> Int {
      try members.decodeIfPresent(Int.self, forKey: key) ?? 0
    }
    sourceBranch = try text(.sourceBranch) ?? ""
    hasBeenRenamed = try flag(.hasBeenRenamed)
    commitHash = try text(.commitHash) ?? ""
    commitCount = try count(.commitCount)
    commitsBehind = try count(.commitsBehind)
    isDirty = try flag(.isDirty)
    hasConflicts = try flag(.hasConflicts)
    createdAt = try text(.createdAt) ?? ""
    lastAccessed = try text(.lastAccessed) ?? ""
    sessionTitle = try members.decodeIfPresent(SessionTitle.self, forKey: .sessionTitle)
    sessionTitleHistory =
      try members.decodeIfPresent([SessionTitle].self, forKey: .sessionTitleHistory) ?? []
    hasActiveClaudeSession = try flag(.hasActiveClaudeSession)
    claudeActivityState =
      try members.decodeIfPresent(AgentActivity.Summary.self, forKey: .claudeActivityState)
      ?? .inactive
    hasCommitsAheadOfRemote = try flag(.hasCommitsAheadOfRemote)
    todos = try members.decodeIfPresent([Todo].self, forKey: .todos) ?? []
    latestUserPrompt = try text(.latestUserPrompt)
    latestSessionTitle = try text(.latestSessionTitle)
    latestClaudeMessage = try text(.latestClaudeMessage)
    latestClaudeMessageType = try text(.latestClaudeMessageType)
    cacheStatus =
      try members.decodeIfPresent(CacheStatus.self, forKey: .cacheStatus)
      ?? CacheStatus(isCached: true)
    git = try members.decodeIfPresent(GitState.self, forKey: .git) ?? GitState()
    activity = try members.decodeIfPresent(AgentActivity.self, forKey: .activity) ?? .unknown
    isMain = try flag(.isMain)
    revision = try members.decodeIfPresent(Int64.self, forKey: .revision) ?? 0
    gitAge = try members.decodeIfPresent(Double.self, forKey: .gitAge)
    activityAge = try members.decodeIfPresent(Double.self, forKey: .activityAge)
  }
}
