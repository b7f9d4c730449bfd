public import HTTPTypes

/// What a client needs of a transport to send content, such as an upload.
public protocol HTTPSending: Sendable {
  /// Sends a request with content and collects its answer. Redirections are not followed.
  ///
  /// - Parameters:
  ///   - request: Method, scheme, authority, path and fields; the transport says the length.
  ///   - content: The content.
  ///   - timeout: The longest wait for the whole answer.
  /// - Returns: The answer, whatever its status.
  /// - Throws: ``HTTPExchangeError`` if there is no answer.
  func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer
}
