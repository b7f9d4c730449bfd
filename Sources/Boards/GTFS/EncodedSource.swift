/// Gives out a file as UTF-8, whatever its encoding is.
///
/// The encoding is the one that its first bytes show (``TextEncoding``), else the given one. Without either the bytes
/// pass as they are: UTF-8, or a code page that is not known yet. What cannot be decoded becomes U+FFFD.
package final class EncodedSource: ByteSource {
  /// The encoding that the file was decoded from; `nil` if its bytes passed as they are.
  ///
  /// Known after the first read.
  package private(set) var encoding: TextEncoding?

  private let source: any ByteSource
  private let given: TextEncoding?
  private var hasBegun = false
  /// What the source fills: four bytes at first, then pieces of what is decoded.
  private var block = [UInt8](repeating: 0, count: 4)
  private var letters: [Unicode.Scalar] = []
  /// Bytes that were read and not decoded yet.
  private var input: [UInt8] = []
  /// What was decoded and not given out yet.
  private var output: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - source: The bytes of the file.
  ///   - encoding: Their encoding, if it has been named; a file whose first bytes show another one has that.
  package init(_ source: any ByteSource, encoding: TextEncoding? = nil) {
    self.source = source
    given = encoding
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
    if !hasBegun { try begin() }
    if encoding == nil, position == input.count { return try source.read(into: buffer) }
    while encoding != nil, position == output.count, !isAtEnd { try decode() }
    let bytes = encoding == nil ? input : output
    let count = min(buffer.count, bytes.count - position)
    buffer.copyBytes(from: bytes[position..<position + count])
    position += count
    return count
  }

  /// Reads the first bytes and decides.
  private func begin() throws(FeedError) {
    hasBegun = true
    while input.count < 4, try fill(4 - input.count) {}
    defer { if encoding != nil { block = [UInt8](repeating: 0, count: Self.piece) } }
    if let shown = TextEncoding.shown(by: Array(input.prefix(4))) {
      // The reader of the file knows the mark of UTF-8.
      if shown.encoding == .utf8 { return }
      encoding = shown.encoding
      input.removeFirst(shown.mark)
    } else if let given, given != .utf8 {
      encoding = given
      letters = given.letters ?? []
    }
  }

  /// Reads some more bytes; whether there were any.
  private func fill(_ count: Int) throws(FeedError) -> Bool {
    var failure: FeedError?
    let read = block.withUnsafeMutableBytes { bytes in
      do throws(FeedError) {
        return try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    input.append(contentsOf: block[..<read])
    return read > 0
  }

  /// Decodes another piece.
  private func decode() throws(FeedError) {
    output.removeAll(keepingCapacity: true)
    position = 0
    isAtEnd = try !fill(Self.piece)
    switch encoding?.form {
    case .utf16(let isLittle): decodePairs(isLittle)
    case .utf32(let isLittle): decodeQuadruples(isLittle)
    default:
      for byte in input {
        if byte < 0x80 { output.append(byte) } else { append(letters[Int(byte)]) }
      }
      input.removeAll(keepingCapacity: true)
    }
    if isAtEnd, !input.isEmpty {
      append("\u{FFFD}")
      input = []
    }
  }

  /// The bytes that are decoded at once.
  private static let piece = 1 << 16

  private func decodePairs(_ isLittle: Bool) {
    var index = 0
    func unit(_ place: Int) -> UInt16 {
      let (first, second) = (UInt16(input[place]), UInt16(input[place + 1]))
      return isLittle ? second << 8 | first : first << 8 | second
    }
    while index + 2 <= input.count {
      let lead = unit(index)
      guard UTF16.isLeadSurrogate(lead) else {
        append(Unicode.Scalar(lead) ?? "\u{FFFD}")
        index += 2
        continue
      }
      guard index + 4 <= input.count else { break }
      let trail = unit(index + 2)
      guard UTF16.isTrailSurrogate(trail) else {
        append("\u{FFFD}")
        index += 2
        continue
      }
      let number = 0x10000 + (UInt32(lead) & 0x3FF) << 10 + UInt32(trail) & 0x3FF
      append(Unicode.Scalar(number) ?? "\u{FFFD}")
      index += 4
    }
    input.removeFirst(index)
  }

  private func decodeQuadruples(_ isLittle: Bool) {
    var index = 0
    while index + 4 <= input.count {
      let bytes = input[index..<index + 4]
      let number = (isLittle ? Array(bytes.reversed()) : Array(bytes))
        .reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      append(Unicode.Scalar(number) ?? "\u{FFFD}")
      index += 4
    }
    input.removeFirst(index)
  }

  private func append(_ letter: Unicode.Scalar) {
    output.append(contentsOf: UTF8.encode(letter) ?? UTF8.encodedReplacementCharacter)
  }
}
