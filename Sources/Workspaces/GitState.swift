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

  /// Whether anything is not committed.
  public var isDirty: Bool { staged + unstaged + untracked + conflictCount > 0 }

  private enum CodingKeys: String, CodingKey {
    case head, branch, upstream, ahead, behind, staged, unstaged, untracked, conflicts, stashes
    case operation, compared, locked, problem
    case conflictCount = "conflict_count"
  }

  /// Reads a state; numbers and lists that are missing are zero and empty.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    head = try members.decodeIfPresent(String.self, forKey: .head)
    branch = try members.decodeIfPresent(String.self, forKey: .branch)
    upstream = try members.decodeIfPresent(String.self, forKey: .upstream)
    ahead = try members.decodeIfPresent(Int.self, forKey: .ahead)
    behind = try members.decodeIfPresent(Int.self, forKey: .behind)
    staged = try members.decodeIfPresent(Int.self, forKey: .staged) ?? 0
    unstaged = try members.decodeIfPresent(Int.self, forKey: .unstaged) ?? 0
    untracked = try members.decodeIfPresent(Int.self, forKey: .untracked) ?? 0
    conflicts = try members.decodeIfPresent([String].self, forKey: .conflicts) ?? []
    conflictCount = try members.decodeIfPresent(Int.self, forKey: .conflictCount) ?? conflicts.count
    stashes = try members.decodeIfPresent(Int.self, forKey: .stashes) ?? 0
    operation = try members.decodeIfPresent(Operation.self, forKey: .operation)
    compared = try members.decodeIfPresent(String.self, forKey: .compared)
    locked = try members.decodeIfPresent(String.self, forKey: .locked)
    problem = try members.decodeIfPresent(String.self, forKey: .problem)
  }
}
