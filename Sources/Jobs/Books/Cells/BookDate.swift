/// A day, a month or a year, as reading lists have them.
package struct BookDate: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The year, 1000 to 9999.
  package let year: Int
  /// The month, 1 to 12; `nil` if only the year is known.
  package let month: Int?
  /// The day of the month; `nil` if only the month is known.
  package let day: Int?

  /// The content of a cell with a date.
  package enum Cell: Hashable, Sendable {
    /// Nothing.
    case empty
    /// A date.
    case date(BookDate)
    /// The number of a day, which a spreadsheet has left of a date.
    case serial(BookDate)
    /// A number of seconds or milliseconds since 1970, in UTC.
    case epoch(BookDate)
    /// Two numbers of which either may be the month.
    case ambiguous
    /// No date.
    case unreadable
  }

  /// Which of two numbers before a year is the month.
  package enum Order: Hashable, Sendable {
    /// The second.
    case dayFirst
    /// The first.
    case monthFirst
  }

  /// Creates a date that exists.
  package init?(year: Int, month: Int? = nil, day: Int? = nil) {
    guard 1000...9999 ~= year else { return nil }
    if let month {
      guard 1...12 ~= month else { return nil }
      if let day {
        guard day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
      }
    } else if day != nil {
      return nil
    }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Like `2024-01-15`, `2024-01` or `2024`.
  package var description: String {
    var text = String(year)
    for part in [month, day] {
      guard let part else { break }
      text += part < 10 ? "-0\(part)" : "-\(part)"
    }
    return text
  }

  /// Orders by time; a year sorts before its months.
  package static func < (left: BookDate, right: BookDate) -> Bool {
    (left.year, left.month ?? 0, left.day ?? 0) < (right.year, right.month ?? 0, right.day ?? 0)
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// The days since 1899-12-30 that spreadsheets count, 1954 to 2119.
  private static let serials = 20_000...80_000

  /// The date that a spreadsheet shows as a number of days.
  init?(serial: Int) {
    guard Self.serials ~= serial else { return nil }
    var year = 1900
    var left = serial - 2
    while true {
      let length = Self.days(inMonth: 2, of: year) == 29 ? 366 : 365
      guard left >= length else { break }
      left -= length
      year += 1
    }
    var month = 1
    while left >= Self.days(inMonth: month, of: year) {
      left -= Self.days(inMonth: month, of: year)
      month += 1
    }
    self.init(year: year, month: month, day: left + 1)
  }

  /// Whether a cell is a number of seconds from 1973 to 2100, or of milliseconds from 2001 to 2100.
  static func isEpoch(_ cell: String) -> Bool { epoch(CellText.withoutBrackets(cell)) != nil }

  /// The years in which an instant is believed: the first of nine digits, and far enough ahead.
  private static let epochYears = 1973...2100

  private static func epoch(_ text: String) -> BookDate? {
    let digits = text.utf8
    guard [9, 10, 13].contains(digits.count), digits.allSatisfy({ 0x30...0x39 ~= $0 }),
      let number = Int(text)
    else { return nil }
    let days = number / (digits.count == 13 ? 86_400_000 : 86_400)
    // 25,569 days lie between 1899-12-30 and 1970-01-01.
    guard let date = BookDate(serial: days + 25_569), epochYears ~= date.year else { return nil }
    return date
  }

  /// How months begin in English, German, French, Spanish, Italian, Portuguese and Dutch, without marks.
  private static let months: [String: Int] = {
    let lists = [
      "jan ene gen", "feb fev", "mar mrz mrt", "apr avr abr", "may mai mei mag", "jun giu juin",
      "jul lug juil", "aug aou ago", "sep set", "oct okt ott out", "nov", "dec dez dic",
    ]
    var months: [String: Int] = [:]
    for (index, list) in lists.enumerated() {
      for word in list.split(separator: " ") { months[String(word)] = index + 1 }
    }
    return months
  }()

  /// Reads a cell.
  ///
  /// Read are `2024-01-15`, `2024/1/15`, `2024.01.15`, all of them with a time behind, `2024-01`, `2024`,
  /// `15.01.2024`, `Jan 15, 2024`, `15 January 2024`, `15. März 2024`, `1/15/2024` and `15/1/2024` if one of the numbers
  /// cannot be a month or the order is known, and the number of days of a spreadsheet. Years of two digits are
  /// those from 1970 to 2069. Brackets around a date are passed.
  ///
  /// - Parameters:
  ///   - cell: The cell.
  ///   - order: Which number is the month where both may be.
  ///   - countsSeconds: Whether a number of nine and more digits is one of seconds or milliseconds since 1970.
  /// - Returns: The content.
  package static func read(
    _ cell: String,
    order: Order? = nil,
    countsSeconds: Bool = false
  ) -> Cell {
    let text = CellText.withoutBrackets(cell)
    guard !text.isEmpty else { return .empty }
    if countsSeconds, let date = epoch(text) { return .epoch(date) }
    // The time of an instant says nothing about the day.
    let isNumeric = text.first?.isNumber == true
    let words = text.split { $0 == " " || $0 == "," || (isNumeric && $0 == "T") }
      .filter { !["de", "del", "of"].contains($0.lowercased()) }
    guard let first = words.first else { return .empty }
    if words.count >= 3, let date = spelled(words) { return .date(date) }
    if words.count == 2, let month = month(first), let year = Int(words[1]),
      let date = BookDate(year: year, month: month)
    {
      return .date(date)
    }
    guard words.count == 1 || words[1].first?.isNumber == true else { return .unreadable }
    return numeric(first, order)
  }

  /// Which number of a date must be the month because the other cannot be; `nil` if that does not show.
  static func shownOrder(of cell: String) -> Order? {
    guard let word = CellText.withoutBrackets(cell).split(separator: " ").first,
      word.utf8.contains(0x2F)
    else { return nil }
    let numbers = word.split(separator: "/").map { Int($0) ?? 0 }
    guard numbers.count == 3, (1...31).contains(numbers[0]), (1...31).contains(numbers[1]),
      case .date = numeric(word, nil)
    else { return nil }
    if numbers[0] > 12, numbers[1] <= 12 { return .dayFirst }
    return numbers[1] > 12 && numbers[0] <= 12 ? .monthFirst : nil
  }

  private static func month(_ word: Substring) -> Int? {
    guard word.count >= 3, let name = BookKey.words(String(word)).first else { return nil }
    return months[String(name.prefix(4))] ?? months[String(name.prefix(3))]
  }

  private static func spelled(_ words: [Substring]) -> BookDate? {
    func day(_ word: Substring) -> Int? { Int(word.prefix { $0.isNumber }) }
    guard let year = Int(words[2]) else { return nil }
    if let month = month(words[0]), let day = day(words[1]) {
      return BookDate(year: year, month: month, day: day)
    }
    if let month = month(words[1]), let day = day(words[0]) {
      return BookDate(year: year, month: month, day: day)
    }
    return nil
  }

  private static func numeric(_ word: Substring, _ order: Order?) -> Cell {
    let parts = word.split(whereSeparator: { "-/.".contains($0) }, omittingEmpty: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { 0x30...0x39 ~= $0 } && part.utf8.count <= 5 ? Int(part) : nil
    }
    guard numbers.count == parts.count else { return .unreadable }
    func cell(_ date: BookDate?) -> Cell { date.map(Cell.date) ?? .unreadable }
    switch numbers.count {
    case 1:
      if parts[0].utf8.count == 5 {
        return BookDate(serial: numbers[0]).map(Cell.serial) ?? .unreadable
      }
      return parts[0].utf8.count == 4 ? cell(BookDate(year: numbers[0])) : .unreadable
    case 2 where parts[0].utf8.count == 4:
      return cell(BookDate(year: numbers[0], month: numbers[1]))
    case 3 where parts[0].utf8.count == 4:
      return cell(BookDate(year: numbers[0], month: numbers[1], day: numbers[2]))
    case 3 where parts[2].utf8.count == 4 || isShort(parts, word):
      let year =
        parts[2].utf8.count == 4 ? numbers[2] : numbers[2] + (numbers[2] < 70 ? 2_000 : 1_900)
      if word.utf8.contains(0x2E) {
        return cell(BookDate(year: year, month: numbers[1], day: numbers[0]))
      }
      switch (numbers[0] > 12, numbers[1] > 12) {
      case (true, false): return cell(BookDate(year: year, month: numbers[1], day: numbers[0]))
      case (false, true): return cell(BookDate(year: year, month: numbers[0], day: numbers[1]))
      case (true, true): return .unreadable
      case (false, false):
        if order == .dayFirst {
          return cell(BookDate(year: year, month: numbers[1], day: numbers[0]))
        }
        return numbers[0] == numbers[1] || order == .monthFirst
          ? cell(BookDate(year: year, month: numbers[0], day: numbers[1])) : .ambiguous
      }
    default: return .unreadable
    }
  }

  /// Whether the year has two digits, as spreadsheets write it: `3/15/24`, `15.3.24`.
  private static func isShort(_ parts: [Substring], _ word: Substring) -> Bool {
    parts[2].utf8.count == 2 && parts[0].utf8.count <= 2 && parts[1].utf8.count <= 2
      && !word.utf8.contains(0x2D)
  }
}

extension Substring {
  fileprivate func split(
    whereSeparator isSeparator: (Character) -> Bool,
    omittingEmpty: Bool
  ) -> [Substring] {
    split(maxSplits: .max, omittingEmptySubsequences: omittingEmpty, whereSeparator: isSeparator)
  }
}
