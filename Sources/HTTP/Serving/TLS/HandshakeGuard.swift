import HTTPTypes
import NIOCore

/// Ends connections that do not complete their TLS handshake in time, or while the server shuts down.
///
/// A client that sends HTTP to a port of TLS gets an error, in HTTP. The handler is in front of TLS.
final class HandshakeGuard: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum Phase {
    /// Nothing has come.
    case silent
    /// The handshake is in progress.
    case handshake
    /// The handshake is done.
    case done
    /// The client speaks another protocol.
    case foreign
  }

  private let limits: ServerLimits
  private let metrics: ConnectionMetrics
  private var phase = Phase.silent
  private var timeout: Scheduled<Void>?

  init(limits: ServerLimits, metrics: ConnectionMetrics) {
    self.limits = limits
    self.metrics = metrics
  }

  /// The handshake is done.
  func finish() {
    phase = .done
    timeout?.cancel()
    timeout = nil
  }

  func handlerAdded(context: ChannelHandlerContext) {
    end(context, .slowHandshake, in: limits.handshakeSeconds)
  }

  func handlerRemoved(context: ChannelHandlerContext) { timeout?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timeout?.cancel()
    context.fireChannelInactive()
  }

  private func end(
    _ context: ChannelHandlerContext,
    _ reason: ConnectionMetrics.Reason,
    in seconds: Int
  ) {
    timeout?.cancel()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    timeout = context.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { [metrics] in
      metrics.ended(reason)
      bound.value.close(promise: nil)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch phase {
    case .done, .handshake: context.fireChannelRead(data)
    case .foreign: break
    case .silent:
      let bytes = unwrapInboundIn(data)
      guard let first = bytes.readableBytesView.first else { return }
      // Every record of TLS begins with a number below 32 (RFC 8446, section 5.1); a method of HTTP with a letter.
      guard 0x41...0x5A ~= first else {
        phase = .handshake
        return context.fireChannelRead(data)
      }
      phase = .foreign
      let content = Self.problem.content
      let head = """
        HTTP/1.1 400 Bad Request\r
        Connection: close\r
        Content-Type: application/problem+json\r
        Cache-Control: no-store\r
        Content-Length: \(content.readableBytes)\r
        \r

        """
      var answer = ByteBuffer(string: head)
      answer.writeImmutableBuffer(content)
      context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
      context.close(mode: .output, promise: nil)
      end(context, .kept, in: limits.closeSeconds)
    }
  }

  private static let problem = Problem(
    .badRequest,
    "https_required",
    detail: "this port speaks HTTPS; ask for https:// instead of http://"
  )

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent, phase != .done {
      return context.close(promise: nil)
    }
    // Nothing behind it ends a connection that speaks another protocol.
    if case ChannelEvent.inputClosed? = event as? ChannelEvent, phase == .foreign {
      return context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }
}
