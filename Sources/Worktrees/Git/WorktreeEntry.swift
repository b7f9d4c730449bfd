/// One worktree as `git worktree list --porcelain -z` names it.
public struct WorktreeEntry: Hashable, Sendable {
  /// The absolute path.
  public var path: String
  /// Whether the path is UTF-8; if not, ``path`` is only for reading.
  public var isPathExact: Bool
  /// The commit that is checked out; `nil` before the first one and for a bare repository.
  public var head: String?
  /// The full name of the branch that is checked out, `refs/heads/…`.
  public var branch: String?
  /// Whether it is a bare repository without a worktree.
  public var isBare: Bool
  /// Why it is locked; empty without a reason, `nil` if it is not locked.
  public var locked: String?
  /// Why `git worktree prune` would remove it, `nil` if it would not.
  public var prunable: String?

  /// Creates a worktree at a path.
  public init(path: String) {
    self.path = path
    isPathExact = true
    isBare = false
  }

  /// Reads a list; the first worktree is the main one.
  ///
  /// - Throws: ``GitOutputError`` if it is not of the format.
  public static func list(_ bytes: some Collection<UInt8>) throws(GitOutputError) -> [Self] {
    let source = "git worktree list"
    var records = NULRecords(source: source)
    var entries: [Self] = []
    var open: Self?
    try records.consume(bytes) { record, number throws(GitOutputError) in
      if record.isEmpty {
        if let entry = open { entries.append(entry) }
        open = nil
      } else if let path = record.behind("worktree ") {
        guard open == nil, !path.isEmpty else {
          throw GitOutputError(source, record: number, "a worktree within another, or without path")
        }
        guard entries.count < GitLimits.worktrees else {
          throw GitOutputError(source, record: number, "more than \(GitLimits.worktrees) worktrees")
        }
        open = Self(path: path.text)
        open?.isPathExact = path.elementsEqual(path.text.utf8)
      } else if open == nil {
        throw GitOutputError(source, record: number, "it belongs to no worktree")
      } else {
        open?.read(record)
      }
    }
    try records.end()
    if let open { entries.append(open) }
    return entries
  }

  private mutating func read(_ record: ArraySlice<UInt8>) {
    if let value = record.behind("HEAD ") {
      head = value.allSatisfy { $0 == UInt8(ascii: "0") } ? nil : value.text
    } else if let value = record.behind("branch ") {
      branch = value.text
    } else if record.elementsEqual("bare".utf8) {
      isBare = true
    } else if let value = record.behind("locked") {
      locked = value.dropFirst().text
    } else if let value = record.behind("prunable") {
      prunable = value.dropFirst().text
    }
    // `detached` follows from there being no branch; words of later versions are ignored.
  }
}
