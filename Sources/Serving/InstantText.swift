/// Instants as RFC 3339 writes them.
package enum InstantText {
  /// The years that are read; beyond them no timetable and no clock is meant.
  package static let years = 1900...2200

  /// Reads an instant with `Z` or an offset, with or without fractions of a second.
  ///
  /// Strict: every digit of RFC 3339 section 5.6 must be there, days must exist, nothing may follow.
  ///
  /// - Returns: Seconds since 1970-01-01T00:00:00Z; `nil` if the text is not an instant.
  package static func read(_ text: String) -> Double? {
    var scanner = Scanner(bytes: Array(text.utf8))
    guard
      let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
      scanner.skip("-"), let day = scanner.number(2), scanner.skip("Tt "),
      let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2),
      scanner.skip(":"), let second = scanner.number(2), years.contains(year),
      (1...12).contains(month), (1...length(ofMonth: month, year)).contains(day), hour < 24,
      minute < 60, second <= 60, let fraction = scanner.fraction(), let offset = scanner.offset(),
      scanner.isAtEnd
    else { return nil }
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return Double(seconds) + fraction
  }

  /// An instant in UTC with milliseconds, `2026-11-24T07:00:00.000Z`.
  package static func write(_ seconds: Double) -> String {
    let milliseconds = Int((seconds * 1_000).rounded(.down))
    let day = Int((Double(milliseconds) / 86_400_000).rounded(.down))
    let rest = milliseconds - day * 86_400_000
    let (year, month, date) = civil(day)
    func pad(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(date, 2))T\(pad(rest / 3_600_000, 2))"
      + ":\(pad(rest / 60_000 % 60, 2)):\(pad(rest / 1_000 % 60, 2)).\(pad(rest % 1_000, 3))Z"
  }

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01, counted over years that begin in March.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let beforeMonth = ((month + 9) % 12 * 153 + 2) / 5
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + beforeMonth + day - 719_469
  }

  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    var year = 1970 + days / 366 - 1
    while Self.days(year + 1, 1, 1) <= days { year += 1 }
    var month = 1
    while month < 12, Self.days(year, month + 1, 1) <= days { month += 1 }
    return (year, month, days - Self.days(year, month, 1) + 1)
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

    /// The fraction of a second; 0 if there is none.
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

    /// Seconds ahead of UTC.
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
