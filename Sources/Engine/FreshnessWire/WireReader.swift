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

  /// The error of a number that is not the number of a case, for the word that was just read.
  var unknownNumber: WireError { refused(.unknownNumber) }

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

  /// Reads a number.
  mutating func number() throws(WireError) -> Int64 { try integer(in: .wire) }

  /// Reads a number that stops at the limit when it is written.
  mutating func clamped() throws(WireError) -> Int64 { try number() }

  /// Reads the number of a revision.
  mutating func revision() throws(WireError) -> Revision { Revision(try number()) }

  /// Reads the optional number of a validator.
  mutating func optionalValidator() throws(WireError) -> Validator? {
    try optional(in: .wire).map { Validator($0) }
  }

  /// Reads the number of bytes of a response.
  mutating func bytes() throws(WireError) -> Int64 { try integer(in: 0...Wire.mostBytes) }

  /// Reads a percentage.
  mutating func percent() throws(WireError) -> Int64 { try integer(in: 0...Wire.mostPercent) }

  /// Reads a factor.
  mutating func factor() throws(WireError) -> Int64 { try integer(in: 0...Wire.limit) }

  /// Reads an integer of 32 bits.
  mutating func short() throws(WireError) -> Int32 {
    Int32(truncatingIfNeeded: try integer(in: Int64(Int32.min)...Int64(Int32.max)))
  }

  /// Reads a count of 32 bits.
  mutating func count() throws(WireError) -> Int32 {
    Int32(truncatingIfNeeded: try integer(in: 0...Int64(Int32.max)))
  }

  /// Reads an optional count of 32 bits.
  mutating func optionalCount() throws(WireError) -> Int32? {
    try optional(in: 0...Int64(Int32.max)).map { Int32(truncatingIfNeeded: $0) }
  }

  /// Reads a flag, or whether a record follows.
  mutating func flag() throws(WireError) -> Bool { try integer(in: 0...1) == 1 }

  /// Reads an optional flag.
  mutating func optionalFlag() throws(WireError) -> Bool? {
    try optional(in: 0...1).map { $0 == 1 }
  }

  // MARK: Numbers of enumerations

  /// Reads the number of a case that has values.
  mutating func caseNumber() throws(WireError) -> Int64 { try next() }

  /// Reads the number of a case.
  mutating func numbered<Case: WireNumbered>(_: Case.Type) throws(WireError) -> Case {
    let word = try next()
    guard let value = Case(wireNumber: word) else { throw unknownNumber }
    return value
  }

  /// Reads the optional number of a case.
  mutating func optionalNumbered<Case: WireNumbered>(_: Case.Type) throws(WireError) -> Case? {
    let word = try next()
    if word == Wire.none { return nil }
    guard let value = Case(wireNumber: word) else { throw unknownNumber }
    return value
  }

  // MARK: Times

  /// Reads an instant.
  public mutating func instant() throws(WireError) -> Instant {
    Instant(milliseconds: try integer(in: .wire))
  }

  /// Reads a random sample.
  public mutating func randomSample() throws(WireError) -> RandomSample {
    RandomSample(bits: UInt32(truncatingIfNeeded: try integer(in: 0...Int64(UInt32.max))))
  }

  /// Reads a length of time that is not negative.
  mutating func span() throws(WireError) -> Instant.Duration {
    Instant.Duration(milliseconds: try integer(in: 0...Wire.limit))
  }

  /// Reads a list of lengths of time that are not negative.
  mutating func spans(in range: ClosedRange<Int64>) throws(WireError) -> [Instant.Duration] {
    let count = try integer(in: range)
    var spans: [Instant.Duration] = []
    spans.reserveCapacity(Int(count))
    for _ in 0..<count { spans.append(try span()) }
    return spans
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

  /// Reads a wall time.
  mutating func wallTime() throws(WireError) -> WallTime {
    WallTime(milliseconds: try integer(in: .wire))
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
