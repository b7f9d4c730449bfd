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
    let part = Self.unwrapInboundIn(data)
    connection.pass { self.connection.received(part) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { connection.updateReads() }

  func channelInactive(context: ChannelHandlerContext) {
    connection.pass { self.connection.close() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    connection.pass { self.connection.close() }
  }
}

/// Reads the responses of the server.
final class ProxyServerHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPClientResponsePart
  private let connection: ProxyConnection

  init(_ connection: ProxyConnection) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = Self.unwrapInboundIn(data)
    connection.pass { self.connection.received(part) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { connection.updateReads() }

  func channelInactive(context: ChannelHandlerContext) {
    connection.pass { self.connection.close() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    connection.pass { self.connection.close() }
  }
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
    let bytes = Self.unwrapInboundIn(data)
    connection.pass { self.other.writeAndFlush(bytes, promise: nil) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { connection.updateReads() }

  func channelInactive(context: ChannelHandlerContext) {
    connection.pass { self.connection.close() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    connection.pass { self.connection.close() }
  }

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
