/// The kinds of events (`event.type` in the data of `GET /v1/events`); an open set.
///
/// The data of every event is `{"event":{"type":…,"payload":…},"timestamp":…,"id":…}`, as in the seed system.
/// The stream gives an event an id, `generation-revision`, if the client's state is that of this revision
/// after it. Revisions between two events may be left out: a client gets what is newest.
public struct WorkspaceEventKind: RawRepresentable, Codable, Hashable, Sendable {
  /// The word in the answer.
  public var rawValue: String

  /// Creates a kind from its word.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Everything: `{"worktrees":[…],"revision":…}`.
  public static let snapshot = Self(rawValue: "snapshot")
  /// The client's revision is unknown; a snapshot follows.
  public static let reset = Self(rawValue: "reset")
  /// A sign of life: `{"timestamp":…,"uptime":…}`, milliseconds.
  public static let heartbeat = Self(rawValue: "heartbeat")
  /// A new worktree: `{"worktree":{…}}`.
  public static let created = Self(rawValue: "worktree:created")
  /// Members that have other values: `{"worktree_id":…,"updates":{…}}`; a member that is gone is `null`.
  public static let updated = Self(rawValue: "worktree:updated")
  /// A worktree is gone: `{"worktree_id":…,"worktree_name":…}`.
  public static let deleted = Self(rawValue: "worktree:deleted")
  /// The todos are others: `{"worktree_id":…,"todos":[…]}`; an `updated` follows.
  public static let todosUpdated = Self(rawValue: "worktree:todos_updated")
}
