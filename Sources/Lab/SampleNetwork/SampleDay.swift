/// A day of the calendar, in GTFS format.
///
/// Days run from 1 January 1900 to 31 December 2999 of the Gregorian calendar.
public struct SampleDay: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// The year, from 1900 to 2999.
  public let year: Int
  /// The month, from 1 to 12.
  public let month: Int
  /// The day of the month, from 1.
  public let day: Int

  /// Creates a day, or returns `nil` if the calendar has no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard
      (1900...2999).contains(year), (1...12).contains(month),
      (1...SampleDay.length(ofMonth: month, year: year)).contains(day)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Reads a day in the form `2026-11-24` or `20261124`; returns `nil` for anything else.
  public init?(_ description: String) {
    var digits = Array(description.utf8)
    if digits.count == 10, digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-") {
      digits.remove(at: 7)
      digits.remove(at: 4)
    }
    guard digits.count == 8, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
  }

  /// The day written as `2026-11-24`.
  public var description: String {
    let digits = self.digits
    return "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
  }

  /// Returns whether one day is before another.
  public static func < (lhs: SampleDay, rhs: SampleDay) -> Bool { lhs.ordinal < rhs.ordinal }

  /// The day as GTFS files write it, such as `20261124`.
  var digits: String { String(self.year * 10_000 + self.month * 100 + self.day) }

  /// The number of days since 1 January 1970.
  ///
  /// The count is by eras of 400 years that begin on 1 March, so that the leap day comes last.
  var ordinal: Int {
    let shifted = self.month > 2 ? self.year : self.year - 1
    let yearOfEra = shifted % 400
    let dayOfYear = (153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return shifted / 400 * 146_097 + dayOfEra - 719_468
  }

  /// The day of the week, from 0 for Monday to 6 for Sunday.
  var weekday: Int { SampleDay.weekday(ofOrdinal: self.ordinal) }

  /// The digits GTFS writes for the day that lies a number of days after 1 January 1970.
  static func digits(ofOrdinal ordinal: Int) -> String {
    let shifted = ordinal + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return String(year * 10_000 + month * 100 + day)
  }

  /// The day of the week of an ordinal, from 0 for Monday to 6 for Sunday.
  static func weekday(ofOrdinal ordinal: Int) -> Int { ((ordinal + 3) % 7 + 7) % 7 }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
