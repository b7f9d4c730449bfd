import ConditionalHTTP
import EventFeed
import Foundation
import Git
import HTTPTypes
import Serving
import Workspaces
import WorktreeWatch

/// Something that can be read: what distinguishes its states, and its body.
///
/// Reading has no side effects, and the tag is known without the body.
enum WorkspaceResource: Sendable {
  /// All worktrees.
  case list
  /// What changed since a revision, as the client wrote it.
  case delta(String)
  /// One worktree.
  case item(String)
  /// The newest agent session of a worktree.
  case session(String)
  /// The diff of a worktree.
  case diff(String)

  /// Finds the resource at a path, such as `/v1/git/worktrees`.
  ///
  /// - Returns: The resource; `nil` if the path is unknown.
  init?(path: String) {
    let parts = path.split(separator: "?", maxSplits: 1)
    let query = parts.count > 1 ? String(parts[1]) : ""
    let names = (parts.first ?? "").split(separator: "/").map(String.init)
    switch (names.count, names.prefix(3)) {
    case (3, ["v1", "git", "worktrees"]):
      self = .worktrees(QueryItems(query: query))
    case (4, ["v1", "git", "worktrees"]): self = .item(names[3])
    case (5, ["v1", "git", "worktrees"]) where names[4] == "diff": self = .diff(names[3])
    case (4, ["v1", "sessions", "workspace"]): self = .session(names[3])
    default: return nil
    }
  }
}

extension WorkspaceResource {
  /// All worktrees, or the changes; `since` without a value counts as an unknown revision.
  static func worktrees(_ query: QueryItems) -> Self {
    query.contains("since") ? .delta(query["since"] ?? "") : .list
  }
}

/// Reads resources from the store.
struct WorkspaceReader: Sendable {
  let watcher: WorktreeWatcher
  /// How clients of another system expect answers; `nil` for native ones only.
  var dialect: (any WorkspaceDialect)?

  private var store: WorkspaceStore { watcher.store }

  /// Identifies the state of a resource; `nil` if the resource does not exist, or if only its body can tell.
  func tag(_ resource: WorkspaceResource) async -> EntityTag? {
    switch resource {
    case .list, .delta: return EntityTag(store.revisionText)
    case .item(let id):
      let (generation, record) = store.stamped(id)
      return record.map { EntityTag("\(generation)-\($0.revision)") }
    case .session(let id):
      let (generation, record) = store.stamped(Self.id(id))
      guard let record, record.session != nil else { return nil }
      return EntityTag("\(generation)-s\(record.sessionVersion)")
    case .diff(let id):
      guard let workspace = store.record(id)?.workspace, workspace.machine == nil,
        let key = await watcher.diffKey(of: workspace)
      else { return nil }
      return watcher.diffs.tag(workspace.path, key, at: WatchClock.monotonic)
        .map { EntityTag($0) }
    }
  }

  /// When a resource may be another: at once, and from then on.
  func ticks(_ resource: WorkspaceResource) -> AsyncStream<Void> {
    guard case .diff(let id) = resource, let workspace = store.record(id)?.workspace,
      workspace.machine == nil
    else {
      return store.ticks()
    }
    // Its content may be another while nothing else of the worktree is.
    return watcher.scanTicks.ticks(of: workspace.path)
  }

  /// The body of a resource with its tag.
  ///
  /// - Throws: ``Problem`` 404; as ``DiffReader``.
  func body(_ resource: WorkspaceResource) async throws -> (bytes: [UInt8], tag: EntityTag) {
    var out = WorkspaceBytes(dialect)
    switch resource {
    case .list:
      let registry = store.registry
      out.all(registry)
      return (out.bytes, EntityTag("\(registry.generation)-\(registry.revision)"))
    case .delta(let since):
      let registry = store.registry
      out.delta(Self.changes(registry, since: since), of: registry)
      return (out.bytes, EntityTag("\(registry.generation)-\(registry.revision)"))
    case .item(let id):
      let (generation, record) = store.stamped(id)
      guard let record else { throw Self.missing(id) }
      out.workspace(record)
      return (out.bytes, EntityTag("\(generation)-\(record.revision)"))
    case .session(let id):
      let (generation, record) = store.stamped(Self.id(id))
      guard let record else { throw Self.missing(id) }
      guard let session = record.session else {
        try Self.requireHere(record.workspace, .sessionNotFound)
        throw Problem(
          .sessionNotFound,
          detail: "no agent session is known for \(record.workspace.path)"
        )
      }
      let tag = EntityTag("\(generation)-s\(record.sessionVersion)")
      return (dialect?.session(session) ?? session, tag)
    case .diff(let id):
      guard let record = store.record(id) else { throw Self.missing(id) }
      try Self.requireHere(record.workspace)
      // If it changes meanwhile, the key is that of the state before, and the diff is made again.
      let (key, at) = (await watcher.diffKey(of: record.workspace), WatchClock.monotonic)
      let source = await watcher.source(of: record.workspace.path)?.ref
      let diff = try await DiffReader(runner: watcher.runner)
        .diff(of: record.workspace, source: source)
      let bytes = WorkspaceJSON.bytes(diff)
      let tag = "\(store.registry.generation)-d\(WorkspaceIdentity.digest(bytes))"
      if let key { watcher.diffs.remember(tag, of: record.workspace.path, key, at: at) }
      return (bytes, EntityTag(tag))
    }
  }

  /// A session may be asked for by the worktree's path, as in the seed system, also with slashes behind it.
  static func id(_ name: String) -> String {
    var name = name.removingPercentEncoding ?? name
    guard name.contains("/") else { return name }
    while name.utf8.count > 1, name.hasSuffix("/") { name.removeLast() }
    return WorkspaceIdentity.id(of: name)
  }

  /// Refuses what only the machine of a worktree can do.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - problem: The code.
  /// - Throws: ``Problem`` if it is on another machine.
  static func requireHere(
    _ workspace: Workspace,
    _ problem: WorkspaceProblem = .otherMachine
  ) throws(Problem) {
    guard let machine = workspace.machine else { return }
    throw Problem(
      problem,
      detail: "\(workspace.path) is on the machine \(machine.name); do it there",
      extensions: ["machine": .string(machine.name)]
    )
  }

  static func missing(_ id: String) -> Problem {
    Problem(
      .worktreeNotFound,
      detail: "there is no worktree \(id.prefix(80))"
    )
  }

  private static func changes(
    _ registry: WorkspaceRegistry,
    since: String
  ) -> WorkspaceRegistry.Changes? {
    guard let place = EventNumber(id: since), place.epoch == registry.generation else { return nil }
    return registry.changes(since: place.number)
  }
}
