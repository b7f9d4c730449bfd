import TolerantDecoding

extension WorkspaceDiff {
  /// Reads a diff; without a list of files it is empty.
  init?(_ field: DecodeField) {
    guard field.isObject(),
      let id = field["worktree_id"].missing(field["worktree_id"].string())
    else { return nil }
    let files = field["file_diffs"].list { File($0) } ?? LossyList()
    self.init(
      worktreeId: id,
      worktreeName: field["worktree_name"].string() ?? "",
      sourceBranch: field["source_branch"].string() ?? "",
      forkCommit: field["fork_commit"].string() ?? "",
      fileDiffs: files.elements,
      totalFiles: field["total_files"].int(in: 0 ... .max) ?? files.elements.count,
      summary: field["summary"].string() ?? "",
      isTruncated: field["is_truncated"].bool() ?? (files.dropped > 0)
    )
  }
}

extension WorkspaceDiff.File {
  /// Reads a file; `nil` without a path.
  init?(_ field: DecodeField) {
    guard field.isObject(), let path = field["file_path"].missing(field["file_path"].string())
    else { return nil }
    self.init(filePath: path, changeType: field["change_type"].string() ?? "modified")
    diffText = field["diff_text"].string()
    oldPath = field["old_path"].string()
    added = field["added"].count()
    removed = field["removed"].count()
    omitted = field["omitted"].string()
    isExpanded = field["is_expanded"].bool() ?? false
  }
}
