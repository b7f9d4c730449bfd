import NIOCore
import NIOHTTP1

/// Takes Content-Encoding off answers that have no content.
///
/// A 304 may say how its representation is encoded (RFC 9110 section 15.4.5), and so may an answer
/// to HEAD; the decompressor behind this handler would miss the content and call the answer cut off.
final class BodilessAnswerHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = HTTPClientRequestPart

  private let fieldBytes: FieldBytesHandler?
  private var isHead = false

  /// Creates a handler.
  ///
  /// - Parameter fieldBytes: Is told what is head and what is content.
  init(fieldBytes: FieldBytesHandler? = nil) { self.fieldBytes = fieldBytes }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch Self.unwrapOutboundIn(data) {
    case .head(let head):
      isHead = head.method == .HEAD
      fieldBytes?.isContent = false
    case .body, .end: fieldBytes?.isContent = true
    }
    context.write(data, promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = Self.unwrapInboundIn(data), isBodiless(head) else {
      context.fireChannelRead(data)
      return
    }
    head.headers.remove(name: "Content-Encoding")
    context.fireChannelRead(Self.wrapInboundOut(.head(head)))
  }

  private func isBodiless(_ head: HTTPResponseHead) -> Bool {
    isHead || [204, 304].contains(head.status.code) || head.headers["Content-Length"] == ["0"]
  }
}
