/// What `git config --list --show-scope --show-origin -z` says: the files of a configuration and values in it.
public struct GitSettings: Hashable, Sendable {
  private static let source = "git config --list"
  /// The options of `git config` that make the list.
  public static let options = [
    "config", "--list", "--show-scope", "--show-origin", "--includes", "-z",
  ]

  /// Whose an entry is (git-config(1), SCOPES).
  public enum Scope: String, Hashable, Sendable {
    /// The machine's.
    case system
    /// The user's.
    case global
    /// The repository's.
    case local
    /// The worktree's.
    case worktree
    /// The caller's.
    case command
    /// A scope of a later git.
    case other
  }

  /// One value, in the order in which git reads them.
  public struct Entry: Hashable, Sendable {
    /// Whose it is.
    public var scope: Scope
    /// The file as git names it; `nil` if it is from no file.
    public var file: String?
    /// The key: section and variable in lowercase, the part between them as written.
    ///
    /// It need not be UTF-8.
    public var key: [UInt8]
    /// The value; `nil` for a key without a value, which means true.
    public var value: [UInt8]?

    /// Creates an entry.
    public init(scope: Scope, file: String?, key: [UInt8], value: [UInt8]?) {
      self.scope = scope
      self.file = file
      self.key = key
      self.value = value
    }
  }

  /// All values.
  public private(set) var entries: [Entry] = []
  /// The files it comes from as git names them, in the order they are read.
  public private(set) var files: [String] = []
  /// The included files, each with the one that includes it; conditions are ignored.
  public private(set) var included: [Inclusion] = []
  /// Whether it may be another one in another worktree or on another branch of the same repository.
  public private(set) var dependsOnWorktree = false
  private var values: [String: String] = [:]
  private var all: [String: [String]] = [:]

  /// A file that another one includes.
  public struct Inclusion: Hashable, Sendable {
    /// The path as it is written, relative to the folder of the file that includes it.
    public var path: String
    /// The file that includes it.
    public var by: String
  }

  /// Reads the list.
  ///
  /// - Throws: ``GitOutputError`` if an entry is not whole, or there are more than ``GitLimits/settings``.
  public init(_ output: [UInt8]) throws(GitOutputError) {
    guard !output.isEmpty else { return }
    let parts = output.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.count % 3 == 1, parts.last?.isEmpty == true else {
      throw GitOutputError(Self.source, record: parts.count / 3 + 1, "it has no value")
    }
    guard parts.count / 3 <= GitLimits.settings else {
      throw GitOutputError(Self.source, record: GitLimits.settings, "more entries than are read")
    }
    var known: Set<[UInt8]> = []
    for position in stride(from: 0, to: parts.count - 1, by: 3) {
      let origin = parts[position + 1]
      let entry = parts[position + 2]
      let line = entry.firstIndex(of: 0x0A)
      let found = Entry(
        scope: Scope(rawValue: parts[position].text) ?? .other,
        file: origin.behind("file:")?.text,
        key: Array(entry[..<(line ?? entry.endIndex)]),
        value: line.map { Array(entry[($0 + 1)...]) }
      )
      if let file = found.file, known.insert(Array(file.utf8)).inserted { files.append(file) }
      consume(found)
    }
  }

  private mutating func consume(_ entry: Entry) {
    entries.append(entry)
    let key = String(decoding: entry.key, as: UTF8.self)
    let value = entry.value.map { String(decoding: $0, as: UTF8.self) } ?? ""
    values[key] = value
    all[key, default: []].append(value)
    let isConditional = entry.key.starts(with: "includeif.".utf8)
    if isConditional || key == "extensions.worktreeconfig" { dependsOnWorktree = true }
    if let file = entry.file, key == "include.path" || isConditional && key.hasSuffix(".path") {
      included.append(Inclusion(path: value, by: file))
    }
  }

  /// All values that may concern the state of every worktree: those of a single branch, and where remotes are, do not.
  public var common: [String: [String]] {
    all.filter { key, _ in
      !key.hasPrefix("branch.")
        && !(key.hasPrefix("remote.") && (key.hasSuffix(".url") || key.hasSuffix(".pushurl")))
    }
  }

  /// All values of single branches, by their whole keys.
  public var branches: [String: [String]] { all.filter { $0.key.hasPrefix("branch.") } }

  /// The last value of a key, given in lowercase; `nil` if it is not set.
  public subscript(key: String) -> String? { values[key] }
}
