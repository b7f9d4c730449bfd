package import ConditionalHTTP
import NIOCore
package import NIOPosix
import NIOSSL

/// A listener on loopback that passes connections on to a server and delays the bytes in both directions, as a network
/// of that latency does.
///
/// A connection costs a round trip before its first byte moves. Bytes keep their order; the end of a direction is passed on
/// behind its last byte. Over `https` the relay speaks TLS to the server and none to its clients, which are on the same
/// machine.
package final class LatencyRelay: Sendable {
  /// How many bytes of one direction of one connection wait in the relay before it stops reading.
  package static let waitingBytes = 4 << 20

  /// Host and port of the server, as its address has them.
  package let authority: String
  /// The port that the relay listens on.
  package let port: Int
  private let listener: any Channel

  private init(authority: String, port: Int, listener: any Channel) {
    self.authority = authority
    self.port = port
    self.listener = listener
  }

  /// Opens a relay.
  ///
  /// - Parameters:
  ///   - server: The server to pass connections on to.
  ///   - latency: The time that bytes take each way.
  ///   - roots: Which certificate authorities to believe.
  ///   - group: The threads that do the work.
  /// - Returns: The relay, which listens until ``shutdown()``.
  /// - Throws: `HTTPExchangeError` for an address that cannot be, and errors of the socket and of certificates.
  package static func open(
    to server: HTTPAddress,
    latency: Duration,
    roots: TrustedRoots = .system,
    group: MultiThreadedEventLoopGroup = .singleton
  ) async throws -> LatencyRelay {
    let isSecure = server.scheme == "https"
    guard let address = ServerAddress(server.authority, defaultPort: isSecure ? 443 : 80) else {
      throw HTTPExchangeError(.unreachable, "\(server.authority) is not an address")
    }
    let tls = isSecure ? try NIOSSLContext(configuration: try roots.configuration()) : nil
    let delay = TimeAmount(latency)
    let listener = try await ServerBootstrap(group: group)
      .childChannelOption(.autoRead, value: false)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { client in
        connect(client, to: address, tls: tls, delay: delay)
      }
      .bind(host: "127.0.0.1", port: 0)
      .get()
    return LatencyRelay(
      authority: server.authority,
      port: listener.localAddress?.port ?? 0,
      listener: listener
    )
  }

  /// Stops listening; open connections continue until one end closes them.
  package func shutdown() async { try? await listener.close() }

  /// Opens the other half of a connection, after the round trip that opening one takes.
  private static func connect(
    _ client: any Channel,
    to address: ServerAddress,
    tls: NIOSSLContext?,
    delay: TimeAmount
  ) -> EventLoopFuture<Void> {
    let loop = client.eventLoop
    let connected = loop.scheduleTask(in: delay + delay) {
      ClientBootstrap(group: loop)
        .channelOption(.autoRead, value: false)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelInitializer { server in
          server.eventLoop.makeCompletedFuture {
            guard let tls else { return }
            let name = address.isIPAddress ? nil : address.host
            try server.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: tls, serverHostname: name)
            )
          }
        }
        .connect(host: address.host, port: address.port)
    }
    return connected.futureResult.flatMap { $0 }.flatMapThrowing { server in
      try server.pipeline.syncOperations.addHandler(LatencyHandler(to: client, delay: delay))
      try client.pipeline.syncOperations.addHandler(LatencyHandler(to: server, delay: delay))
    }
  }
}

/// Passes what a channel reads on to another one of the same event loop, later.
private final class LatencyHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private enum Item {
    case bytes(ByteBuffer)
    /// The peer sends no more.
    case end
    /// The connection is gone.
    case loss
  }

  private let other: any Channel
  private let delay: TimeAmount
  private var items = CircularBuffer<Item>()
  private var waiting = 0
  private var isOver = false
  private var lastWrite: EventLoopFuture<Void>?
  private var context: ChannelHandlerContext?

  init(to other: any Channel, delay: TimeAmount) {
    self.other = other
    self.delay = delay
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { context.read() }
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) { context.read() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = Self.unwrapInboundIn(data)
    waiting += bytes.readableBytes
    pass(.bytes(bytes), context.eventLoop)
  }

  func channelReadComplete(context: ChannelHandlerContext) { readIfRoom() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent {
      pass(.end, context.eventLoop)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    pass(.loss, context.eventLoop)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Gives an item to the other channel when the latency is over; items keep their order.
  private func pass(_ item: Item, _ loop: any EventLoop) {
    guard !isOver else { return }
    if case .loss = item { isOver = true }
    items.append(item)
    let handler = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: delay) { handler.value.deliver() }
  }

  private func deliver() {
    switch items.removeFirst() {
    case .bytes(let bytes):
      waiting -= bytes.readableBytes
      let written = other.eventLoop.makePromise(of: Void.self)
      lastWrite = written.futureResult
      other.writeAndFlush(bytes, promise: written)
      readIfRoom()
    case .end: closeBehindWrites(.output)
    case .loss: closeBehindWrites(.all)
    }
  }

  /// Closing a channel drops what it has not written yet.
  private func closeBehindWrites(_ mode: CloseMode) {
    guard let lastWrite else { return other.close(mode: mode, promise: nil) }
    lastWrite.whenComplete { [other] _ in other.close(mode: mode, promise: nil) }
  }

  private func readIfRoom() {
    if waiting < LatencyRelay.waitingBytes { context?.read() }
  }
}
