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

  static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  /// The longest text of all: places in it, and in what is written anew of it, are numbers of 32 bits.
  static let mostBytes = 1 << 30
  /// Names of an object up to which each is compared with each.
  static let fewNames = 24

  let bytes: UnsafeBufferPointer<UInt8>
  let rules: Rules
  var position = 0
  var count = 0
  var repeated: [String] = []
  var repairs = 0
  var entries: [JSONDocument.Entry] = []
  var rewritten: [UInt8] = []
  /// The entries of the names of the objects under way, those of the innermost last.
  var names: [Int] = []

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ rules: Rules) {
    self.bytes = bytes
    self.rules = rules
    entries.reserveCapacity(bytes.count / 16 + 8)
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
    try document(of: bytes, rules: rules).value()
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
    let document = try document(of: bytes, rules: rules)
    return Reading(
      value: document.value(),
      repeated: document.repeated,
      repairs: document.repairs
    )
  }

  /// Reads one value that fills a whole text, and makes nothing of it yet.
  ///
  /// Everything that can be wrong with the text is found here: taking values from the document cannot fail.
  ///
  /// - Parameters:
  ///   - bytes: The text, in UTF-8; at most 1 GiB.
  ///   - rules: What is read.
  /// - Returns: Where each value is.
  /// - Throws: ``Fault`` that says where the text is wrong.
  package static func document(
    of bytes: [UInt8],
    rules: Rules = Rules()
  ) throws(Fault) -> JSONDocument {
    let result = bytes.withUnsafeBufferPointer { text -> Result<JSONDocument, Fault> in
      var reader = JSONReader(text, rules)
      do throws(Fault) {
        try reader.whole()
      } catch {
        return .failure(error)
      }
      return .success(
        JSONDocument(
          bytes: bytes,
          entries: reader.entries,
          rewritten: reader.rewritten,
          repeated: reader.repeated,
          repairs: reader.repairs
        )
      )
    }
    return try result.get()
  }

  mutating func whole() throws(Fault) {
    guard bytes.count <= min(rules.longest, Self.mostBytes) else {
      throw fault("the text is longer than \(min(rules.longest, Self.mostBytes)) bytes")
    }
    if rules.skipsByteOrderMark, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw fault("text follows the value") }
  }

  func fault(_ problem: String, at place: Int? = nil) -> Fault {
    let before = bytes[..<min(place ?? position, bytes.count)]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return Fault(line: line, column: before.count - start + 1, problem: problem)
  }

  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipSpace() {
    while position < bytes.count {
      let byte = bytes[position]
      guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
        return
      }
      position += 1
    }
  }

  mutating func takes(_ character: UInt8) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == character else { return false }
    position += 1
    return true
  }

  mutating func value(depth: Int) throws(Fault) {
    guard depth <= rules.deepest else { throw fault("nested deeper than \(rules.deepest)") }
    count += 1
    guard count <= rules.most else { throw fault("more than \(rules.most) values") }
    skipSpace()
    switch current {
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "{"): try object(depth: depth)
    case UInt8(ascii: "["): try list(depth: depth)
    case UInt8(ascii: "t"): try literal("true", .yes)
    case UInt8(ascii: "f"): try literal("false", .no)
    case UInt8(ascii: "n"): try literal("null", .null)
    case let byte? where byte == UInt8(ascii: "-") || Self.digits.contains(byte): try number()
    case nil: throw fault("the text ends where a value is expected")
    default: throw fault("a value is expected here")
    }
  }

  mutating func object(depth: Int) throws(Fault) {
    let own = entries.count
    entries.append(.init(kind: .object, start: UInt32(position)))
    position += 1
    let first = names.count
    var lengths: JSONDocument.NameLengths = []
    if !takes(UInt8(ascii: "}")) {
      repeat {
        skipSpace()
        guard current == UInt8(ascii: "\"") else { throw fault("a member's name is expected here") }
        names.append(entries.count)
        try string()
        lengths.formUnion(.init(Int(entries[entries.count - 1].count)))
        guard takes(UInt8(ascii: ":")) else {
          throw fault("\":\" is expected after \"\(name(entries.count - 1))\"")
        }
        try value(depth: depth + 1)
      } while takes(UInt8(ascii: ","))
      guard takes(UInt8(ascii: "}")) else { throw fault("\",\" or \"}\" is expected here") }
    }
    entries[own].count = UInt32(names.count - first)
    entries[own].end = UInt32(entries.count)
    entries[own].tag = lengths.rawValue
    try judgeNames(from: first)
    names.removeSubrange(first...)
  }

  mutating func list(depth: Int) throws(Fault) {
    let own = entries.count
    entries.append(.init(kind: .list, start: UInt32(position)))
    position += 1
    var elements: UInt32 = 0
    if !takes(UInt8(ascii: "]")) {
      repeat {
        try value(depth: depth + 1)
        elements += 1
      } while takes(UInt8(ascii: ","))
      guard takes(UInt8(ascii: "]")) else { throw fault("\",\" or \"]\" is expected here") }
    }
    entries[own].count = elements
    entries[own].end = UInt32(entries.count)
  }

  mutating func literal(
    _ word: StaticString,
    _ kind: JSONDocument.Entry.Kind
  ) throws(Fault) {
    let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes[position...].starts(with: letters) else {
      throw fault("a value is expected here")
    }
    entries.append(.init(kind: kind, start: UInt32(position)))
    position += letters.count
  }
}

// MARK: Numbers

extension JSONReader {
  mutating func number() throws(Fault) {
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
      return keep(.decimal, from: start)
    }
    keep(.whole, from: start)
  }

  mutating func keep(_ kind: JSONDocument.Entry.Kind, from start: Int) {
    entries.append(.init(kind: kind, start: UInt32(start), count: UInt32(position - start)))
  }

  static func isOfFraction(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: "-")
  }

  /// The number that begins at a place and goes on here with a fraction or an exponent.
  mutating func fraction(from start: Int) throws(Fault) {
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
    if rules.keepsNumbers { return keep(.decimal, from: start) }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let number = Double(text) else { throw fault("this is no number", at: start) }
    guard number.magnitude <= Double(JSONValue.largestNumber) else {
      throw fault("the number is larger than \(JSONValue.largestNumber)", at: start)
    }
    keep(.rounded, from: start)
  }

  mutating func takesDigits() -> Bool {
    let start = position
    while position < bytes.count, Self.digits.contains(bytes[position]) { position += 1 }
    return position > start
  }
}
