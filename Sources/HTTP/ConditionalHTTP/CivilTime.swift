/// Year to second in UTC, in the Gregorian calendar.
package struct CivilTime: Sendable {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int

  static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Creates the time at a number of seconds since 1970, within the years 1 to 9999.
  package init(_ secondsSince1970: Int64) {
    let days = Int((Double(secondsSince1970) / 86_400).rounded(.down))
    let secondOfDay = Int(secondsSince1970 - Int64(days) * 86_400)
    // The mean Gregorian year gives the year, or one next to it.
    var year = 1970 + Int((Double(days) / 365.2425).rounded(.down))
    while Self.days(before: year) > days { year -= 1 }
    while Self.days(before: year + 1) <= days { year += 1 }
    var month = 1
    var day = days - Self.days(before: year) + 1
    while day > Self.days(in: month, of: year) {
      day -= Self.days(in: month, of: year)
      month += 1
    }
    self.init(
      year: year,
      month: month,
      day: day,
      hour: secondOfDay / 3600,
      minute: secondOfDay / 60 % 60,
      second: secondOfDay % 60
    )
  }

  /// Whether the day and the time exist; a second of 60 is a leap second.
  package var isValid: Bool {
    (1...9999).contains(year) && (1...12).contains(month)
      && (1...Self.days(in: month, of: year)).contains(day)
      && (0...23).contains(hour) && (0...59).contains(minute) && (0...60).contains(second)
  }

  package var secondsSince1970: Int64 {
    Int64(daysSince1970) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// The day of the week; 0 is Sunday.
  var weekday: Int {
    // 1970-01-01 was a Thursday.
    let rest = (daysSince1970 + 4) % 7
    return rest < 0 ? rest + 7 : rest
  }

  /// Returns whether the time is later than another, field by field.
  func isAfter(_ other: CivilTime) -> Bool {
    let mine = [year, month, day, hour, minute, second]
    let theirs = [other.year, other.month, other.day, other.hour, other.minute, other.second]
    return theirs.lexicographicallyPrecedes(mine)
  }

  private var daysSince1970: Int {
    (1..<month).reduce(Self.days(before: year) + day - 1) { $0 + Self.days(in: $1, of: year) }
  }

  /// Returns the number of days from 1970-01-01 to the first day of a year.
  private static func days(before year: Int) -> Int {
    let last = year - 1
    let leapDays = last / 4 - last / 100 + last / 400
    // 477 leap days up to the end of 1969.
    return 365 * (year - 1970) + leapDays - 477
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
