import FreshetKit

// A transport of an app's own: every protocol of the libraries can be conformed to without settings.

/// Sends requests to a function, and streams one event.
struct OwnTransport: HTTPExchange, HTTPSending, HTTPStreaming, WebSocketExchange {
  var answer: @Sendable (HTTPRequest) -> HTTPExchangeAnswer

  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    answer(request)
  }

  func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    answer(request)
  }

  func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: nonisolated(nonsending) @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError) {
    guard await receive(.head(answer(request).head)) == .more else { return }
    _ = await receive(.content(Array("data: changed\n\n".utf8)))
  }

  func withSocket(
    _ request: HTTPRequest,
    timeout: Duration,
    work: nonisolated(nonsending) @Sendable (any WebSocket) async -> Void
  ) async throws(WebSocketError) {
    await work(OwnSocket(head: answer(request).head))
  }
}

struct OwnSocket: WebSocket {
  var head: HTTPResponse
  func next() async -> WebSocketEvent { .closed(WebSocketClose(code: 1000)) }
  func send(_ message: WebSocketMessage) async throws(WebSocketError) {}
  func ping(_ payload: [UInt8]) async throws(WebSocketError) {}
  func close(_ close: WebSocketClose) async {}
}
