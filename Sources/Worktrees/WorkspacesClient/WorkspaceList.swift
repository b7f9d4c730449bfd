import Foundation
public import TolerantDecoding
public import Workspaces

/// All worktrees of a server; two lists are equal if they look the same.
public struct WorkspaceList: Equatable, Sendable {
  /// The revision, as the server writes it.
  public var revision: String
  /// The worktrees, ordered by path.
  public var worktrees: [Workspace]
  /// The issues of reading the newest response, up to a limit; not part of the visible list.
  public var issues: [DecodeIssue] = []

  /// What of the newest answer could not be read, in one line: the number of losses and the first of them; `nil` if
  /// nothing was lost.
  public var losses: String? { issues.lossSummary }

  /// Creates a list.
  public init(revision: String, worktrees: [Workspace]) {
    self.revision = revision
    self.worktrees = worktrees.sorted { $0.isBefore($1) }
  }

  /// Compares without ages and revisions.
  public static func == (left: WorkspaceList, right: WorkspaceList) -> Bool {
    left.worktrees.count == right.worktrees.count
      && zip(left.worktrees, right.worktrees).allSatisfy { one, other in
        one.hasSameNames(as: other) && visible(one) == visible(other)
      }
  }

  private static func visible(_ workspace: Workspace) -> Workspace {
    var workspace = workspace
    (workspace.gitAge, workspace.activityAge, workspace.revision) = (nil, nil, 0)
    return workspace
  }

  /// Whether an agent works anywhere.
  public var isActive: Bool { worktrees.contains { $0.activity.state == .working } }

  /// Returns the list after a delta; `nil` if the delta is based on another list.
  ///
  /// - Parameters:
  ///   - delta: What changed.
  ///   - known: The list that the delta was requested for.
  /// - Returns: The list.
  public static func applying(_ delta: WorkspaceDelta, to known: WorkspaceList?) -> WorkspaceList? {
    if delta.isFull { return WorkspaceList(revision: delta.revision, worktrees: delta.changed) }
    guard let known else { return nil }
    let changed = NameSet(delta.changed.map(\.id) + delta.removed)
    return WorkspaceList(
      revision: delta.revision,
      worktrees: known.worktrees.filter { !changed.contains($0.id) } + delta.changed
    )
  }

  /// The effect of an event of `/v1/events` on a list.
  enum Effect: Equatable {
    /// Nothing.
    case none
    /// This list.
    case list(WorkspaceList)
    /// It is unknown without a request.
    case unknown
  }

  private struct Envelope: Decodable {
    struct Event: Decodable { var type: WorkspaceEventKind }
    var event: Event
  }

  private struct Payload<Content: Decodable>: Decodable {
    struct Event: Decodable { var payload: Content }
    var event: Event
  }

  private struct Snapshot: Decodable {
    var revision: String
    var worktrees: [Workspace]
  }

  private struct Creation: Decodable { var worktree: Workspace }

  private struct Deletion: Decodable {
    var id: String
    private enum CodingKeys: String, CodingKey { case id = "worktree_id" }
  }

  /// Reads an event.
  ///
  /// - Parameters:
  ///   - data: The data of the event.
  ///   - id: The id of the event, which is the revision it leads to; `nil` if it leads to none.
  ///   - known: The list before the event.
  /// - Returns: The effect of the event.
  static func effect(of data: String, id: String?, on known: WorkspaceList?) -> Effect {
    let bytes = Data(data.utf8)
    let decoder = JSONDecoder()
    func payload<Content: Decodable>(_ type: Content.Type) -> Content? {
      (try? decoder.decode(Payload<Content>.self, from: bytes))?.event.payload
    }
    guard let kind = (try? decoder.decode(Envelope.self, from: bytes))?.event.type else {
      return .unknown
    }
    if kind == .snapshot {
      guard let it = payload(Snapshot.self) else { return .unknown }
      return .list(WorkspaceList(revision: it.revision, worktrees: it.worktrees))
    }
    guard [.created, .updated, .deleted].contains(kind) else { return .none }
    // The generation has to be that of the list: revisions of another life of the server say nothing.
    guard var list = known, let id,
      generation(id).isSameName(as: generation(list.revision))
    else {
      return .unknown
    }
    list.revision = id
    switch kind {
    case .created:
      guard let it = payload(Creation.self) else { return .unknown }
      list.worktrees.removeAll { $0.id.isSameName(as: it.worktree.id) }
      list = WorkspaceList(revision: id, worktrees: list.worktrees + [it.worktree])
    case .deleted:
      guard let it = payload(Deletion.self) else { return .unknown }
      list.worktrees.removeAll { $0.id.isSameName(as: it.id) }
    default:
      guard let merged = merged(bytes, into: list) else { return .unknown }
      list = merged
    }
    return .list(list)
  }

  private static func generation(_ revision: String) -> Substring {
    revision.prefix(upTo: revision.lastIndex(of: "-") ?? revision.endIndex)
  }

  /// The list with the members that an event names in the place of those of before.
  private static func merged(_ bytes: Data, into list: WorkspaceList) -> WorkspaceList? {
    guard let top = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any],
      let event = top["event"] as? [String: Any], let payload = event["payload"] as? [String: Any],
      let id = payload["worktree_id"] as? String,
      let updates = payload["updates"] as? [String: Any],
      let place = list.worktrees.firstIndex(where: { $0.id.isSameName(as: id) }),
      let before = try? JSONEncoder().encode(list.worktrees[place]),
      var members = try? JSONSerialization.jsonObject(with: before) as? [String: Any]
    else { return nil }
    for (name, value) in updates { members[name] = value is NSNull ? nil : value }
    guard let after = try? JSONSerialization.data(withJSONObject: members),
      let workspace = try? JSONDecoder().decode(Workspace.self, from: after)
    else { return nil }
    var list = list
    list.worktrees[place] = workspace
    return list
  }
}
