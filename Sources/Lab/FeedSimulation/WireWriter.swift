/// Writes the protobuf wire format: the fields that simulated feeds use.
struct WireWriter {
  /// The bytes written so far.
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Writes a number of a field; negative numbers are sign-extended, as in protobuf.
  @inline(__always)
  mutating func number(_ field: UInt64, _ value: Int64) {
    varint(field << 3)
    varint(UInt64(bitPattern: value))
  }

  /// Writes a string of a field.
  mutating func text(_ field: UInt64, _ text: String) {
    var text = text
    text.withUTF8 { self.text(field, UnsafeRawBufferPointer($0)) }
  }

  /// Writes a string of a field.
  @inline(__always)
  mutating func text(_ field: UInt64, _ text: UnsafeRawBufferPointer) {
    varint(field << 3 | 2)
    varint(UInt64(text.count))
    bytes.append(contentsOf: text)
  }

  /// Begins a message in a field.
  ///
  /// - Returns: The argument for ``close(_:)``.
  @inline(__always)
  mutating func open(_ field: UInt64) -> Int {
    varint(field << 3 | 2)
    bytes.append(0)
    return bytes.count
  }

  /// Ends a message; its length takes one byte, or the content is moved.
  mutating func close(_ start: Int) {
    var length = UInt64(bytes.count - start)
    if length < 0x80 {
      bytes[start - 1] = UInt8(length)
      return
    }
    var digits: [UInt8] = []
    while length >= 0x80 {
      digits.append(UInt8(truncatingIfNeeded: length) | 0x80)
      length >>= 7
    }
    digits.append(UInt8(length))
    bytes.replaceSubrange(start - 1..<start, with: digits)
  }

  @inline(__always)
  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
