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
  mutating func integer(_ value: Int64) throws(WireError) {
    guard ClosedRange.wire.contains(value) else { throw WireError(.outOfRange, at: Int32(count)) }
    try put(value)
  }

  /// Writes an optional number that must not be rounded.
  mutating func optional(_ value: Int64?) throws(WireError) {
    guard let value else { return try put(Wire.none) }
    try integer(value)
  }

  /// Writes a flag, or whether a record follows.
  mutating func flag(_ value: Bool) throws(WireError) { try put(value ? 1 : 0) }

  // MARK: Numbers of enumerations

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

  /// Writes a time in milliseconds.
  mutating func time(_ milliseconds: Int64) throws(WireError) {
    try put(min(max(milliseconds, -Wire.limit), Wire.limit))
  }

  /// Writes an instant.
  mutating func instant(_ instant: Instant) throws(WireError) { try time(instant.milliseconds) }

  /// Writes an optional instant.
  mutating func optionalInstant(_ instant: Instant?) throws(WireError) {
    guard let instant else { return try put(Wire.none) }
    try time(instant.milliseconds)
  }

  /// Writes a length of time.
  mutating func span(_ span: Instant.Duration) throws(WireError) { try time(span.milliseconds) }

  /// Writes an optional length of time.
  mutating func optionalSpan(_ span: Instant.Duration?) throws(WireError) {
    guard let span else { return try put(Wire.none) }
    try time(span.milliseconds)
  }

  /// Writes an optional wall time.
  mutating func optionalWallTime(_ wallTime: WallTime?) throws(WireError) {
    guard let wallTime else { return try put(Wire.none) }
    try time(wallTime.milliseconds)
  }
}

// A writer borrows its memory.
@available(*, unavailable)
extension WireWriter: Sendable {}
