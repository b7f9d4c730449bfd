/// A date of the calendar without a time zone: what GTFS calls a service day, `YYYYMMDD`.
package struct ServiceDate: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The years that a date can be in.
  package static let years = 1900...2200

  /// Days since 1970-01-01, negative before.
  package var daysSinceEpoch: Int

  /// Creates the date a number of days after 1970-01-01.
  package init(daysSinceEpoch: Int) { self.daysSinceEpoch = daysSinceEpoch }

  /// Creates a date; `nil` if the month does not have that day or the year is not in 1900…2200.
  package init?(year: Int, month: Int, day: Int) {
    guard Self.years.contains(year), (1...12).contains(month), day >= 1 else { return nil }
    guard day <= Self.length(ofMonth: month, year: year) else { return nil }
    // Days since 0000-03-01 in the proleptic Gregorian calendar, with years that start in March.
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let days =
      shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400
      + (monthFromMarch * 153 + 2) / 5 + day - 1
    daysSinceEpoch = days - 719_468
  }

  /// Reads `YYYYMMDD` (GTFS) or `YYYY-MM-DD` (RFC 3339).
  package init?(_ text: UnsafeRawBufferPointer) {
    guard let value = Self.number(text) else { return nil }
    self.init(year: value / 10_000, month: value / 100 % 100, day: value % 100)
  }

  /// Reads a date of a calendar, `YYYYMMDD`, in which feeds write `99991231` for "without an end".
  ///
  /// A date before or after ``years`` is the first or the last day of them, whatever its month and day are.
  package init?(calendar text: UnsafeRawBufferPointer) {
    guard let value = Self.number(text) else { return nil }
    let year = value / 10_000
    if year > Self.years.upperBound {
      self.init(year: Self.years.upperBound, month: 12, day: 31)
    } else if year < Self.years.lowerBound {
      self.init(year: Self.years.lowerBound, month: 1, day: 1)
    } else {
      self.init(year: year, month: value / 100 % 100, day: value % 100)
    }
  }

  /// The eight digits of a date as one number.
  private static func number(_ text: UnsafeRawBufferPointer) -> Int? {
    var digits = 0
    var value = 0
    for (index, byte) in text.enumerated() {
      if byte == 0x2D, text.count == 10, index == 4 || index == 7 { continue }
      guard byte >= 0x30, byte <= 0x39, digits < 8 else { return nil }
      value = value * 10 + Int(byte - 0x30)
      digits += 1
    }
    return digits == 8 ? value : nil
  }

  /// Reads `YYYYMMDD` (GTFS) or `YYYY-MM-DD` (RFC 3339).
  package init?(_ text: String) {
    let date = Array(text.utf8).withUnsafeBytes { ServiceDate($0) }
    guard let date else { return nil }
    self = date
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The year, month and day.
  package var components: (year: Int, month: Int, day: Int) {
    let days = daysSinceEpoch + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// The day of the week, Monday 0 to Sunday 6.
  package var weekday: Int {
    let shifted = (daysSinceEpoch + 3) % 7
    return shifted >= 0 ? shifted : shifted + 7
  }

  /// The date as `YYYY-MM-DD`.
  package var description: String {
    let (year, month, day) = components
    func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(pad(month))-\(pad(day))"
  }

  package static func < (lhs: ServiceDate, rhs: ServiceDate) -> Bool {
    lhs.daysSinceEpoch < rhs.daysSinceEpoch
  }

  package static func + (date: ServiceDate, days: Int) -> ServiceDate {
    ServiceDate(daysSinceEpoch: date.daysSinceEpoch + days)
  }
}
