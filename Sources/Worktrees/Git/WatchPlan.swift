import Workspaces

/// Which folders show that the state of a worktree or of a repository changed.
public enum WatchPlan: Sendable {
  /// The role of a folder in a repository.
  public enum Place: Hashable, Sendable {
    /// The git directory of a worktree, and the folders of a rebase within it.
    case gitDirectory
    /// The common directory of a repository.
    case commonDirectory
    /// `refs` and the folders within it, or `worktrees`.
    case refs
    /// A folder with content.
    case content
    /// The git directory of a submodule.
    case submodule
    /// A folder that is searched for repositories.
    case search
    /// A folder of which only some names count.
    case names(Set<String>)
  }

  /// A change to a name in a folder.
  public struct Change: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Takes the bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// It came or went.
    public static let entry = Self(rawValue: 1)
    /// It came.
    public static let new = Self(rawValue: 2)
    /// It is a folder.
    public static let folder = Self(rawValue: 4)
    /// A process has written to it and not closed it yet.
    public static let write = Self(rawValue: 8)
  }

  /// Folders within the git directory of a worktree that are watched while they exist.
  public static let operationFolders = ["rebase-merge", "rebase-apply", "sequencer"]

  /// Folders within the common directory; those of refs with everything within.
  public static let commonFolders = [
    "refs/heads", "refs/remotes", "refs/replace", "worktrees", "reftable",
  ]

  /// Folders within the common directory of which only some names count.
  ///
  /// An entry of the stash that is not the first one is in the log alone.
  public static let commonNames: [String: Set<String>] = [
    "info": ["attributes", "exclude", "grafts"], "logs": ["refs"], "logs/refs": ["stash"],
    "hooks": hooks,
  ]

  /// The hooks (githooks(5)), each of which is a program that git would run.
  public static let hooks: Set<String> = [
    "applypatch-msg", "commit-msg", "post-applypatch", "post-checkout", "post-commit",
    "post-index-change", "post-merge", "post-rewrite", "pre-applypatch", "pre-auto-gc",
    "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "prepare-commit-msg",
    "reference-transaction", "sendemail-validate",
  ]

  /// Whether a name that changed in a folder can mean another state.
  ///
  /// Locks come and go with every command. What git keeps for itself, objects and logs, follows what is
  /// looked at here. Git writes a file of its own whole before it is closed, so writes count for content only.
  public static func matters(
    _ name: String,
    in place: Place,
    _ change: Change = []
  ) -> Bool {
    if place == .content { return name != ".git" || change.contains(.entry) }
    guard !change.contains(.write) else { return false }
    switch place {
    case .content:
      return true
    case .search:
      return change.contains(.entry) && (change.contains(.folder) || name == ".git")
    case .names(let names):
      return name.isEmpty || names.contains(name)
    case .submodule:
      return name == "logs" || matters(name, in: .gitDirectory, change)
    case .refs:
      return !name.hasSuffix(".lock")
    case .gitDirectory:
      guard !name.hasSuffix(".lock") else { return false }
      return name.isEmpty || stateNames.contains(name) || operationFolders.contains(name)
        || (name.utf8.allSatisfy { $0 != UInt8(ascii: ".") } && stepNames.contains(name))
    case .commonDirectory:
      return commonStates.contains(name)
    }
  }

  /// Whether a change to a name in a folder requires other folders to be watched.
  ///
  /// A new folder is one more; a `.git` turns a folder into a checked-out submodule, or back; and ignored files are not
  /// watched.
  public static func movesFolders(_ name: String, in place: Place, _ change: Change) -> Bool {
    if change.isSuperset(of: [.new, .folder]) { return true }
    guard place == .content else { return false }
    return name == ".gitignore" || name == ".git" && change.contains(.entry)
  }

  private static let commonStates: Set<String> = [
    "packed-refs", "HEAD", "config", "worktrees", "refs", "reftable", "shallow", "info", "logs",
    "hooks",
  ]

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
    private var folders: NameSet = [""]
    private var last: [UInt8] = []
    /// The folders of submodules, up to ``GitLimits/submodules``; their contents have lists of their own.
    public private(set) var submodules: [String] = []
    /// Whether there are more than ``GitLimits/watchedFolders``.
    public private(set) var isOverflowing = false

    /// Starts with the worktree itself.
    public init() {}

    /// Takes more bytes of `git ls-files --stage -z`: mode, object, stage and path.
    ///
    /// - Throws: ``GitOutputError`` if a path is too long, or a record has no path.
    public mutating func consume(_ bytes: some Collection<UInt8>) throws(GitOutputError) {
      var records = records
      defer { self.records = records }
      try records.consume(bytes) { record, number throws(GitOutputError) in
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

    /// Adds folders with nothing that git tracks.
    public mutating func add(new: some Sequence<String>) {
      for folder in new { insert(folder) }
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
      guard submodules.last?.isSameName(as: path) != true else { return }
      guard submodules.count < GitLimits.submodules else {
        isOverflowing = true
        return
      }
      submodules.append(path)
    }

    /// Says that there are more.
    public mutating func overflow() { isOverflowing = true }

    /// Whether a folder is among them.
    public func contains(_ folder: String) -> Bool { folders.contains(folder) }

    /// The folders by path, the worktree itself as the empty path first.
    public var all: [String] { folders.sorted() }

    private mutating func insert(_ folder: String) {
      var folder = folder
      while !folder.isEmpty, folders.count < GitLimits.watchedFolders {
        guard folders.insert(folder).inserted else { return }
        folder = folder.parentPath
      }
      if !folder.isEmpty, !folders.contains(folder) { isOverflowing = true }
    }
  }
}
