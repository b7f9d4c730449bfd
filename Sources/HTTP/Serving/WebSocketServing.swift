package import ConditionalHTTP
package import HTTPTypes
import HummingbirdCore
import Logging
package import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket
package import WebSocketNIO

/// A WebSocket of a server.
package protocol ServerWebSocket: WebSocket {
  /// Sends a text whose bytes are available, and may be shared with other sockets.
  ///
  /// - Parameter text: The text in UTF-8.
  /// - Throws: ``ConditionalHTTP/WebSocketError`` if the socket is closed.
  func send(text: ByteBuffer) async throws(WebSocketError)
}

extension NIOWebSocket: ServerWebSocket {}

/// How to serve an accepted request to open a WebSocket.
package struct WebSocketAcceptance: Sendable {
  /// The route, for metrics.
  package var route: String
  /// The subprotocol that is chosen, one of those that were offered.
  package var subprotocol: String?
  /// Uses the socket; when it returns, the socket closes with 1000.
  package var serve: @Sendable (any ServerWebSocket) async -> Void

  /// Creates an acceptance.
  package init(
    route: String,
    subprotocol: String?,
    serve: @escaping @Sendable (any ServerWebSocket) async -> Void
  ) {
    self.route = route
    self.subprotocol = subprotocol
    self.serve = serve
  }
}

/// Decides which requests may open a WebSocket.
package protocol WebSocketAuthorizer: Sendable {
  /// The longest message of a client, in bytes.
  var messageLimit: Int { get }

  /// Lets a request in.
  ///
  /// A rejected request is handled like any other request for its path, without the upgrade, so that the endpoint there
  /// says why.
  ///
  /// - Parameter request: A GET over HTTP/1.1 with a correct opening handshake (RFC 6455 section 4.2.1).
  /// - Returns: How to accept the connection; `nil` to reject it.
  func open(_ request: HTTPRequest) async -> WebSocketAcceptance?
}

/// A connection that speaks HTTP/1.1, or WebSocket if its first request asks for that and is accepted.
struct WebSocketChannel: HTTPChannelHandler {
  enum Upgrade: Sendable {
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    case socket(NIOWebSocket, any Channel, WebSocketAcceptance)
  }

  struct Value: ServerChildChannelValue {
    let upgrade: EventLoopFuture<Upgrade>
    let channel: any Channel
  }

  let responder: HTTPChannelHandler.Responder
  let authorizer: any WebSocketAuthorizer
  let limits: ServerLimits
  let metrics: ConnectionMetrics
  let clock: ServiceClock
  let present: [String]
  /// Whether the connection speaks TLS, in which case ``SecureChannel`` counts it.
  var isSecure = false
  /// Admits clients; `nil` to admit all.
  var admission: SocketAdmission?
  /// The shares of connections; `nil` for none.
  var shares: ConnectionShares?
  /// Counts the requests of routes; `nil` for none.
  var routes: RouteMetrics?

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let decoder = RequestDecoder(limits)
      let filter = UpgradeFilter(
        authorizer: authorizer,
        limits: limits,
        metrics: metrics,
        decoder: decoder,
        admission: admission,
        isSecure: isSecure,
        routes: routes
      )
      let loopFilter = NIOLoopBound(filter, eventLoop: channel.eventLoop)
      let (limit, closeSeconds) = (authorizer.messageLimit, Int64(limits.closeSeconds))
      let upgrader = NIOTypedWebSocketServerUpgrader<Upgrade>(
        maxFrameSize: max(limit, 125),
        enableAutomaticErrorHandling: false,
        shouldUpgrade: { channel, _ in
          var fields = HTTPHeaders()
          if let name = loopFilter.value.acceptance?.subprotocol {
            fields.add(name: "Sec-WebSocket-Protocol", value: name)
          }
          return channel.eventLoop.makeSucceededFuture(fields)
        },
        upgradePipelineHandler: { channel, _ in
          channel.eventLoop.makeCompletedFuture {
            guard let acceptance = loopFilter.value.acceptance else { throw ChannelError.eof }
            let handler = WebSocketHandler(
              side: .server,
              messageLimit: limit,
              closeTimeout: .seconds(closeSeconds)
            )
            try channel.syncOptions?.setOption(.autoRead, value: false)
            try handler.join(channel.pipeline.syncOperations)
            let socket = NIOWebSocket(
              head: HTTPResponse(status: .switchingProtocols),
              messageLimit: .max,
              channel: channel,
              handler: NIOLoopBound(handler, eventLoop: channel.eventLoop)
            )
            return .socket(socket, channel, acceptance)
          }
        }
      )
      let configuration = NIOTypedHTTPServerUpgradeConfiguration(
        upgraders: [upgrader],
        notUpgradingCompletionHandler: { [limits, metrics, clock, present, isSecure] channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(HeadAnswerHandler())
            try pipeline.addHandler(HeadReview())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: isSecure))
            if !clock.isMachine {
              try pipeline.addHandler(AnswerDate(clock: clock, present: present))
            }
            try pipeline.addHandler(ConnectionTimeouts(limits: limits, metrics: metrics))
            try pipeline.addHandler(
              HTTPConnectionStateHandler(
                idleTimeout: .seconds(limits.idleSeconds),
                logger: logger
              )
            )
            return .http(
              try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
              )
            )
          }
        }
      )
      let encoder = HTTPResponseEncoder()
      let decoding = ByteToMessageHandler(decoder)
      let upgrade = NIOTypedHTTPServerUpgradeHandler(
        httpEncoder: encoder,
        extraHTTPHandlers: [decoding],
        upgradeConfiguration: configuration
      )
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandlers(encoder, decoding, filter, upgrade)
      // At the beginning: it stays through every upgrade.
      if !isSecure {
        // After its share is counted: it may take the place of an idle one.
        if metrics.hasDescriptor(for: channel), shares?.enter(channel) ?? true {
          try pipeline.addHandler(IdleConnectionHandler(metrics.idle), position: .first)
        }
      }
      return Value(upgrade: upgrade.upgradeResultFuture, channel: channel)
    }
  }

  func handle(value: Value, logger: Logger) async {
    let upgrade: Upgrade
    do {
      upgrade = try await value.upgrade.get()
    } catch {
      logger.trace("a connection ended before its first request", metadata: ["error": "\(error)"])
      value.channel.close(promise: nil)
      return
    }
    switch upgrade {
    case .http(let channel):
      await handleHTTP(asyncChannel: channel, logger: logger)
    case .socket(let socket, _, let acceptance):
      await withTaskCancellationHandler {
        await acceptance.serve(socket)
        await socket.finish()
      } onCancel: {
        socket.cancel()
      }
    }
  }
}
