import CZlib
package import NIOCore

/// The content coding `gzip` (RFC 9110 section 8.4.1.3, RFC 1952).
package enum Gzip {
  /// How hard it tries, of 1 to 9: a board takes about a fifth of its size at this level.
  fileprivate static let level: Int32 = 4
  /// The most bytes that are compressed at a time, in less than a millisecond.
  package static let slice = 32 << 10

  /// Compresses bytes in slices, so that a long response does not block a thread of other requests.
  ///
  /// - Parameters:
  ///   - content: The bytes to compress.
  ///   - pause: Yields to other tasks; called between two slices.
  /// - Returns: The same bytes for every call with the same content; `nil` if zlib cannot allocate
  ///   memory.
  package static func compressed(
    _ content: ByteBuffer,
    pause: () async -> Void = { await Task.yield() }
  ) async -> ByteBuffer? {
    guard let stream = GzipStream() else { return nil }
    var target = ByteBufferAllocator().buffer(capacity: stream.bound(content.readableBytes))
    var rest = content
    while rest.readableBytes > slice {
      guard let part = rest.readSlice(length: slice), stream.add(part, isLast: false, to: &target)
      else { return nil }
      await pause()
    }
    return stream.add(rest, isLast: true, to: &target) ? target : nil
  }
}

/// A stream of zlib, which must stay where it is in memory.
private final class GzipStream {
  private let stream: UnsafeMutablePointer<z_stream>

  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 bits of window, and 16 for the frame of gzip.
    let size = Int32(MemoryLayout<z_stream>.size)
    let code = deflateInit2_(
      stream,
      Gzip.level,
      Z_DEFLATED,
      15 + 16,
      8,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      size
    )
    guard code == Z_OK else {
      stream.deallocate()
      return nil
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// The most bytes that a number of bytes becomes.
  func bound(_ count: Int) -> Int { Int(deflateBound(stream, UInt(count))) }

  /// Compresses the next bytes.
  ///
  /// - Returns: Whether they are all in `target`, with the end of the stream if they are the last.
  func add(_ bytes: ByteBuffer, isLast: Bool, to target: inout ByteBuffer) -> Bool {
    var isDone = false
    target.writeWithUnsafeMutableBytes(minimumWritableBytes: target.writableBytes) { room in
      bytes.withUnsafeReadableBytes { bytes in
        // zlib reads from here and never writes.
        stream.pointee.next_in = UnsafeMutablePointer(
          mutating: bytes.bindMemory(to: UInt8.self).baseAddress
        )
        stream.pointee.avail_in = UInt32(bytes.count)
        stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(clamping: room.count)
        let code = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
        isDone = code == (isLast ? Z_STREAM_END : Z_OK) && stream.pointee.avail_in == 0
        return room.count - Int(stream.pointee.avail_out)
      }
    }
    return isDone
  }
}
