import ConditionalHTTP
import FreshResponses
import FreshnessServer
import HTTPTypes
import Hummingbird
import NIOCore
import Serving

/// `GET /api/stationboard/stream`: a board as server-sent events (WHATWG HTML).
///
/// | event | data |
/// |---|---|
/// | `snapshot` | the board, as `GET /api/stationboard` gives it |
/// | `change` | what is different: `removed` (keys), `departures` (new or other ones), `order` (all keys), and everything behind `departures` in a board |
/// | `verified` | the members `rt`, `alerts` and `meta` of a board: there is a newer publication, and the board looks the same |
/// | `reset` | the client's `Last-Event-ID` is not known; a `snapshot` follows |
///
/// The id of an event is the entity tag of the board it leads to. A client that comes back with the id
/// of a board it has gets what changed since, for a few boards back (``BoardCache/mostEarlier``); then
/// a `reset`. Comments keep the connection alive. A slow client gets the newest board when it is ready
/// to read on; what came in between is left out.
///
/// A client that has seen a newer publication at another server gets no older board (rule SR8): the stream waits a moment
/// for the publication before its head, then says in the head that it is behind, and sends comments until it has it.
struct BoardStreamEndpoint {
  let store: FeedStore
  let clock: ServiceClock
  let renderer: BoardRenderer
  let faults: PhaseFaults
  let serving: ResourceServing

  /// Opens a stream.
  ///
  /// - Throws: ``Problem`` as ``BoardRequest``; 503 `busy` when there are too many.
  func answer(_ request: Request) async throws -> Response {
    let asked = try await BoardRequest(
      QueryItems(request),
      acceptLanguage: request.headers[.acceptLanguage],
      feeds: try store.serving()
    )
    let requestId = RequestIdentity.of(request)
    let last = request.headers[.lastEventID] ?? ""
    let tag = EntityTag(parsing: last).map { SharedTag($0) }
    let openedAt = ContinuousClock.now
    let seen = SeenRealtime.ofStream(last: tag?.position, since: asked.since)
    let isBehind = try await seen.isMissing(renderer, asked.stop.feed, serving)
    let events = BoardEvents(
      renderer: renderer,
      clock: clock,
      faults: faults,
      asked: asked,
      requestId: requestId,
      held: isBehind ? (seen, openedAt) : nil
    )
    let follower = StreamFollower(events, name: "/api/stationboard/stream", serving: serving)
    var headers: HTTPFields = [.vary: "Origin, Accept-Language", .mdRequestId: requestId]
    if isBehind { headers[.mdRealtimeBehind] = "1" }
    // The position says how far the client was, and nothing about what it shows.
    guard let response = try follower.answer(request, headers, after: tag?.plain ?? last) else {
      throw Problem.tooManyStreams
    }
    return response
  }
}

/// The events of one board for one client.
struct BoardEvents: StreamSource {
  /// The board at one instant.
  private struct Newest {
    var plan: BoardPlan
    var snapshot: RealtimeSnapshot
    var renderedBoard: RenderedBoard
    var state: RepresentationState
  }

  let renderer: BoardRenderer
  let clock: ServiceClock
  let faults: PhaseFaults
  let asked: BoardRequest
  let requestId: String
  private var newest: Newest?
  /// What the client has, and its tag.
  private var shown: (renderedBoard: RenderedBoard, id: String)?
  /// What the client has seen and this server does not show, and when the stream was opened; `nil` once it shows it.
  private var held: (seen: SeenRealtime, openedAt: ContinuousClock.Instant)?

  init(
    renderer: BoardRenderer,
    clock: ServiceClock,
    faults: PhaseFaults,
    asked: BoardRequest,
    requestId: String,
    held: (seen: SeenRealtime, openedAt: ContinuousClock.Instant)?
  ) {
    self.renderer = renderer
    self.clock = clock
    self.faults = faults
    self.asked = asked
    self.requestId = requestId
    self.held = held
  }

  var hasChanges: Bool { true }

  var verifies: Bool { true }

  var hasReplicas: Bool { false }

  /// Whether a board would be older than what the client has seen.
  private var isBehind: Bool {
    guard let held, let sharing = renderer.realtime?.sharing else { return false }
    return !held.seen.isHere(renderer, asked.stop.feed) && !sharing.isCurrent(since: held.openedAt)
  }

  mutating func state() async throws -> RepresentationState? {
    // Before the realtime is read, so that what is read is at least as new.
    guard !isBehind else { return nil }
    held = nil
    // A phase that ran out of time before may complete this time.
    let plan = await BoardPlan(asked, inFlight: 0, began: .now, faults: faults)
    let snapshot = renderer.snapshot(of: asked.stop.feed)
    let renderedBoard = renderer.followed(
      asked,
      phases: plan.phases,
      at: clock.now,
      snapshot: snapshot
    )
    let tag = plan.entityTag(of: renderedBoard, isCopy: false)
    let isChange = newest.map { $0.snapshot.tick != snapshot.tick } ?? false
    var state = RepresentationState(entityTag: EntityTag(parsing: tag) ?? EntityTag(tag))
    state.sourceTime = snapshot.trips.sourceTime.flatMap(Self.milliseconds)
    // What time alone changes is not late.
    state.changedAt = isChange ? snapshot.trips.fetchedAt.flatMap(Self.milliseconds) : nil
    state.publication = snapshot.tick
    newest = Newest(plan: plan, snapshot: snapshot, renderedBoard: renderedBoard, state: state)
    return state
  }

  func updates() -> AsyncStream<Void> {
    let changes = renderer.changes(
      asked,
      asked.includeAlerts ? [.timetable, .realtime, .alerts] : [.timetable, .realtime]
    )
    guard held != nil, let sharing = renderer.realtime?.sharing else { return changes }
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let tasks = [
        Task { for await _ in changes { continuation.yield() } },
        Task {
          let answers = sharing.answers()
          if isBehind { for await _ in answers where !isBehind { break } }
          continuation.yield()
        },
      ]
      continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    }
  }

  mutating func snapshot(afterReset isReset: Bool) async throws -> StreamPart<ByteBuffer>? {
    guard let newest else { return nil }
    var bytes = ByteBuffer()
    if isReset {
      bytes.writeImmutableBuffer(Self.event("reset", id: nil, ByteBuffer(string: "{}")))
    }
    bytes.writeImmutableBuffer(
      Self.event("snapshot", id: eventID(of: newest), answer(newest).body())
    )
    return part(bytes, newest)
  }

  mutating func changes(since id: String) async throws -> StreamPart<ByteBuffer>? {
    guard let newest else { return nil }
    let before =
      shown?.id == id
      ? shown?.renderedBoard : renderer.renderedBoard(asked, phases: newest.plan.phases, tagged: id)
    guard let before else { return nil }
    return part(
      Self.event("change", id: eventID(of: newest), answer(newest).change(from: before)),
      newest
    )
  }

  mutating func verification() async throws -> StreamPart<ByteBuffer>? {
    guard let newest else { return nil }
    return part(
      Self.event("verified", id: eventID(of: newest), answer(newest).verification()),
      newest
    )
  }

  mutating func heartbeat() -> ByteBuffer? { ByteBuffer(string: ": beat\n\n") }

  mutating func absence() -> ByteBuffer? { ByteBuffer(string: ": behind\n\n") }

  /// Milliseconds since 1970; `nil` for an instant that no source has.
  private static func milliseconds(_ seconds: Double) -> Int64? {
    abs(seconds) < 1e12 ? Int64(seconds * 1_000) : nil
  }

  private mutating func part(_ bytes: ByteBuffer, _ newest: Newest) -> StreamPart<ByteBuffer> {
    shown = (newest.renderedBoard, newest.state.id)
    return StreamPart(bytes, newest.state)
  }

  /// The tag of a board, with the position of its publication.
  private func eventID(of newest: Newest) -> String {
    SharedTag.tag(
      newest.plan.entityTag(of: newest.renderedBoard, isCopy: false),
      at: newest.snapshot.position
    )
  }

  private static func event(_ name: String, id: String?, _ data: ByteBuffer) -> ByteBuffer {
    var buffer = ByteBuffer(
      string: "event: \(name)\n" + (id.map { "id: \($0)\n" } ?? "") + "data: "
    )
    buffer.writeImmutableBuffer(data)
    buffer.writeString("\n\n")
    return buffer
  }

  private func answer(_ newest: Newest) -> BoardAnswer {
    let now = clock.now
    return BoardAnswer(
      request: asked,
      renderedBoard: newest.renderedBoard,
      snapshot: newest.snapshot,
      mode: newest.plan.mode(of: newest.renderedBoard, isCopy: false),
      skipped: newest.plan.skipped,
      requestId: requestId,
      now: now,
      elapsed: 0,
      entityTag: eventID(of: newest),
      foretold: renderer.foretold(newest.snapshot.trips, at: now)
    )
  }
}
