import ConditionalHTTP
package import FreshResponses
import HTTPTypes
package import Hummingbird
import NIOCore
import Serving

/// Carries out what ``ReadExchange`` and ``WriteConditions`` decide.
package struct ResourceEndpoint<Resource: ServedResource>: Sendable {
  let resource: Resource
  let name: String
  let options: ServingOptions
  let serving: ResourceServing

  /// Creates an endpoint.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - name: The route, for metrics: one of few.
  ///   - options: How the resource is served.
  ///   - serving: What served resources share.
  package init(
    _ resource: Resource,
    name: String,
    options: ServingOptions,
    serving: ResourceServing
  ) {
    self.resource = resource
    self.name = name
    self.options = options
    self.serving = serving
  }

  // MARK: Reads

  /// Answers a GET or HEAD.
  func read<Context: RequestContext>(
    _ request: Request,
    _ context: Context
  ) async throws -> Response {
    try await CompressionMiddleware<Context>().handle(request, context: context) { request, _ in
      try await read(request)
    }
  }

  private func read(_ request: Request) async throws -> Response {
    let since = options.since.flatMap { QueryItems(request)[$0] }
    return try await answer(request, ReadConditions(fields: request.headers, since: since))
  }

  /// Answers a read, without compression.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - conditions: Its conditions.
  /// - Returns: The answer.
  /// - Throws: What the resource throws.
  package func answer(_ request: Request, _ conditions: ReadConditions) async throws -> Response {
    let began = ContinuousClock.now
    guard let state = try await resource.state() else { return absent(began) }
    var exchange = ReadExchange(conditions, limits: serving.limits, policy: options.policy)
    guard case .wait(let milliseconds) = exchange.consider(state, at: serving.clock()) else {
      return try await respond(exchange, state, began)
    }
    guard let permit = serving.limiter.enter() else {
      _ = exchange.refuseWait(state, at: serving.clock())
      return try await respond(exchange, state, began)
    }
    defer { withExtendedLifetime(permit) {} }
    let asked = ContinuousClock.now
    try await wait(exchange, request.body, milliseconds)
    let waited = asked.duration(to: .now)
    guard let newest = try await resource.state() else { return absent(began) }
    var response = try await respond(exchange, newest, began, waited: waited)
    // Detecting a disconnect reads what the client sends next, so the connection cannot be reused.
    response.headers[.connection] = "close"
    return response
  }

  /// Waits until the exchange can respond, its time is over, the server shuts down, or the client is gone.
  private func wait(
    _ exchange: ReadExchange,
    _ body: RequestBody,
    _ milliseconds: Int64
  ) async throws {
    let closing: @concurrent @Sendable () async -> Void = { await serving.untilClosed() }
    try await Waiting.hold(body, atMost: .milliseconds(milliseconds), closing: closing) {
      var exchange = exchange
      for await _ in resource.updates() {
        let turn = try? await AdmissionPermit.turn()
        defer { turn?.end() }
        guard let state = try? await resource.state() else { return }
        guard case .waitOn = exchange.consider(state, at: serving.clock()) else { return }
      }
    }
  }

  private func respond(
    _ exchange: ReadExchange,
    _ state: RepresentationState,
    _ began: ContinuousClock.Instant,
    waited: Duration? = nil
  ) async throws -> Response {
    var (plan, state) = (exchange.end(state, at: serving.clock()), state)
    var newest: Representation?
    if plan.hasBody {
      guard let made = try await resource.representation() else { return absent(began) }
      newest = made
      if made.state != state {
        // It changed since; the head must describe the body that follows.
        state = made.state
        plan = exchange.end(state, at: serving.clock())
      }
    }
    record(plan.status, state, began, waited)
    guard plan.hasBody, let newest else {
      return Response(withoutContent: plan.status, plan.fields)
    }
    plan.fields.append(HTTPField(name: .contentType, value: newest.mediaType))
    plan.fields.append(contentsOf: newest.fields)
    return Response(
      status: plan.status,
      headers: plan.fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: newest.body))
    )
  }

  private func absent(_ began: ContinuousClock.Instant) -> Response {
    record(.serviceUnavailable, nil, began, nil)
    return Problem(
      .serviceUnavailable,
      "not_ready",
      detail: "\(name) has no value yet; try again in a moment",
      fields: [.retryAfter: String(serving.limits.retryAfterSeconds)]
    ).response
  }

  // MARK: Streams

  /// Answers a request for the event stream.
  func stream<Context: RequestContext>(
    _ request: Request,
    _ context: Context
  ) async throws -> Response {
    try await CompressionMiddleware<Context>().handle(request, context: context) { request, _ in
      try await stream(request)
    }
  }

  private func stream(_ request: Request) async throws -> Response {
    if let last = request.headers[.lastEventID], let state = try await resource.state(),
      state.isFinal, state.id == last
    {
      return EventStreamBody.over
    }
    var headers: HTTPFields = [:]
    if !options.policy.vary.isEmpty {
      headers[.vary] = options.policy.vary.map(\.rawName).joined(separator: ", ")
    }
    // Proxies such as nginx otherwise hold events back.
    if let name = HTTPField.Name("x-accel-buffering") { headers[name] = "no" }
    let follower = StreamFollower(
      ResourceStream(resource, atMost: serving.limits.replayedChanges),
      name: name,
      serving: serving
    )
    return try follower.answer(request, headers)
      ?? Problem(
        .serviceUnavailable,
        "busy",
        detail: "too many streams are open; poll instead",
        fields: [.retryAfter: String(serving.limits.retryAfterSeconds)]
      ).response
  }

  // MARK: Measurements

  func record(
    _ status: HTTPResponse.Status,
    _ state: RepresentationState?,
    _ began: ContinuousClock.Instant,
    _ waited: Duration?,
    kind: ServingSample.Kind? = nil
  ) {
    let total = began.duration(to: .now)
    serving.record(
      ServingSample(
        resource: name,
        kind: kind ?? (waited == nil ? .read : .wait),
        status: status.code,
        latency: (total - (waited ?? .zero)).inSeconds,
        wait: waited?.inSeconds,
        age: state?.age(at: serving.clock()).map { Double($0) / 1_000 },
        lag: nil
      )
    )
  }
}

extension ResourceEndpoint where Resource: WritableResource {
  /// Answers a PUT.
  func write<Context: RequestContext>(
    _ request: Request,
    _ context: Context
  ) async throws -> Response {
    try await CompressionMiddleware<Context>().handle(request, context: context) { request, _ in
      try await write(request)
    }
  }

  private func write(_ request: Request) async throws -> Response {
    let began = ContinuousClock.now
    let conditions = WriteConditions(
      fields: request.headers,
      isRequired: options.requiresConditions
    )
    let body: ByteBuffer
    do {
      body = try await request.body.collect(upTo: serving.limits.writtenBytes)
    } catch is NIOTooManyBytesError {
      return refusal(
        .contentTooLarge,
        "body_too_large",
        "the body has more than \(serving.limits.writtenBytes) bytes",
        nil,
        began
      )
    }
    switch try await resource.write(Array(body.readableBytesView), if: conditions) {
    case .written(let state):
      record(.noContent, state, began, nil, kind: .write)
      return Response(
        status: .noContent,
        headers: [.eTag: state.entityTag.description, .cacheControl: "no-store"]
      )
    case .refused(.preconditionRequired, let current):
      return refusal(
        .preconditionRequired,
        "precondition_required",
        "say which state is replaced, with If-Match: and the entity tag of a response",
        current,
        began
      )
    case .refused(_, let current):
      return refusal(
        .preconditionFailed,
        "precondition_failed",
        "\(name) is not in the state that the request expects; read it again",
        current,
        began
      )
    case .unacceptable(let detail):
      return refusal(.unprocessableContent, "invalid_body", detail, nil, began)
    }
  }

  private func refusal(
    _ status: HTTPResponse.Status,
    _ error: String,
    _ detail: String,
    _ current: RepresentationState?,
    _ began: ContinuousClock.Instant
  ) -> Response {
    record(status, current, began, nil, kind: .write)
    let fields: HTTPFields =
      if let current { [.eTag: current.entityTag.description] } else { [:] }
    return Problem(status, error, detail: detail, fields: fields).response
  }
}
