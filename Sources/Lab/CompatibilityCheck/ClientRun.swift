package import ConditionalHTTP
import HTTPTypes
import Synchronization

/// One run of an app's clients against a server: what they send with, and where their steps are noted.
///
/// Steps of one run may be taken side by side.
package final class ClientRun: Sendable {
  /// What a client sends requests with.
  package typealias Transport = HTTPExchange & HTTPSending & HTTPStreaming

  /// The server.
  package let server: HTTPAddress
  /// What the clients wait is divided by; their timeouts are not.
  package let pace: Double
  private let transport: any Transport
  private let sockets: any WebSocketExchange
  private let onStep: @Sendable (CompatibilityStep) -> Void
  private let taken = Mutex<[CompatibilityStep]>([])

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - transport: What requests are sent with.
  ///   - sockets: What WebSockets are opened with.
  ///   - pace: What the clients wait is divided by, at least 1.
  ///   - onStep: Called with every step when it has ended.
  package init(
    server: HTTPAddress,
    transport: any Transport,
    sockets: any WebSocketExchange,
    pace: Double = 1,
    onStep: @escaping @Sendable (CompatibilityStep) -> Void = { _ in }
  ) {
    self.server = server
    self.transport = transport
    self.sockets = sockets
    self.pace = max(pace, 1)
    self.onStep = onStep
  }

  /// The steps that have ended, in the order of their ends.
  package var steps: [CompatibilityStep] { taken.withLock { $0 } }

  // MARK: Steps

  /// Takes a step and notes how it ended.
  ///
  /// - Parameters:
  ///   - client: The client of the app that takes the step.
  ///   - asked: What the client asks, such as the method and the path of a request.
  ///   - expected: What the client needs from the response.
  ///   - work: Takes the step, and reports to the check what the client would reject. An error is a fault.
  /// - Returns: The result of the step; `nil` if it threw.
  @discardableResult
  package func step<Value: Sendable>(
    _ client: String = "",
    _ asked: String,
    expects expected: String,
    _ work: (StepCheck) async throws -> Value
  ) async -> Value? {
    let check = StepCheck()
    let began = ContinuousClock.now
    var value: Value?
    do { value = try await work(check) } catch { check.fault("\(error)") }
    let step = CompatibilityStep(
      client: client,
      asked: asked,
      expected: expected,
      faults: check.faults,
      milliseconds: Int(began.duration(to: .now) / .milliseconds(1))
    )
    taken.withLock { $0.append(step) }
    onStep(step)
    return value
  }

  /// Takes a step that is one request.
  ///
  /// - Parameters:
  ///   - client: The client of the app that takes the step.
  ///   - request: The request.
  ///   - expected: What the client needs from the response.
  ///   - judge: Reports to the check what the client would reject.
  /// - Returns: The response; `nil` if none arrived.
  @discardableResult
  package func step(
    _ client: String = "",
    _ request: ClientRequest,
    expects expected: String,
    _ judge: (StepCheck, ClientAnswer) async throws -> Void
  ) async -> ClientAnswer? {
    await step(client, request.description, expects: expected) { check in
      let answer = try await send(request)
      try await judge(check, answer)
      return answer
    }
  }

  // MARK: The client's means

  /// Waits as a client's own timer does.
  ///
  /// - Parameter duration: The client's wait, which ``pace`` shortens.
  /// - Throws: `CancellationError`.
  package func wait(_ duration: Duration) async throws {
    try await Task.sleep(for: duration / pace)
  }

  /// Sends a request and collects its response.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response, whatever its status.
  /// - Throws: `HTTPExchangeError` if no response arrives.
  package func send(_ request: ClientRequest) async throws -> ClientAnswer {
    let head = httpRequest(request)
    let answer =
      if let content = request.content {
        try await transport.send(head, content: content, timeout: request.timeout)
      } else {
        try await transport.send(head, timeout: request.timeout)
      }
    return ClientAnswer(head: answer.head, body: answer.body)
  }

  /// Sends a request and delivers its response as it arrives, as for server-sent events.
  ///
  /// - Parameters:
  ///   - request: The request, without content.
  ///   - receive: Handles one part and returns whether more is wanted.
  /// - Throws: `HTTPExchangeError` if no response arrives, or if it ends early.
  package func stream(
    _ request: ClientRequest,
    receive: nonisolated(nonsending) @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws {
    try await transport.stream(httpRequest(request), timeout: request.timeout, receive: receive)
  }

  /// Opens a WebSocket, hands it to a body of work, and closes it with 1000.
  ///
  /// - Parameters:
  ///   - request: The request; its method is GET, and `Sec-WebSocket-Protocol` offers subprotocols.
  ///   - work: Uses the socket.
  /// - Returns: What the work gives.
  /// - Throws: `WebSocketError` if the socket does not open, and what the work throws.
  package func withSocket<Value: Sendable>(
    _ request: ClientRequest,
    _ work: @escaping @Sendable (ClientSocket) async throws -> Value
  ) async throws -> Value {
    var head = httpRequest(request)
    head.scheme = server.scheme == "https" ? "wss" : "ws"
    let result = Mutex<Result<Value, any Error>?>(nil)
    try await sockets.withSocket(head, timeout: request.timeout) { socket in
      let value = await ClientSocket.use(socket, work)
      result.withLock { $0 = value }
    }
    guard let result = result.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }

  private func httpRequest(_ request: ClientRequest) -> HTTPRequest {
    server.request(
      request.path,
      method: request.method,
      query: request.query,
      fields: request.fields
    )
  }
}
