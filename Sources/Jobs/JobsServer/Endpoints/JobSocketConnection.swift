package import ConditionalHTTP
package import Jobs
package import NIOCore
package import Serving
package import StrictJSON

/// The connection of one client that follows a job over a WebSocket.
///
/// Sends messages, pings, and reports when the client no longer reads or answers.
package struct JobSocketConnection: Sendable {
  /// How a part of a session ended.
  package enum Exit: Sendable {
    /// Nothing can be sent any more.
    case gone
    /// This part has nothing left to do.
    case done
    /// The connection is to be closed.
    case close(JobCloseCode, String)
  }

  /// What came from the client.
  package enum Received: Sendable {
    /// A message, as text.
    case message(String)
    /// The connection closed.
    case closed(WebSocketClose)
  }

  private let socket: any ServerWebSocket
  private let heartbeat: Duration
  private let signs = SocketSigns()

  /// Creates a connection.
  ///
  /// - Parameters:
  ///   - socket: The open socket.
  ///   - limits: The limits of the server.
  package init(_ socket: any ServerWebSocket, limits: JobLimits) {
    self.socket = socket
    heartbeat = .seconds(limits.heartbeatSeconds)
  }

  /// Waits for the next message of the client, or for the end of the connection.
  package func next() async -> Received {
    while true {
      let arrival = await socket.next()
      signs.heard()
      switch arrival {
      case .closed(let close): return .closed(close)
      case .pong: continue
      case .message(.text(let message)): return .message(message)
      case .message(.binary(let bytes)): return .message(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  /// Sends a message.
  package func send(_ message: JSONValue) async throws {
    try await send(ByteBuffer(bytes: message.bytes))
  }

  /// Sends the text of a message.
  package func send(_ text: ByteBuffer) async throws {
    let number = signs.began()
    defer { signs.ended(number) }
    try await socket.send(text: text)
  }

  /// Closes the connection.
  package func close(_ code: JobCloseCode, _ reason: String) async {
    await socket.close(WebSocketClose(code: code.rawValue, reason: reason))
  }

  /// Pings each heartbeat, so that a lost connection is found.
  package func ping() async -> Exit {
    while true {
      do {
        try await Task.sleep(for: heartbeat)
        let number = signs.began()
        defer { signs.ended(number) }
        signs.asked()
        try await socket.ping([])
      } catch {
        return .gone
      }
    }
  }

  /// Ends the session of a client that reads nothing or is silent for two heartbeats.
  ///
  /// - Parameter isEnding: Whether the server ends; a client that this does not reach gets
  ///   ``JobLimits/closeSeconds``.
  /// - Returns: With which code and reason to close; ``Exit/gone`` once the task is canceled.
  package func watch(isEnding: @Sendable () -> Bool) async -> Exit {
    var wasEnding = false
    while true {
      do {
        try await Task.sleep(for: min(heartbeat, .seconds(JobLimits.closeSeconds)))
      } catch {
        return .gone
      }
      if signs.isSilent(since: ContinuousClock.now.advanced(by: heartbeat * -2)) {
        return .close(.tooSlow, "the client reads too slowly or is silent")
      }
      if wasEnding { return .close(.goingAway, "the server ends") }
      wasEnding = isEnding()
    }
  }
}
