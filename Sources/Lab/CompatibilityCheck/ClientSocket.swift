package import ConditionalHTTP
import HTTPTypes

/// A WebSocket as a client library uses it: reads all the time, and keeps messages, pongs and the close apart.
package actor ClientSocket {
  /// What a client waits for.
  package enum Event: Hashable, Sendable {
    /// A text message.
    case text(String)
    /// A binary message.
    case binary([UInt8])
    /// The end of the socket. What came before it was given first.
    case closed(WebSocketClose)
    /// Nothing came in time.
    case silence
  }

  /// The most messages that wait to be asked for; at the limit, no more are read.
  package static let mostWaiting = 10_000

  private let socket: any WebSocket
  private var messages: [Event] = []
  private var pongs = 0
  private var close: WebSocketClose?
  private var isOver = false
  private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter = 0

  private init(_ socket: any WebSocket) { self.socket = socket }

  /// Reads a socket while a body of work uses it.
  static func use<Value: Sendable>(
    _ socket: any WebSocket,
    _ work: @escaping @Sendable (ClientSocket) async throws -> Value
  ) async -> Result<Value, any Error> {
    let client = ClientSocket(socket)
    let reading = Task { await client.read() }
    let result: Result<Value, any Error>
    do { result = .success(try await work(client)) } catch { result = .failure(error) }
    // Ends the reading without cancelling it: a cancelled wait closes the socket with 1001.
    await client.finish()
    await reading.value
    return result
  }

  /// The subprotocol that the server chose, if any.
  package nonisolated var subprotocol: String? {
    socket.head.headerFields[.secWebSocketProtocol]
  }

  /// Sends a text message.
  ///
  /// - Throws: `WebSocketError` if the socket is closed.
  package func send(_ text: String) async throws(WebSocketError) {
    try await socket.send(.text(text))
  }

  /// Sends a ping and waits for its pong; messages that come meanwhile are kept.
  ///
  /// - Parameter timeout: The client's own limit on the wait.
  /// - Returns: Whether a pong came in time.
  /// - Throws: `WebSocketError` if the socket is closed.
  package func ping(within timeout: Duration) async throws(WebSocketError) -> Bool {
    let before = pongs
    try await socket.ping([])
    let deadline = ContinuousClock.now + timeout
    while pongs == before, close == nil, .now < deadline { await change(until: deadline) }
    return pongs > before
  }

  /// Waits for the next message, or the end.
  ///
  /// - Parameter timeout: The client's own limit on the wait.
  /// - Returns: What came first; the end again at every later call.
  package func next(within timeout: Duration) async -> Event {
    let deadline = ContinuousClock.now + timeout
    while true {
      if !messages.isEmpty {
        defer { wake() }
        return messages.removeFirst()
      }
      if let close { return .closed(close) }
      guard .now < deadline else { return .silence }
      await change(until: deadline)
    }
  }

  /// Begins the closing handshake.
  ///
  /// - Parameter code: The close code.
  package func close(_ code: UInt16) async {
    await socket.close(WebSocketClose(code: code))
  }

  private func read() async {
    while close == nil {
      switch await socket.next() {
      case .message(.text(let text)): messages.append(.text(text))
      case .message(.binary(let bytes)): messages.append(.binary(bytes))
      case .pong: pongs += 1
      case .closed(let close): self.close = close
      }
      wake()
      while messages.count >= Self.mostWaiting, !isOver {
        await change(until: .now + .seconds(60))
      }
    }
  }

  private func finish() async {
    isOver = true
    wake()
    await socket.close(WebSocketClose(code: 1_000))
  }

  private func wake() {
    for waiter in waiters.values { waiter.resume() }
    waiters.removeAll()
  }

  /// Waits until something comes or a deadline has passed.
  private func change(until deadline: ContinuousClock.Instant) async {
    lastWaiter += 1
    let number = lastWaiter
    let alarm = Task {
      try? await Task.sleep(until: deadline)
      self.expire(number)
    }
    await withCheckedContinuation { waiters[number] = $0 }
    alarm.cancel()
  }

  private func expire(_ number: Int) { waiters.removeValue(forKey: number)?.resume() }
}
