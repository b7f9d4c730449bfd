/// Whether a merge or a sync would end in conflicts (`GET …/merge/check`, `GET …/sync/check`); with 409,
/// that it did (`error` is then `merge_conflict`).
public struct ConflictReport: Codable, Hashable, Sendable {
  /// The code of the problem; `nil` in a check.
  public var error: String?
  /// Whether there are conflicts.
  public var hasConflicts: Bool
  /// `merge` or `sync`.
  public var operation: String
  /// The worktree's name.
  public var worktreeName: String
  /// The worktree's absolute path.
  public var worktreePath: String
  /// The paths that conflict.
  public var conflictFiles: [String]
  /// The same in words.
  public var message: String

  /// Creates a report.
  public init(
    error: String? = nil,
    hasConflicts: Bool,
    operation: String,
    worktreeName: String,
    worktreePath: String,
    conflictFiles: [String],
    message: String
  ) {
    self.error = error
    self.hasConflicts = hasConflicts
    self.operation = operation
    self.worktreeName = worktreeName
    self.worktreePath = worktreePath
    self.conflictFiles = conflictFiles
    self.message = message
  }

  private enum CodingKeys: String, CodingKey {
    case error, operation, message
    case hasConflicts = "has_conflicts"
    case worktreeName = "worktree_name"
    case worktreePath = "worktree_path"
    case conflictFiles = "conflict_files"
  }
}
