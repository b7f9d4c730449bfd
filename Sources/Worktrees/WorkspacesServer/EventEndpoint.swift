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
/// is no longer known, or the server is another one, it gets `reset` and a `snapshot`.
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
  private let text: WorkspaceEventText
  private var registry: WorkspaceRegistry
  private var hasScanned = false

  init(reads: ReadEndpoints, began: Double) {
    self.reads = reads
    text = WorkspaceEventText(dialect: reads.dialect, began: began)
    registry = reads.watcher.store.registry
  }

  private var watcher: WorktreeWatcher { reads.watcher }

  private var newest: RepresentationState {
    RepresentationState(version: EventNumber(registry.revision, epoch: registry.generation))
  }

  var hasChanges: Bool { true }

  var hasReplicas: Bool { false }

  mutating func state() async throws -> RepresentationState? {
    if hasScanned { watcher.interest.note() } else { await reads.firstScan() }
    hasScanned = true
    registry = watcher.store.registry
    return newest
  }

  func updates() -> AsyncStream<Void> { watcher.store.ticks() }

  mutating func snapshot(afterReset isReset: Bool) async throws -> StreamPart<ByteBuffer>? {
    var bytes = ByteBuffer()
    if isReset {
      bytes.writeImmutableBuffer(text.reset(registry))
    }
    bytes.writeImmutableBuffer(text.snapshot(registry))
    return StreamPart(bytes, newest)
  }

  mutating func changes(since id: String) async throws -> StreamPart<ByteBuffer>? {
    guard let since = EventNumber(id: id)?.number, let changes = registry.changes(since: since)
    else {
      return nil
    }
    return StreamPart(text.events(changes, since: since, registry), newest)
  }

  mutating func heartbeat() -> ByteBuffer? { text.heartbeat(registry) }
}
