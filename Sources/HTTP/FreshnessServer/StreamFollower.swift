import ConditionalHTTP
import EventFeed
package import FreshResponses
package import HTTPTypes
package import Hummingbird
package import NIOCore
import Serving

/// Writes the event stream of one client.
package struct StreamFollower<Source: StreamSource>: Sendable where Source.Message == ByteBuffer {
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
  @concurrent
  private func follow(
    from lastEventID: String,
    _ admission: AdmissionPermit?,
    into writer: inout any ResponseBodyWriter
  ) async throws {
    try await writer.write(try EventStreamBody.retry(serving.limits))
    var target = writer
    defer { writer = target }
    _ = try await StreamDriver(source, serving: serving).follow(
      from: lastEventID,
      admission: admission
    ) { messages, state in
      for message in messages { try await target.write(message) }
      guard let state else { return }
      serving.recordEvent(
        name,
        age: state.age(at: serving.clock()),
        changedAt: state.changedAt
      )
    }
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

  /// The beginning of every event stream: when a client that lost it comes back.
  package static func retry(_ limits: ServingLimits) throws -> ByteBuffer {
    let retry = EventStreamItem.retry(milliseconds: limits.streamRetryMilliseconds)
    return ByteBuffer(bytes: try retry.serialized())
  }

  /// The answer to a client that has the final state: 204 stops it from reconnecting (WHATWG HTML, server-sent events).
  package static var over: Response {
    Response(withoutContent: .noContent, [.cacheControl: "no-store"])
  }

  /// The fields of every event stream.
  package static let fields: HTTPFields = [
    .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
  ]
}
