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
}
