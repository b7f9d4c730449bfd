import Foundation
import GTFS
import Testing

@Suite struct ServiceDayTests {
  private func instant(_ text: String) throws -> Int64 {
    Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
  }

  private func day(_ zone: String) throws -> ServiceDay {
    ServiceDay(zone: try #require(TimeZone(identifier: zone)))
  }

  /// A time of a service day and the instant it is.
  struct Vector: Sendable {
    var zone: String
    var date: String
    var seconds: Int64
    var instant: String

    init(_ zone: String, _ date: String, _ seconds: Int64, _ instant: String) {
      self.zone = zone
      self.date = date
      self.seconds = seconds
      self.instant = instant
    }
  }

  static let vectors: [Vector] = [
    Vector("Europe/Zurich", "20260616", 180, "2026-06-15T22:03:00Z"),
    Vector("Europe/Zurich", "20260115", 25 * 3600, "2026-01-16T00:00:00Z"),
    // Clocks go forward in the night to 29 March: 0:00 is 23:00 of the day before.
    Vector("Europe/Zurich", "20260328", 0, "2026-03-27T23:00:00Z"),
    Vector("Europe/Zurich", "20260329", 0, "2026-03-28T22:00:00Z"),
    Vector("Europe/Zurich", "20260329", 12 * 3600, "2026-03-29T10:00:00Z"),
    Vector("Europe/Zurich", "20260330", 0, "2026-03-29T22:00:00Z"),
    // Clocks go back in the night to 25 October: 0:00 is 1:00.
    Vector("Europe/Zurich", "20261024", 0, "2026-10-23T22:00:00Z"),
    Vector("Europe/Zurich", "20261025", 0, "2026-10-24T23:00:00Z"),
    Vector("Europe/Zurich", "20261025", 12 * 3600, "2026-10-25T11:00:00Z"),
    Vector("Europe/Zurich", "20261026", 0, "2026-10-25T23:00:00Z"),
    Vector("America/Los_Angeles", "20260307", 0, "2026-03-07T08:00:00Z"),
    Vector("America/Los_Angeles", "20260308", 0, "2026-03-08T07:00:00Z"),
    Vector("America/Los_Angeles", "20260309", 0, "2026-03-09T07:00:00Z"),
    Vector("America/Los_Angeles", "20261101", 0, "2026-11-01T08:00:00Z"),
    Vector("America/Los_Angeles", "20261101", 26 * 3600, "2026-11-02T10:00:00Z"),
    Vector("Pacific/Auckland", "20260405", 0, "2026-04-04T12:00:00Z"),
    Vector("Pacific/Auckland", "20260927", 0, "2026-09-26T11:00:00Z"),
    Vector("Australia/Lord_Howe", "20260405", 0, "2026-04-04T13:30:00Z"),
    Vector("Asia/Kathmandu", "20260616", 0, "2026-06-15T18:15:00Z"),
    Vector("Etc/UTC", "19691231", 60, "1969-12-31T00:01:00Z"),
  ]

  @Test(arguments: vectors)
  func `a service day begins twelve hours before noon`(vector: Vector) throws {
    let start = try day(vector.zone).start(of: #require(ServiceDate(vector.date)))
    #expect(start + vector.seconds == (try instant(vector.instant)))
  }

  @Test(arguments: [
    ("Europe/Zurich", "2026-06-15T21:59:59Z", "2026-06-15"),
    ("Europe/Zurich", "2026-06-15T22:00:00Z", "2026-06-16"),
    ("Europe/Zurich", "2026-03-28T22:59:59Z", "2026-03-28"),
    ("Europe/Zurich", "2026-03-28T23:00:00Z", "2026-03-29"),
    ("Europe/Zurich", "2026-10-24T21:59:59Z", "2026-10-24"),
    ("Europe/Zurich", "2026-10-24T22:00:00Z", "2026-10-25"),
    ("Europe/Zurich", "2026-10-25T22:59:59Z", "2026-10-25"),
    ("America/Los_Angeles", "2026-01-01T07:59:59Z", "2025-12-31"),
    ("America/Los_Angeles", "2026-01-01T08:00:00Z", "2026-01-01"),
    ("Etc/UTC", "1969-12-31T23:59:59Z", "1969-12-31"),
    ("Etc/UTC", "1970-01-01T00:00:00Z", "1970-01-01"),
    ("Etc/UTC", "1969-12-31T00:00:00Z", "1969-12-31"),
    ("Etc/UTC", "1969-12-30T23:59:59Z", "1969-12-30"),
  ])
  func `the calendar date at an instant is the one the clocks show`(
    zone: String,
    at: String,
    expected: String
  ) throws {
    #expect(try day(zone).date(at: instant(at)).description == expected)
  }

  @Test(arguments: ["Europe/Zurich", "America/Los_Angeles", "Pacific/Auckland"])
  func `noon of every day of ten years is on that date at twelve`(zone: String) throws {
    let rule = try day(zone)
    let first = try #require(ServiceDate("20200101"))
    for number in 0..<3653 {
      let date = first + number
      let noon = rule.start(of: date) + 43_200
      #expect(rule.date(at: noon) == date)
      #expect((noon + Int64(rule.offset(at: noon))) % 86_400 == 43_200)
    }
  }
}
