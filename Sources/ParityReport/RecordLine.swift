/// Reads one line of JSON Lines: a flat object.
///
/// What is nested is read and left out.
struct RecordLine {
  /// A value of a member.
  enum Value: Hashable {
    case text(String)
    case number(Int64)
    case flag(Bool)
    /// `null`, a list or an object.
    case other
  }

  /// What is wrong with a line.
  struct Fault: Error, Hashable {
    var problem: String
  }

  /// The deepest nesting that is read.
  private static let deepest = 8
  /// The most members of an object.
  private static let mostMembers = 256
  /// The greatest number: what every implementation of JSON keeps exactly.
  private static let largest: Int64 = 1 << 53

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the members of a line.
  static func members(of bytes: [UInt8]) throws(Fault) -> [String: Value] {
    var line = RecordLine(bytes)
    line.skipSpace()
    guard line.current == UInt8(ascii: "{") else { throw line.fault("no object begins here") }
    let members = try line.object(depth: 0)
    line.skipSpace()
    guard line.position == bytes.count else { throw line.fault("text follows the object") }
    return members
  }

  private func fault(_ problem: String) -> Fault {
    Fault(problem: "column \(min(position, bytes.count) + 1): \(problem)")
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0D { position += 1 }
  }

  private mutating func takes(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard current == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func object(depth: Int) throws(Fault) -> [String: Value] {
    guard depth < Self.deepest else { throw fault("nested deeper than \(Self.deepest)") }
    position += 1
    var members: [String: Value] = [:]
    guard !takes("}") else { return members }
    repeat {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw fault("a member's name is expected") }
      let name = try string()
      guard takes(":") else { throw fault("\":\" is expected") }
      let value = try value(depth: depth)
      guard members.updateValue(value, forKey: name) == nil else {
        throw fault("the member \"\(name.prefix(40))\" is given twice")
      }
      guard members.count <= Self.mostMembers else {
        throw fault("more than \(Self.mostMembers) members")
      }
    } while takes(",")
    guard takes("}") else { throw fault("\",\" or \"}\" is expected") }
    return members
  }

  private mutating func value(depth: Int) throws(Fault) -> Value {
    skipSpace()
    switch current {
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "t"): return try literal("true", .flag(true))
    case UInt8(ascii: "f"): return try literal("false", .flag(false))
    case UInt8(ascii: "n"): return try literal("null", .other)
    case UInt8(ascii: "{"):
      _ = try object(depth: depth + 1)
      return .other
    case UInt8(ascii: "["):
      try list(depth: depth + 1)
      return .other
    default: return .number(try number())
    }
  }

  private mutating func list(depth: Int) throws(Fault) {
    guard depth < Self.deepest else { throw fault("nested deeper than \(Self.deepest)") }
    position += 1
    guard !takes("]") else { return }
    repeat { _ = try value(depth: depth) } while takes(",")
    guard takes("]") else { throw fault("\",\" or \"]\" is expected") }
  }

  private mutating func literal(_ word: String, _ value: Value) throws(Fault) -> Value {
    guard bytes[position...].starts(with: word.utf8) else { throw fault("a value is expected") }
    position += word.utf8.count
    return value
  }

  /// Reads a number; fractions are rounded, since clocks of browsers have some.
  private mutating func number() throws(Fault) -> Int64 {
    let start = position
    while let byte = current,
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || [
          UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"),
          UInt8(ascii: "E"),
        ].contains(byte)
    { position += 1 }
    let first = start < bytes.count ? bytes[start] : 0
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
      let number = Double(text)
    else {
      position = start
      throw fault("a value is expected")
    }
    guard number.magnitude <= Double(Self.largest) else {
      throw fault("the number is larger than \(Self.largest)")
    }
    return Int64(number.rounded())
  }

  private mutating func string() throws(Fault) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else {
          throw fault("a string that is not UTF-8")
        }
        return string
      case UInt8(ascii: "\\"): text += try escaped().utf8
      case 0..<0x20: throw fault("a control character in a string")
      default: text.append(byte)
      }
      guard text.count <= ReportLimits.longestText else {
        throw fault("a string longer than \(ReportLimits.longestText) bytes")
      }
    }
    throw fault("a string that does not end")
  }

  private mutating func escaped() throws(Fault) -> String {
    guard let byte = current else { throw fault("a string that does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return String(Character(try scalar()))
    default: throw fault("an unknown escape")
    }
  }

  private mutating func scalar() throws(Fault) -> Unicode.Scalar {
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, bytes[position...].starts(with: "\\u".utf8) else {
      throw fault("half a pair of surrogates")
    }
    position += 2
    let second = try unit()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw fault("half a pair of surrogates") }
    return scalar
  }

  private mutating func unit() throws(Fault) -> UInt32 {
    let digits = bytes[position..<min(position + 4, bytes.count)]
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.count == 4, text.utf8.allSatisfy({ Character(.init($0)).isHexDigit }),
      let unit = UInt32(text, radix: 16)
    else { throw fault("four hexadecimal digits are expected") }
    position += 4
    return unit
  }
}
