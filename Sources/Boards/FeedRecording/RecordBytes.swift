/// Writes the payload of a record.
struct RecordBytes {
  private(set) var bytes: [UInt8] = []

  init(_ kind: RecordKind) { bytes.append(kind.rawValue) }

  /// Writes a number, little-endian, in full width.
  mutating func number(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes a string with its length in two bytes, cut to a limit.
  mutating func text(_ text: String, limit: Int) {
    var cut = Substring(text)
    while cut.utf8.count > limit { cut.removeLast() }
    number(UInt16(cut.utf8.count))
    bytes.append(contentsOf: cut.utf8)
  }
}

/// Reads the payload of a record.
struct RecordScanner {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  /// Begins after the kind.
  init(_ payload: [UInt8]) {
    bytes = payload[...]
    position = 1
  }

  /// Whether everything was read.
  var isAtEnd: Bool { position == bytes.endIndex }

  /// Reads a number; returns `nil` if the payload ends first.
  mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    let size = Number.bitWidth / 8
    guard bytes.endIndex - position >= size else { return nil }
    var value: Number = 0
    for index in 0..<size {
      value |= Number(truncatingIfNeeded: bytes[position + index]) << Number(8 * index)
    }
    position += size
    return value
  }

  /// Reads a string; returns `nil` if the payload ends first, or if it is not UTF-8.
  mutating func text() -> String? {
    guard let count = number(UInt16.self), bytes.endIndex - position >= Int(count) else {
      return nil
    }
    defer { position += Int(count) }
    return String(validating: bytes[position..<position + Int(count)], as: UTF8.self)
  }
}
