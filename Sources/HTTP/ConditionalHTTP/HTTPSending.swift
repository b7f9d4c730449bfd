public import HTTPTypes

/// Sends requests with content, such as uploads: what a client needs of a transport.
public protocol HTTPSending: Sendable {
  /// Sends a request with content and returns the complete response. Redirects are not followed.
  ///
  /// - Parameters:
  ///   - request: The method, scheme, authority, path and fields; the transport adds the length.
  ///   - content: The content.
  ///   - timeout: The time limit for the complete response.
  /// - Returns: The response, whatever its status.
  /// - Throws: ``HTTPExchangeError`` if no response arrives.
  func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer

  /// Sends a request with content, telling how much of it has gone out, and returns the complete response. Redirects are
  /// not followed.
  ///
  /// - Parameters:
  ///   - request: The method, scheme, authority, path and fields; the transport adds the length.
  ///   - content: The content.
  ///   - timeout: The time limit for the complete response.
  ///   - sent: Called with the bytes of the content that the connection has taken so far; on any thread.
  /// - Returns: The response, whatever its status.
  /// - Throws: ``HTTPExchangeError`` if no response arrives.
  func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration,
    sent: @escaping @Sendable (Int) -> Void
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer
}

extension HTTPSending {
  /// Sends a request with content as ``send(_:content:timeout:)`` does; `sent` is not called.
  public func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration,
    sent: @escaping @Sendable (Int) -> Void
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    try await send(request, content: content, timeout: timeout)
  }
}
