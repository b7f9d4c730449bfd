/// Reads the three forms of a date (RFC 9110 section 5.6.7).
struct HTTPDateScanner {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) {
    rest = Array(text.utf8)[...]
  }

  /// Reads the whole string.
  ///
  /// - Returns: The fields, unchecked, and whether the year has four digits.
  mutating func read() -> (civil: CivilTime, hasCentury: Bool)? {
    let name = letters()
    let isShort = CivilTime.weekdays.contains { Self.isEqual($0, name) }
    if skip(" ") { return isShort ? asctime().map { ($0, true) } : nil }
    guard skip(","), skip(" ") else { return nil }
    if isShort { return date(separator: " ", yearDigits: 4).map { ($0, true) } }
    guard Self.longWeekdays.contains(where: { Self.isEqual($0, name) }) else { return nil }
    return date(separator: "-", yearDigits: 2).map { ($0, false) }
  }

  private static let longWeekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  /// Reads `06 Nov 1994 08:49:37 GMT` and `06-Nov-94 08:49:37 GMT`.
  private mutating func date(separator: Unicode.Scalar, yearDigits: Int) -> CivilTime? {
    guard let day = number(2), skip(separator), let month = month(), skip(separator),
      let year = number(yearDigits), skip(" "), let time = time(), skip(" "),
      Self.isEqual("GMT", letters()), rest.isEmpty
    else { return nil }
    return civil(year, month, day, time)
  }

  /// Reads `Nov  6 08:49:37 1994`.
  private mutating func asctime() -> CivilTime? {
    guard let month = month(), skip(" "), let day = skip(" ") ? number(1) : number(2), skip(" "),
      let time = time(), skip(" "), let year = number(4), rest.isEmpty
    else { return nil }
    return civil(year, month, day, time)
  }

  private mutating func time() -> [Int]? {
    guard let hour = number(2), skip(":"), let minute = number(2), skip(":"),
      let second = number(2)
    else { return nil }
    return [hour, minute, second]
  }

  private func civil(_ year: Int, _ month: Int, _ day: Int, _ time: [Int]) -> CivilTime {
    CivilTime(
      year: year,
      month: month,
      day: day,
      hour: time[0],
      minute: time[1],
      second: time[2]
    )
  }

  private mutating func month() -> Int? {
    let name = letters()
    return CivilTime.months.firstIndex { Self.isEqual($0, name) }.map { $0 + 1 }
  }

  private mutating func number(_ count: Int) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy(FieldSyntax.isDigit) else { return nil }
    rest = rest.dropFirst(count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private mutating func letters() -> ArraySlice<UInt8> {
    let letters = rest.prefix { (0x61...0x7A).contains(FieldSyntax.lowercased($0)) }
    rest = rest.dropFirst(letters.count)
    return letters
  }

  private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func isEqual(_ name: String, _ bytes: ArraySlice<UInt8>) -> Bool {
    name.utf8.elementsEqual(bytes) {
      FieldSyntax.lowercased($0) == FieldSyntax.lowercased($1)
    }
  }
}
