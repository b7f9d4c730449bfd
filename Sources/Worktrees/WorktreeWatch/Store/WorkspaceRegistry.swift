import Git
package import Workspaces

/// All worktrees as answers show them, with the revision at which each member changed last: a value.
///
/// Invariants:
/// 1. ``revision`` moves by one for each worktree that is new, different or gone, and by nothing else.
/// 2. A put that changes nothing visible changes nothing at all.
/// 3. What changed since a revision is known unless more worktrees were removed since than are remembered.
package struct WorkspaceRegistry: Sendable {
  /// A worktree as it is kept.
  package struct Record: Sendable {
    /// The state shown to clients.
    package var workspace: Workspace
    /// The members in the order of an answer, each as JSON with the revision it is of.
    package var members: [Member]
    /// The revision at which it was new.
    package var created: Int64
    /// The agent session as JSON; `nil` without one.
    package var session: [UInt8]?
    /// How many sessions of all worktrees were others when this one became what it is; 0 without any so far.
    package var sessionVersion: Int64
    /// When git was asked last, by ``WatchClock/elapsed``.
    package var askedAt: Double?
    /// When the activity's state began, in seconds since 1970.
    package var activitySince: Double?

    /// The revision at which it changed last.
    package var revision: Int64 { workspace.revision }
  }

  /// One member of a worktree's answer.
  package struct Member: Sendable {
    /// Its name.
    package var key: Workspace.CodingKeys
    /// Its value as JSON; `nil` if it is left out.
    package var value: [UInt8]?
    /// The revision at which the value became this one.
    package var revision: Int64
  }

  /// A worktree that is gone.
  package struct Removal: Hashable, Sendable {
    /// Which.
    package var id: String
    /// Its name.
    package var name: String
    /// When.
    package var revision: Int64
  }

  /// What changed since a revision.
  package struct Changes: Sendable {
    /// The worktrees that changed, in the order they did.
    package var records: [Record]
    /// The removed worktrees that have not returned, in order of removal.
    package var removals: [Removal]
  }

  /// Identifies this run of the server.
  package let generation: String
  /// The number of changes so far.
  package private(set) var revision: Int64 = 0
  /// How often any session changed; it is not reset when a worktree returns.
  private var sessionCount: Int64 = 0
  private var records: [String: Record] = [:]
  private var removals: [Removal] = []
  /// Changes are known since this revision.
  private var floor: Int64 = 0

  /// Starts empty.
  ///
  /// - Parameter generation: Letters and digits that no life of the server had before.
  package init(generation: String) { self.generation = generation }

  /// The worktrees ordered by path; those of several machines with the same path by id.
  package var all: [Record] {
    records.values.sorted { $0.workspace.isBefore($1.workspace) }
  }

  /// How many worktrees there are.
  package var count: Int { records.count }

  /// One worktree.
  package subscript(id: String) -> Record? { records[id] }

  /// Puts a worktree.
  ///
  /// - Parameters:
  ///   - workspace: The known state; its revision and ages are ignored.
  ///   - askedAt: When git was asked, by ``WatchClock/elapsed``; `nil` leaves it.
  ///   - activitySince: When the activity's state began.
  /// - Returns: Whether anything visible is different.
  @discardableResult
  package mutating func put(
    _ workspace: Workspace,
    askedAt: Double? = nil,
    activitySince: Double? = nil
  ) -> Bool {
    var workspace = workspace
    (workspace.gitAge, workspace.activityAge) = (nil, nil)
    if var record = records[workspace.id] {
      record.askedAt = askedAt ?? record.askedAt
      record.activitySince = activitySince
      workspace.revision = record.revision
      guard workspace != record.workspace || !workspace.hasSameNames(as: record.workspace) else {
        records[workspace.id] = record
        return false
      }
      revision += 1
      workspace.revision = revision
      let values = WorkspaceJSON.members(workspace)
      for (index, value) in values.enumerated() where record.members[index].value != value.value {
        record.members[index].value = value.value
        record.members[index].revision = revision
      }
      record.workspace = workspace
      records[workspace.id] = record
      return true
    }
    revision += 1
    workspace.revision = revision
    let members = WorkspaceJSON.members(workspace).map {
      Member(key: $0.key, value: $0.value, revision: revision)
    }
    records[workspace.id] = Record(
      workspace: workspace,
      members: members,
      created: revision,
      session: nil,
      sessionVersion: 0,
      askedAt: askedAt,
      activitySince: activitySince
    )
    return true
  }

  /// Puts the agent session of a worktree.
  ///
  /// - Returns: Whether it is another.
  @discardableResult
  package mutating func put(session: WorkspaceSession?, of id: String) -> Bool {
    guard records[id] != nil else { return false }
    let bytes = session.map { WorkspaceJSON.bytes($0) }
    guard records[id]?.session != bytes else { return false }
    records[id]?.session = bytes
    sessionCount += 1
    records[id]?.sessionVersion = sessionCount
    return true
  }

  /// Removes a worktree.
  package mutating func remove(_ id: String) {
    guard let record = records.removeValue(forKey: id) else { return }
    revision += 1
    removals.append(Removal(id: id, name: record.workspace.name, revision: revision))
    if removals.count > WatchLimits.tombstones { floor = removals.removeFirst().revision }
  }

  /// What changed since a revision.
  ///
  /// - Returns: The changes; `nil` if they are no longer known, or the revision is yet to come.
  package func changes(since: Int64) -> Changes? {
    guard since >= floor, since <= revision else { return nil }
    return Changes(
      records: records.values.filter { $0.revision > since }.sorted { $0.revision < $1.revision },
      removals: removals.filter { $0.revision > since && records[$0.id] == nil }
    )
  }
}
