import TolerantDecoding

extension Workspace {
  /// Reads a worktree: `id`, `name`, `branch`, `repo_id` and `path` must be there, nothing else.
  public init(from decoder: any Decoder) throws {
    self = try TolerantValue.read(from: decoder) { Workspace($0) }
  }

  /// Reads a worktree: `id`, `name`, `branch`, `repo_id` and `path` must be there, nothing else.
  init?(_ field: DecodeField) {
    guard field.isObject() else { return nil }
    func needed(_ key: CodingKeys) -> String? {
      let place = field[MemberName(key.rawValue)]
      if place.isText { return place.string() }
      if place.isPresent { place.report(.wrongKind, .loss, "a worktree is named by a string") }
      return place.missing(nil)
    }
    guard let id = needed(.id), let repoId = needed(.repoId), let name = needed(.name),
      let path = needed(.path), let branch = needed(.branch)
    else { return nil }
    self.init(id: id, repoId: repoId, name: name, path: path, branch: branch)
    let it = Members(field)
    sourceBranch = it.text(.sourceBranch) ?? ""
    hasBeenRenamed = it.flag(.hasBeenRenamed)
    commitHash = it.text(.commitHash) ?? ""
    commitCount = it.count(.commitCount)
    commitsBehind = it.count(.commitsBehind)
    isDirty = it.flag(.isDirty)
    hasConflicts = it.flag(.hasConflicts)
    createdAt = it.text(.createdAt) ?? ""
    lastAccessed = it.text(.lastAccessed) ?? ""
    sessionTitle = it[.sessionTitle].isPresent ? SessionTitle(it[.sessionTitle]) : nil
    sessionTitleHistory = it[.sessionTitleHistory].list { SessionTitle($0) }?.elements ?? []
    hasActiveClaudeSession = it.flag(.hasActiveClaudeSession)
    claudeActivityState =
      it.text(.claudeActivityState).map { AgentActivity.Summary(rawValue: $0) } ?? .inactive
    hasCommitsAheadOfRemote = it.flag(.hasCommitsAheadOfRemote)
    todos = it[.todos].list { Todo($0) }?.elements ?? []
    latestUserPrompt = it.text(.latestUserPrompt)
    latestSessionTitle = it.text(.latestSessionTitle)
    latestClaudeMessage = it.text(.latestClaudeMessage)
    latestClaudeMessageType = it.text(.latestClaudeMessageType)
    cacheStatus = CacheStatus(isCached: it[.cacheStatus]["is_cached"].bool() ?? true)
    cacheStatus.isLoading = it[.cacheStatus]["is_loading"].bool() ?? cacheStatus.isLoading
    git = it[.git].isPresent ? GitState(it[.git]) ?? GitState() : GitState()
    // A server that says no more than the seed system's word says that.
    activity =
      it[.activity].isPresent
      ? AgentActivity(it[.activity]) ?? .unknown
      : AgentActivity(
        it[.claudeActivityState].isPresent || !hasActiveClaudeSession
          ? claudeActivityState : .running
      )
    isMain = it.flag(.isMain)
    machine = it[.machine].isPresent ? WorkspaceMachine(it[.machine]) : nil
    revision = it[.revision].int().map { Int64($0) } ?? 0
    gitAge = it[.gitAge].double()
    activityAge = it[.activityAge].double()
  }

  /// The members of an answer by their keys.
  private struct Members {
    let field: DecodeField

    init(_ field: DecodeField) { self.field = field }

    subscript(key: CodingKeys) -> DecodeField { field[MemberName(key.rawValue)] }

    func text(_ key: CodingKeys) -> String? { self[key].string() }
    func flag(_ key: CodingKeys) -> Bool { self[key].bool() ?? false }
    func count(_ key: CodingKeys) -> Int { self[key].count() ?? 0 }
  }
}

extension WorkspaceMachine {
  /// Reads a machine; `nil` without its name.
  init?(_ field: DecodeField) {
    guard field.isObject(), let name = field["name"].missing(field["name"].string()) else {
      return nil
    }
    self.init(
      name: name,
      state: field["state"].string().map { State(rawValue: $0) } ?? .unreachable,
      unreachableSince: field["unreachable_since"].string()
    )
  }
}

extension SessionTitle {
  /// Reads a title; `nil` without its text.
  init?(_ field: DecodeField) {
    if field.isText, let text = field.string() {
      self.init(title: text, timestamp: "")
      return
    }
    guard field.isObject(), let title = field["title"].missing(field["title"].string()) else {
      return nil
    }
    self.init(
      title: title,
      timestamp: field["timestamp"].string() ?? "",
      commitHash: field[["commit_hash", "commitHash"]].string()
    )
  }
}

extension Todo {
  /// Reads an entry; missing members become empty, a missing status `pending`.
  ///
  /// If a server also sends the fewer states of older clients, the agent's own state is beside theirs and takes
  /// precedence.
  init?(_ field: DecodeField) {
    guard field.isObject() else { return nil }
    let content = field["content"].string() ?? field["activeForm"].string() ?? ""
    let (theirs, own) = (field["status"].string(), field["originalStatus"].string())
    let (known, urgent) = (field["priority"].string(), field["originalPriority"].string())
    self.init(
      id: field["id"].string() ?? content,
      content: content,
      status: (own ?? theirs).map { Status(rawValue: $0) } ?? .pending,
      priority: urgent ?? known ?? ""
    )
  }
}
