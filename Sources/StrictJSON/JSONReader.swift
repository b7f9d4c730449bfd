/// Reads JSON strictly (RFC 8259): no member twice, no other text behind the value.
///
/// Foundation's decoder is more lenient: it takes the last of two equal members, and a vector with
/// two `expect` would check only one of them.
package struct JSONReader {
  /// What is read.
  package struct Rules: Sendable {
    /// The deepest nesting.
    package var deepest = 32
    /// The longest text, in bytes.
    package var longest = 16 << 20
    /// Whether a number with a fraction or an exponent is rounded; else it is refused.
    package var roundsFractions = false

    /// The usual rules.
    package init() {}
  }

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  /// What is wrong with a text, and where.
  package struct Fault: Error, Hashable {
    /// The line, from 1.
    package var line: Int
    /// The column in bytes, from 1.
    package var column: Int
    /// What is wrong.
    package var problem: String
  }

  private let bytes: [UInt8]
  private let rules: Rules
  private var position = 0

  private init(_ bytes: [UInt8], _ rules: Rules) {
    self.bytes = bytes
    self.rules = rules
  }

  /// Reads one value that fills a whole text.
  ///
  /// - Parameters:
  ///   - bytes: The text, in UTF-8.
  ///   - rules: What is read.
  /// - Returns: The value.
  /// - Throws: ``Fault`` that says where the text is wrong.
  package static func value(
    of bytes: [UInt8],
    rules: Rules = Rules()
  ) throws(Fault) -> JSONValue {
    var reader = JSONReader(bytes, rules)
    guard bytes.count <= rules.longest else {
      throw reader.fault("the text is longer than \(rules.longest) bytes")
    }
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.position == bytes.count else { throw reader.fault("text follows the value") }
    return value
  }

  private func fault(_ problem: String, at place: Int? = nil) -> Fault {
    let before = bytes[..<min(place ?? position, bytes.count)]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return Fault(line: line, column: before.count - start + 1, problem: problem)
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func takes(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard current == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Fault) -> JSONValue {
    guard depth <= rules.deepest else { throw fault("nested deeper than \(rules.deepest)") }
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try list(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case let byte? where byte == UInt8(ascii: "-") || Self.digits.contains(byte):
      return .whole(try number())
    case nil: throw fault("the text ends where a value is expected")
    default: throw fault("a value is expected here")
    }
  }

  private mutating func object(depth: Int) throws(Fault) -> JSONValue {
    position += 1
    var members: [String: JSONValue] = [:]
    guard !takes("}") else { return .object(members) }
    repeat {
      skipSpace()
      let place = position
      guard current == UInt8(ascii: "\"") else { throw fault("a member's name is expected here") }
      let name = try string()
      guard members[name] == nil else {
        throw fault("the member \"\(name)\" is given twice", at: place)
      }
      guard takes(":") else { throw fault("\":\" is expected after \"\(name)\"") }
      members[name] = try value(depth: depth + 1)
    } while takes(",")
    guard takes("}") else { throw fault("\",\" or \"}\" is expected here") }
    return .object(members)
  }

  private mutating func list(depth: Int) throws(Fault) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    guard !takes("]") else { return .list(elements) }
    repeat { elements.append(try value(depth: depth + 1)) } while takes(",")
    guard takes("]") else { throw fault("\",\" or \"]\" is expected here") }
    return .list(elements)
  }

  private mutating func literal(_ word: String, _ value: JSONValue) throws(Fault) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else {
      throw fault("a value is expected here")
    }
    position += word.utf8.count
    return value
  }

  private mutating func number() throws(Fault) -> Int64 {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    let first = position
    while let byte = current, Self.digits.contains(byte) { position += 1 }
    let digits = bytes[first..<position]
    guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0") else {
      throw fault("this is no number", at: start)
    }
    if let byte = current, Self.isOfFraction(byte) {
      guard rules.roundsFractions else {
        throw fault("numbers are whole, without fraction or exponent", at: start)
      }
      while let byte = current, Self.digits.contains(byte) || Self.isOfFraction(byte) {
        position += 1
      }
      return try rounded(from: start)
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let number = Int64(text), number.magnitude <= UInt64(JSONValue.largestNumber) else {
      throw fault("the number is larger than \(JSONValue.largestNumber)", at: start)
    }
    return number
  }

  private static func isOfFraction(_ byte: UInt8) -> Bool { ".eE+-".utf8.contains(byte) }

  /// The number that begins at a place and ends here, without its fraction.
  private func rounded(from start: Int) throws(Fault) -> Int64 {
    guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else {
      throw fault("this is no number", at: start)
    }
    guard number.magnitude <= Double(JSONValue.largestNumber) else {
      throw fault("the number is larger than \(JSONValue.largestNumber)", at: start)
    }
    return Int64(number.rounded())
  }

  private mutating func string() throws(Fault) -> String {
    let start = position
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else {
          throw fault("the string is not UTF-8", at: start)
        }
        return string
      case UInt8(ascii: "\\"): text += try escaped().utf8
      case 0..<0x20: throw fault("a control character in a string", at: position - 1)
      default: text.append(byte)
      }
    }
    throw fault("the string does not end", at: start)
  }

  private mutating func escaped() throws(Fault) -> String {
    guard let byte = current else { throw fault("the string does not end") }
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
    default: throw fault("an unknown escape", at: position - 2)
    }
  }

  private mutating func scalar() throws(Fault) -> Unicode.Scalar {
    let place = position - 2
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // A pair of surrogates stands for one character.
    guard first < 0xDC00, bytes[position...].starts(with: "\\u".utf8) else {
      throw fault("half a pair of surrogates", at: place)
    }
    position += 2
    let second = try unit()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw fault("half a pair of surrogates", at: place) }
    return scalar
  }

  private mutating func unit() throws(Fault) -> UInt32 {
    let digits = bytes[position..<min(position + 4, bytes.count)]
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.count == 4, text.allSatisfy(\.isHexDigit), let unit = UInt32(text, radix: 16)
    else {
      throw fault("four hexadecimal digits are expected here")
    }
    position += 4
    return unit
  }
}
