/// A strict JSON reader (RFC 8259): no repeated members, and nothing after the value.
///
/// Foundation's decoder is more lenient: it silently uses one of two equal members, and a vector
/// with two `expect` would check only one of them. ``Rules`` define where a reader of external
/// documents may be lenient; ``Reading`` reports what it tolerated.
package struct JSONReader {
  /// What a reader accepts.
  package struct Rules: Sendable {
    /// The handling of a repeated member of an object.
    package enum Repetition: Sendable {
      /// The document is rejected.
      case refused
      /// The first one counts.
      case first
      /// The last one counts.
      case last
    }

    /// The maximum nesting.
    package var deepest = 32
    /// The maximum size, in bytes.
    package var longest = 16 << 20
    /// The maximum number of values, including nested ones.
    package var most = Int.max
    /// Whether a number with a fraction or an exponent is rounded instead of rejected.
    package var roundsFractions = false
    /// Whether a number that is not a whole number up to 2^53 is kept as written
    /// (``JSONValue/decimal(_:)``); takes precedence over ``roundsFractions``.
    package var keepsNumbers = false
    /// The handling of a repeated member.
    package var repetition = Repetition.refused
    /// Whether lone surrogates, invalid UTF-8 and control characters in a string are replaced by
    /// U+FFFD or kept, instead of rejected.
    package var repairsStrings = false
    /// Whether a byte order mark is allowed at the beginning.
    package var skipsByteOrderMark = false

    /// Creates the default rules, which reject everything that is not valid.
    package init() {}

    /// Rules for documents of other programs, which keep whatever can be understood.
    package static var lenient: Rules {
      var rules = Rules()
      rules.keepsNumbers = true
      rules.repetition = .last
      rules.repairsStrings = true
      rules.skipsByteOrderMark = true
      return rules
    }
  }

  /// A value, and what was tolerated in it.
  package struct Reading: Sendable {
    /// The maximum number of names that are kept.
    package static let mostNames = 16

    /// The value.
    package var value: JSONValue
    /// The names of repeated members, at most ``mostNames``.
    package var repeated: [String] = []
    /// The number of repaired strings.
    package var repairs = 0
  }

  /// An error in a document, with its position.
  package struct Fault: Error, Hashable {
    /// The line, from 1.
    package var line: Int
    /// The column in bytes, from 1.
    package var column: Int
    /// The problem.
    package var problem: String
  }

  static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  /// The maximum size of any document: positions in it, and in rewritten strings, are 32-bit
  /// numbers.
  static let mostBytes = 1 << 30
  /// The number of names up to which each is compared with each.
  static let fewNames = 24

  let bytes: UnsafeBufferPointer<UInt8>
  let rules: Rules
  var position = 0
  var count = 0
  var repeated: [String] = []
  var repairs = 0
  var entries: [JSONDocument.Entry] = []
  var rewritten: [UInt8] = []
  /// The entries of the names of the current objects, those of the innermost last.
  var names: [Int] = []

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ rules: Rules) {
    self.bytes = bytes
    self.rules = rules
    entries.reserveCapacity(bytes.count / 16 + 8)
  }

  /// Reads one value that fills a whole document.
  ///
  /// - Parameters:
  ///   - bytes: The document, in UTF-8.
  ///   - rules: What to accept.
  /// - Returns: The value.
  /// - Throws: ``Fault`` with the position of the error.
  package static func value(
    of bytes: [UInt8],
    rules: Rules = Rules()
  ) throws(Fault) -> JSONValue {
    try document(of: bytes, rules: rules).value()
  }

  /// Reads one value that fills a whole document, and reports what was tolerated.
  ///
  /// - Parameters:
  ///   - bytes: The document, in UTF-8.
  ///   - rules: What to accept.
  /// - Returns: The value, and what the rules tolerated.
  /// - Throws: ``Fault`` with the position of the error.
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

  /// Parses one value that fills a whole document, without decoding it yet.
  ///
  /// All errors are found here: decoding values from the document cannot fail.
  ///
  /// - Parameters:
  ///   - bytes: The document, in UTF-8; at most 1 GiB.
  ///   - rules: What to accept.
  /// - Returns: The position of each value.
  /// - Throws: ``Fault`` with the position of the error.
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
      throw fault("this is not a number", at: start)
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

  /// Reads the rest of a number that begins at a place and continues with a fraction or an
  /// exponent.
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
    guard isNumber else { throw fault("this is not a number", at: start) }
    if rules.keepsNumbers { return keep(.decimal, from: start) }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let number = Double(text) else { throw fault("this is not a number", at: start) }
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
