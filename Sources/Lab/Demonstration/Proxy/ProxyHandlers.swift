import NIOCore
import NIOHTTP1

/// Reads the requests of a browser.
final class ProxyBrowserHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  private let connection: ProxyConnection

  init(_ connection: ProxyConnection) { self.connection = connection }

  func channelActive(context: ChannelHandlerContext) {
    connection.opened()
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.received(Self.unwrapInboundIn(data))
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { connection.updateReads() }

  func channelInactive(context: ChannelHandlerContext) { connection.close() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { connection.close() }
}

/// Reads the responses of the server.
final class ProxyServerHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPClientResponsePart
  private let connection: ProxyConnection

  init(_ connection: ProxyConnection) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.received(Self.unwrapInboundIn(data))
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { connection.updateReads() }

  func channelInactive(context: ChannelHandlerContext) { connection.close() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { connection.close() }
}

/// Passes bytes on to the other side.
final class ProxyBytesHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let connection: ProxyConnection
  private let other: any Channel

  init(_ connection: ProxyConnection, to other: any Channel) {
    self.connection = connection
    self.other = other
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    other.writeAndFlush(Self.unwrapInboundIn(data), promise: nil)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { connection.updateReads() }

  func channelInactive(context: ChannelHandlerContext) { connection.close() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { connection.close() }

  /// Replaces the handlers of HTTP in a channel; bytes that the decoder holds go to the new one.
  static func replaceCodecs(
    of channel: any Channel,
    _ handler: (some RemovableChannelHandler).Type,
    _ encoder: (some RemovableChannelHandler).Type,
    _ decoder: (some RemovableChannelHandler).Type,
    with bytes: ProxyBytesHandler
  ) throws {
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(bytes)
    pipeline.removeHandler(context: try pipeline.context(handlerType: handler), promise: nil)
    pipeline.removeHandler(context: try pipeline.context(handlerType: encoder), promise: nil)
    pipeline.removeHandler(context: try pipeline.context(handlerType: decoder), promise: nil)
  }
}
