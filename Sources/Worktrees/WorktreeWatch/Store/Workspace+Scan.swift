import ConditionalHTTP
import Git
package import Workspaces

extension Workspace {
  /// Puts together what is known.
  ///
  /// - Parameters:
  ///   - member: The worktree and its locations.
  ///   - repository: Its repository.
  ///   - scan: What git reports; `nil` until git was asked.
  ///   - reading: The reading of its agents.
  package init(
    _ member: RepositoryScan.Member,
    of repository: RepositoryScan,
    scan: WorktreeScan?,
    reading: AgentReading
  ) {
    let path = member.layout.worktree
    let folder = path.split(separator: "/").last.map(String.init) ?? path
    let head = scan?.status.head ?? member.entry.head
    let heads = "refs/heads/"
    let listed = member.entry.branch.map { $0.name(after: heads) ?? $0 }
    let branch = scan == nil ? listed : scan?.status.branch
    self.init(
      id: WorkspaceIdentity.id(of: path),
      repoId: repository.id,
      name: "\(repository.name)/\(folder)",
      path: path,
      branch: branch ?? "HEAD" + (head.map { " \($0.prefix(8))" } ?? "")
    )
    isMain = member.isMain
    commitHash = head ?? ""
    sourceBranch = (scan?.source ?? repository.source)?.branch ?? ""
    git.head = head
    git.branch = branch
    git.locked = member.entry.locked
    if let scan {
      apply(scan)
      if scan.problem == nil { git.locked = scan.locked }
    }
    apply(reading)
  }

  private mutating func apply(_ scan: WorktreeScan) {
    let status = scan.status
    cacheStatus = CacheStatus(isCached: scan.problem == nil || status.head != nil)
    commitCount = scan.counts.left
    commitsBehind = scan.counts.right
    isDirty = status.isDirty
    // Every pending operation except a bisect counts as a conflict.
    hasConflicts =
      status.conflictCount > 0 || (scan.operation.map { $0.kind != .bisect } ?? false)
    hasCommitsAheadOfRemote = status.ahead.map { $0 > 0 } ?? (scan.counts.left > 0)
    if scan.madeAt > 0 { createdAt = InstantText.write(scan.madeAt) }
    if scan.movedAt > 0 { lastAccessed = InstantText.write(scan.movedAt) }
    git.upstream = status.upstream
    git.ahead = status.ahead
    git.behind = status.behind
    git.staged = status.staged
    git.unstaged = status.unstaged
    git.untracked = status.untracked
    git.conflicts = status.conflicts
    git.conflictCount = status.conflictCount
    git.stashes = status.stashes
    git.compared = scan.source?.shortRef
    git.problem = scan.problem
    git.trust = scan.trust
    git.operation = scan.operation.map {
      GitState.Operation(kind: $0.kind.rawValue, step: $0.step, steps: $0.steps, branch: $0.branch)
    }
  }

  private mutating func apply(_ reading: AgentReading) {
    activity = reading.activity
    claudeActivityState = reading.activity.summary
    hasActiveClaudeSession = claudeActivityState != .inactive
    sessionTitle = reading.title
    sessionTitleHistory = reading.titleHistory
    latestSessionTitle = reading.title?.title
    todos = reading.todos
    latestUserPrompt = reading.latestPrompt
    latestClaudeMessage = reading.latestMessage
    latestClaudeMessageType = reading.latestMessage == nil ? nil : reading.latestMessageType
  }
}
