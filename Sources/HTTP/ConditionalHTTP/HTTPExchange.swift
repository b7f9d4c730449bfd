public import HTTPTypes

/// Sends requests: what a client needs of a transport.
///
/// A transport has no cache and adds no validators.
public protocol HTTPExchange: Sendable {
  /// Sends a request.
  ///
  /// - Parameters:
  ///   - request: The method, scheme, authority, path and fields.
  ///   - timeout: The time limit for the complete response.
  /// - Returns: The response, whatever its status.
  /// - Throws: ``HTTPExchangeError`` if no response arrives.
  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer
}

/// A complete response.
public struct HTTPExchangeAnswer: Sendable {
  /// The status and the fields.
  public var head: HTTPResponse
  /// The content.
  public var body: [UInt8]

  /// Creates a response.
  public init(head: HTTPResponse, body: [UInt8]) {
    self.head = head
    self.body = body
  }
}

/// The reason why a request has no response.
public struct HTTPExchangeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Hashable, Sendable {
    /// The server cannot be reached, or the connection broke.
    case unreachable
    /// The response did not arrive in time.
    case timedOut
    /// The task was canceled.
    case cancelled
    /// The response exceeds the transport's limit.
    case tooLarge
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
