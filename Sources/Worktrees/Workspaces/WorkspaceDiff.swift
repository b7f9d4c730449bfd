public import TolerantDecoding

/// The changes of a worktree since it left its source (`GET /v1/git/worktrees/{id}/diff`).
public struct WorkspaceDiff: Codable, Hashable, Sendable {
  /// One file.
  public struct File: Codable, Hashable, Sendable {
    /// The path within the worktree.
    public var filePath: String
    /// `added`, `deleted`, `modified`, `renamed`, `copied`, `type changed`, `conflicted` or `added (untracked)`.
    public var changeType: String
    /// The unified diff; `nil` if it is ``omitted``.
    public var diffText: String?
    /// Where the file was before, if it was renamed or copied.
    public var oldPath: String?
    /// Lines added; `nil` for binary files.
    public var added: Int?
    /// Lines removed; `nil` for binary files.
    public var removed: Int?
    /// Why the text is omitted: `binary`, `too_large`, `symbolic_link`, `repository` (a folder that is one itself) or
    /// `unreadable`; an open set.
    public var omitted: String?
    /// Whether a page shows it open at first.
    public var isExpanded: Bool

    /// Creates a file of a diff.
    public init(filePath: String, changeType: String) {
      self.filePath = filePath
      self.changeType = changeType
      isExpanded = false
    }

    private enum CodingKeys: String, CodingKey {
      case filePath = "file_path"
      case changeType = "change_type"
      case diffText = "diff_text"
      case oldPath = "old_path"
      case added, removed, omitted
      case isExpanded = "is_expanded"
    }
  }

  /// The worktree.
  public var worktreeId: String
  /// Its name.
  public var worktreeName: String
  /// The branch it is compared with.
  public var sourceBranch: String
  /// The commit both have in common.
  public var forkCommit: String
  /// The files, by path; never missing.
  public var fileDiffs: [File]
  /// How many files changed, also those beyond the limit.
  public var totalFiles: Int
  /// The counts in words.
  public var summary: String
  /// Whether files or texts were left out because of limits.
  public var isTruncated: Bool
  /// What of the answer could not be read; not a part of the diff.
  public var issues: [DecodeIssue] = []

  /// Creates a diff.
  public init(
    worktreeId: String,
    worktreeName: String,
    sourceBranch: String,
    forkCommit: String,
    fileDiffs: [File],
    totalFiles: Int,
    summary: String,
    isTruncated: Bool
  ) {
    self.worktreeId = worktreeId
    self.worktreeName = worktreeName
    self.sourceBranch = sourceBranch
    self.forkCommit = forkCommit
    self.fileDiffs = fileDiffs
    self.totalFiles = totalFiles
    self.summary = summary
    self.isTruncated = isTruncated
  }

  /// Reads a diff; without a list of files it is empty.
  public init(from decoder: any Decoder) throws {
    self = try TolerantValue.read(from: decoder) { WorkspaceDiff($0) }
  }

  private enum CodingKeys: String, CodingKey {
    case summary
    case worktreeId = "worktree_id"
    case worktreeName = "worktree_name"
    case sourceBranch = "source_branch"
    case forkCommit = "fork_commit"
    case fileDiffs = "file_diffs"
    case totalFiles = "total_files"
    case isTruncated = "is_truncated"
  }
}
