/// Examines all bytes of a file once and says how its characters are written.
///
/// The rule, in this order:
/// 1. A byte order mark decides.
/// 2. Zero bytes in every second place of the first 4 KiB (at least 40 of 100 places on one side, at most
///    5 on the other) are UTF-16 without a mark.
/// 3. Other zero bytes, or the first bytes of a zip archive, mean that the file is not text.
/// 4. A file that is UTF-8 from end to end is UTF-8.
/// 5. A file with at least as many characters of several bytes as stray bytes is UTF-8 with damage:
///    each stray byte is read as Windows-1252.
/// 6. Everything else is Windows-1252. Latin-1 differs from it only in controls that no export writes.
package struct EncodingSurvey {
  /// How many bytes at the start are asked for UTF-16.
  private static let sampleBytes = 4 << 10

  private var first: [UInt8] = []
  private var total = 0
  private var zeros = (even: 0, odd: 0)
  private var zerosBeyond = 0
  private var characters = 0
  private var strays = 0
  private var sequence = UTF8Sequence()

  /// Starts a survey.
  package init() {}

  /// Takes the next bytes, however the file is split.
  package mutating func feed(_ bytes: some Collection<UInt8>) {
    bytes.withContiguousStorageIfAvailable { feed($0) }
      ?? Array(bytes).withUnsafeBufferPointer { feed($0) }
  }

  private mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    var index = 0
    while index < bytes.count {
      if total >= Self.sampleBytes, sequence.pending.isEmpty {
        // Most of a file is plain text.
        let start = index
        while index < bytes.count, 0x01...0x7F ~= bytes[index] { index += 1 }
        total += index - start
        guard index < bytes.count else { return }
      }
      consume(bytes[index])
      index += 1
    }
  }

  private mutating func consume(_ byte: UInt8) {
    if total < Self.sampleBytes {
      if first.count < 4 { first.append(byte) }
      if byte == 0 { if total & 1 == 0 { zeros.even += 1 } else { zeros.odd += 1 } }
    } else if byte == 0 {
      zerosBeyond += 1
    }
    total += 1
    if byte >= 0x80 || !sequence.pending.isEmpty { count(byte) }
  }

  private mutating func count(_ byte: UInt8) {
    switch sequence.consume(byte) {
    case .ascii, .continues: break
    case .ended:
      characters += 1
      sequence.clear()
    case .stray(let again):
      strays += sequence.pending.count
      sequence.clear()
      if again { count(byte) }
    }
  }

  /// The encoding of the bytes so far, taken as the whole file.
  ///
  /// - Returns: The encoding, and the number of bytes of a mark before the text.
  /// - Throws: ``ImportFileError`` `empty` or `notText`.
  package func finish() throws(ImportFileError) -> (encoding: TextEncoding, markBytes: Int) {
    guard total > 0 else { throw ImportFileError(.empty, "the file is empty") }
    if first.starts(with: [0xEF, 0xBB, 0xBF]) {
      return (strays + sequence.pending.count == 0 ? .utf8 : .damagedUTF8, 3)
    }
    if first.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    if first.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    if first.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      throw ImportFileError(
        .notText,
        "the file is a zip archive or an Excel workbook; save the table as CSV and import that"
      )
    }
    let pairs = min(total, Self.sampleBytes) / 2
    if pairs > 0 {
      let even = zeros.even * 100 / pairs
      let odd = zeros.odd * 100 / pairs
      if odd >= 40, even <= 5 { return (.utf16LittleEndian, 0) }
      if even >= 40, odd <= 5 { return (.utf16BigEndian, 0) }
    }
    guard zeros.even + zeros.odd + zerosBeyond == 0 else {
      throw ImportFileError(.notText, "the file has zero bytes in it and is not text")
    }
    let damage = strays + sequence.pending.count
    if damage == 0 { return (.utf8, 0) }
    return (characters >= damage ? .damagedUTF8 : .windows1252, 0)
  }
}
