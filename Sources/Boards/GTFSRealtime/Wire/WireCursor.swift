/// A place in the bytes of a message, and the end it must not pass.
///
/// Reads the protobuf wire format: tags, varints, fixed numbers and lengths. Invariant: `position ≤
/// end ≤` the count of the feed; every read checks it before it touches a byte, so that no input can
/// read past the end.
///
/// Groups (wire types 3 and 4) are rejected: GTFS-Realtime has none, and without them every nested value has a length.
// Unchecked: the bytes outlive all cursors and are never modified.
struct WireCursor: @unchecked Sendable {
  /// The first byte of the feed; offsets count from here.
  private let base: UnsafePointer<UInt8>
  private(set) var position: Int
  let end: Int

  /// A cursor over a whole feed, which must outlive it.
  init(_ base: UnsafePointer<UInt8>, count: Int) {
    self.base = base
    position = 0
    end = count
  }

  private init(base: UnsafePointer<UInt8>, position: Int, end: Int) {
    self.base = base
    self.position = position
    self.end = end
  }

  var isAtEnd: Bool { position == end }

  /// The bytes from here to the end.
  var rest: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + position, count: end - position)
  }

  /// Reads a field's number and wire type: `number << 3 | type`.
  @inline(__always)
  mutating func tag() throws(WireFault) -> UInt32 {
    if position < end {
      let byte = base[position]
      if byte & 0x80 == 0, byte & 7 <= 2, byte >= 8 {
        position += 1
        return UInt32(byte)
      }
    }
    return try longTag()
  }

  private mutating func longTag() throws(WireFault) -> UInt32 {
    let start = position
    let value = try varint()
    guard value < UInt64(UInt32.max), value >= 8 else {
      throw WireFault(.malformed, "field number \(value >> 3)", at: start)
    }
    switch value & 7 {
    case 0, 1, 2, 5: return UInt32(value)
    case 3, 4: throw WireFault(.malformed, "a group, which GTFS-Realtime does not have", at: start)
    default: throw WireFault(.malformed, "wire type \(value & 7) does not exist", at: start)
    }
  }

  /// Reads a number of 1 to 10 bytes; bits above the 64th are dropped, as protobuf decoders do.
  @inline(__always)
  mutating func varint() throws(WireFault) -> UInt64 {
    if position < end {
      let byte = base[position]
      if byte & 0x80 == 0 {
        position += 1
        return UInt64(byte)
      }
    }
    return try longVarint()
  }

  private mutating func longVarint() throws(WireFault) -> UInt64 {
    let start = position
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < end {
      let byte = base[position]
      position += 1
      value |= UInt64(byte & 0x7f) &<< shift
      if byte & 0x80 == 0 { return value }
      shift += 7
      if shift > 63 { throw WireFault(.malformed, "a number of more than 10 bytes", at: start) }
    }
    throw WireFault(.malformed, "the bytes end within a number", at: start)
  }

  /// Reads a length, returns a cursor over that many bytes, and moves past them.
  @inline(__always)
  mutating func message() throws(WireFault) -> WireCursor {
    let start = position
    let length = try varint()
    guard length <= UInt64(end - position) else { throw tooLong(length, at: start) }
    let content = WireCursor(base: base, position: position, end: position + Int(length))
    position = content.end
    return content
  }

  private func tooLong(_ length: UInt64, at start: Int) -> WireFault {
    WireFault(.malformed, "a length of \(length) where \(end - position) bytes are left", at: start)
  }

  /// Passes over the value of a field that is not read.
  mutating func skip(_ tag: UInt32) throws(WireFault) {
    switch tag & 7 {
    case 0: _ = try varint()
    case 1: try pass(8)
    case 2: _ = try message()
    default: try pass(4)
    }
  }

  /// Reads a number of 4 bytes.
  mutating func fixed32() throws(WireFault) -> UInt32 {
    let start = position
    try pass(4)
    return UInt32(littleEndian: rest(from: start).loadUnaligned(as: UInt32.self))
  }

  /// The bytes from a place to the end.
  private func rest(from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + start, count: end - start)
  }

  private mutating func pass(_ count: Int) throws(WireFault) {
    guard end - position >= count else {
      throw WireFault(.malformed, "the bytes end within a fixed number", at: position)
    }
    position += count
  }

  /// Passes over the value of a field that is not read, unless the field is one of the first `known`
  /// fields of its message, all of which are read: then its wire type is wrong.
  @inline(never)
  mutating func skip(_ tag: UInt32, known: UInt32, except unread: UInt32 = 0) throws(WireFault) {
    let field = tag >> 3
    guard field > known || field == unread else {
      throw WireFault(
        .malformed,
        "wire type \(tag & 7), which the field does not have",
        at: position
      )
    }
    try skip(tag)
  }
}
