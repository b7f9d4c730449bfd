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
struct BoardStreamEndpoint {
  let store: FeedStore
  let clock: ServiceClock
  let desk: BoardRenderer
  let faults: PhaseFaults
  let waiting: LongPollLimiter

  /// Opens a stream.
  ///
  /// - Throws: ``Problem`` as ``BoardRequest``; 503 `busy` when there are too many.
  func answer(_ request: Request) async throws -> Response {
    let asked = try await BoardRequest(
      QueryItems(request),
      acceptLanguage: request.headers[.acceptLanguage],
      feeds: try store.serving()
    )
    guard let ticket = waiting.enter() else {
      throw Problem(
        .serviceUnavailable,
        "busy",
        detail: "too many streams are open; poll instead",
        fields: [.retryAfter: String(BoardBudget.retryAfter)]
      )
    }
    let requestId = RequestIdentity.of(request)
    let last = HTTPField.Name("last-event-id").flatMap { request.headers[$0] }
    let body = ResponseBody { writer in
      defer { withExtendedLifetime(ticket) {} }
      // A client that goes is gone at once, not at the next heartbeat.
      try await request.body.consumeWithCancellationOnInboundClose { _ in
        try await follow(asked, requestId, from: last, into: &writer)
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream; charset=utf-8",
        .cacheControl: "no-store",
        .vary: "Origin, Accept-Language",
        .mdRequestId: requestId,
      ],
      body: body
    )
  }

  @concurrent
  private func follow(
    _ asked: BoardRequest,
    _ requestId: String,
    from last: String?,
    into writer: inout any ResponseBodyWriter
  ) async throws {
    var plan = await BoardPlan(asked, crowd: 0, began: .now, faults: faults)
    var shown: RenderedBoard?
    var shownTag = ""
    var tick: UInt64?
    try await writer.write(ByteBuffer(string: "retry: \(BoardBudget.streamRetry)\n\n"))
    if let last, !last.isEmpty {
      let snapshot = desk.snapshot(of: asked.stop.feed)
      _ = desk.followed(asked, phases: plan.phases, at: clock.now, snapshot: snapshot)
      shown = desk.edition(asked, phases: plan.phases, tagged: last)
      if shown == nil {
        try await writer.write(Self.event("reset", id: nil, ByteBuffer(string: "{}")))
      } else {
        shownTag = last
      }
    }
    let beats = AsyncStream<Void>(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        while (try? await Task.sleep(for: BoardBudget.heartbeat)) != nil { continuation.yield() }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
    let changes = desk.changes(asked, plan.wanted, until: nil, in: waiting)
    for await signal in Signals(changes, beats) {
      let snapshot = desk.snapshot(of: asked.stop.feed)
      let edition = desk.followed(asked, phases: plan.phases, at: clock.now, snapshot: snapshot)
      let newest = snapshot.tick
      let tag = plan.entityTag(of: edition, isCopy: false)
      if tag != shownTag {
        let answer = answer(edition, snapshot, asked, plan, requestId)
        let name = shown == nil ? "snapshot" : "change"
        let data = shown.map { answer.change(from: $0) } ?? answer.body()
        try await writer.write(Self.event(name, id: tag, data))
        (shown, shownTag, tick) = (edition, tag, newest)
      } else if tick != newest {
        // The board looks the same, but it is of a newer publication: it is younger.
        let answer = answer(edition, snapshot, asked, plan, requestId)
        try await writer.write(Self.event("verified", id: tag, answer.verification()))
        tick = newest
      } else if signal == .beat {
        try await writer.write(ByteBuffer(string: ": beat\n\n"))
      }
      // A phase that ran out of time before may complete the next time.
      plan = await BoardPlan(asked, crowd: 0, began: .now, faults: faults)
    }
  }

  private static func event(_ name: String, id: String?, _ data: ByteBuffer) -> ByteBuffer {
    var buffer = ByteBuffer(
      string: "event: \(name)\n" + (id.map { "id: \($0)\n" } ?? "") + "data: "
    )
    buffer.writeImmutableBuffer(data)
    buffer.writeString("\n\n")
    return buffer
  }

  private func answer(
    _ edition: RenderedBoard,
    _ snapshot: RealtimeSnapshot,
    _ asked: BoardRequest,
    _ plan: BoardPlan,
    _ requestId: String
  ) -> BoardAnswer {
    let now = clock.now
    return BoardAnswer(
      request: asked,
      edition: edition,
      snapshot: snapshot,
      mode: plan.mode(of: edition, isCopy: false),
      skipped: plan.skipped,
      requestId: requestId,
      now: now,
      elapsed: 0,
      entityTag: plan.entityTag(of: edition, isCopy: false),
      foretold: desk.foretold(snapshot.trips, at: now)
    )
  }
}

/// What wakes a stream.
private enum StreamSignal {
  /// The board may have changed.
  case change
  /// It is time for a sign of life.
  case beat
}

/// Two kinds of signals as one sequence; the first is a change, so that a stream begins with a board.
private struct Signals: AsyncSequence {
  typealias Element = StreamSignal
  typealias Failure = Never

  let merged: AsyncStream<StreamSignal>

  init(_ changes: AsyncStream<Void>, _ beats: AsyncStream<Void>) {
    merged = AsyncStream(bufferingPolicy: .bufferingNewest(2)) { continuation in
      continuation.yield(.change)
      let tasks = [
        Task {
          for await _ in changes { continuation.yield(.change) }
          continuation.finish()
        },
        Task { for await _ in beats { continuation.yield(.beat) } },
      ]
      continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    }
  }

  func makeAsyncIterator() -> AsyncStream<StreamSignal>.Iterator { merged.makeAsyncIterator() }
}
