internal import Freshness

/// Writes a message word by word into the host's buffer.
public struct WireWriter {
  private let words: UnsafeMutableBufferPointer<Int64>
  /// The number of words written.
  public private(set) var count = 0

  /// Creates a writer.
  ///
  /// - Parameter words: The buffer; it must remain valid while the writer is in use.
  public init(_ words: UnsafeMutableBufferPointer<Int64>) { self.words = words }

  private mutating func put(_ word: Int64) throws(WireError) {
    guard count < words.count else { throw WireError(.noRoom, at: Int32(count)) }
    words[count] = word
    count += 1
  }

  // MARK: Integers

  /// Writes a number that must not be rounded.
  ///
  /// - Throws: `outOfRange` if its magnitude is beyond ``Wire/limit``.
  mutating func number(_ value: Int64) throws(WireError) {
    guard ClosedRange.wire.contains(value) else { throw WireError(.outOfRange, at: Int32(count)) }
    try put(value)
  }

  /// Writes an optional number that must not be rounded.
  mutating func optionalNumber(_ value: Int64?) throws(WireError) {
    guard let value else { return try put(Wire.none) }
    try number(value)
  }

  /// Writes a number that stops at the limit.
  mutating func clamped(_ value: Int64) throws(WireError) {
    try put(min(max(value, -Wire.limit), Wire.limit))
  }

  /// Writes the number of a revision.
  mutating func revision(_ value: Revision) throws(WireError) { try number(value.number) }

  /// Writes the optional number of a validator.
  mutating func optionalValidator(_ value: Validator?) throws(WireError) {
    try optionalNumber(value?.number)
  }

  /// Writes the number of bytes of a response.
  mutating func bytes(_ value: Int64) throws(WireError) { try number(value) }

  /// Writes a percentage.
  mutating func percent(_ value: Int64) throws(WireError) { try number(value) }

  /// Writes a factor.
  mutating func factor(_ value: Int64) throws(WireError) { try number(value) }

  /// Writes an integer of 32 bits.
  mutating func short(_ value: Int32) throws(WireError) { try put(Int64(value)) }

  /// Writes an optional integer of 32 bits.
  mutating func optionalShort(_ value: Int32?) throws(WireError) {
    try optionalNumber(value.map { Int64($0) })
  }

  /// Writes a count of 32 bits.
  mutating func count(_ value: Int32) throws(WireError) { try put(Int64(value)) }

  /// Writes an optional count of 32 bits.
  mutating func optionalCount(_ value: Int32?) throws(WireError) { try optionalShort(value) }

  /// Writes a flag, or whether a record follows.
  mutating func flag(_ value: Bool) throws(WireError) { try put(value ? 1 : 0) }

  /// Writes an optional flag.
  mutating func optionalFlag(_ value: Bool?) throws(WireError) {
    try optionalNumber(value.map { $0 ? 1 : 0 })
  }

  // MARK: Numbers of enumerations

  /// Writes the number of a case that has values.
  mutating func caseNumber(_ number: Int64) throws(WireError) { try put(number) }

  /// Writes the number of a case.
  mutating func numbered<Case: WireNumbered>(_ value: Case) throws(WireError) {
    try put(value.wireNumber)
  }

  /// Writes the optional number of a case.
  mutating func optionalNumbered<Case: WireNumbered>(_ value: Case?) throws(WireError) {
    try put(value?.wireNumber ?? Wire.none)
  }

  /// Writes a set.
  mutating func bits<Members: WireBits>(_ value: Members) throws(WireError) {
    try put(value.wireBits)
  }

  // MARK: Times, which stop at the limit

  /// Writes an instant.
  mutating func instant(_ instant: Instant) throws(WireError) { try clamped(instant.milliseconds) }

  /// Writes an optional instant.
  mutating func optionalInstant(_ instant: Instant?) throws(WireError) {
    guard let instant else { return try put(Wire.none) }
    try clamped(instant.milliseconds)
  }

  /// Writes a length of time.
  mutating func span(_ span: Instant.Duration) throws(WireError) { try clamped(span.milliseconds) }

  /// Writes a list of lengths of time.
  mutating func spans(_ spans: [Instant.Duration]) throws(WireError) {
    try number(Int64(spans.count))
    for each in spans { try span(each) }
  }

  /// Writes an optional length of time.
  mutating func optionalSpan(_ span: Instant.Duration?) throws(WireError) {
    guard let span else { return try put(Wire.none) }
    try clamped(span.milliseconds)
  }

  /// Writes an optional length of time that is greater than zero.
  mutating func optionalPositiveSpan(_ span: Instant.Duration?) throws(WireError) {
    try optionalSpan(span)
  }

  /// Writes a length from a server.
  mutating func toldSpan(_ span: Instant.Duration) throws(WireError) {
    try clamped(span.milliseconds)
  }

  /// Writes an optional length from a server.
  mutating func optionalToldSpan(_ span: Instant.Duration?) throws(WireError) {
    try optionalSpan(span)
  }

  /// Writes a wall time.
  mutating func wallTime(_ wallTime: WallTime) throws(WireError) {
    try clamped(wallTime.milliseconds)
  }

  /// Writes an optional wall time.
  mutating func optionalWallTime(_ wallTime: WallTime?) throws(WireError) {
    guard let wallTime else { return try put(Wire.none) }
    try clamped(wallTime.milliseconds)
  }
}

// A writer borrows its memory.
@available(*, unavailable)
extension WireWriter: Sendable {}
