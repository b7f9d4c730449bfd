public import HTTPTypes

/// Opens WebSockets (RFC 6455) for a client.
public protocol WebSocketExchange: Sendable {
  /// Opens a WebSocket, passes it to a closure, and closes it when the closure ends.
  ///
  /// - Parameters:
  ///   - request: A GET with scheme `ws` or `wss`, authority, path, and any other fields;
  ///     `Sec-WebSocket-Protocol` offers subprotocols.
  ///   - timeout: The time limit for the response to the opening handshake.
  ///   - work: Uses the WebSocket. A normal return closes it with 1000, cancellation with 1001.
  /// - Throws: ``WebSocketError`` if the WebSocket does not open.
  func withSocket(
    _ request: HTTPRequest,
    timeout: Duration,
    work: nonisolated(nonsending) @Sendable (any WebSocket) async -> Void
  ) async throws(WebSocketError)
}

/// An open WebSocket.
public protocol WebSocket: Sendable {
  /// The status and fields of the response to the opening handshake.
  var head: HTTPResponse { get }
  /// Waits for the next event, in the order of arrival.
  ///
  /// Nothing more is read while an event is pending, so a slow caller slows the peer down; pings
  /// after it are not answered until then. Canceling the waiting task closes the WebSocket with
  /// 1001.
  ///
  /// - Returns: The event, or the close that ended the WebSocket, which is also returned by every
  ///   later call. After a protocol error it has the code that was sent to the peer: 1002, 1007 or
  ///   1009.
  func next() async -> WebSocketEvent
  /// Sends a message.
  func send(_ message: WebSocketMessage) async throws(WebSocketError)
  /// Sends a ping with at most 125 bytes; its pong is returned by ``next()``.
  func ping(_ payload: [UInt8]) async throws(WebSocketError)
  /// Begins the closing handshake; a second call does nothing.
  ///
  /// A code that must not be sent, such as 1005, closes without a code; a long reason is cut.
  func close(_ close: WebSocketClose) async
}

/// A complete message.
public enum WebSocketMessage: Hashable, Sendable {
  /// Valid UTF-8.
  case text(String)
  /// Any bytes.
  case binary([UInt8])
}

/// An event of a WebSocket.
public enum WebSocketEvent: Hashable, Sendable {
  /// A complete message.
  case message(WebSocketMessage)
  /// The response to a ping, which shows that the peer is alive.
  case pong([UInt8])
  /// The end.
  case closed(WebSocketClose)
}

/// The reason why a WebSocket was closed (RFC 6455 section 7.4).
public struct WebSocketClose: Hashable, Sendable {
  /// The close code; 1005 if the peer gave none, 1006 if the connection broke.
  ///
  /// Those two are never sent.
  public var code: UInt16
  /// The reason, at most 123 bytes of UTF-8.
  public var reason: String

  /// Creates a close.
  public init(code: UInt16, reason: String = "") {
    self.code = code
    self.reason = reason
  }
}

/// The reason why a WebSocket did not open, or a message was not sent.
public struct WebSocketError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: Hashable, Sendable {
    /// The server cannot be reached, or the connection broke.
    case unreachable
    /// The handshake did not end in time.
    case timedOut
    /// The task was canceled.
    case cancelled
    /// The server responded to the handshake with another status than 101, or with an invalid
    /// response.
    case refused(status: Int, body: [UInt8])
    /// The WebSocket is closed, or the message exceeds a limit.
    case notSent
  }

  /// The kind of failure.
  public var code: Code
  /// A readable description of what happened.
  public var description: String

  /// Creates an error.
  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
