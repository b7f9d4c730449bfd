import GTFS
import Testing
import Timetable

@Suite struct CalendarTests {
  /// The days of June 2026 on which a trip of a service runs.
  private func days(_ service: String, _ feed: TestFeed) throws -> [Int] {
    var feed = feed
    feed.add("T", [.init("A", "12:00:00"), .init("B", "13:00:00")], service: service)
    let timetable = try feed.timetable()
    let first = try #require(ServiceDate("20260601"))
    let trip = try #require(timetable.trips(id: "T").first)
    let running = (0..<30).filter { timetable.runs(trip, on: first + $0) }.map { $0 + 1 }
    let shown = try timetable.board("A").compactMap { Int($0.dropFirst(8).prefix(2)) }
    #expect(shown == running)
    return running
  }

  @Test func `weekdays are those of calendar.txt`() throws {
    var feed = TestFeed()
    feed[.calendar] += [
      "monday,1,0,0,0,0,0,0,20260601,20260630", "sunday,0,0,0,0,0,0,1,20260601,20260630",
      "one,1,1,1,1,1,1,1,20260610,20260610",
    ]
    #expect(try days("monday", feed) == [1, 8, 15, 22, 29])
    #expect(try days("sunday", feed) == [7, 14, 21, 28])
    #expect(try days("one", feed) == [10])
    #expect(try days("weekdays", feed).count == 22)
    #expect(try days("daily", feed) == Array(1...30))
  }

  @Test func `exceptions add and remove days`() throws {
    var feed = TestFeed()
    feed[.calendarDates] = [
      "service_id,date,exception_type", "weekdays,20260602,2", "weekdays,20260606,1",
      "weekdays,20260607,2", "weekdays,20260603,1",
    ]
    let expected = (1...30).filter { day in
      day == 6 || day != 2 && ![0, 6].contains(day % 7)
    }
    #expect(try days("weekdays", feed) == expected)
  }

  @Test func `a day both added and removed is removed`() throws {
    var feed = TestFeed()
    feed[.calendarDates] = [
      "service_id,date,exception_type", "weekdays,20260606,1", "weekdays,20260606,2",
      "weekdays,20260613,2", "weekdays,20260613,1",
    ]
    let running = try days("weekdays", feed)
    #expect(!running.contains(6))
    #expect(!running.contains(13))
  }

  @Test func `calendar_dates.txt is enough`() throws {
    var feed = TestFeed()
    feed[.calendar] = []
    feed[.calendarDates] = [
      "service_id,date,exception_type", "S,20260629,1", "S,20260604,1", "S,20260604,1",
    ]
    #expect(try days("S", feed) == [4, 29])
    feed.add("T", [.init("A", "12:00:00"), .init("B", "13:00:00")], service: "S")
    let imported = try feed.imported()
    #expect(imported.report.serviceFrom == "2026-06-04")
    #expect(imported.report.serviceUntil == "2026-06-29")
  }

  @Test func `the service period runs from the first to the last day with service`() throws {
    var feed = TestFeed()
    feed[.calendar] += [
      "wide,1,0,0,0,0,0,0,20260524,20260707", "never,0,0,0,0,0,0,0,20200101,20301231",
    ]
    feed.add("T", [.init("A", "12:00:00"), .init("B", "13:00:00")], service: "wide")
    let imported = try feed.imported()
    #expect(imported.report.serviceFrom == "2026-05-25")
    #expect(imported.report.serviceUntil == "2026-07-06")
    let timetable = imported.timetable
    #expect(timetable.firstDay.description == "2026-05-25")
    #expect(timetable.lastDay.description == "2026-07-06")
    #expect(timetable.metadata.dayCount == 43)
  }

  @Test func `days on either side of a word of the day set are told apart`() throws {
    var feed = TestFeed()
    feed[.calendar] = [feed[.calendar][0], "all,1,1,1,1,1,1,1,20260101,20261231"]
    feed[.calendarDates] = [
      "service_id,date,exception_type", "S,20260305,1", "S,20260306,1", "S,20260509,1",
    ]
    feed.add("T", [.init("A", "12:00:00"), .init("B", "13:00:00")], service: "S")
    // 5 March is day 63, 6 March day 64, 9 May day 128 of the year's service days.
    #expect(
      try feed.timetable().board("A", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z").map {
        $0.prefix(10)
      }
        == ["2026-03-05", "2026-03-06", "2026-05-09"]
    )
  }

  @Test func `the nearest day is the next one, or else the last`() throws {
    var feed = TestFeed()
    feed[.calendarDates] = ["service_id,date,exception_type", "S,20260610,1", "S,20260620,1"]
    feed.add("T", [.init("A", "12:00:00"), .init("B", "13:00:00")], service: "S")
    feed[.calendarDates].append("none,20260610,2")
    feed.add("N", [.init("A", "12:00:00"), .init("B", "13:00:00")], service: "none")
    let timetable = try feed.timetable()
    let trip = try #require(timetable.trips(id: "T").first)
    for (from, expected) in [
      ("20200101", "2026-06-10"), ("20260610", "2026-06-10"), ("20260611", "2026-06-20"),
      ("20260621", "2026-06-20"), ("20300101", "2026-06-20"),
    ] {
      let date = try #require(ServiceDate(from))
      #expect(timetable.nearestDay(of: trip, to: date)?.description == expected)
    }
    let never = try #require(timetable.trips(id: "N").first)
    #expect(timetable.nearestDay(of: never, to: try #require(ServiceDate("20260610"))) == nil)
    #expect(!timetable.runs(trip, on: try #require(ServiceDate("20200610"))))
  }

  @Test(arguments: [
    ["service_id,date,exception_type", "x,20260601,2"], ["service_id,date,exception_type"],
    ["service_id,date,exception_type", "x,20260601,1", "x,20260601,2"],
  ])
  func `a feed in which nothing ever runs is refused`(dates: [String]) throws {
    var feed = TestFeed()
    feed[.calendar] = [feed[.calendar][0], "x,0,0,0,0,0,0,0,20260601,20260630"]
    feed[.calendarDates] = dates
    #expect(try feed.failure()?.code == .emptyCalendar)
    feed[.calendar] = []
    #expect(try feed.failure()?.code == .emptyCalendar)
  }

  /// Calendars that reach too far, with the days that are left.
  ///
  /// The import is on 2026-05-28.
  static let far: [(rows: [String], from: String, until: String)] = [
    // "Without an end", as feeds write it.
    (["x,1,1,1,1,1,1,1,20260601,99991231"], "2026-06-01", "2126-06-01"),
    (["x,1,1,1,1,1,1,1,20260601,99999999"], "2026-06-01", "2126-06-01"),
    (["x,1,1,1,1,1,1,1,20260601,30001301"], "2026-06-01", "2126-06-01"),
    (["x,1,1,1,1,1,1,1,20260601,22001231"], "2026-06-01", "2126-06-01"),
    // "Since ever".
    (["x,1,1,1,1,1,1,1,00010101,20260630"], "1926-07-01", "2026-06-30"),
    (["x,1,1,1,1,1,1,1,00000000,99991231"], "1976-05-28", "2076-05-27"),
    (["x,1,1,1,1,1,1,1,19500101,20601231"], "1961-01-01", "2060-12-31"),
    // One that is near, and one that is all too far away.
    (
      ["x,1,1,1,1,1,1,1,20260601,20260605", "y,1,1,1,1,1,1,1,21900101,99991231"],
      "2026-06-01", "2026-06-30"
    ),
  ]

  @Test(arguments: far)
  func `days that are too far away are left out and counted`(
    rows: [String],
    from: String,
    until: String
  ) throws {
    var feed = TestFeed()
    feed[.calendar] += rows
    feed.add("T", [.init("A", "12:00:00"), .init("B", "13:00:00")], service: "x")
    let imported = try feed.imported()
    #expect(imported.report.rejectedRows.isEmpty)
    #expect(imported.report.warnings.count == 1)
    #expect(imported.report.warnings.first?.line == feed[.calendar].count)
    #expect(imported.report.warnings.first?.reason.contains("a timetable holds 36525 days") == true)
    #expect(imported.report.serviceFrom == from)
    #expect(imported.report.serviceUntil == until)
    try imported.timetable.check()
    #expect(
      try imported.timetable.board("A", "2026-06-03T00:00:00Z", "2026-06-04T00:00:00Z").count == 1
    )
  }

  @Test func `an exception that is too far away is left out`() throws {
    var feed = TestFeed()
    feed[.calendarDates] = ["service_id,date,exception_type", "x,20260610,1", "x,99991231,1"]
    feed.add("T", [.init("A", "12:00:00"), .init("B", "13:00:00")], service: "x")
    let imported = try feed.imported()
    #expect(imported.report.serviceUntil == "2026-06-30")
    #expect(imported.report.warnings.map(\.file) == ["calendar_dates.txt"])
  }
}
