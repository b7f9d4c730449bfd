import ConditionalHTTP
import FreshResponses
import FreshnessServer
import HTTPTypes
import Hummingbird
import Jobs
import NIOCore
import Serving

/// `GET /v1/jobs/{id}/events`: the events as server-sent events (WHATWG HTML), with the id `EPOCH.SEQ`.
///
/// `Last-Event-ID`, or `after` in the query, says where the client is. The stream ends behind the terminal
/// event; a client that has it is answered 204, which stops it from reconnecting.
struct JobEventEndpoint: Sendable {
  /// The route, for metrics.
  private static let route = "/v1/jobs/:job/events"

  let store: any JobStore
  let broadcaster: JobEventBroadcaster
  let authorization: JobAuthorization
  let serving: ResourceServing

  /// `HEAD`: the head of the answer to the same GET, which has no length.
  func head(_ request: Request, id: String) async throws -> Response {
    let (job, _, asked) = try await check(request, id)
    if job.state.isTerminal, asked == job.position { return EventStreamBody.over }
    return Response(
      status: .ok,
      headers: EventStreamBody.fields,
      body: ResponseBody { writer in try await writer.finish(nil) }
    )
  }

  private func check(
    _ request: Request,
    _ id: String
  ) async throws -> (job: JobRow, version: WireVersion, asked: EventPosition?) {
    let query = QueryText(request.uri.query)
    let job = try await authorization.living(id, request.headers, query: query).job
    // An id that is not ours is one of another log: the state comes in its place.
    let asked =
      try request.headers[.lastEventID].flatMap { $0.isEmpty ? nil : $0 }.map {
        EventPosition(parsing: $0) ?? EventPosition(epoch: 0, seq: 1)
      } ?? JobEndpoints.position(query)
    return (job, try JobEndpoints.version(query), asked)
  }

  func answer(_ request: Request, id: String) async throws -> Response {
    let (job, version, asked) = try await check(request, id)
    if job.state.isTerminal, asked == job.position { return EventStreamBody.over }
    let began = ContinuousClock.now
    guard let subscription = broadcaster.listen(to: id) else {
      serving.recordStream(Self.route, .serviceUnavailable, since: began)
      throw JobProblem(
        .serviceUnavailable,
        .busy,
        "too many listen; poll instead",
        retryAfter: store.limits.pollSeconds
      ).problem
    }
    serving.recordStream(Self.route, .ok, since: began)
    let stream = JobStream(
      job,
      in: store,
      subscription,
      .missed(after: asked, hasStatus: asked != nil)
    )
    let messages = SubscriberMessages(
      store: store,
      recent: broadcaster.recent,
      writer: JobMessageWriter(job: id, pipeline: job.pipeline, version: version)
    )
    return EventStreamBody.answer(request) { writer in
      broadcaster.metrics.listens(.eventStream, 1)
      defer { broadcaster.metrics.listens(.eventStream, -1) }
      try await write(stream, messages, into: &writer)
    }
  }

  @concurrent
  private func write(
    _ stream: JobStream,
    _ messages: SubscriberMessages,
    into writer: inout any ResponseBodyWriter
  ) async throws {
    try await writer.write(try EventStreamBody.retry(serving.limits))
    var target = writer
    defer { writer = target }
    // Without a turn: most of the time it waits for the store.
    _ = try await StreamDriver(stream, serving: serving).follow(
      from: stream.start
    ) { updates, state in
      for update in updates {
        let message = try await messages.message(update)
        for part in Self.event(message) { try await target.write(part) }
        broadcaster.metrics.sent(.eventStream, skipped: message.skipped)
        serving.recordEvent(Self.route, changedAt: state?.changedAt)
      }
    }
  }

  /// From how many bytes on a message goes out as it is, shared with others, in bytes.
  private static let sharedBytes = 16 << 10

  /// A message as an event: in one part, or a long one in three.
  private static func event(_ message: SubscriberMessage) -> [ByteBuffer] {
    var buffer = ByteBuffer()
    if let position = message.position { buffer.writeString("id: \(position)\n") }
    buffer.writeString("data: ")
    // Written on one line: JSON has no ends of line outside of strings, and escapes them there.
    guard message.bytes.readableBytes < sharedBytes else {
      return [buffer, message.bytes, ByteBuffer(string: "\n\n")]
    }
    buffer.writeImmutableBuffer(message.bytes)
    buffer.writeString("\n\n")
    return [buffer]
  }
}
