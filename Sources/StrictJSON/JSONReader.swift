/// Reads JSON strictly (RFC 8259): no member twice, no other text behind the value.
///
/// Foundation's decoder is more lenient: it takes one of two equal members without a word, and a
/// vector with two `expect` would check only one of them. ``Rules`` say where a reader of other
/// people's texts may be lenient; what it then forgave stands in ``Reading``.
package struct JSONReader {
  /// What is read.
  package struct Rules: Sendable {
    /// What becomes of a member that stands twice in an object.
    package enum Repetition: Sendable {
      /// The text is refused.
      case refused
      /// The first one counts.
      case first
      /// The last one counts.
      case last
    }

    /// The deepest nesting.
    package var deepest = 32
    /// The longest text, in bytes.
    package var longest = 16 << 20
    /// The most values, counted with those inside of others.
    package var most = Int.max
    /// Whether a number with a fraction or an exponent is rounded; else it is refused.
    package var roundsFractions = false
    /// Whether a number that is no whole one of at most 2^53 is kept as it is written
    /// (``JSONValue/decimal(_:)``); goes before ``roundsFractions``.
    package var keepsNumbers = false
    /// What becomes of a member that stands twice.
    package var repetition = Repetition.refused
    /// Whether half a pair of surrogates, bytes that are not UTF-8 and control characters in a string
    /// are replaced by U+FFFD or kept; else they are refused.
    package var repairsStrings = false
    /// Whether a byte order mark may stand at the beginning.
    package var skipsByteOrderMark = false

    /// The usual rules: whatever is not plainly right is refused.
    package init() {}

    /// Rules for texts of programs that are not ours: what can be understood is kept.
    package static var lenient: Rules {
      var rules = Rules()
      rules.keepsNumbers = true
      rules.repetition = .last
      rules.repairsStrings = true
      rules.skipsByteOrderMark = true
      return rules
    }
  }

  /// A value, and what was forgiven on the way to it.
  package struct Reading: Sendable {
    /// The most names that are kept.
    package static let mostNames = 16

    /// The value.
    package var value: JSONValue
    /// The members that stood twice in an object, the first ``mostNames`` of them.
    package var repeated: [String] = []
    /// How many strings were repaired.
    package var repairs = 0
  }

  /// What is wrong with a text, and where.
  package struct Fault: Error, Hashable {
    /// The line, from 1.
    package var line: Int
    /// The column in bytes, from 1.
    package var column: Int
    /// What is wrong.
    package var problem: String
  }

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  private let bytes: UnsafeBufferPointer<UInt8>
  private let rules: Rules
  private var position = 0
  private var count = 0
  private var repeated: [String] = []
  private var repairs = 0
  /// Members of the objects under way, innermost last; a dictionary is made when its size is known.
  private var members: [(name: String, value: JSONValue)] = []

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ rules: Rules) {
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
    try reading(of: bytes, rules: rules).value
  }

  /// Reads one value that fills a whole text, and says what was forgiven.
  ///
  /// - Parameters:
  ///   - bytes: The text, in UTF-8.
  ///   - rules: What is read.
  /// - Returns: The value, and what the rules let pass.
  /// - Throws: ``Fault`` that says where the text is wrong.
  package static func reading(
    of bytes: [UInt8],
    rules: Rules = Rules()
  ) throws(Fault) -> Reading {
    let result = bytes.withUnsafeBufferPointer { bytes -> Result<Reading, Fault> in
      var reader = JSONReader(bytes, rules)
      do throws(Fault) {
        return .success(try reader.whole())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private mutating func whole() throws(Fault) -> Reading {
    guard bytes.count <= rules.longest else {
      throw fault("the text is longer than \(rules.longest) bytes")
    }
    if rules.skipsByteOrderMark, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw fault("text follows the value") }
    return Reading(value: value, repeated: repeated, repairs: repairs)
  }

  private func fault(_ problem: String, at place: Int? = nil) -> Fault {
    let before = bytes[..<min(place ?? position, bytes.count)]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return Fault(line: line, column: before.count - start + 1, problem: problem)
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while position < bytes.count {
      let byte = bytes[position]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
    }
  }

  private mutating func takes(_ character: UInt8) -> Bool {
    skipSpace()
    guard current == character else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Fault) -> JSONValue {
    guard depth <= rules.deepest else { throw fault("nested deeper than \(rules.deepest)") }
    count += 1
    guard count <= rules.most else { throw fault("more than \(rules.most) values") }
    skipSpace()
    switch current {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try list(depth: depth)
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case let byte? where byte == UInt8(ascii: "-") || Self.digits.contains(byte):
      return try number()
    case nil: throw fault("the text ends where a value is expected")
    default: throw fault("a value is expected here")
    }
  }

  private mutating func object(depth: Int) throws(Fault) -> JSONValue {
    position += 1
    guard !takes(UInt8(ascii: "}")) else { return .object([:]) }
    let first = members.count
    var places: [Int]? = rules.repetition == .refused ? [] : nil
    repeat {
      skipSpace()
      places?.append(position)
      guard current == UInt8(ascii: "\"") else { throw fault("a member's name is expected here") }
      let name = try string()
      guard takes(UInt8(ascii: ":")) else { throw fault("\":\" is expected after \"\(name)\"") }
      let value = try value(depth: depth + 1)
      members.append((name, value))
    } while takes(UInt8(ascii: ","))
    guard takes(UInt8(ascii: "}")) else { throw fault("\",\" or \"}\" is expected here") }
    var object = [String: JSONValue](minimumCapacity: members.count - first)
    for index in first..<members.count {
      let member = members[index]
      guard let earlier = object.updateValue(member.value, forKey: member.name) else { continue }
      switch rules.repetition {
      case .refused:
        throw fault(
          "the member \"\(member.name)\" is given twice",
          at: places.map { $0[index - first] }
        )
      case .first: object[member.name] = earlier
      case .last: break
      }
      if repeated.count < Reading.mostNames { repeated.append(member.name) }
    }
    members.removeSubrange(first...)
    return .object(object)
  }

  private mutating func list(depth: Int) throws(Fault) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    guard !takes(UInt8(ascii: "]")) else { return .list(elements) }
    repeat { elements.append(try value(depth: depth + 1)) } while takes(UInt8(ascii: ","))
    guard takes(UInt8(ascii: "]")) else { throw fault("\",\" or \"]\" is expected here") }
    return .list(elements)
  }

  private mutating func literal(
    _ word: StaticString,
    _ value: JSONValue
  ) throws(Fault) -> JSONValue {
    let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes[position...].starts(with: letters) else {
      throw fault("a value is expected here")
    }
    position += letters.count
    return value
  }
}

// MARK: Numbers

extension JSONReader {
  private mutating func number() throws(Fault) -> JSONValue {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    let first = position
    var size: UInt64 = 0
    while position < bytes.count, Self.digits.contains(bytes[position]) {
      // Nineteen digits fit; longer ones are too large in any case.
      if position - first < 19 { size = size * 10 + UInt64(bytes[position] & 15) }
      position += 1
    }
    let digits = position - first
    guard digits > 0, digits == 1 || bytes[first] != UInt8(ascii: "0") else {
      throw fault("this is no number", at: start)
    }
    if let byte = current, Self.isOfFraction(byte) { return try fraction(from: start) }
    guard digits <= 19, size <= UInt64(JSONValue.largestNumber) else {
      guard rules.keepsNumbers else {
        throw fault("the number is larger than \(JSONValue.largestNumber)", at: start)
      }
      return .decimal(text(from: start))
    }
    return .whole(first == start ? Int64(size) : -Int64(size))
  }

  private static func isOfFraction(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: "-")
  }

  /// The number that begins at a place and goes on here with a fraction or an exponent.
  private mutating func fraction(from start: Int) throws(Fault) -> JSONValue {
    guard rules.keepsNumbers || rules.roundsFractions else {
      throw fault("numbers are whole, without fraction or exponent", at: start)
    }
    var isNumber = true
    if current == UInt8(ascii: ".") {
      position += 1
      isNumber = takesDigits()
    }
    if let byte = current, byte | 0x20 == UInt8(ascii: "e") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      isNumber = takesDigits() && isNumber
    }
    if let byte = current, Self.isOfFraction(byte) { isNumber = false }
    guard isNumber else { throw fault("this is no number", at: start) }
    let text = text(from: start)
    if rules.keepsNumbers { return .decimal(text) }
    guard let number = Double(text) else { throw fault("this is no number", at: start) }
    guard number.magnitude <= Double(JSONValue.largestNumber) else {
      throw fault("the number is larger than \(JSONValue.largestNumber)", at: start)
    }
    return .whole(Int64(number.rounded()))
  }

  private mutating func takesDigits() -> Bool {
    let start = position
    while position < bytes.count, Self.digits.contains(bytes[position]) { position += 1 }
    return position > start
  }

  private func text(from start: Int) -> String {
    String(decoding: bytes[start..<position], as: UTF8.self)
  }
}

// MARK: Strings

extension JSONReader {
  private mutating func string() throws(Fault) -> String {
    let start = position
    position += 1
    let first = position
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        let run = UnsafeBufferPointer(rebasing: bytes[first..<position])
        position += 1
        if let string = String(validating: run, as: UTF8.self) { return string }
        return try repaired(run, from: start)
      }
      if byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      position += 1
    }
    return try escapedString(from: start)
  }

  /// The string that begins at a place, of which something has to be replaced; the position is at the
  /// first such thing.
  private mutating func escapedString(from start: Int) throws(Fault) -> String {
    var text = [UInt8](bytes[(start + 1)..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        if let string = String(validating: text, as: UTF8.self) { return string }
        return try text.withUnsafeBufferPointer { text -> Result<String, Fault> in
          do throws(Fault) {
            return .success(try repaired(text, from: start))
          } catch {
            return .failure(error)
          }
        }.get()
      case UInt8(ascii: "\\"): try escaped(into: &text)
      case 0..<0x20:
        guard rules.repairsStrings else {
          throw fault("a control character in a string", at: position - 1)
        }
        repairs += 1
        text.append(byte)
      default: text.append(byte)
      }
    }
    throw fault("the string does not end", at: start)
  }

  private mutating func repaired(
    _ text: UnsafeBufferPointer<UInt8>,
    from start: Int
  ) throws(Fault) -> String {
    guard rules.repairsStrings else { throw fault("the string is not UTF-8", at: start) }
    repairs += 1
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func escaped(into text: inout [UInt8]) throws(Fault) {
    guard let byte = current else { throw fault("the string does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try scalar())).utf8)
    default: throw fault("an unknown escape", at: position - 2)
    }
  }

  private mutating func scalar() throws(Fault) -> Unicode.Scalar {
    let place = position - 2
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // A pair of surrogates stands for one character.
    let behind = position
    if first < 0xDC00, bytes[position...].starts(with: "\\u".utf8) {
      position += 2
      let second = try unit()
      if (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
    }
    guard rules.repairsStrings else { throw fault("half a pair of surrogates", at: place) }
    position = behind
    repairs += 1
    return "\u{FFFD}"
  }

  private mutating func unit() throws(Fault) -> UInt32 {
    var unit: UInt32 = 0
    guard position + 4 <= bytes.count else {
      throw fault("four hexadecimal digits are expected here")
    }
    for byte in bytes[position..<position + 4] {
      switch byte {
      case 0x30...0x39: unit = unit << 4 | UInt32(byte - 0x30)
      case 0x41...0x46, 0x61...0x66: unit = unit << 4 | UInt32((byte | 0x20) - 0x57)
      default: throw fault("four hexadecimal digits are expected here")
      }
    }
    position += 4
    return unit
  }
}
