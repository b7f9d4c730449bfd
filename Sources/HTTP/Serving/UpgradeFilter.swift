import ConditionalHTTP
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOSSL

/// Sits between decoder and upgrade, and passes on only an `Upgrade` that will be granted.
///
/// NIO's upgrade handler forgets the head of a request that it declines to upgrade, and then the request is never answered.
/// So `Upgrade` is removed from the head of a request that is not upgraded, the request is answered as any other, and the
/// connection continues with HTTP (RFC 9110, section 7.8). Only the first request of a connection may upgrade.
///
/// Until the first request is complete, no handler behind it enforces a timeout: so it closes a connection that sends
/// no request for too long, or while the server shuts down.
final class UpgradeFilter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// The most parts of a request that wait for the authorizer.
  private static let mostWaiting = 64

  private enum Phase {
    /// No request has come.
    case first
    /// The authorizer decides on the first request.
    case requesting
    /// The connection speaks HTTP for good.
    case http
    /// The connection speaks WebSocket, or is about to.
    case upgraded
  }

  /// The effect of a request on NIO's decoder.
  private enum Effect {
    /// Nothing: the decoder continues after it.
    case none
    /// It stops the decoder: it names `Upgrade` in `Connection`.
    case stops
    /// It may stop the decoder, or its end is not certain: the connection ends with its answer.
    case unsure
  }

  private let authorizer: any WebSocketAuthorizer
  private let admission: SocketAdmission?
  private let isSecure: Bool
  private let routes: RouteMetrics?
  private let idle: TimeAmount
  private let lingering: TimeAmount
  private let metrics: ConnectionMetrics
  private let decoder: RequestDecoder
  private var phase = Phase.first
  /// The effect of the request in progress.
  private var effect = Effect.none
  private var waiting: [HTTPServerRequestPart] = []
  private(set) var acceptance: WebSocketAcceptance?
  private var timeout: Scheduled<Void>?

  init(
    authorizer: any WebSocketAuthorizer,
    limits: ServerLimits,
    metrics: ConnectionMetrics,
    decoder: RequestDecoder,
    admission: SocketAdmission? = nil,
    isSecure: Bool = false,
    routes: RouteMetrics? = nil
  ) {
    self.authorizer = authorizer
    self.admission = admission
    self.routes = routes
    self.isSecure = isSecure
    self.decoder = decoder
    idle = .seconds(Int64(limits.idleSeconds))
    lingering = .seconds(Int64(limits.closeSeconds))
    self.metrics = metrics
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    timeout = context.eventLoop.scheduleTask(in: idle) { [metrics] in
      metrics.ended(.noRequest)
      bound.value.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timeout?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timeout?.cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent, phase == .first || phase == .requesting {
      return context.close(promise: nil)
    }
    if case ChannelEvent.inputClosed? = event as? ChannelEvent, phase == .requesting {
      // A client that sends nothing more does not want a WebSocket; it may want its answer.
      answered(nil, context)
    }
    context.fireUserInboundEventTriggered(event)
  }

  /// Responds to an invalid first request; errors after it are handled by the handlers behind.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard phase == .first, error is HTTPParserError else {
      return context.fireErrorCaught(error)
    }
    pass(context, to: .http)
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
    timeout = context.eventLoop.scheduleTask(in: lingering) { bound.value.close(promise: nil) }
  }

  private func pass(_ context: ChannelHandlerContext, to next: Phase) {
    phase = next
    // From here on the connection is busy until ``ConnectionTimeouts`` says otherwise, and as a WebSocket for good.
    metrics.idle.remove(context.channel)
    timeout?.cancel()
    timeout = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch phase {
    // After an upgrade these are no longer parts of requests.
    case .upgraded: context.fireChannelRead(data)
    case .http: forward(unwrapInboundIn(data), context)
    case .requesting:
      waiting.append(unwrapInboundIn(data))
      // A client that sends on without an answer breaks the handshake.
      if waiting.count > Self.mostWaiting { context.close(promise: nil) }
    case .first:
      let part = unwrapInboundIn(data)
      guard case .head(let head) = part else { return context.fireChannelRead(data) }
      guard Self.isHandshake(head), let request = Self.request(head) else {
        pass(context, to: .http)
        return forward(part, context)
      }
      phase = .requesting
      waiting = [part]
      ask(request, context)
    }
  }

  /// Forwards a part of a request that is not upgraded.
  private func forward(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    var part = part
    switch part {
    case .head(var head):
      decoder.isRunning()
      effect = Self.effect(of: head)
      if head.headers.contains(name: "Upgrade") { Self.withdraw(&head) }
      if effect == .unsure { head.headers.replaceOrAdd(name: "Connection", value: "close") }
      part = .head(head)
    case .body: break
    case .end: if effect == .stops { decoder.resume() }
    }
    context.fireChannelRead(wrapInboundOut(part))
  }

  /// The effect of a request on NIO's decoder, which stops for `Upgrade` only if `Connection` names it (RFC 9110,
  /// section 7.8), and for CONNECT, whose content it takes for another protocol.
  private static func effect(of head: HTTPRequestHead) -> Effect {
    if head.method == .CONNECT { return .unsure }
    guard head.headers.contains(name: "Upgrade") else { return .none }
    var stops = false
    for value in head.headers["Connection"] {
      for option in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      {
        let name = String(Substring(option)).lowercased().filter { $0 != " " }
        // The decoder and this rule may read anything unusual in two ways.
        guard !name.isEmpty,
          name.utf8.allSatisfy({ 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D })
        else { return .unsure }
        if name == "upgrade" { stops = true }
      }
    }
    return stops ? .stops : .none
  }

  private func ask(_ request: HTTPRequest, _ context: ChannelHandlerContext) {
    let (authorizer, admission, isSecure, routes) = (authorizer, admission, isSecure, routes)
    let peer = context.channel.remoteAddress
    let promise = context.eventLoop.makePromise(of: WebSocketAcceptance?.self)
    promise.completeWithTask {
      let scope = TraceScope.of(request)
      let began = ContinuousClock.now
      let acceptance = await TraceScope.$current.withValue(scope) {
        guard let admission else { return await authorizer.open(request) }
        return await admission.open(request, from: peer, isSecure: isSecure, authorizer)
      }
      // Any other is counted where its refusal is answered.
      guard var acceptance else { return nil }
      routes?.count(acceptance.route, "GET", 101, since: began)
      acceptance.serve = { [serve = acceptance.serve] socket in
        await TraceScope.$current.withValue(scope) { await serve(socket) }
      }
      return acceptance
    }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    promise.futureResult.whenComplete { result in
      let (filter, context) = bound.value
      filter.answered(try? result.get(), context, wasAsked: true)
    }
  }

  /// Continues with the first request.
  ///
  /// - Parameters:
  ///   - acceptance: How the connection is upgraded; `nil` if it is not.
  ///   - context: The context.
  ///   - wasAsked: Whether the authorizer has answered.
  private func answered(
    _ acceptance: WebSocketAcceptance?,
    _ context: ChannelHandlerContext,
    wasAsked: Bool = false
  ) {
    guard phase == .requesting else { return }
    pass(context, to: acceptance == nil ? .http : .upgraded)
    self.acceptance = acceptance
    let parts = waiting
    waiting = []
    for var part in parts {
      if acceptance == nil {
        if wasAsked, case .head(var head) = part {
          head.headers.add(name: RefusedHandshake.field, value: "1")
          part = .head(head)
        }
        forward(part, context)
      } else {
        context.fireChannelRead(wrapInboundOut(part))
      }
    }
    context.fireChannelReadComplete()
    guard acceptance == nil else { return }
    // The decoder continues with what it has when it reads again, even if that is nothing.
    let pipeline = context.pipeline.syncOperations
    if let secure = try? pipeline.context(handlerType: NIOSSLServerHandler.self) {
      secure.fireChannelRead(NIOAny(ByteBuffer()))
      secure.fireChannelReadComplete()
    } else {
      pipeline.fireChannelRead(NIOAny(ByteBuffer()))
      pipeline.fireChannelReadComplete()
    }
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

  /// Removes `Upgrade` from a head, and its name from `Connection`.
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
