public import HTTPTypes

/// Sends one request and gives its answer: what a client needs of a transport.
///
/// A transport keeps no cache and sends no validators of its own.
public protocol HTTPExchange: Sendable {
  /// Sends a request.
  ///
  /// - Parameters:
  ///   - request: Method, scheme, authority, path and fields.
  ///   - timeout: The longest wait for the whole answer.
  /// - Returns: The answer, whatever its status.
  /// - Throws: ``HTTPExchangeError`` if there is no answer.
  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer
}

/// An answer, whole.
public struct HTTPExchangeAnswer: Sendable {
  /// Status and fields.
  public var head: HTTPResponse
  /// The content.
  public var body: [UInt8]

  /// Creates an answer.
  public init(head: HTTPResponse, body: [UInt8]) {
    self.head = head
    self.body = body
  }
}

/// Why a request has no answer.
public struct HTTPExchangeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Hashable, Sendable {
    /// The server cannot be reached, or the connection broke.
    case unreachable
    /// The answer did not come in time.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The answer is larger than the transport's limit.
    case tooLarge
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
