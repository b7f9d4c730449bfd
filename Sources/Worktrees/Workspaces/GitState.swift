/// The state of a worktree as reported by git (`git`).
public struct GitState: Codable, Hashable, Sendable {
  /// An operation in progress.
  public struct Operation: Codable, Hashable, Sendable {
    /// `merge`, `rebase`, `apply`, `cherry-pick`, `revert` or `bisect`.
    public var kind: String
    /// The current step of a rebase, from 1.
    public var step: Int?
    /// The number of steps.
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
    /// The command, its first 400 bytes; for a hook, its path.
    public var command: String
    /// The file that names it.
    public var file: String?
    /// What would run it: `action` (git, when an action is carried out or the state is read), `terminal` (git, for a
    /// user at a terminal only), `fetch` (git, when it fetches) or `signature` (git, when it signs or verifies); an
    /// open set.
    public var use: String

    /// Creates a program.
    public init(key: String, command: String, file: String?, use: String) {
      self.key = key
      self.command = command
      self.file = file
      self.use = use
    }
  }

  /// The programs in the repository's configuration, and whether they are trusted.
  public struct Trust: Codable, Hashable, Sendable {
    /// Whether a configuration is trusted.
    public struct State: RawRepresentable, Codable, Hashable, Sendable {
      /// The value in JSON.
      public var rawValue: String

      /// Creates a state from its value.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// Exactly these programs are trusted.
      public static let trusted = Self(rawValue: "trusted")
      /// None of the programs is run, and actions that need them are refused.
      public static let untrusted = Self(rawValue: "untrusted")
    }

    /// Whether it is trusted.
    public var state: State
    /// Identifies the programs (SHA-256); trust applies to this digest.
    public var digest: String
    /// The first of the programs.
    public var programs: [Program]
    /// The number of programs.
    public var count: Int

    /// Creates a trust state.
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
  /// The operation in progress, if any.
  public var operation: Operation?
  /// The branch that `commit_count` and `commits_behind` compare with, such as `origin/main`.
  public var compared: String?
  /// Why the worktree is locked; empty without a reason, `nil` if it is not locked.
  public var locked: String?
  /// The programs in the repository's configuration; `nil` without programs.
  public var trust: Trust?
  /// The repository's folder, if it is outside the watched folders, or the folder that `core.worktree` points to, if it
  /// is not the worktree: then actions on the worktree are refused.
  public var outside: String?
  /// Why git could not report the state; everything else keeps its last known value.
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

  /// Whether the repository's configuration names untrusted programs.
  public var isUntrusted: Bool { trust?.state == .untrusted }

  /// Whether anything is uncommitted.
  public var isDirty: Bool { staged + unstaged + untracked + conflictCount > 0 }

  private enum CodingKeys: String, CodingKey {
    case head, branch, upstream, ahead, behind, staged, unstaged, untracked, conflicts, stashes
    case operation, compared, locked, problem, trust, outside
    case conflictCount = "conflict_count"
  }

  /// Reads a state; missing numbers and lists become zero and empty.
  public init(from decoder: any Decoder) throws {
    self = try TolerantValue.read(from: decoder) { GitState($0) }
  }
}
