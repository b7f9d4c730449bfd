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

  @Test func `a service of more than a hundred years is refused`() throws {
    var feed = TestFeed()
    feed[.calendar].append("x,1,1,1,1,1,1,1,19500101,20601231")
    let failure = try feed.failure()
    #expect(failure?.code == .limitExceeded)
    #expect(failure?.message.contains("1950-01-01 to 2060-12-31") == true)
  }
}
