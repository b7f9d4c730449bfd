// The words of the wire form: signed 64-bit integers, each within ±(2^53 − 1), where a JavaScript number represents
// every integer exactly. A flag is 0 or 1, and says of a value that may be missing whether it follows. A case is its
// number, from 1, and its values; a list is its length and its elements. What a message consists of is in wire.json.

/// An error in a message, with the position of the word.
struct WordError: Error {
  /// The reasons, with their published numbers, which are those of the refresh machine's wire form.
  enum Code: Int32 {
    case tooShort = 1
    case tooLong = 2
    case unknownNumber = 3
    case outOfRange = 4
    case noRoom = 5
    case noSuchMachine = 6
    case outOfMemory = 7
  }

  var code: Code
  /// The index of the word; for a missing word, the length of the message.
  var position: Int32
}

/// A value that is read from words.
protocol WordReadable {
  init(_ words: inout WordReader) throws(WordError)
}

extension Int64: WordReadable {
  /// The greatest magnitude of a word.
  static let longestWord: Int64 = 9_007_199_254_740_991

  init(_ words: inout WordReader) throws(WordError) { self = try words.integer() }
}

/// Reads an untrusted message word by word.
struct WordReader {
  private let words: UnsafeBufferPointer<Int64>
  private var position = 0

  init(_ words: UnsafeBufferPointer<Int64>) { self.words = words }

  /// Checks that the message ends here.
  func end() throws(WordError) {
    if position < words.count { throw WordError(code: .tooLong, position: Int32(position)) }
  }

  /// An error for the word that was just read: no case has this number.
  var unknownNumber: WordError { refused(.unknownNumber) }

  private func refused(_ code: WordError.Code) -> WordError {
    WordError(code: code, position: Int32(position - 1))
  }

  private mutating func integer(in range: ClosedRange<Int64>) throws(WordError) -> Int64 {
    guard position < words.count else {
      throw WordError(code: .tooShort, position: Int32(words.count))
    }
    position += 1
    guard range.contains(words[position - 1]) else { throw refused(.outOfRange) }
    return words[position - 1]
  }

  mutating func integer() throws(WordError) -> Int64 {
    try integer(in: -Int64.longestWord...Int64.longestWord)
  }

  /// Reads a number from 0 to the greatest of 31 bits.
  mutating func count() throws(WordError) -> Int {
    Int(truncatingIfNeeded: try integer(in: 0...Int64(Int32.max)))
  }

  /// Reads random bits.
  mutating func bits() throws(WordError) -> UInt64 {
    UInt64(truncatingIfNeeded: try integer(in: 0...Int64.longestWord))
  }

  /// Reads the code of a close.
  mutating func code() throws(WordError) -> UInt16 {
    UInt16(truncatingIfNeeded: try integer(in: 0...Int64(UInt16.max)))
  }

  mutating func flag() throws(WordError) -> Bool { try integer(in: 0...1) == 1 }

  mutating func list<Element: WordReadable>(
    _ range: ClosedRange<Int64>,
    of: Element.Type
  ) throws(WordError) -> [Element] {
    let count = try integer(in: range)
    var elements: [Element] = []
    elements.reserveCapacity(Int(truncatingIfNeeded: count))
    for _ in 0..<count { elements.append(try Element(&self)) }
    return elements
  }
}

/// Writes a message word by word into the host's buffer.
struct WordWriter {
  private let words: UnsafeMutableBufferPointer<Int64>
  /// The number of words written.
  private(set) var written = 0

  init(_ words: UnsafeMutableBufferPointer<Int64>) { self.words = words }

  /// Writes a number; beyond the limit it stops there, as a time does that means "never".
  mutating func integer(_ value: Int64) throws(WordError) {
    guard written < words.count else { throw WordError(code: .noRoom, position: Int32(written)) }
    words[written] = min(max(value, -Int64.longestWord), Int64.longestWord)
    written += 1
  }

  mutating func count(_ value: Int) throws(WordError) { try integer(Int64(value)) }

  mutating func flag(_ value: Bool) throws(WordError) { try integer(value ? 1 : 0) }
}
