import Workspaces

/// One path of `git diff --name-status -z` or `--numstat -z`.
public struct ChangedPath: Hashable, Sendable {
  /// How a path changed.
  public enum Kind: String, Hashable, Sendable {
    /// It is new.
    case added
    /// It is gone.
    case deleted
    /// Its content or its mode is another.
    case modified
    /// It had another name.
    case renamed
    /// It was copied.
    case copied
    /// It became a link, a file or a submodule.
    case typeChanged = "type changed"
    /// It is not merged.
    case conflicted
  }

  /// The path.
  public var path: String
  /// Where it was before.
  public var oldPath: String?
  /// How it changed.
  public var kind: Kind
  /// Lines added; `nil` for binary files and if not counted.
  public var added: Int?
  /// Lines removed.
  public var removed: Int?

  /// Creates a path.
  public init(path: String, kind: Kind, oldPath: String? = nil) {
    self.path = path
    self.kind = kind
    self.oldPath = oldPath
  }

  /// Reads both lists of one diff; a path named twice, such as an unmerged one, is listed once.
  ///
  /// - Throws: ``GitOutputError`` if either has another format.
  public static func list(
    nameStatus: some Collection<UInt8>,
    numstat: some Collection<UInt8>
  ) throws(GitOutputError) -> [Self] {
    let counts = try counts(numstat)
    var places: NameTable<Int> = [:]
    var paths: [Self] = []
    for var path in try names(nameStatus) {
      (path.added, path.removed) = counts[path.path] ?? (nil, nil)
      if let place = places[path.path] {
        if path.kind == .conflicted { paths[place].kind = .conflicted }
      } else {
        places[path.path] = paths.count
        paths.append(path)
      }
    }
    return paths
  }

  private static func names(_ bytes: some Collection<UInt8>) throws(GitOutputError) -> [Self] {
    let source = "git diff --name-status"
    var records = NULRecords(source: source)
    var paths: [Self] = []
    var kind: Kind?
    var old: String?
    try records.consume(bytes) { record, number throws(GitOutputError) in
      guard let known = kind else {
        guard let letter = record.first, let found = kinds[letter] else {
          throw GitOutputError(source, record: number, "unknown status")
        }
        kind = found
        return
      }
      if old == nil, known == .renamed || known == .copied {
        old = record.text
        return
      }
      paths.append(Self(path: record.text, kind: known, oldPath: old))
      (kind, old) = (nil, nil)
    }
    try records.end()
    guard kind == nil else {
      throw GitOutputError(source, record: records.count, "a path is missing")
    }
    return paths
  }

  private static func counts(
    _ bytes: some Collection<UInt8>
  ) throws(GitOutputError) -> NameTable<(Int?, Int?)> {
    let source = "git diff --numstat"
    var records = NULRecords(source: source)
    var counts: NameTable<(Int?, Int?)> = [:]
    var open: (Int?, Int?)?
    var names = 0
    try records.consume(bytes) { record, number throws(GitOutputError) in
      if let numbers = open {
        // A rename names the old path, then the new one.
        names += 1
        if names == 2 {
          counts[record.text] = numbers
          (open, names) = (nil, 0)
        }
        return
      }
      guard let (added, rest) = record.cut(at: 0x09), let (removed, path) = rest.cut(at: 0x09)
      else { throw GitOutputError(source, record: number, "two counts are expected") }
      let numbers = (added.number, removed.number)
      if path.isEmpty { open = numbers } else { counts[path.text] = numbers }
    }
    try records.end()
    return counts
  }

  private static let kinds: [UInt8: Kind] = [
    UInt8(ascii: "A"): .added, UInt8(ascii: "D"): .deleted, UInt8(ascii: "M"): .modified,
    UInt8(ascii: "R"): .renamed, UInt8(ascii: "C"): .copied, UInt8(ascii: "T"): .typeChanged,
    UInt8(ascii: "U"): .conflicted,
  ]
}
