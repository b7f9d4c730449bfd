/// The codes of problems (`error` of RFC 9457 answers) that workspace servers use.
public enum WorkspaceProblem: String, Hashable, Sendable, CaseIterable {
  /// 401: there is no bearer token, or a wrong one.
  case unauthorized
  /// 403: a page of another origin asks.
  case originForbidden = "origin_forbidden"
  /// 421: `Host` names another server.
  case hostForbidden = "host_forbidden"
  /// 400: there is more than one `Host`, or one that is no host.
  case invalidHost = "invalid_host"
  /// 404: there is no such worktree.
  case worktreeNotFound = "worktree_not_found"
  /// 404: no agent session is known for the worktree.
  case sessionNotFound = "session_not_found"
  /// 404: there is no such repository.
  case repositoryNotFound = "repository_not_found"
  /// 400: a parameter or a member of the body is wrong.
  case invalidParameter = "invalid_parameter"
  /// 400: the body is not what is expected.
  case invalidBody = "invalid_body"
  /// 409: the merge or the sync ends in conflicts.
  case mergeConflict = "merge_conflict"
  /// 409: something is not committed.
  case worktreeDirty = "worktree_dirty"
  /// 409: files that git ignores would be lost.
  case ignoredFiles = "ignored_files"
  /// 409: another repository lies within the worktree.
  case nestedRepository = "nested_repository"
  /// 409: another worktree lies within the worktree, and goes by itself first.
  case nestedWorktree = "nested_worktree"
  /// 409: files that git does not track would be written over.
  case wouldOverwrite = "would_overwrite"
  /// 409: commits would be lost.
  case worktreeUnmerged = "worktree_unmerged"
  /// 409: a file system is mounted within the worktree.
  case mountedFolder = "mounted_folder"
  /// 409: a rebase would leave out merge commits with what was changed in them.
  case mergeCommits = "merge_commits"
  /// 409: a rebase would make commits again that a remote has.
  case pushedCommits = "pushed_commits"
  /// 404: there is no such restore point, or it is not kept any more.
  case restorePointNotFound = "restore_point_not_found"
  /// 409: an agent works there, or a process lives there.
  case agentActive = "agent_active"
  /// 409: the worktree came with the repository and cannot be removed.
  case mainWorktree = "main_worktree"
  /// 409: the worktree is locked.
  case worktreeLocked = "worktree_locked"
  /// 409: an operation was begun and not ended.
  case operationInProgress = "operation_in_progress"
  /// 409: the repository's configuration would run programs that nobody trusts.
  case untrustedRepository = "untrusted_repository"
  /// 409: what the configuration would run is not what was to be trusted.
  case configurationChanged = "configuration_changed"
  /// 409: the repository is outside of the folders that are watched.
  case outsideWatchedFolders = "outside_watched_folders"
  /// 409: there is a branch or a folder of that name.
  case alreadyExists = "already_exists"
  /// 502: git failed.
  case gitFailed = "git_failed"
  /// 504: git took too long.
  case gitTimeout = "git_timeout"
  /// 507: what is trusted could not be written to the data folder.
  case notKept = "not_kept"
  /// 503: too many wait already.
  case busy
}
