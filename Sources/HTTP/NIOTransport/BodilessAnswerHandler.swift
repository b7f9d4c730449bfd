import NIOCore
import NIOHTTP1

/// Removes Content-Encoding from responses without content.
///
/// A 304 may state the encoding of its representation (RFC 9110 section 15.4.5), and so may a
/// response to HEAD. The decompressor after this handler would expect content and report the
/// response as truncated.
final class BodilessAnswerHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = HTTPClientRequestPart

  private let fieldBytes: FieldBytesHandler?
  private var isHead = false

  /// Creates a handler.
  ///
  /// - Parameter fieldBytes: Is notified which bytes are head and which are content.
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
