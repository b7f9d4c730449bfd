import NIOCore
import NIOHTTP1

/// Looks at the heads of requests while it is still known what version of HTTP they are.
///
/// A request of HTTP/1.1 without a `Host` gets one that is no valid one, so that it is refused with all other invalid
/// ones. A request of HTTP/1.0 cannot wait for a 100 (RFC 9110, section 10.1.1).
final class HeadReview: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    if head.version == .http1_0 {
      guard head.headers.contains(name: "Expect") else { return context.fireChannelRead(data) }
      head.headers.remove(name: "Expect")
    } else {
      guard !head.headers.contains(name: "Host") else { return context.fireChannelRead(data) }
      head.headers.add(name: "Host", value: HostField.missing)
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
