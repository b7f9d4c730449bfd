import NIOCore
import NIOHTTP1

/// Ends answers to HEAD behind their heads.
///
/// NIO's encoder does not know the request: a response of unknown length, such as a stream, is sent in chunks, and a
/// response to HEAD would contain the end of its chunks. The handler is directly behind the codec.
final class HeadAnswerHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Whether each request that waits for its answer is a HEAD, the first one first.
  private var requests: [Bool] = []

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) { requests.append(head.method == .HEAD) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard let isHead = requests.first else { return context.write(data, promise: promise) }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      // An informational answer is followed by another one.
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body where isHead:
      promise?.succeed()
    case .body:
      context.write(data, promise: promise)
    case .end:
      requests.removeFirst()
      guard isHead else { return context.write(data, promise: promise) }
      let empty = IOData.byteBuffer(context.channel.allocator.buffer(capacity: 0))
      context.write(wrapOutboundOut(.body(empty)), promise: promise)
    }
  }
}
