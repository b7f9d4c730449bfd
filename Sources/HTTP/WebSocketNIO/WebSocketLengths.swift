import NIOCore

/// Tracks frame headers in a stream of bytes and detects a length that is not in its shortest form,
/// or whose first bit is set (RFC 6455 section 5.2): NIO's decoder accepts these.
struct WebSocketLengths {
  private static let mask: UInt8 = 0x80

  /// The bytes of the current header, up to its length.
  private var head: [UInt8] = []
  /// The remaining bytes of the masking key and the payload.
  private var left: UInt64 = 0

  /// Processes bytes as they arrive.
  ///
  /// - Returns: The number of bytes before the end of a header with an invalid length, or `nil`
  ///   without one.
  mutating func consume(_ bytes: some Collection<UInt8>) -> Int? {
    var place = bytes.startIndex
    while place < bytes.endIndex {
      if left > 0 {
        let rest = bytes.distance(from: place, to: bytes.endIndex)
        let step = Int(min(left, UInt64(rest)))
        place = bytes.index(place, offsetBy: step)
        left -= UInt64(step)
        continue
      }
      head.append(bytes[place])
      guard isHeadComplete else {
        bytes.formIndex(after: &place)
        continue
      }
      guard let length else { return bytes.distance(from: bytes.startIndex, to: place) }
      left = length + (head[1] & Self.mask == 0 ? 0 : 4)
      head.removeAll(keepingCapacity: true)
      bytes.formIndex(after: &place)
    }
    return nil
  }

  private var isHeadComplete: Bool {
    guard head.count >= 2 else { return false }
    return switch head[1] & ~Self.mask {
    case 126: head.count == 4
    case 127: head.count == 10
    default: true
    }
  }

  /// The length of a payload; `nil` if it is not valid.
  private var length: UInt64? {
    let short = head[1] & ~Self.mask
    guard short >= 126 else { return UInt64(short) }
    let length = head[2...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let least: UInt64 = short == 126 ? 126 : 1 << 16
    return length >= least && length < 1 << 63 ? length : nil
  }
}

/// Precedes the frame decoder: nothing passes after an invalid length, and the session closes with
/// 1002.
final class WebSocketLengthHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var lengths = WebSocketLengths()
  private var isOver = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    var bytes = Self.unwrapInboundIn(data)
    guard let sound = lengths.consume(bytes.readableBytesView) else {
      context.fireChannelRead(data)
      return
    }
    isOver = true
    if let before = bytes.readSlice(length: sound), sound > 0 {
      context.fireChannelRead(Self.wrapInboundOut(before))
    }
    context.fireErrorCaught(WebSocketLengthFault())
  }
}

/// The length of a frame is not valid.
struct WebSocketLengthFault: Error {}
