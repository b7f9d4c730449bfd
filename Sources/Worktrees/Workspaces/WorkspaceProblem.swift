/// The codes of problems (`error` of RFC 9457 responses) that workspace servers use.
public enum WorkspaceProblem: String, Hashable, Sendable, CaseIterable {
  /// 401: the bearer token is missing or wrong.
  case unauthorized
  /// 403: a page of another origin sent the request.
  case originForbidden = "origin_forbidden"
  /// 421: `Host` names another server.
  case hostForbidden = "host_forbidden"
  /// 400: `Host` occurs more than once, or is invalid.
  case invalidHost = "invalid_host"
  /// 404: the worktree does not exist.
  case worktreeNotFound = "worktree_not_found"
  /// 404: no agent session is known for the worktree.
  case sessionNotFound = "session_not_found"
  /// 404: the repository does not exist.
  case repositoryNotFound = "repository_not_found"
  /// 400: a parameter or a member of the body is invalid.
  case invalidParameter = "invalid_parameter"
  /// 400: the body is not as expected.
  case invalidBody = "invalid_body"
  /// 409: the merge or sync would cause conflicts.
  case mergeConflict = "merge_conflict"
  /// 409: the worktree has uncommitted changes.
  case worktreeDirty = "worktree_dirty"
  /// 409: ignored files would be lost.
  case ignoredFiles = "ignored_files"
  /// 409: the worktree contains another repository.
  case nestedRepository = "nested_repository"
  /// 409: the worktree contains another worktree, which must be removed first.
  case nestedWorktree = "nested_worktree"
  /// 409: untracked files would be overwritten.
  case wouldOverwrite = "would_overwrite"
  /// 409: commits would be lost.
  case worktreeUnmerged = "worktree_unmerged"
  /// 409: a file system is mounted within the worktree.
  case mountedFolder = "mounted_folder"
  /// 409: a rebase would drop merge commits and the changes made in them.
  case mergeCommits = "merge_commits"
  /// 409: a rebase would rewrite commits that a remote has.
  case pushedCommits = "pushed_commits"
  /// 404: the restore point does not exist, or is no longer kept.
  case restorePointNotFound = "restore_point_not_found"
  /// 409: an agent is working in the worktree, or a process is running there.
  case agentActive = "agent_active"
  /// 409: the worktree is the main one and cannot be removed.
  case mainWorktree = "main_worktree"
  /// 409: the worktree is locked.
  case worktreeLocked = "worktree_locked"
  /// 409: an operation is in progress.
  case operationInProgress = "operation_in_progress"
  /// 409: the repository's configuration would run untrusted programs.
  case untrustedRepository = "untrusted_repository"
  /// 409: the configuration is not the one that the request trusts.
  case configurationChanged = "configuration_changed"
  /// 409: the repository is outside the watched folders.
  case outsideWatchedFolders = "outside_watched_folders"
  /// 409: the worktree is on another machine, where the action has to be carried out.
  case otherMachine = "other_machine"
  /// 409: a branch or a folder of that name already exists.
  case alreadyExists = "already_exists"
  /// 502: git failed.
  case gitFailed = "git_failed"
  /// 504: git took too long.
  case gitTimeout = "git_timeout"
  /// 507: the trust could not be saved in the data folder.
  case notKept = "not_kept"
  /// 503: too many requests are waiting.
  case busy
}
