/// What changed since a revision (`GET /v1/git/worktrees?since=REVISION`).
public struct WorkspaceDelta: Codable, Hashable, Sendable {
  /// The revision the answer leads to: the value for the next `since`, and the list's entity tag.
  public var revision: String
  /// Whether this is everything, because the server does not know what the client has: whatever is not in
  /// ``changed`` is gone.
  public var isFull: Bool
  /// The worktrees that are new or different, whole, ordered by path.
  public var changed: [Workspace]
  /// The ids of those that are gone.
  public var removed: [String]

  /// Creates a delta.
  public init(revision: String, isFull: Bool, changed: [Workspace], removed: [String]) {
    self.revision = revision
    self.isFull = isFull
    self.changed = changed
    self.removed = removed
  }

  private enum CodingKeys: String, CodingKey {
    case revision, changed, removed
    case isFull = "full"
  }
}
