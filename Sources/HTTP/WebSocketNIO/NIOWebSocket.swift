package import ConditionalHTTP
package import HTTPTypes
package import NIOCore

/// A ``WebSocket`` on a channel.
package struct NIOWebSocket: WebSocket {
  package let head: HTTPResponse
  /// The maximum size of a message, in bytes, in both directions.
  let messageLimit: Int
  let channel: any Channel
  let handler: NIOLoopBound<WebSocketHandler>

  /// Creates a WebSocket on an upgraded channel.
  ///
  /// - Parameters:
  ///   - head: The response to the opening handshake.
  ///   - messageLimit: The maximum size of a message, in bytes, in both directions.
  ///   - channel: The channel.
  ///   - handler: The handler at its end.
  package init(
    head: HTTPResponse,
    messageLimit: Int,
    channel: any Channel,
    handler: NIOLoopBound<WebSocketHandler>
  ) {
    self.head = head
    self.messageLimit = messageLimit
    self.channel = channel
    self.handler = handler
  }

  package func next() async -> WebSocketEvent {
    let promise = channel.eventLoop.makePromise(of: WebSocketEvent.self)
    return await withTaskCancellationHandler {
      channel.eventLoop.execute { handler.value.next(promise) }
      let broken = WebSocketClose(code: 1006, reason: "the connection broke")
      return (try? await promise.futureResult.get()) ?? .closed(broken)
    } onCancel: {
      cancel()
    }
  }

  package func send(_ message: WebSocketMessage) async throws(WebSocketError) {
    let payload: ByteBuffer
    let opcode: UInt8
    switch message {
    case .text(let text):
      opcode = WebSocketSession.text
      payload = ByteBuffer(string: text)
    case .binary(let bytes):
      opcode = WebSocketSession.binary
      payload = ByteBuffer(bytes: bytes)
    }
    guard payload.readableBytes <= messageLimit else {
      let size = payload.readableBytes
      throw WebSocketError(.notSent, "\(size) bytes are over the limit of \(messageLimit)")
    }
    try await send(opcode, payload)
  }

  /// Sends a text message from a buffer of UTF-8.
  ///
  /// - Throws: ``ConditionalHTTP/WebSocketError`` if it is too long or the WebSocket is closed.
  package func send(text: ByteBuffer) async throws(WebSocketError) {
    guard text.readableBytes <= messageLimit else {
      let size = text.readableBytes
      throw WebSocketError(.notSent, "\(size) bytes are over the limit of \(messageLimit)")
    }
    try await send(WebSocketSession.text, text)
  }

  package func ping(_ payload: [UInt8]) async throws(WebSocketError) {
    guard payload.count <= WebSocketSession.controlBytes else {
      throw WebSocketError(.notSent, "a ping has at most \(WebSocketSession.controlBytes) bytes")
    }
    try await send(WebSocketSession.ping, ByteBuffer(bytes: payload))
  }

  package func close(_ close: WebSocketClose) async {
    try? await channel.eventLoop.submit { handler.value.close(close) }.get()
  }

  /// Closes with 1001 without waiting.
  package func cancel() { channel.eventLoop.execute { handler.value.cancel() } }

  /// Closes with 1000 and waits until the connection is gone, at most the close timeout.
  package func finish() async {
    channel.eventLoop.execute {
      handler.value.close(WebSocketClose(code: 1000))
      handler.value.abandon()
    }
    try? await channel.closeFuture.get()
  }

  private func send(_ opcode: UInt8, _ payload: ByteBuffer) async throws(WebSocketError) {
    let promise = channel.eventLoop.makePromise(of: Void.self)
    do {
      try await withTaskCancellationHandler {
        channel.eventLoop.execute { handler.value.send(opcode: opcode, payload: payload, promise) }
        try await promise.futureResult.get()
      } onCancel: {
        cancel()
      }
    } catch let error as WebSocketError {
      throw error
    } catch {
      throw WebSocketError(.notSent, "the connection broke before the message was sent")
    }
  }
}
