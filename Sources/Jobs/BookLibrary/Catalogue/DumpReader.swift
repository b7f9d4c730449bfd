import CZlib

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads the lines of a dump file, plain or compressed with gzip, in blocks of fixed size.
final class DumpReader {
  /// How many bytes are read at once.
  static let blockBytes = 1 << 20
  /// The longest line; a longer one is passed and counted.
  static let longestLine = 8 << 20

  /// How many lines were longer than ``longestLine``.
  private(set) var passed = 0
  /// How many bytes of the file have been read.
  private(set) var bytesRead = 0

  private let path: String
  private let file: UnsafeMutablePointer<FILE>
  private var stream = z_stream()
  private var isCompressed = false
  private var input = [UInt8](repeating: 0, count: blockBytes)
  private var output = [UInt8](repeating: 0, count: blockBytes)
  /// How many bytes the block has, and how many of them have been used.
  private var (count, taken) = (0, 0)
  /// Whether more may be inflated without further input.
  private var isMoreInflated = false
  private var pending: [UInt8] = []
  private var isSkipping = false
  private var hasInflated = false
  /// Whether a member of the compressed file has ended and no other one has begun.
  private var isBetween = false

  init(path: String) throws(LibraryError) {
    guard let file = fopen(path, "rb") else {
      throw LibraryError(.unreadableDump, "\(path): \(String(cString: strerror(errno)))")
    }
    self.path = path
    self.file = file
    let first = getc(file)
    let second = getc(file)
    isCompressed = first == 0x1F && second == 0x8B
    rewind(file)
    if isCompressed {
      // 31: a gzip header is expected.
      let status = inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      guard status == Z_OK else {
        throw LibraryError(.unreadableDump, "\(path): zlib cannot be started (\(status))")
      }
    }
  }

  deinit {
    if isCompressed { inflateEnd(&stream) }
    fclose(file)
  }

  /// Reads the next block, and gives the lines that end in it, without their ends, to a receiver.
  ///
  /// - Returns: Whether there may be more.
  /// - Throws: ``LibraryError`` if the file is truncated or broken; what the receiver throws.
  func read(_ receive: (ArraySlice<UInt8>) throws -> Void) throws -> Bool {
    if taken == count, !isMoreInflated {
      count = fread(&input, 1, Self.blockBytes, file)
      taken = 0
      bytesRead += count
      if count == 0 {
        try end(receive)
        return false
      }
    }
    if isCompressed {
      try inflatePiece(receive)
    } else {
      taken = count
      try cut(input[..<count], receive)
    }
    return true
  }

  private func end(_ receive: (ArraySlice<UInt8>) throws -> Void) throws {
    guard ferror(file) == 0 else {
      throw LibraryError(.unreadableDump, "\(path): \(String(cString: strerror(errno)))")
    }
    if isCompressed, hasInflated {
      throw LibraryError(.damagedDump, "\(path): the compressed data end too early")
    }
    if !isSkipping, !pending.isEmpty { try receive(pending[...]) }
    pending = []
  }

  /// Inflates as much of the block as one piece of output holds.
  private func inflatePiece(_ receive: (ArraySlice<UInt8>) throws -> Void) throws {
    if isBetween {
      // Tapes and some programs fill the end of a file with zeros.
      while taken < count, input[taken] == 0 { taken += 1 }
      if taken == count { return }
      isBetween = false
    }
    var status = Z_OK
    var produced = 0
    let before = taken
    input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress.map { $0 + taken }
        stream.avail_in = UInt32(count - taken)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        status = inflate(&stream, Z_NO_FLUSH)
        taken = count - Int(stream.avail_in)
        produced = output.count - Int(stream.avail_out)
      }
    }
    isMoreInflated = stream.avail_out == 0
    if taken > before || produced > 0 { hasInflated = true }
    if produced > 0 { try cut(output[..<produced], receive) }
    switch status {
    case Z_OK: break
    case Z_BUF_ERROR where produced == 0: isMoreInflated = false
    case Z_STREAM_END:
      // Another member may follow.
      inflateReset(&stream)
      hasInflated = false
      isBetween = true
      isMoreInflated = false
    default:
      throw LibraryError(.damagedDump, "\(path): the compressed data are broken (\(status))")
    }
  }

  private func cut(_ block: ArraySlice<UInt8>, _ receive: (ArraySlice<UInt8>) throws -> Void) throws
  {
    var rest = block
    while let end = rest.firstIndex(of: 0x0A) {
      let piece = rest[rest.startIndex..<end]
      if isSkipping {
        isSkipping = false
      } else if pending.isEmpty {
        try receive(piece)
      } else {
        pending += piece
        try receive(pending[...])
      }
      pending.removeAll(keepingCapacity: true)
      rest = rest[(end + 1)...]
    }
    guard !isSkipping else { return }
    pending += rest
    if pending.count > Self.longestLine {
      pending.removeAll()
      isSkipping = true
      passed += 1
    }
  }
}
