import GTFS
import Testing

@Suite struct ServiceDateTests {
  /// A date with its days since 1970-01-01 and its weekday.
  struct Vector: Sendable {
    var text: String
    var days: Int
    var weekday: Int
  }

  /// From Python's datetime.
  static let vectors: [Vector] = [
    Vector(text: "19000101", days: -25_567, weekday: 0),
    Vector(text: "19000228", days: -25_509, weekday: 2),
    Vector(text: "19000301", days: -25_508, weekday: 3),
    Vector(text: "19691231", days: -1, weekday: 2),
    Vector(text: "19700101", days: 0, weekday: 3),
    Vector(text: "19720229", days: 789, weekday: 1),
    Vector(text: "20000229", days: 11_016, weekday: 1),
    Vector(text: "20000301", days: 11_017, weekday: 2),
    Vector(text: "20240229", days: 19_782, weekday: 3),
    Vector(text: "20241231", days: 20_088, weekday: 1),
    Vector(text: "20260329", days: 20_541, weekday: 6),
    Vector(text: "20260616", days: 20_620, weekday: 1),
    Vector(text: "20991231", days: 47_481, weekday: 3),
    Vector(text: "21000228", days: 47_540, weekday: 6),
    Vector(text: "21000301", days: 47_541, weekday: 0),
    Vector(text: "22001231", days: 84_370, weekday: 2),
  ]

  @Test(arguments: vectors)
  func `known dates have their day and weekday`(vector: Vector) throws {
    let date = try #require(ServiceDate(vector.text))
    #expect(date.daysSinceEpoch == vector.days)
    #expect(date.weekday == vector.weekday)
    #expect(date == ServiceDate(daysSinceEpoch: vector.days))
    let parts = date.components
    #expect(date == ServiceDate(year: parts.year, month: parts.month, day: parts.day))
    #expect(date.description.filter(\.isNumber) == vector.text)
    #expect(ServiceDate(date.description) == date)
  }

  @Test(arguments: [
    "", "2026061", "202606160", "20260616 ", " 20260616", "2026061a", "20260001", "20261301",
    "20260100", "20260132", "20260431", "20260229", "19000229", "21000229", "18991231", "22010101",
    "2026-6-16", "2026/06/16", "26-06-2016", "2026-061-6", "2026-06-1", "-2026061", "20260-616",
    "2026-0616", "2026061600",
  ])
  func `what is not a date is refused`(text: String) {
    #expect(ServiceDate(text) == nil)
  }

  @Test func `every day from 1900 to 2200 follows the one before and comes back from its parts`()
    throws
  {
    let first = try #require(ServiceDate(year: 1900, month: 1, day: 1))
    let last = try #require(ServiceDate(year: 2200, month: 12, day: 31))
    #expect(last.daysSinceEpoch - first.daysSinceEpoch + 1 == 301 * 365 + 73)
    var before = (year: 1899, month: 12, day: 31)
    var wrong: [ServiceDate] = []
    for days in first.daysSinceEpoch...last.daysSinceEpoch {
      let date = ServiceDate(daysSinceEpoch: days)
      let (year, month, day) = date.components
      let isNext =
        (year, month, day) == (before.year, before.month, before.day + 1)
        || (year, month, day) == (before.year, before.month + 1, 1)
        || (year, month, day) == (before.year + 1, 1, 1) && before.month == 12 && before.day == 31
      let isSame = ServiceDate(year: year, month: month, day: day) == date
      let followsLastOfMonth = day > 1 || before.day >= 28
      if !isNext || !isSame || !followsLastOfMonth { wrong.append(date) }
      before = (year, month, day)
    }
    #expect(wrong.isEmpty)
    #expect(before == (2200, 12, 31))
  }

  @Test(arguments: [
    ("99991231", "2200-12-31"), ("99999999", "2200-12-31"), ("22010101", "2200-12-31"),
    ("22001231", "2200-12-31"), ("22001230", "2200-12-30"), ("00000000", "1900-01-01"),
    ("18991231", "1900-01-01"), ("19000102", "1900-01-02"), ("20260229", ""), ("2026010", ""),
    ("99991231x", ""), ("", ""),
  ])
  func `a calendar may name any year`(text: String, date: String) {
    let read = Array(text.utf8).withUnsafeBytes { ServiceDate(calendar: $0) }
    #expect(read?.description ?? "" == date)
  }

  @Test func `dates are ordered and added to`() throws {
    let date = try #require(ServiceDate("20260228"))
    #expect((date + 1).description == "2026-03-01")
    #expect((date + -59).description == "2025-12-31")
    #expect(date < date + 1)
    #expect(!(date < date))
  }
}
