import CZlib
package import NIOCore

/// The content coding `gzip` (RFC 9110 section 8.4.1.3, RFC 1952).
package enum Gzip {
  /// How hard it tries, of 1 to 9: a board takes about a fifth of its size at this level.
  private static let level: Int32 = 4

  /// Compresses bytes.
  ///
  /// - Parameter content: What is to be compressed.
  /// - Returns: The same bytes for every call with the same content; nothing if zlib has no memory.
  package static func compressed(_ content: ByteBuffer) -> ByteBuffer? {
    var stream = z_stream()
    // 15 bits of window, and 16 for the frame of gzip.
    let size = Int32(MemoryLayout<z_stream>.size)
    guard
      deflateInit2_(
        &stream,
        level,
        Z_DEFLATED,
        15 + 16,
        8,
        Z_DEFAULT_STRATEGY,
        ZLIB_VERSION,
        size
      ) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    let most = Int(deflateBound(&stream, UInt(content.readableBytes)))
    var target = ByteBufferAllocator().buffer(capacity: most)
    var isWhole = false
    target.writeWithUnsafeMutableBytes(minimumWritableBytes: most) { room in
      content.withUnsafeReadableBytes { bytes in
        // zlib reads from here and never writes.
        stream.next_in = UnsafeMutablePointer(
          mutating: bytes.bindMemory(to: UInt8.self).baseAddress
        )
        stream.avail_in = UInt32(bytes.count)
        stream.next_out = room.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = UInt32(clamping: room.count)
        isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
        return room.count - Int(stream.avail_out)
      }
    }
    return isWhole ? target : nil
  }
}
