import HTTPTypes
import NIOCore
import NIOHTTP1

/// A response to an opening handshake other than 101.
struct WebSocketRefusal: Sendable {
  /// The status and the fields.
  var head: HTTPResponse
  /// The beginning of the content, as far as it arrived.
  var body: [UInt8]
}

/// Reads a ``WebSocketRefusal`` of at most ``bodyBytes``, until it ends or the connection does.
final class WebSocketRefusalReader: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  /// The maximum number of content bytes that are kept.
  static let bodyBytes = 64 << 10

  private let promise: EventLoopPromise<WebSocketRefusal>
  private var refusal: WebSocketRefusal?

  init(_ promise: EventLoopPromise<WebSocketRefusal>) { self.promise = promise }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data) {
    case .head(let head):
      refusal = WebSocketRefusal(head: HTTPResponse(head.status, head.headers), body: [])
      // Without a known end, the status alone must do.
      if head.headers["Content-Length"].isEmpty, head.headers["Transfer-Encoding"].isEmpty {
        finish(context)
      }
    case .body(let part):
      let rest = Self.bodyBytes - (refusal?.body.count ?? 0)
      refusal?.body.append(contentsOf: part.readableBytesView.prefix(rest))
      if part.readableBytes >= rest { finish(context) }
    case .end:
      finish(context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish(context)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { finish(context) }

  func handlerRemoved(context: ChannelHandlerContext) { finish(context) }

  private func finish(_ context: ChannelHandlerContext) {
    if let refusal {
      promise.succeed(refusal)
    } else {
      promise.fail(ChannelError.eof)
    }
    context.close(promise: nil)
  }
}
