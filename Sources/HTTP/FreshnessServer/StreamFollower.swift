import ConditionalHTTP
import EventFeed
import FreshResponses
package import HTTPTypes
package import Hummingbird
import NIOCore
import Serving

/// Writes the event stream of one client.
package struct StreamFollower<Source: StreamSource>: Sendable {
  private let source: Source
  private let name: String
  private let serving: ResourceServing

  /// Creates a follower.
  ///
  /// - Parameters:
  ///   - source: The events.
  ///   - name: The route, for metrics: one of few.
  ///   - serving: What served resources share.
  package init(_ source: Source, name: String, serving: ResourceServing) {
    self.source = source
    self.name = name
    self.serving = serving
  }

  /// Opens the stream.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - headers: The fields of the answer, besides those of every event stream.
  ///   - last: The id of the client's state; `nil` for `Last-Event-ID` as it was sent.
  /// - Returns: The answer, or `nil` if all places are taken.
  /// - Throws: ``Problem`` 429 if the client's network has its share of them.
  package func answer(
    _ request: Request,
    _ headers: HTTPFields,
    after last: String? = nil
  ) throws -> Response? {
    let began = ContinuousClock.now
    let permit: LongPollLimiter.Permit
    switch serving.limiter.acquire() {
    case .success(let taken): permit = taken
    case .failure(let refusal):
      let status = refusal == .share ? HTTPResponse.Status.tooManyRequests : .serviceUnavailable
      serving.recordStream(name, status, since: began)
      if refusal == .share { throw Problem.tooManyRequests() }
      return nil
    }
    serving.recordStream(name, .ok, since: began)
    let admission = AdmissionPermit.current
    let last = last ?? request.headers[.lastEventID] ?? ""
    return EventStreamBody.answer(request, headers, holding: permit) { writer in
      try await follow(from: last, admission, into: &writer)
    }
  }

  /// Writes events until the server shuts down; throws if the client is gone.
  ///
  /// Each event is made in the turn of its client, as a response is.
  @concurrent
  private func follow(
    from lastEventID: String,
    _ admission: AdmissionPermit?,
    into writer: inout any ResponseBodyWriter
  ) async throws {
    var source = source
    var cursor = StreamCursor(
      lastEventID: lastEventID,
      hasChanges: source.hasChanges,
      verifies: source.verifies,
      hasReplicas: source.hasReplicas
    )
    let retry = EventStreamItem.retry(milliseconds: serving.limits.streamRetryMilliseconds)
    try await writer.write(ByteBuffer(bytes: retry.serialized()))
    // The first event is not news: it tells a new client what is there.
    var isFirst = true
    // What looks for changes works in turns of its own.
    let wakes = AdmissionPermit.$current.withValue(admission) { signals() }
    for await signal in wakes {
      try await admission?.takeAgain()
      defer { admission?.release() }
      guard let newest = try await source.state() else {
        if signal == .beat { try await writer.write(source.absence()) }
        continue
      }
      var action = cursor.next(signal, newest: newest)
      var part: StreamPart?
      if case .changes(let id) = action {
        part = try await source.changes(since: id)
        if part == nil { action = cursor.giveUpPosition() }
      }
      switch action {
      case .none, .changes: break
      case .heartbeat:
        admission?.release()
        try await writer.write(source.heartbeat())
      case .verification: part = try await source.verification()
      case .snapshot(let isReset): part = try await source.snapshot(afterReset: isReset)
      }
      admission?.release()
      if let part, part.bytes.readableBytes > 0 {
        try await writer.write(part.bytes)
        cursor.sent(part.state)
        serving.recordEvent(
          name,
          age: part.state.age(at: serving.clock()),
          changedAt: isFirst ? nil : part.state.changedAt
        )
      }
      isFirst = false
    }
  }

  /// A signal now, one after each change, and heartbeats; ends when the server shuts down.
  private func signals() -> AsyncStream<StreamCursor.Signal> {
    let (source, serving) = (source, serving)
    return Waiting.signals(
      of: { source.updates() },
      heartbeat: .seconds(serving.limits.heartbeatSeconds),
      closing: { await serving.untilClosed() }
    )
  }
}

/// The body of an event stream, whatever its events are.
package enum EventStreamBody {
  /// Answers with an event stream that ends with its writer, and at once when the client is gone.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - headers: The fields of the answer, besides those of every event stream.
  ///   - permit: What is kept until the stream ends.
  ///   - write: Writes the events.
  /// - Returns: The answer.
  package static func answer(
    _ request: Request,
    _ headers: HTTPFields = [:],
    holding permit: (any Sendable)? = nil,
    _ write: @escaping @concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void
  ) -> Response {
    let body = ResponseBody { writer in
      defer { withExtendedLifetime(permit) {} }
      // A client that goes is gone at once, not at the next heartbeat.
      try await request.body.consumeWithCancellationOnInboundClose { _ in
        try await write(&writer)
      }
      try await writer.finish(nil)
    }
    var headers = fields + headers
    // Detecting a disconnect reads what the client sends next, so the connection cannot be reused. A proxy that is not told so
    // keeps it, and loses the next request.
    headers[.connection] = "close"
    return Response(status: .ok, headers: headers, body: body)
  }

  /// The fields of every event stream.
  package static let fields: HTTPFields = [
    .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
  ]
}
