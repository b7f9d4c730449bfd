/// A day, a month or a year, as reading lists have them.
package struct BookDate: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The year, 1000 to 9999.
  package let year: Int
  /// The month, 1 to 12; `nil` if only the year is known.
  package let month: Int?
  /// The day of the month; `nil` if only the month is known.
  package let day: Int?

  /// What a cell with a date says.
  package enum Cell: Hashable, Sendable {
    /// Nothing.
    case empty
    /// A date.
    case date(BookDate)
    /// The number of a day, which a spreadsheet has left of a date.
    case serial(BookDate)
    /// Two numbers of which either may be the month.
    case ambiguous
    /// No date.
    case unreadable
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

  /// Orders by time; a year stands before its months.
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

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Reads a cell.
  ///
  /// Read are `2024-01-15`, `2024/1/15`, `2024.01.15`, all of them with a time behind, `2024-01`, `2024`,
  /// `15.01.2024`, `Jan 15, 2024`, `15 January 2024`, `1/15/2024` and `15/1/2024` if one of the numbers
  /// cannot be a month, and the number of days of a spreadsheet. Brackets around a date are passed.
  package static func read(_ cell: String) -> Cell {
    let text = CellText.withoutBrackets(cell)
    guard !text.isEmpty else { return .empty }
    // The time of an instant says nothing about the day.
    let isNumeric = text.first?.isNumber == true
    let words = text.split { $0 == " " || $0 == "," || (isNumeric && $0 == "T") }
    guard let first = words.first else { return .empty }
    if words.count >= 3, let date = spelled(words) { return .date(date) }
    if words.count == 2, let month = month(first), let year = Int(words[1]),
      let date = BookDate(year: year, month: month)
    {
      return .date(date)
    }
    guard words.count == 1 || words[1].first?.isNumber == true else { return .unreadable }
    return numeric(first)
  }

  private static func month(_ word: Substring) -> Int? {
    guard word.count >= 3 else { return nil }
    return months.firstIndex(of: String(word.prefix(3)).lowercased()).map { $0 + 1 }
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

  private static func numeric(_ word: Substring) -> Cell {
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
    case 3 where parts[2].utf8.count == 4:
      let year = numbers[2]
      if word.utf8.contains(0x2E) {
        return cell(BookDate(year: year, month: numbers[1], day: numbers[0]))
      }
      switch (numbers[0] > 12, numbers[1] > 12) {
      case (true, false): return cell(BookDate(year: year, month: numbers[1], day: numbers[0]))
      case (false, true): return cell(BookDate(year: year, month: numbers[0], day: numbers[1]))
      case (true, true): return .unreadable
      case (false, false):
        return numbers[0] == numbers[1]
          ? cell(BookDate(year: year, month: numbers[0], day: numbers[1])) : .ambiguous
      }
    default: return .unreadable
    }
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
