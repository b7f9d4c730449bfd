/// Something that was done to a worktree and can be taken back (`GET /v1/git/restore`).
public struct RestorePoint: Codable, Hashable, Sendable, Identifiable {
  /// The kind of action; an open set.
  public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
    /// The word in the answer.
    public var rawValue: String

    /// Creates a kind from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The worktree was deleted: it lies in the trash.
    public static let delete = Kind(rawValue: "delete")
    /// A branch was merged into the one that is checked out there.
    public static let merge = Kind(rawValue: "merge")
    /// The source was brought into its branch.
    public static let sync = Kind(rawValue: "sync")
    /// The branch was put back to a restore point.
    public static let restore = Kind(rawValue: "restore")
  }

  /// Names the point.
  public var id: String
  /// The kind of action.
  public var kind: Kind
  /// The id of the worktree.
  public var worktreeId: String
  /// The worktree's name.
  public var name: String
  /// The worktree's absolute path.
  public var path: String
  /// `owner/repository` of the remote `origin`, else `local/folder`.
  public var repoId: String
  /// The branch that was checked out; `nil` if none was.
  public var branch: String?
  /// The commit that was checked out before; `nil` without one.
  public var head: String?
  /// The commit that was checked out afterwards; `nil` for a worktree that was deleted.
  public var result: String?
  /// The ref that holds ``head``.
  public var ref: String?
  /// When it was done, RFC 3339.
  public var createdAt: String
  /// Until when it can be taken back, RFC 3339.
  public var keptUntil: String
  /// How many commits nothing else holds.
  public var keptCommits: Int

  /// Creates a point.
  ///
  /// - Parameters:
  ///   - id: Identifies the point.
  ///   - kind: The kind of action.
  ///   - worktree: The worktree before the action.
  ///   - createdAt: When it was created, RFC 3339.
  ///   - keptUntil: Until when it can be taken back, RFC 3339.
  public init(id: String, kind: Kind, _ worktree: Workspace, createdAt: String, keptUntil: String) {
    self.id = id
    self.kind = kind
    worktreeId = worktree.id
    name = worktree.name
    path = worktree.path
    repoId = worktree.repoId
    branch = worktree.git.branch
    head = worktree.git.head
    self.createdAt = createdAt
    self.keptUntil = keptUntil
    keptCommits = 0
  }

  private enum CodingKeys: String, CodingKey {
    case id, kind, name, path, branch, head, result, ref
    case worktreeId = "worktree_id"
    case repoId = "repo_id"
    case createdAt = "created_at"
    case keptUntil = "kept_until"
    case keptCommits = "kept_commits"
  }
}
