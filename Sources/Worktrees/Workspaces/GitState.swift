/// The state of a worktree as git has it (`git`).
public struct GitState: Codable, Hashable, Sendable {
  /// An operation that was begun and not ended.
  public struct Operation: Codable, Hashable, Sendable {
    /// `merge`, `rebase`, `apply`, `cherry-pick`, `revert` or `bisect`.
    public var kind: String
    /// The step a rebase stands at, from 1.
    public var step: Int?
    /// How many steps there are.
    public var steps: Int?
    /// The branch that is being moved.
    public var branch: String?

    /// Creates an operation.
    public init(kind: String, step: Int? = nil, steps: Int? = nil, branch: String? = nil) {
      self.kind = kind
      self.step = step
      self.steps = steps
      self.branch = branch
    }
  }

  /// A program that the configuration of a repository names, or a hook.
  public struct Program: Codable, Hashable, Sendable {
    /// The key, such as `filter.x.clean`, or `hook NAME`.
    public var key: String
    /// The command, the first 400 bytes of it; of a hook its path.
    public var command: String
    /// The file that names it.
    public var file: String?
    /// Who would run it: `action` (git, when something is done to a worktree, or to know its state) or `terminal` (git, for
    /// a person at a terminal only); an open set.
    public var use: String

    /// Creates a program.
    public init(key: String, command: String, file: String?, use: String) {
      self.key = key
      self.command = command
      self.file = file
      self.use = use
    }
  }

  /// What the repository's configuration would run, and whether somebody trusts it.
  public struct Trust: Codable, Hashable, Sendable {
    /// Whether somebody trusts a configuration.
    public struct State: RawRepresentable, Codable, Hashable, Sendable {
      /// The word in the answer.
      public var rawValue: String

      /// Creates a state from its word.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// Somebody trusts exactly these programs.
      public static let trusted = Self(rawValue: "trusted")
      /// Nobody does: none of the programs is run, and what would need them is refused.
      public static let untrusted = Self(rawValue: "untrusted")
    }

    /// Whether somebody trusts it.
    public var state: State
    /// Tells these programs from others (SHA-256); it is what somebody trusts.
    public var digest: String
    /// The first of the programs.
    public var programs: [Program]
    /// How many there are.
    public var count: Int

    /// Creates a state of trust.
    public init(state: State, digest: String, programs: [Program], count: Int) {
      self.state = state
      self.digest = digest
      self.programs = programs
      self.count = count
    }
  }

  /// The commit that is checked out; `nil` before the first one.
  public var head: String?
  /// The branch that is checked out; `nil` if HEAD is detached.
  public var branch: String?
  /// The branch it follows, such as `origin/main`.
  public var upstream: String?
  /// Commits the upstream does not have; `nil` without one.
  public var ahead: Int?
  /// Commits only the upstream has; `nil` without one.
  public var behind: Int?
  /// Paths with staged changes.
  public var staged: Int
  /// Paths with changes that are not staged.
  public var unstaged: Int
  /// Untracked paths; a whole new folder counts once.
  public var untracked: Int
  /// Paths with conflicts, at most a hundred of them.
  public var conflicts: [String]
  /// How many paths have conflicts.
  public var conflictCount: Int
  /// Entries of the stash, which all worktrees of a repository share.
  public var stashes: Int
  /// What was begun and not ended.
  public var operation: Operation?
  /// What it is compared with for `commit_count` and `commits_behind`, such as `origin/main`.
  public var compared: String?
  /// Why the worktree is locked; the empty text if no reason was given, `nil` if it is not.
  public var locked: String?
  /// What the repository's configuration would run; `nil` if it names no program.
  public var trust: Trust?
  /// The repository's folder, if it is outside of the folders that are watched, or the folder that `core.worktree` leads git
  /// to, if it is another than the worktree: then nothing is done to the worktree.
  public var outside: String?
  /// Why git could not tell the state; everything else is as it was known last.
  public var problem: String?

  /// Creates the state of a clean worktree.
  public init() {
    staged = 0
    unstaged = 0
    untracked = 0
    conflicts = []
    conflictCount = 0
    stashes = 0
  }

  /// Whether the repository's configuration names programs that nobody trusts.
  public var isUntrusted: Bool { trust?.state == .untrusted }

  /// Whether anything is not committed.
  public var isDirty: Bool { staged + unstaged + untracked + conflictCount > 0 }

  private enum CodingKeys: String, CodingKey {
    case head, branch, upstream, ahead, behind, staged, unstaged, untracked, conflicts, stashes
    case operation, compared, locked, problem, trust, outside
    case conflictCount = "conflict_count"
  }

  /// Reads a state; numbers and lists that are missing are zero and empty.
  public init(from decoder: any Decoder) throws {
    self = try TolerantValue.read(from: decoder) { GitState($0) }
  }
}
