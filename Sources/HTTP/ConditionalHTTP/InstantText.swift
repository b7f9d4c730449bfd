/// Reads and writes instants in the format of RFC 3339.
public enum InstantText: Sendable {
  /// The years that are accepted; no timetable and no clock is outside them.
  public static let years = 1900...2200

  /// Reads an instant with `Z` or an offset, with or without fractions of a second.
  ///
  /// Strict: every digit of RFC 3339 section 5.6 is required, days must exist, nothing may follow.
  ///
  /// - Returns: Seconds since 1970-01-01T00:00:00Z, or `nil` if the string is not an instant.
  public static func read(_ text: String) -> Double? {
    var scanner = Scanner(bytes: Array(text.utf8))
    guard
      let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
      scanner.skip("-"), let day = scanner.number(2), scanner.skip("Tt "),
      let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2),
      scanner.skip(":"), let second = scanner.number(2), years.contains(year),
      let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.isAtEnd
    else { return nil }
    let time = CivilTime(
      year: year,
      month: month,
      day: day,
      hour: hour,
      minute: minute,
      second: second
    )
    return time.isValid ? Double(time.secondsSince1970 - Int64(offset)) + fraction : nil
  }

  /// Writes an instant in UTC with milliseconds.
  ///
  /// RFC 3339 has years of four digits. Instants before the year 1 and values that are not numbers
  /// are written as the first instant of the year 1, those after the year 9999 as its last one.
  ///
  /// - Parameter seconds: Seconds since 1970-01-01T00:00:00Z; milliseconds are rounded down.
  /// - Returns: A string such as `2026-11-24T07:00:00.000Z`.
  public static func write(_ seconds: Double) -> String {
    let milliseconds = milliseconds(of: seconds)
    let whole = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
    let time = CivilTime(whole)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    func write(_ number: Int, _ digits: Int, _ end: UInt8) {
      var power = 1
      for _ in 1..<digits { power *= 10 }
      while power > 0 {
        bytes.append(UInt8(ascii: "0") + UInt8(number / power % 10))
        power /= 10
      }
      bytes.append(end)
    }
    write(time.year, 4, UInt8(ascii: "-"))
    write(time.month, 2, UInt8(ascii: "-"))
    write(time.day, 2, UInt8(ascii: "T"))
    write(time.hour, 2, UInt8(ascii: ":"))
    write(time.minute, 2, UInt8(ascii: ":"))
    write(time.second, 2, UInt8(ascii: "."))
    write(Int(milliseconds - whole * 1_000), 3, UInt8(ascii: "Z"))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The milliseconds of an instant, as ``write(_:)`` writes them: what tells whether a client means this instant.
  ///
  /// - Parameter seconds: Seconds since 1970-01-01T00:00:00Z.
  /// - Returns: Milliseconds since 1970-01-01T00:00:00Z, rounded down, in the years 1 to 9999.
  public static func milliseconds(of seconds: Double) -> Int64 {
    // A `Double` of seconds since 1970 does not resolve a thousandth of a millisecond.
    let exact = (seconds * 1_000 + 0.001).rounded(.down)
    let first: Int64 = -62_135_596_800_000
    let last: Int64 = 253_402_300_799_999
    // NaN does not compare as greater than the first one.
    return exact > Double(first) ? Int64(min(exact, Double(last))) : first
  }

  private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func number(_ digits: Int) -> Int? {
      guard position + digits <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[position..<position + digits] {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      position += digits
      return value
    }

    mutating func skip(_ choices: String) -> Bool {
      guard position < bytes.count, choices.utf8.contains(bytes[position]) else { return false }
      position += 1
      return true
    }

    /// Reads the fraction of a second; 0 without one.
    mutating func fraction() -> Double? {
      guard skip(".") else { return 0 }
      var value = 0.0
      var scale = 0.1
      let start = position
      while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
        value += Double(bytes[position] - 0x30) * scale
        scale /= 10
        position += 1
      }
      return position > start && position - start <= 9 ? value : nil
    }

    /// Reads the seconds ahead of UTC.
    mutating func offset() -> Int? {
      if skip("Zz") { return 0 }
      guard position < bytes.count else { return nil }
      let isBehind = bytes[position] == 0x2D
      guard
        skip("+-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24,
        minutes < 60
      else { return nil }
      return (hours * 3_600 + minutes * 60) * (isBehind ? -1 : 1)
    }
  }
}
