/// What `git status --porcelain=v2 --branch --show-stash -z` says of a worktree.
public struct WorktreeStatus: Hashable, Sendable {
  /// The commit that is checked out; `nil` before the first one.
  public var head: String?
  /// The branch that is checked out; `nil` if HEAD is detached.
  public var branch: String?
  /// The branch it follows.
  public var upstream: String?
  /// Commits the upstream does not have; `nil` without one, or if it is gone.
  public var ahead: Int?
  /// Commits only the upstream has.
  public var behind: Int?
  /// Entries of the stash.
  public var stashes = 0
  /// Paths with staged changes.
  public var staged = 0
  /// Paths with changes that are not staged.
  public var unstaged = 0
  /// Untracked paths; a whole new folder is one.
  public var untracked = 0
  /// Paths with conflicts.
  public var conflictCount = 0
  /// The first of them, ``GitLimits/conflictNames`` at most.
  public var conflicts: [String] = []
  /// New folders, with a slash at the end; as many as are watched at most.
  public var untrackedFolders: [String] = []

  /// Knows nothing.
  public init() {}

  /// Whether anything is not committed.
  public var isDirty: Bool { staged + unstaged + untracked + conflictCount > 0 }
}

/// Reads a status as its bytes come.
public struct WorktreeStatusReader: Sendable {
  private static let source = "git status"
  private var records = NULRecords(source: source)
  private var status = WorktreeStatus()
  private var skipsOldPath = false
  private var hasHead = false

  /// Starts to read.
  public init() {}

  /// Takes more bytes.
  ///
  /// - Throws: ``GitOutputError`` at a record that is not of the format.
  public mutating func consume(_ bytes: some Collection<UInt8>) throws(GitOutputError) {
    var records = records
    defer { self.records = records }
    try records.consume(bytes) { record, number throws(GitOutputError) in
      try read(record, number)
    }
  }

  /// Ends the reading.
  ///
  /// - Throws: ``GitOutputError`` if something is missing.
  public func end() throws(GitOutputError) -> WorktreeStatus {
    try records.end()
    guard hasHead, !skipsOldPath else {
      throw GitOutputError(Self.source, record: records.count, "it ends too early")
    }
    return status
  }

  /// Reads a whole status.
  public static func status(
    of bytes: some Collection<UInt8>
  ) throws(GitOutputError)
    -> WorktreeStatus
  {
    var reader = Self()
    try reader.consume(bytes)
    return try reader.end()
  }

  private mutating func read(
    _ record: ArraySlice<UInt8>,
    _ number: Int
  ) throws(GitOutputError) {
    if skipsOldPath {
      skipsOldPath = false
      return
    }
    func fail(_ problem: String) -> GitOutputError {
      GitOutputError(Self.source, record: number, problem)
    }
    switch record.first {
    case UInt8(ascii: "#"):
      try readHeader(record, fail)
    case UInt8(ascii: "1"), UInt8(ascii: "2"):
      // 1 XY sub mH mI mW hH hI path; 2 XY sub mH mI mW hH hI Xscore path, then the old path.
      let isRename = record.first == UInt8(ascii: "2")
      guard let fields = Self.fields(record, isRename ? 9 : 8) else {
        throw fail("a changed path needs more fields")
      }
      let letters = Array(fields.head[1])
      guard letters.count == 2 else { throw fail("XY needs two letters") }
      if letters[0] != UInt8(ascii: ".") { status.staged += 1 }
      if letters[1] != UInt8(ascii: ".") { status.unstaged += 1 }
      skipsOldPath = isRename
    case UInt8(ascii: "u"):
      guard let fields = Self.fields(record, 10) else {
        throw fail("an unmerged path needs more fields")
      }
      status.conflictCount += 1
      if status.conflicts.count < GitLimits.conflictNames {
        status.conflicts.append(fields.path.text)
      }
    case UInt8(ascii: "?"):
      guard let path = record.behind("? "), !path.isEmpty else { throw fail("no path") }
      status.untracked += 1
      if path.last == UInt8(ascii: "/"),
        status.untrackedFolders.count < GitLimits.watchedFolders
      {
        status.untrackedFolders.append(path.text)
      }
    case UInt8(ascii: "!"):
      break
    default:
      throw fail("unknown kind")
    }
  }

  private mutating func readHeader(
    _ record: ArraySlice<UInt8>,
    _ fail: (String) -> GitOutputError
  ) throws(GitOutputError) {
    if let value = record.behind("# branch.oid ") {
      hasHead = true
      status.head = value.elementsEqual("(initial)".utf8) ? nil : value.text
    } else if let value = record.behind("# branch.head ") {
      status.branch = value.elementsEqual("(detached)".utf8) ? nil : value.text
    } else if let value = record.behind("# branch.upstream ") {
      status.upstream = value.text
    } else if let value = record.behind("# branch.ab ") {
      guard let (ahead, behind) = value.cut(at: UInt8(ascii: " ")), ahead.first == 0x2B,
        behind.first == 0x2D, let ahead = ahead.dropFirst().number,
        let behind = behind.dropFirst().number
      else { throw fail("branch.ab is not +n -m") }
      (status.ahead, status.behind) = (ahead, behind)
    } else if let value = record.behind("# stash ") {
      guard let count = value.number else { throw fail("stash is not a number") }
      status.stashes = count
    }
    // Headers of later versions of git are ignored.
  }

  /// The fields before the path, and the path, which may hold spaces.
  private static func fields(
    _ record: ArraySlice<UInt8>,
    _ count: Int
  ) -> (head: [ArraySlice<UInt8>], path: ArraySlice<UInt8>)? {
    var head: [ArraySlice<UInt8>] = []
    var rest = record
    for _ in 0..<count {
      guard let (field, behind) = rest.cut(at: UInt8(ascii: " ")) else { return nil }
      head.append(field)
      rest = behind
    }
    return rest.isEmpty ? nil : (head, rest)
  }
}
