public import Freshness

/// Reads an untrusted message word by word.
public struct WireReader {
  private let words: UnsafeBufferPointer<Int64>
  /// The index of the next word.
  public private(set) var position = 0

  /// Creates a reader.
  ///
  /// - Parameter words: The message; it must remain valid while the reader is in use.
  public init(_ words: UnsafeBufferPointer<Int64>) { self.words = words }

  /// Checks that the message ends here.
  ///
  /// - Throws: `tooLong` if a word is left over.
  public func end() throws(WireError) {
    if position < words.count { throw WireError(.tooLong, at: Int32(position)) }
  }

  private mutating func next() throws(WireError) -> Int64 {
    guard position < words.count else { throw WireError(.tooShort, at: Int32(words.count)) }
    let word = words[position]
    position += 1
    return word
  }

  /// Returns an error for the word that was just read.
  func refused(_ code: WireError.Code) -> WireError { WireError(code, at: Int32(position - 1)) }

  // MARK: Integers

  /// Reads an integer in a range.
  ///
  /// - Throws: `outOfRange`, also for ``Wire/none``.
  mutating func integer(in range: ClosedRange<Int64>) throws(WireError) -> Int64 {
    let word = try next()
    guard range.contains(word) else { throw refused(.outOfRange) }
    return word
  }

  /// Reads an optional integer in a range.
  mutating func optional(in range: ClosedRange<Int64>) throws(WireError) -> Int64? {
    let word = try next()
    if word == Wire.none { return nil }
    guard range.contains(word) else { throw refused(.outOfRange) }
    return word
  }

  /// Reads one of the host's own numbers.
  mutating func identifier() throws(WireError) -> Int64 { try integer(in: .wire) }

  /// Reads an integer of 32 bits.
  mutating func short() throws(WireError) -> Int32 {
    Int32(truncatingIfNeeded: try integer(in: Int64(Int32.min)...Int64(Int32.max)))
  }

  /// Reads a count of 32 bits.
  mutating func count() throws(WireError) -> Int32 {
    Int32(truncatingIfNeeded: try integer(in: 0...Int64(Int32.max)))
  }

  /// Reads a flag, or whether a record follows.
  mutating func flag() throws(WireError) -> Bool { try integer(in: 0...1) == 1 }

  // MARK: Numbers of enumerations

  /// Reads the number of a case.
  mutating func numbered<Case: WireNumbered>(_: Case.Type) throws(WireError) -> Case {
    let word = try next()
    guard let value = Case(wireNumber: word) else { throw refused(.unknownNumber) }
    return value
  }

  /// Reads the optional number of a case.
  mutating func optionalNumbered<Case: WireNumbered>(_: Case.Type) throws(WireError) -> Case? {
    let word = try next()
    if word == Wire.none { return nil }
    guard let value = Case(wireNumber: word) else { throw refused(.unknownNumber) }
    return value
  }

  // MARK: Times

  /// Reads an instant.
  public mutating func instant() throws(WireError) -> Instant {
    Instant(milliseconds: try integer(in: .wire))
  }

  /// Reads a random sample.
  public mutating func draw() throws(WireError) -> RandomSample {
    RandomSample(bits: UInt32(truncatingIfNeeded: try integer(in: 0...Int64(UInt32.max))))
  }

  /// Reads a length of time that is not negative.
  mutating func span() throws(WireError) -> Instant.Duration {
    Instant.Duration(milliseconds: try integer(in: 0...Wire.limit))
  }

  /// Reads an optional length of time that is not negative.
  mutating func optionalSpan() throws(WireError) -> Instant.Duration? {
    try optional(in: 0...Wire.limit).map { Instant.Duration(milliseconds: $0) }
  }

  /// Reads an optional length of time that is greater than zero.
  mutating func optionalPositiveSpan() throws(WireError) -> Instant.Duration? {
    try optional(in: 1...Wire.limit).map { Instant.Duration(milliseconds: $0) }
  }

  /// Reads a length from a server; it may be wrong, and the machine handles that.
  mutating func toldSpan() throws(WireError) -> Instant.Duration {
    Instant.Duration(milliseconds: try integer(in: .wire))
  }

  /// Reads an optional length from a server.
  mutating func optionalToldSpan() throws(WireError) -> Instant.Duration? {
    try optional(in: .wire).map { Instant.Duration(milliseconds: $0) }
  }

  /// Reads an optional instant.
  mutating func optionalInstant() throws(WireError) -> Instant? {
    try optional(in: .wire).map { Instant(milliseconds: $0) }
  }

  /// Reads an optional wall time.
  mutating func optionalWallTime() throws(WireError) -> WallTime? {
    try optional(in: .wire).map { WallTime(milliseconds: $0) }
  }
}

extension ClosedRange<Int64> {
  /// Every word except ``Wire/none``.
  static var wire: ClosedRange<Int64> { -Wire.limit...Wire.limit }
}

// A reader borrows its memory.
@available(*, unavailable)
extension WireReader: Sendable {}
