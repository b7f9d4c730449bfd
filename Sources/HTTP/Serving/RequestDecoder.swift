import NIOCore
import NIOHTTP1

/// Decodes the requests of a connection.
///
/// NIO's decoder stops after a request that asks for another protocol, because the bytes that follow may be in that
/// protocol. A server may ignore such a request's `Upgrade` (RFC 9110, section 7.8), and then HTTP follows: a handler
/// that ignores it calls ``resume()``.
final class RequestDecoder: ByteToMessageDecoder {
  typealias InboundOut = HTTPServerRequestPart

  private let configuration: NIOHTTPDecoderLimitConfiguration
  /// The maximum number of bytes buffered until the response to an opening handshake.
  private let mostWaiting: Int
  private var decoder: HTTPRequestDecoder
  private var resumes = false

  init(_ limits: ServerLimits) {
    var configuration = NIOHTTPDecoderLimitConfiguration()
    configuration.maxHeaderFieldSize = limits.fieldBytes
    configuration.maxHeaderListSize = limits.fieldsBytes
    configuration.maxHeaderFieldCount = limits.fields
    self.configuration = configuration
    mostWaiting = limits.fieldsBytes
    decoder = Self.decoder(configuration)
  }

  private static func decoder(_ limits: NIOHTTPDecoderLimitConfiguration) -> HTTPRequestDecoder {
    HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
  }

  /// Continues with HTTP at the next byte, after a request that stopped the decoder.
  func resume() { resumes = true }

  /// Cancels ``resume()``: a part was decoded after it, so the decoder has not stopped.
  func isRunning() { resumes = false }

  func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

  func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

  func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    repeat {
      if resumes {
        resumes = false
        decoder.decoderRemoved(context: context)
        decoder = Self.decoder(configuration)
        decoder.decoderAdded(context: context)
      }
      _ = try decoder.decode(context: context, buffer: &buffer)
    } while resumes && buffer.readableBytes > 0
    // The decoder itself keeps no more than the head of a request.
    if buffer.readableBytes > 2 * mostWaiting { context.close(promise: nil) }
    return .needMoreData
  }

  func decodeLast(
    context: ChannelHandlerContext,
    buffer: inout ByteBuffer,
    seenEOF: Bool
  ) throws -> DecodingState {
    if buffer.readableBytes > 0 { _ = try decode(context: context, buffer: &buffer) }
    return try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
  }
}
