import GTFS

/// A source that gives its bytes in two reads.
final class SplitSource: ByteSource {
  private var parts: [ArraySlice<UInt8>]

  init(_ bytes: [UInt8], at place: Int) {
    parts = [bytes[..<place], bytes[place...]].filter { !$0.isEmpty }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
    guard let part = parts.first else { return 0 }
    let count = min(part.count, buffer.count)
    buffer.copyBytes(from: part.prefix(count))
    if count == part.count { parts.removeFirst() } else { parts[0] = part.dropFirst(count) }
    return count
  }
}

/// A source that gives the bytes 0 to 250 again and again and then ends or fails.
final class NumberSource: ByteSource {
  private static let numbers = (0..<500 * 251).map { UInt8($0 % 251) }
  private let count: Int
  private let failure: FeedError?
  private var position = 0

  init(count: Int, failure: FeedError? = nil) {
    self.count = count
    self.failure = failure
  }

  /// What a source gives in all.
  static func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count + numbers.count < count { bytes += numbers }
    return bytes + numbers.prefix(count - bytes.count)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
    // Pieces of uneven size, as an inflater gives them.
    let read = min(buffer.count, 70_001, count - position)
    guard read > 0 else {
      if let failure { throw failure }
      return 0
    }
    let first = position % 251
    buffer.copyBytes(from: Self.numbers[first..<first + read])
    position += read
    return read
  }
}

extension ByteSource {
  /// Everything up to the end of the file.
  func all(pieces: Int = 1 << 20) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: pieces)
    var result: [UInt8] = []
    while true {
      let count = try buffer.withUnsafeMutableBytes { try read(into: $0) }
      guard count > 0 else { return result }
      result += buffer[..<count]
    }
  }
}
