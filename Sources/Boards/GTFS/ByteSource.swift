/// A file that is read once, from its start to its end.
package protocol ByteSource: AnyObject {
  /// Fills the front of a buffer.
  ///
  /// - Returns: The number of bytes read; 0 at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int
}

/// Bytes in memory as a ``ByteSource``, given out in pieces of a chosen size.
package final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  private let piece: Int
  private var position = 0

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - bytes: The bytes to read.
  ///   - piece: The most bytes one read gives, so that a parser can be fed every split.
  package init(_ bytes: [UInt8], piece: Int = .max) {
    self.bytes = bytes
    self.piece = piece
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
    let count = min(buffer.count, piece, bytes.count - position)
    guard count > 0 else { return 0 }
    buffer.copyBytes(from: bytes[position..<position + count])
    position += count
    return count
  }
}
