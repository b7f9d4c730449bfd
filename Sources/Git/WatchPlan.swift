/// Which folders tell that the state of a worktree or of a repository changed.
public enum WatchPlan: Sendable {
  /// What a folder is to git.
  public enum Place: Hashable, Sendable {
    /// The git directory of a worktree, and the folders of a rebase within it.
    case gitDirectory
    /// The common directory of a repository.
    case commonDirectory
    /// `refs` and the folders within it, or `worktrees`.
    case refs
    /// A folder with content.
    case content
  }

  /// Folders within the git directory of a worktree that are watched while they are there.
  public static let operationFolders = ["rebase-merge", "rebase-apply", "sequencer"]

  /// Folders within the common directory; those of refs with everything within.
  public static let commonFolders = ["refs/heads", "refs/remotes", "worktrees", "reftable"]

  /// Whether a name that changed in a folder can mean another state.
  ///
  /// Locks come and go with every command. What git keeps for itself, objects and logs, follows what is
  /// looked at here.
  public static func matters(_ name: String, in place: Place) -> Bool {
    switch place {
    case .content:
      return name != ".git"
    case .refs:
      return !name.hasSuffix(".lock")
    case .gitDirectory:
      guard !name.hasSuffix(".lock") else { return false }
      return name.isEmpty || stateNames.contains(name) || operationFolders.contains(name)
        || (name.utf8.allSatisfy { $0 != UInt8(ascii: ".") } && stepNames.contains(name))
    case .commonDirectory:
      return ["packed-refs", "HEAD", "config", "worktrees", "refs", "reftable"].contains(name)
    }
  }

  private static let stateNames: Set<String> = [
    "HEAD", "index", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "locked",
    "config.worktree",
  ]
  private static let stepNames: Set<String> = [
    "msgnum", "end", "next", "last", "head-name", "todo", "done", "applying",
  ]

  /// The folders of a worktree whose content is watched: those with tracked files, and new ones.
  ///
  /// What git ignores is in neither list. A folder that is ignored but holds tracked files is watched.
  public struct Folders: Sendable {
    private static let source = "git ls-files --stage"
    private static let submoduleMode = Array("160000 ".utf8)
    private var records = NULRecords(source: source)
    private var folders: Set<String> = [""]
    private var last: [UInt8] = []
    /// The folders of submodules, up to ``GitLimits/submodules``; what is in them is in lists of their own.
    public private(set) var submodules: [String] = []
    /// Whether there are more than ``GitLimits/watchedFolders``.
    public private(set) var isOverflowing = false

    /// Starts with the worktree itself.
    public init() {}

    /// Takes more bytes of `git ls-files --stage -z`: mode, object, stage and path.
    ///
    /// - Throws: ``GitOutputError`` if a path is too long, or a record has no path.
    public mutating func take(_ bytes: some Collection<UInt8>) throws(GitOutputError) {
      var records = records
      defer { self.records = records }
      try records.take(bytes) { record, number throws(GitOutputError) in
        guard let tab = record.firstIndex(of: UInt8(ascii: "\t")) else {
          throw GitOutputError(Self.source, record: number, "it has no path")
        }
        let path = record[(tab + 1)...]
        if record.starts(with: Self.submoduleMode) {
          add(submodule: path.text)
          return
        }
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return }
        let folder = path[..<slash]
        // Tracked paths are ordered, so most are in the folder of the one before.
        guard !folder.elementsEqual(last) else { return }
        last = Array(folder)
        insert(folder.text)
      }
    }

    /// Adds new folders as a status names them, with a slash at the end.
    public mutating func add(untracked: [String]) {
      for folder in untracked { insert(String(folder.dropLast())) }
    }

    /// Adds the folders of a submodule.
    ///
    /// - Parameters:
    ///   - inner: Its folders.
    ///   - path: Where it is.
    public mutating func add(_ inner: Folders, of path: String) {
      for folder in inner.folders where !folder.isEmpty { insert(path + "/" + folder) }
      for submodule in inner.submodules { add(submodule: path + "/" + submodule) }
      if inner.isOverflowing { isOverflowing = true }
    }

    private mutating func add(submodule path: String) {
      insert(path)
      guard submodules.last != path else { return }
      guard submodules.count < GitLimits.submodules else {
        isOverflowing = true
        return
      }
      submodules.append(path)
    }

    /// The folders by path, the worktree itself as the empty path first.
    public var all: [String] { folders.sorted() }

    private mutating func insert(_ folder: String) {
      var folder = Substring(folder)
      while !folder.isEmpty, folders.count < GitLimits.watchedFolders {
        guard folders.insert(String(folder)).inserted else { return }
        folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
      }
      if !folder.isEmpty, !folders.contains(String(folder)) { isOverflowing = true }
    }
  }
}
