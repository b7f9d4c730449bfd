/// Turns the bytes of a file into UTF-8, wherever the file is split.
package struct Transcoder {
  /// How many bytes or units had to be replaced by what they probably meant.
  package private(set) var repairs = 0

  private let encoding: TextEncoding
  private var skip: Int
  private var sequence = UTF8Sequence()
  private var half: UInt8?
  private var highSurrogate: UInt16?

  /// Starts a text.
  ///
  /// - Parameters:
  ///   - encoding: The encoding of the file.
  ///   - markBytes: The number of bytes before the text.
  package init(_ encoding: TextEncoding, markBytes: Int) {
    self.encoding = encoding
    skip = markBytes
  }

  /// Takes the next bytes of the file.
  ///
  /// - Parameters:
  ///   - bytes: The bytes, any number of them.
  ///   - output: Where the text is appended, in UTF-8.
  package mutating func feed(_ bytes: some Collection<UInt8>, into output: inout [UInt8]) {
    bytes.withContiguousStorageIfAvailable { feed($0, into: &output) }
      ?? Array(bytes).withUnsafeBufferPointer { feed($0, into: &output) }
  }

  private mutating func feed(
    _ bytes: UnsafeBufferPointer<UInt8>,
    into output: inout [UInt8]
  ) {
    let left = min(skip, bytes.count)
    skip -= left
    let rest = UnsafeBufferPointer(rebasing: bytes[left...])
    output.reserveCapacity(output.count + rest.count)
    switch encoding {
    case .utf8:
      // The survey has seen that all of it is UTF-8.
      output.append(contentsOf: rest)
    case .damagedUTF8:
      let isBetween = sequence.pending.isEmpty
      Self.eachBeyondASCII(of: rest, isBetween: isBetween, into: &output) { byte, output in
        consume(byte, into: &output)
        return sequence.pending.isEmpty
      }
    case .windows1252:
      Self.eachBeyondASCII(of: rest, isBetween: true, into: &output) { byte, output in
        Windows1252.append(byte, to: &output)
        return true
      }
    case .utf16LittleEndian, .utf16BigEndian:
      for byte in rest {
        guard let first = half else {
          half = byte
          continue
        }
        half = nil
        let isLittle = encoding == .utf16LittleEndian
        let low = UInt16(isLittle ? first : byte)
        let high = UInt16(isLittle ? byte : first)
        consume(unit: high << 8 | low, into: &output)
      }
    }
  }

  /// Copies runs of ASCII between characters and gives each other byte to a closure, which says whether a
  /// character may begin behind it.
  private static func eachBeyondASCII(
    of bytes: UnsafeBufferPointer<UInt8>,
    isBetween: Bool,
    into output: inout [UInt8],
    _ consume: (UInt8, inout [UInt8]) -> Bool
  ) {
    var index = 0
    var isBetween = isBetween
    while index < bytes.count {
      if isBetween {
        let start = index
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        output.append(contentsOf: bytes[start..<index])
        guard index < bytes.count else { return }
      }
      isBetween = consume(bytes[index], &output)
      index += 1
    }
  }

  /// Ends the text; an incomplete character is replaced.
  package mutating func finish(into output: inout [UInt8]) {
    flushStrays(into: &output)
    if half != nil || highSurrogate != nil {
      replace(into: &output)
      half = nil
      highSurrogate = nil
    }
  }

  private mutating func consume(_ byte: UInt8, into output: inout [UInt8]) {
    switch sequence.consume(byte) {
    case .ascii: output.append(byte)
    case .continues: break
    case .ended:
      output.append(contentsOf: sequence.pending)
      sequence.clear()
    case .stray(let again):
      flushStrays(into: &output)
      if again { consume(byte, into: &output) }
    }
  }

  private mutating func flushStrays(into output: inout [UInt8]) {
    for stray in sequence.pending {
      Windows1252.append(stray, to: &output)
      repairs += 1
    }
    sequence.clear()
  }

  private mutating func consume(unit: UInt16, into output: inout [UInt8]) {
    if let high = highSurrogate {
      highSurrogate = nil
      if 0xDC00...0xDFFF ~= unit {
        let value = 0x1_0000 + (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
        if let scalar = Unicode.Scalar(value) {
          output.append(contentsOf: String(Character(scalar)).utf8)
        }
        return
      }
      replace(into: &output)
    }
    if 0xD800...0xDBFF ~= unit {
      highSurrogate = unit
    } else if let scalar = Unicode.Scalar(unit) {
      output.append(contentsOf: String(Character(scalar)).utf8)
    } else {
      replace(into: &output)
    }
  }

  private mutating func replace(into output: inout [UInt8]) {
    repairs += 1
    output.append(contentsOf: "\u{FFFD}".utf8)
  }
}
