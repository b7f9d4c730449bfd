import ConditionalHTTP
import NIOCore

/// Preserves the bytes of field values that NIO handles as text.
///
/// A field value is bytes (RFC 9110 section 5.5); NIO decodes it as UTF-8 and drops invalid bytes.
/// This handler sits between the network and the HTTP codec: every byte of a head from 0x80 on
/// becomes the character with that number, in UTF-8, and back. To the codec a head is ISO 8859-1
/// then, which ``HTTPTypes/HTTPFields/init(_:)`` reverses.
///
/// Outgoing data is a head unless ``isContent`` is set: content keeps its bytes. A response is
/// expected after a head; several informational heads may precede the final one.
final class FieldBytesHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// Whether outgoing data is the content of a request.
  var isContent = false
  private var head: HeadScan?

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isContent, case .byteBuffer(let buffer) = Self.unwrapOutboundIn(data) else {
      context.write(data, promise: promise)
      return
    }
    if buffer.readableBytes > 0 { head = HeadScan() }
    let bytes = Self.bytes(ofText: buffer) ?? buffer
    context.write(Self.wrapOutboundOut(.byteBuffer(bytes)), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard var scan = head else {
      context.fireChannelRead(data)
      return
    }
    var buffer = Self.unwrapInboundIn(data)
    let view = buffer.readableBytesView
    let end = view.firstIndex { scan.consume($0) }.map { view.index(after: $0) } ?? view.endIndex
    head = scan.isComplete ? nil : scan
    guard scan.count <= HTTPTransferLimits.headBytes else {
      context.fireErrorCaught(HeadTooLarge())
      context.close(promise: nil)
      return
    }
    guard view[..<end].contains(where: { $0 >= 0x80 }) else {
      context.fireChannelRead(data)
      return
    }
    var text = context.channel.allocator.buffer(capacity: buffer.readableBytes + 64)
    for byte in view[..<end] {
      if byte < 0x80 {
        text.writeInteger(byte)
      } else {
        text.writeInteger(0xC0 | byte >> 6)
        text.writeInteger(0x80 | byte & 0x3F)
      }
    }
    buffer.moveReaderIndex(forwardBy: end - view.startIndex)
    text.writeBuffer(&buffer)
    context.fireChannelRead(Self.wrapInboundOut(text))
  }

  /// Returns the bytes of ISO 8859-1 text, or `nil` if it is ASCII.
  private static func bytes(ofText buffer: ByteBuffer) -> ByteBuffer? {
    let view = buffer.readableBytesView
    guard view.contains(where: { $0 >= 0x80 }) else { return nil }
    var bytes = ByteBuffer()
    bytes.reserveCapacity(buffer.readableBytes)
    for scalar in String(decoding: view, as: UTF8.self).unicodeScalars {
      bytes.writeInteger(UInt8(truncatingIfNeeded: scalar.value))
    }
    return bytes
  }
}

/// The head of a response exceeds ``HTTPTransferLimits/headBytes``.
struct HeadTooLarge: Error {}

/// Finds the end of a final head.
private struct HeadScan {
  private(set) var count = 0
  private(set) var isComplete = false
  private var lineLength = 0
  private var lines = 0
  private var start: [UInt8] = []

  /// Handles a byte and returns whether it is the last one of a final head.
  mutating func consume(_ byte: UInt8) -> Bool {
    count += 1
    switch byte {
    case UInt8(ascii: "\r"): return false
    case UInt8(ascii: "\n"): return endLine()
    default:
      if lines == 0, start.count < 12 { start.append(byte) }
      lineLength += 1
      return false
    }
  }

  private mutating func endLine() -> Bool {
    let isEnd = lineLength == 0 && lines > 0
    if lineLength > 0 { lines += 1 }
    lineLength = 0
    guard isEnd else { return false }
    // "HTTP/1.1 103": an informational head is followed by another one, except for 101.
    if start.count == 12, start[9] == UInt8(ascii: "1"), start[9...] != [0x31, 0x30, 0x31] {
      start = []
      lines = 0
      return false
    }
    isComplete = true
    return true
  }
}
