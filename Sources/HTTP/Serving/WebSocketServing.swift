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
  /// Sends a text whose bytes are at hand, and perhaps wait at other sockets too.
  ///
  /// - Parameter text: The text in UTF-8.
  /// - Throws: ``ConditionalHTTP/WebSocketError`` if the socket is closed.
  func send(text: ByteBuffer) async throws(WebSocketError)
}

extension NIOWebSocket: ServerWebSocket {}

/// What becomes of a request to open a WebSocket that is let in.
package struct WebSocketAcceptance: Sendable {
  /// The subprotocol that is chosen, one of those that were offered.
  package var subprotocol: String?
  /// Uses the socket; when it returns, the socket closes with 1000.
  package var serve: @Sendable (any ServerWebSocket) async -> Void

  /// Creates an acceptance.
  package init(subprotocol: String?, serve: @escaping @Sendable (any ServerWebSocket) async -> Void)
  {
    self.subprotocol = subprotocol
    self.serve = serve
  }
}

/// Decides who may open a WebSocket.
package protocol WebSocketAuthorizer: Sendable {
  /// The longest message of a client, in bytes.
  var messageLimit: Int { get }

  /// Lets a request in.
  ///
  /// A request that is not let in is answered as any other request for its path, without the upgrade: so
  /// the endpoint there says why.
  ///
  /// - Parameter request: A GET over HTTP/1.1 with a correct opening handshake (RFC 6455 section 4.2.1).
  /// - Returns: What becomes of it; nothing if it is not let in.
  func open(_ request: HTTPRequest) async -> WebSocketAcceptance?
}

/// A connection that speaks HTTP/1.1, or WebSocket if its first request asks for that and is let in.
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
  let door: any WebSocketAuthorizer
  let limits: ServerLimits
  let tally: ConnectionMetrics
  let clock: ServiceClock
  let present: [String]

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let filter = UpgradeFilter(door: door, limits: limits, tally: tally)
      let loopFilter = NIOLoopBound(filter, eventLoop: channel.eventLoop)
      let (limit, closeSeconds) = (door.messageLimit, Int64(limits.closeSeconds))
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
      var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Upgrade>(
        upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
          upgraders: [upgrader],
          notUpgradingCompletionHandler: { [limits, tally, clock, present] channel in
            channel.eventLoop.makeCompletedFuture {
              let pipeline = channel.pipeline.syncOperations
              try pipeline.addHandler(HeadAnswerHandler())
              try pipeline.addHandler(HeadReview())
              try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
              if !clock.isMachine {
                try pipeline.addHandler(AnswerDate(clock: clock, present: present))
              }
              try pipeline.addHandler(ConnectionTimeouts(limits: limits, tally: tally))
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
      )
      configuration.enablePipelining = false
      configuration.enableErrorHandling = false
      configuration.enableResponseHeaderValidation = false
      configuration.decoderConfiguration.maxHeaderFieldSize = limits.fieldBytes
      configuration.decoderConfiguration.maxHeaderListSize = limits.fieldsBytes
      configuration.decoderConfiguration.maxHeaderFieldCount = limits.fields
      let pipeline = channel.pipeline.syncOperations
      let future = try pipeline.configureUpgradableHTTPServerPipeline(configuration: configuration)
      let handler = try pipeline.handler(type: NIOTypedHTTPServerUpgradeHandler<Upgrade>.self)
      try pipeline.addHandler(filter, position: .before(handler))
      // At the beginning: it stays through every upgrade.
      try pipeline.addHandler(IdleConnectionHandler(tally.idle), position: .first)
      return Value(upgrade: future, channel: channel)
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

/// Stands before the upgrade and lets only those wishes through that will be granted.
///
/// The upgrade handler of NIO forgets the head of a request whose wish it declines, and then nobody
/// answers. So a wish that is not granted, for another protocol or by the door, is taken out of the head,
/// and the request goes on as any other. Only the first request of a connection may upgrade.
///
/// Until the first request is past, nobody behind it keeps the time: so it closes a connection that sends no
/// request for too long, or while the server ends.
final class UpgradeFilter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// The most parts of a request that wait for the door.
  private static let mostWaiting = 64

  private enum Phase {
    case first
    case asking
    case past
  }

  private let door: any WebSocketAuthorizer
  private let idle: TimeAmount
  private let farewell: TimeAmount
  private let tally: ConnectionMetrics
  private var phase = Phase.first
  private var waiting: [HTTPServerRequestPart] = []
  private(set) var acceptance: WebSocketAcceptance?
  private var timeout: Scheduled<Void>?

  init(door: any WebSocketAuthorizer, limits: ServerLimits, tally: ConnectionMetrics) {
    self.door = door
    idle = .seconds(Int64(limits.idleSeconds))
    farewell = .seconds(Int64(limits.closeSeconds))
    self.tally = tally
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    timeout = context.eventLoop.scheduleTask(in: idle) { [tally] in
      tally.ended(.noRequest)
      bound.value.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timeout?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timeout?.cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent, phase != .past {
      return context.close(promise: nil)
    }
    if case ChannelEvent.inputClosed? = event as? ChannelEvent, phase == .asking {
      // Nobody is there to be let in.
      return context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  /// Answers what is no request; behind the first one others do that.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard phase == .first, error is HTTPParserError else {
      return context.fireErrorCaught(error)
    }
    pass(context)
    let head = HTTPResponseHead(
      version: .http1_1,
      status: .badRequest,
      headers: MalformedRequest.headers
    )
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(MalformedRequest.content))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(mode: .output, promise: nil)
    // What still comes is dropped for a while: a connection closed before loses the answer.
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    timeout = context.eventLoop.scheduleTask(in: farewell) { bound.value.close(promise: nil) }
  }

  private func pass(_ context: ChannelHandlerContext) {
    phase = .past
    // From here on the connection is busy until ``ConnectionTimeouts`` says otherwise, and as a WebSocket for good.
    tally.idle.remove(context.channel)
    timeout?.cancel()
    timeout = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch phase {
    // After an upgrade these are no parts of requests any more.
    case .past: context.fireChannelRead(data)
    case .asking:
      waiting.append(unwrapInboundIn(data))
      // A client that sends on without an answer breaks the handshake.
      if waiting.count > Self.mostWaiting { context.close(promise: nil) }
    case .first:
      guard case .head(var head) = unwrapInboundIn(data) else {
        return context.fireChannelRead(data)
      }
      guard head.headers.contains(name: "Upgrade") else {
        pass(context)
        return context.fireChannelRead(data)
      }
      guard Self.isHandshake(head), let request = Self.request(head) else {
        pass(context)
        Self.withdraw(&head)
        return context.fireChannelRead(wrapInboundOut(.head(head)))
      }
      phase = .asking
      waiting = [.head(head)]
      ask(request, context)
    }
  }

  private func ask(_ request: HTTPRequest, _ context: ChannelHandlerContext) {
    let door = door
    let promise = context.eventLoop.makePromise(of: WebSocketAcceptance?.self)
    promise.completeWithTask { await door.open(request) }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    promise.futureResult.whenComplete { result in
      let (filter, context) = bound.value
      filter.answered(try? result.get(), context)
    }
  }

  private func answered(_ acceptance: WebSocketAcceptance?, _ context: ChannelHandlerContext) {
    guard phase == .asking else { return }
    pass(context)
    self.acceptance = acceptance
    for part in waiting {
      if case .head(var head) = part, acceptance == nil {
        Self.withdraw(&head)
        context.fireChannelRead(wrapInboundOut(.head(head)))
      } else {
        context.fireChannelRead(wrapInboundOut(part))
      }
    }
    waiting = []
    context.fireChannelReadComplete()
  }

  /// Whether a head is a client's opening handshake (RFC 6455 section 4.2.1).
  private static func isHandshake(_ head: HTTPRequestHead) -> Bool {
    let upgrade = head.headers[canonicalForm: "Upgrade"].map { $0.lowercased() }
    let connection = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
    let key = head.headers["Sec-WebSocket-Key"]
    return head.method == .GET && head.version == .http1_1 && upgrade.contains("websocket")
      && head.uri.hasPrefix("/")
      && head.headers["Host"].count == 1
      && connection.contains("upgrade") && head.headers["Sec-WebSocket-Version"] == ["13"]
      && key.count == 1 && WebSocketKey.isSound(key[0]) && !hasBody(head)
  }

  /// Whether a body follows: the upgrade would wait for its end.
  private static func hasBody(_ head: HTTPRequestHead) -> Bool {
    head.headers.contains(name: "Transfer-Encoding")
      || head.headers["Content-Length"].contains { $0 != "0" }
  }

  private static func request(_ head: HTTPRequestHead) -> HTTPRequest? {
    try? HTTPRequest(head, secure: false, splitCookie: false)
  }

  /// Takes the wish to upgrade out of a head.
  private static func withdraw(_ head: inout HTTPRequestHead) {
    head.headers.remove(name: "Upgrade")
    let connection = head.headers[canonicalForm: "Connection"].filter {
      $0.lowercased() != "upgrade"
    }
    head.headers.remove(name: "Connection")
    if !connection.isEmpty {
      head.headers.add(name: "Connection", value: connection.joined(separator: ", "))
    }
  }
}
