import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// A connection that speaks TLS, and in it HTTP/2 or what ``WebSocketChannel`` speaks, as its client prefers (ALPN, RFC
/// 7301).
struct SecureChannel: ServerChildChannel {
  enum Negotiated: Sendable {
    case http1(WebSocketChannel.Value)
    case http2(MultiplexedChannel.Value)
  }

  struct Value: ServerChildChannelValue {
    let negotiated: EventLoopFuture<Negotiated>
    let channel: any Channel
  }

  let certificate: ServerCertificate
  let http1: WebSocketChannel
  let http2: MultiplexedChannel
  let limits: ServerLimits
  let metrics: ConnectionMetrics
  /// The shares of connections; `nil` for none.
  var shares: ConnectionShares?

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let handshake = HandshakeGuard(limits: limits, metrics: metrics)
      let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Negotiated> {
        [http1, http2] result, channel in
        handshake.finish()
        // A client without ALPN, or without a protocol in common, speaks HTTP/1.1.
        return result == .negotiated("h2")
          ? http2.setup(channel: channel, logger: logger).map { .http2($0) }
          : http1.setup(channel: channel, logger: logger).map { .http1($0) }
      }
      let pipeline = channel.pipeline.syncOperations
      // After its share is counted: it may take the place of an idle one. It is idle itself until its first request.
      if metrics.hasDescriptor(for: channel), shares?.enter(channel) ?? true {
        try pipeline.addHandler(IdleConnectionHandler(metrics.idle))
      }
      try pipeline.addHandler(handshake)
      try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context))
      try pipeline.addHandler(negotiation)
      return Value(negotiated: negotiation.protocolNegotiationResult, channel: channel)
    }
  }

  func handle(value: Value, logger: Logger) async {
    do {
      switch try await value.negotiated.get() {
      case .http1(let value): await http1.handle(value: value, logger: logger)
      case .http2(let value): await http2.handle(value: value, logger: logger)
      }
    } catch {
      logger.trace("a connection ended before its handshake", metadata: ["error": "\(error)"])
      value.channel.close(promise: nil)
    }
  }
}
