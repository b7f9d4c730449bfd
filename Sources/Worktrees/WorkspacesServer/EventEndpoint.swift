import EventFeed
import FreshResponses
import FreshnessServer
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import Workspaces
import WorktreeWatch

/// `GET /v1/events`: changes as server-sent events, see ``WorkspaceEventKind``.
///
/// A client has a revision. What it gets is the difference between that revision and the newest one,
/// member by member, whenever it is ready to read: nothing is queued for it, so a slow client gets fewer and
/// newer events, and coming back with the last id is the same as never having gone. If what was removed since
/// is not known any more, or the server is another one, it gets `reset` and a `snapshot`.
struct EventEndpoint: Sendable {
  let reads: ReadEndpoints
  /// When the server began, by the watch clock.
  let began: Double

  /// Opens a stream.
  ///
  /// - Throws: ``Problem`` 503 `busy` when there are too many.
  func answer(_ request: Request) async throws -> Response {
    var headers: HTTPFields = [.vary: WorkspaceFields.varyText]
    if let name = HTTPField.Name("x-accel-buffering") { headers[name] = "no" }
    let events = WorkspaceEvents(reads: reads, began: began)
    let follower = StreamFollower(events, name: "/v1/events", serving: reads.serving)
    guard let response = try follower.answer(request, headers) else {
      throw Problem(
        .busy,
        detail: "too many streams are open; poll instead",
        fields: [.retryAfter: String(WorkspaceLimits.retryAfter)]
      )
    }
    return response
  }
}

/// The events of the worktrees for one client.
private struct WorkspaceEvents: StreamSource {
  private let reads: ReadEndpoints
  private let began: Double
  private var registry: WorkspaceRegistry
  private var hasLooked = false

  init(reads: ReadEndpoints, began: Double) {
    self.reads = reads
    self.began = began
    registry = reads.watcher.store.registry
  }

  private var watcher: WorktreeWatcher { reads.watcher }

  private var newest: RepresentationState {
    RepresentationState(version: EventNumber(registry.revision, epoch: registry.generation))
  }

  var hasChanges: Bool { true }

  var hasReplicas: Bool { false }

  mutating func state() async throws -> RepresentationState? {
    if hasLooked { watcher.interest.note() } else { await reads.firstLook() }
    hasLooked = true
    registry = watcher.store.registry
    return newest
  }

  func updates() -> AsyncStream<Void> { watcher.store.ticks() }

  mutating func snapshot(afterReset isReset: Bool) async throws -> StreamPart? {
    var bytes = ByteBuffer()
    if isReset {
      bytes.writeImmutableBuffer(event(.reset, payload: Array("{}".utf8), registry, at: nil))
    }
    bytes.writeImmutableBuffer(snapshot(registry))
    return StreamPart(bytes, newest)
  }

  mutating func changes(since id: String) async throws -> StreamPart? {
    guard let since = EventNumber(id: id)?.number, let changes = registry.changes(since: since)
    else {
      return nil
    }
    return StreamPart(events(changes, since: since, registry), newest)
  }

  mutating func heartbeat() -> ByteBuffer { heartbeat(registry) }

  // MARK: Events

  private func snapshot(_ registry: WorkspaceRegistry) -> ByteBuffer {
    var out = WorkspaceBytes(reads.dialect)
    out.raw("{\"revision\":\"\(registry.generation)-\(registry.revision)\",\"worktrees\":")
    out.list(registry.all) { $0.workspace($1) }
    out.raw("}")
    return event(.snapshot, payload: out.bytes, registry, at: registry.revision)
  }

  private func events(
    _ changes: WorkspaceRegistry.Changes,
    since: Int64,
    _ registry: WorkspaceRegistry
  ) -> ByteBuffer {
    var found: [(revision: Int64, buffer: ByteBuffer)] = []
    for removal in changes.removals {
      var out = WorkspaceBytes(reads.dialect)
      out.raw("{\"worktree_id\":")
      out.text(removal.id)
      out.raw(",\"worktree_name\":")
      out.text(removal.name)
      out.raw("}")
      let buffer = event(.deleted, payload: out.bytes, registry, at: removal.revision)
      found.append((removal.revision, buffer))
    }
    for record in changes.records {
      found.append((record.revision, event(of: record, since: since, registry)))
    }
    var all = ByteBuffer()
    for (_, buffer) in found.sorted(by: { $0.revision < $1.revision }) {
      all.writeImmutableBuffer(buffer)
    }
    return all
  }

  private func event(
    of record: WorkspaceRegistry.Record,
    since: Int64,
    _ registry: WorkspaceRegistry
  ) -> ByteBuffer {
    var out = WorkspaceBytes(reads.dialect)
    if record.created > since {
      out.raw("{\"worktree\":")
      out.workspace(record)
      out.raw("}")
      return event(.created, payload: out.bytes, registry, at: record.revision)
    }
    var all = ByteBuffer()
    let todos = record.members.first { $0.key == .todos }
    if let todos, todos.revision > since {
      out.raw("{\"worktree_id\":\"\(record.workspace.id)\",\"todos\":")
      if let value = todos.value { out.value(value, of: .todos) } else { out.raw("[]") }
      out.raw("}")
      all.writeImmutableBuffer(event(.todosUpdated, payload: out.bytes, registry, at: nil))
      out = WorkspaceBytes(reads.dialect)
    }
    out.raw("{\"worktree_id\":\"\(record.workspace.id)\",\"updates\":")
    out.updates(record, since: since)
    out.raw("}")
    all.writeImmutableBuffer(event(.updated, payload: out.bytes, registry, at: record.revision))
    return all
  }

  private func heartbeat(_ registry: WorkspaceRegistry) -> ByteBuffer {
    let uptime = Int64((WatchClock.monotonic - began) * 1_000)
    let payload = "{\"timestamp\":\(Int64(WatchClock.wall * 1_000)),\"uptime\":\(uptime)}"
    return event(.heartbeat, payload: Array(payload.utf8), registry, at: nil)
  }

  private func event(
    _ kind: WorkspaceEventKind,
    payload: [UInt8],
    _ registry: WorkspaceRegistry,
    at revision: Int64?
  ) -> ByteBuffer {
    var buffer = ByteBuffer()
    if let revision { buffer.writeString("id: \(registry.generation)-\(revision)\n") }
    buffer.writeString("data: {\"event\":{\"type\":\"\(kind.rawValue)\",\"payload\":")
    buffer.writeBytes(payload)
    let id = "\(registry.generation)-\(revision ?? registry.revision)"
    let time = Int64(WatchClock.wall * 1_000)
    buffer.writeString("},\"timestamp\":\(time),\"id\":\"\(id)\"}\n\n")
    return buffer
  }
}
