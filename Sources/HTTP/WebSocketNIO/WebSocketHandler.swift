import ConditionalHTTP
package import NIOCore
package import NIOWebSocket

/// Runs a ``WebSocketSession`` on a channel.
///
/// The channel reads only while no event is pending, and while outgoing data is being sent.
/// Buffered data is therefore limited to one read and one message. Every call is made on the
/// channel's event loop.
package final class WebSocketHandler: ChannelInboundHandler {
  package typealias InboundIn = WebSocketFrame
  package typealias OutboundOut = WebSocketFrame

  private var session: WebSocketSession
  private let side: WebSocketSession.Side
  private let closeTimeout: TimeAmount
  private var context: ChannelHandlerContext?
  private var arrivals: [WebSocketEvent] = []
  private var waiting: [EventLoopPromise<WebSocketEvent>] = []
  private var end: WebSocketClose?
  private var isAbandoned = false
  private var lastWrite: EventLoopFuture<Void>?

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - side: The side of the connection.
  ///   - messageLimit: The maximum size of a received message, in bytes.
  ///   - closeTimeout: The time limit for the peer to disconnect.
  package init(
    side: WebSocketSession.Side = .client,
    messageLimit: Int,
    closeTimeout: TimeAmount
  ) {
    self.side = side
    session = WebSocketSession(side: side, messageLimit: messageLimit)
    self.closeTimeout = closeTimeout
  }

  /// Adds the handler to an upgraded channel, with a check of lengths before its decoder.
  ///
  /// - Throws: An error of the channel, if it has no frame decoder.
  package func join(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
    let decoder = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
    try pipeline.addHandler(WebSocketLengthHandler(), position: .before(decoder))
    try pipeline.addHandler(self)
  }

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    // Pings are answered, and the end is detected, before the first event is requested.
    readIfWanted()
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    perform(session.disconnected())
    self.context = nil
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = Self.unwrapInboundIn(data)
    perform(
      session.received(
        WebSocketSession.Frame(
          isFinal: frame.fin,
          hasReservedBits: frame.rsv1 || frame.rsv2 || frame.rsv3,
          isMasked: frame.maskKey != nil,
          opcode: UInt8(webSocketOpcode: frame.opcode),
          payload: Array((frame.maskKey == nil ? frame.data : frame.unmaskedData).readableBytesView)
        )
      )
    )
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    readIfWanted()
    context.fireChannelReadComplete()
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    readIfWanted()
    context.fireChannelWritabilityChanged()
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent {
      // A WebSocket cannot be half-closed: a peer that sends no more is gone.
      perform(session.disconnected())
      return context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    perform(session.disconnected())
    context.fireChannelInactive()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case is WebSocketLengthFault:
      perform(session.receivedBadLength())
    case NIOWebSocketError.invalidFrameLength:
      perform(session.receivedBadFrame(isTooLong: true))
    case is NIOWebSocketError:
      perform(session.receivedBadFrame(isTooLong: false))
    case is ByteToMessageDecoderError:
      // More data followed a bad frame; it is dropped, so that the peer can read the Close.
      break
    default:
      perform(session.disconnected())
      context.close(promise: nil)
    }
  }

  /// Fulfills a promise with the next event.
  func next(_ promise: EventLoopPromise<WebSocketEvent>) {
    if !arrivals.isEmpty {
      promise.succeed(arrivals.removeFirst())
    } else if let end {
      promise.succeed(.closed(end))
    } else {
      waiting.append(promise)
    }
    readIfWanted()
  }

  /// Sends a frame; fails if the WebSocket is closed.
  func send(opcode: UInt8, payload: ByteBuffer, _ promise: EventLoopPromise<Void>) {
    guard session.isOpen, let context else {
      promise.fail(WebSocketError(.notSent, "the socket is closed"))
      return
    }
    write(opcode, payload, promise, context)
  }

  /// Begins the closing handshake.
  func close(_ close: WebSocketClose) { perform(session.close(close)) }

  /// Drops all further events, so that the end is still detected.
  func abandon() {
    isAbandoned = true
    arrivals.removeAll()
    readIfWanted()
  }

  /// Closes without waiting, because the caller was canceled.
  func cancel() {
    close(WebSocketClose(code: 1001))
    let end = self.end ?? WebSocketClose(code: 1001, reason: "cancelled")
    self.end = end
    for promise in waiting { promise.succeed(.closed(end)) }
    waiting.removeAll()
    abandon()
    // A peer that does not read now will not read the Close either.
    if let context, !context.channel.isWritable { context.close(promise: nil) }
  }

  private func perform(_ orders: [WebSocketSession.Order]) {
    for order in orders {
      switch order {
      case .deliver(let arrival):
        deliver(arrival)
      case .send(let opcode, let payload):
        guard let context else { continue }
        write(opcode, ByteBuffer(bytes: payload), nil, context)
      case .awaitDisconnection:
        guard let context else { continue }
        let channel = context.channel
        let timer = context.eventLoop.scheduleTask(in: closeTimeout) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
        // The peer's Close must be detected even without a pending request for an event.
        context.read()
      case .finishSending: closeBehindWrites(.output)
      case .disconnect: closeBehindWrites(.all)
      }
    }
  }

  private func closeBehindWrites(_ mode: CloseMode) {
    guard let channel = context?.channel else { return }
    if let lastWrite {
      lastWrite.whenComplete { _ in channel.close(mode: mode, promise: nil) }
    } else {
      channel.close(mode: mode, promise: nil)
    }
  }

  private func deliver(_ arrival: WebSocketEvent) {
    if case .closed(let close) = arrival {
      if end == nil { end = close }
    } else if isAbandoned {
      return
    } else if waiting.isEmpty {
      arrivals.append(arrival)
    } else {
      waiting.removeFirst().succeed(arrival)
    }
    guard let end else { return }
    for promise in waiting { promise.succeed(.closed(end)) }
    waiting.removeAll()
  }

  private func readIfWanted() {
    guard let context else { return }
    // After the end all incoming data is dropped, so that the peer can disconnect.
    let isDraining = isAbandoned || session.isOver
    if isDraining || (arrivals.isEmpty && context.channel.isWritable) { context.read() }
  }

  private func write(
    _ opcode: UInt8,
    _ payload: ByteBuffer,
    _ promise: EventLoopPromise<Void>?,
    _ context: ChannelHandlerContext
  ) {
    let frame = WebSocketFrame(
      fin: true,
      opcode: WebSocketOpcode(encodedWebSocketOpcode: opcode) ?? .binary,
      maskKey: side == .client ? .random() : nil,
      data: payload
    )
    let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
    lastWrite = sent.futureResult
    context.writeAndFlush(Self.wrapOutboundOut(frame), promise: sent)
  }
}
