public import HTTPTypes

/// Opens WebSockets (RFC 6455) for a client.
public protocol WebSocketExchange: Sendable {
  /// Opens a socket, hands it to a body of work, and closes it when the work ends.
  ///
  /// - Parameters:
  ///   - request: A GET with scheme `ws` or `wss`, authority, path, and fields of the caller's own;
  ///     `Sec-WebSocket-Protocol` offers subprotocols.
  ///   - timeout: The longest wait for the answer to the opening handshake.
  ///   - work: Uses the socket. A normal return closes it with 1000, cancellation with 1001.
  /// - Throws: ``WebSocketError`` if the socket does not open.
  func withSocket(
    _ request: HTTPRequest,
    timeout: Duration,
    work: @Sendable (any WebSocket) async -> Void
  ) async throws(WebSocketError)
}

/// An open socket.
public protocol WebSocket: Sendable {
  /// Status and fields of the answer to the opening handshake.
  var head: HTTPResponse { get }
  /// Waits for the next arrival, in the order of their coming.
  ///
  /// While one waits to be asked for, nothing more is read, so a slow caller slows the peer down;
  /// pings behind it are not answered until then. Cancelling the task that waits here closes the
  /// socket with 1001.
  ///
  /// - Returns: The arrival, or the close that ended the socket, again at every later call. What broke
  ///   the protocol gives the code that was sent to the peer: 1002, 1007 or 1009.
  func next() async -> WebSocketEvent
  /// Sends a message.
  func send(_ message: WebSocketMessage) async throws(WebSocketError)
  /// Sends a ping with at most 125 bytes; its pong arrives in ``next()``.
  func ping(_ payload: [UInt8]) async throws(WebSocketError)
  /// Begins the closing handshake; a second call does nothing.
  ///
  /// A code that may not be sent, such as 1005, closes without one; a longer reason is cut.
  func close(_ close: WebSocketClose) async
}

/// A whole message.
public enum WebSocketMessage: Hashable, Sendable {
  /// Valid UTF-8.
  case text(String)
  /// Any bytes.
  case binary([UInt8])
}

/// What comes out of a socket.
public enum WebSocketEvent: Hashable, Sendable {
  /// A whole message.
  case message(WebSocketMessage)
  /// The answer to a ping: a sign of life.
  case pong([UInt8])
  /// The end.
  case closed(WebSocketClose)
}

/// Why a socket was closed (RFC 6455 section 7.4).
public struct WebSocketClose: Hashable, Sendable {
  /// The close code; 1005 where the peer gave none, 1006 where the connection broke.
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

/// Why a socket did not open, or a message was not sent.
public struct WebSocketError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: Hashable, Sendable {
    /// The server cannot be reached, or the connection broke.
    case unreachable
    /// The handshake did not end in time.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The server answered the handshake with another status than 101, or wrongly.
    case refused(status: Int, body: [UInt8])
    /// The socket is closed, or the message breaks a limit.
    case notSent
  }

  /// The kind of failure.
  public var code: Code
  /// What happened, for people.
  public var description: String

  /// Creates an error.
  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
