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
/// | `reset` | the client's `Last-Event-ID` is not known; a `snapshot` follows |
///
/// The id of an event is the entity tag of the board it leads to. A client that comes back with the id
/// of the board it has gets what changed since, or nothing. Comments keep the connection alive. A slow
/// client gets the newest board when it is ready to read on; what came in between is left out.
struct BoardStreamEndpoint {
  let store: FeedStore
  let clock: ServiceClock
  let desk: BoardDesk
  let faults: PhaseFaults
  let waiting: WaitingRoom

  /// Opens a stream.
  ///
  /// - Throws: ``Problem`` as ``BoardRequest``; 503 `busy` when there are too many.
  func answer(_ request: Request) async throws -> Response {
    let began = ContinuousClock.now
    let asked = try await BoardRequest(
      QueryItems(request),
      acceptLanguage: request.headers[.acceptLanguage],
      feeds: try store.serving()
    )
    guard waiting.enter() else {
      throw Problem(
        .serviceUnavailable,
        "busy",
        detail: "too many streams are open; poll instead",
        fields: [.retryAfter: String(BoardBudget.retryAfter)]
      )
    }
    let plan = await BoardPlan(asked, crowd: 0, began: began, faults: faults)
    let requestId = RequestIdentity.of(request)
    let last = HTTPField.Name("last-event-id").flatMap { request.headers[$0] }
    let body = ResponseBody { writer in
      defer { waiting.leave() }
      try await follow(asked, plan, requestId, from: last, into: &writer)
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
    _ plan: BoardPlan,
    _ requestId: String,
    from last: String?,
    into writer: inout any ResponseBodyWriter
  ) async throws {
    var shown: BoardEdition?
    try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
    if let last, !last.isEmpty {
      let edition = desk.edition(asked, phases: plan.phases, at: clock.now)
      if plan.entityTag(of: edition, isCopy: false) == last {
        shown = edition
        try await writer.write(ByteBuffer(string: ": resumed\n\n"))
      } else {
        try await writer.write(Self.event("reset", id: nil, ByteBuffer(string: "{}")))
      }
    }
    let beats = AsyncStream<Void>(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        while (try? await Task.sleep(for: BoardBudget.heartbeat)) != nil { continuation.yield() }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
    for await signal in Signals(desk.changes(asked, plan.phases, until: nil), beats) {
      let edition = desk.edition(asked, phases: plan.phases, at: clock.now)
      if edition.entityTag != shown?.entityTag {
        let data = data(edition, after: shown, asked, plan, requestId)
        let name = shown == nil ? "snapshot" : "change"
        let id = plan.entityTag(of: edition, isCopy: false)
        try await writer.write(Self.event(name, id: id, data))
        shown = edition
      } else if signal == .beat {
        try await writer.write(ByteBuffer(string: ": beat\n\n"))
      }
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

  /// A whole board, or what is different from the one before.
  private func data(
    _ edition: BoardEdition,
    after shown: BoardEdition?,
    _ asked: BoardRequest,
    _ plan: BoardPlan,
    _ requestId: String
  ) -> ByteBuffer {
    let answer = BoardAnswer(
      request: asked,
      edition: edition,
      snapshot: desk.snapshot(of: asked.stop.feed),
      mode: plan.mode(of: edition, isCopy: false),
      skipped: plan.skipped,
      requestId: requestId,
      now: clock.now,
      elapsed: 0,
      entityTag: plan.entityTag(of: edition, isCopy: false)
    )
    guard let shown else { return answer.body() }
    var json = JSONBytes(capacity: 4_096)
    BoardChange(from: shown, to: edition).write(&json)
    answer.writeRest(&json)
    json.raw("}")
    return json.buffer
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
        Task { for await _ in changes { continuation.yield(.change) } },
        Task { for await _ in beats { continuation.yield(.beat) } },
      ]
      continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    }
  }

  func makeAsyncIterator() -> AsyncStream<StreamSignal>.Iterator { merged.makeAsyncIterator() }
}
