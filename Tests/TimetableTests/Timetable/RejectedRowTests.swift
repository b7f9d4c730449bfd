import GTFS
import Testing
import Timetable

@Suite struct RejectedRowTests {
  private static var feed: TestFeed {
    var feed = TestFeed()
    feed[.calendarDates] = ["service_id,date,exception_type", "daily,20260615,1"]
    feed[.translations] = [
      "table_name,field_name,language,translation,record_id,field_value",
      "stops,stop_name,fr,Berne,,Bern",
    ]
    feed.add("T", [.init("A", "08:00:00"), .init("B", "08:10:00"), .init("C", "08:20:00")])
    return feed
  }

  /// A row that cannot be used, at the end of a file that is otherwise in order.
  struct Vector: Sendable, CustomTestStringConvertible {
    var file: FeedFile
    var row: String
    var column: String?
    var reason: String

    init(_ file: FeedFile, _ row: String, _ column: String?, _ reason: String) {
      self.file = file
      self.row = row
      self.column = column
      self.reason = reason
    }

    var testDescription: String { "\(file.rawValue): \(row.prefix(60))" }
  }

  static let vectors: [Vector] = [
    Vector(
      .agency,
      "F,Twice,https://x.ch,Europe/Zurich",
      "agency_id",
      "agency_id \"F\" appears twice"
    ),
    Vector(.stops, ",Nameless,47,8,,,", "stop_id", "stop_id is blank or too long"),
    Vector(
      .stops,
      String(repeating: "x", count: FeedLimits.textBytes + 1) + ",Long,47,8,,,",
      "stop_id",
      "stop_id is blank or too long"
    ),
    Vector(.stops, "A,Twice,47,8,,,", "stop_id", "stop_id \"A\" appears twice"),
    Vector(.stops, "X,X,47,8,,,,surplus", nil, "8 fields; the header has 7"),
    Vector(.stops, "\"X\"x,X,47,8,,,", nil, "column 1: text after the closing quote"),
    Vector(.routes, ",F,1,,3", "route_id", "route_id is blank or too long"),
    Vector(.routes, "R,F,1,,3", "route_id", "route_id \"R\" appears twice"),
    Vector(.routes, "X,F,1,,bus", "route_type", "route_type \"bus\" is not a route type"),
    Vector(.routes, "X,F,1,,", "route_type", "route_type \"\" is not a route type"),
    Vector(.routes, "X,F,1,,-1", "route_type", "route_type \"-1\" is not a route type"),
    Vector(.routes, "X,F,1,,1703", "route_type", "route_type \"1703\" is not a route type"),
    Vector(
      .calendar,
      ",1,1,1,1,1,1,1,20260601,20260630",
      "service_id",
      "service_id is blank or too long"
    ),
    Vector(.calendar, "x,1,1,2,1,1,1,1,20260601,20260630", "wednesday", "\"2\" is not 0 or 1"),
    Vector(.calendar, "x,1,1,1,1,1,1,,20260601,20260630", "sunday", "\"\" is not 0 or 1"),
    Vector(
      .calendar,
      "x,1,1,1,1,1,1,1,20260631,20260731",
      "start_date",
      "\"20260631\" is not a date YYYYMMDD"
    ),
    Vector(
      .calendar,
      "x,1,1,1,1,1,1,1,20260601,June",
      "end_date",
      "\"June\" is not a date YYYYMMDD"
    ),
    Vector(
      .calendar,
      "x,1,1,1,1,1,1,1,20260602,20260601",
      "end_date",
      "end_date is before start_date"
    ),
    Vector(
      .calendar,
      "daily,1,1,1,1,1,1,1,20260601,20260630",
      "service_id",
      "service_id \"daily\" appears twice"
    ),
    Vector(.calendarDates, ",20260601,1", "service_id", "service_id is blank or too long"),
    Vector(.calendarDates, "daily,20260229,1", "date", "\"20260229\" is not a date YYYYMMDD"),
    Vector(
      .calendarDates,
      "daily,20260602,3",
      "exception_type",
      "exception_type \"3\" is not 1 or 2"
    ),
    Vector(.calendarDates, "daily,20260602", "exception_type", "exception_type \"\" is not 1 or 2"),
    Vector(.trips, "R,daily,,,,", "trip_id", "trip_id is blank or too long"),
    Vector(.trips, "R,daily,T,,,", "trip_id", "trip_id \"T\" appears twice"),
    Vector(.trips, "X,daily,U,,,", "route_id", "route_id \"X\" is not in routes.txt"),
    Vector(.trips, "R,x,U,,,", "service_id", "service_id \"x\" is in no calendar file"),
    Vector(.stopTimes, "X,8:0:0,8:00:00,A,1,,,", "trip_id", "trip_id \"X\" is not in trips.txt"),
    Vector(.stopTimes, ",8:00:00,8:00:00,A,1,,,", "trip_id", "trip_id \"\" is not in trips.txt"),
    Vector(.stopTimes, "T,8:30:00,8:30:00,X,9,,,", "stop_id", "stop_id \"X\" is not in stops.txt"),
    Vector(
      .stopTimes,
      "T,8:30:00,8:30:00,A,x,,,",
      "stop_sequence",
      "stop_sequence \"x\" is not a whole number"
    ),
    Vector(
      .stopTimes,
      "T,8:30:00,8:30:00,A,,,,",
      "stop_sequence",
      "stop_sequence \"\" is not a whole number"
    ),
    Vector(
      .stopTimes,
      "T,8:30:00,8:30:00,A,-1,,,",
      "stop_sequence",
      "stop_sequence \"-1\" is not a whole number"
    ),
    Vector(
      .stopTimes,
      "T,8:30:00,8:30:00,A,1.5,,,",
      "stop_sequence",
      "stop_sequence \"1.5\" is not a whole number"
    ),
    Vector(
      .stopTimes,
      "T,8:30:00,8:30:00,A,4294967295,,,",
      "stop_sequence",
      "stop_sequence \"4294967295\" is not a whole number"
    ),
    Vector(.stopTimes, "T,8:30,8:30:00,A,9,,,", "arrival_time", "\"8:30\" is not a time H:MM:SS"),
    Vector(
      .stopTimes,
      "T,8:30:00,8:75:00,A,9,,,",
      "departure_time",
      "\"8:75:00\" is not a time H:MM:SS"
    ),
    Vector(
      .stopTimes,
      "T,8:30:00,337:00:00,A,9,,,",
      "departure_time",
      "\"337:00:00\" is not a time H:MM:SS"
    ),
    Vector(.translations, "stops,stop_name,,Berne,,Bern", "language", "language is blank"),
    Vector(
      .translations,
      "stops,stop_name,fr,Berne,,",
      "field_value",
      "record_id and field_value are blank"
    ),
  ]

  @Test(arguments: vectors)
  func `a row that cannot be used is counted, located and costs nothing else`(vector: Vector) throws
  {
    var feed = Self.feed
    feed[vector.file].append(vector.row)
    let imported = try feed.imported(maxRejectedShare: 1)
    #expect(
      imported.report.rejectedRows == [
        RejectedRow(
          file: vector.file.rawValue,
          line: feed[vector.file].count,
          column: vector.column,
          reason: vector.reason
        )
      ]
    )
    let account = imported.account(vector.file)
    #expect(account?.rejected == 1)
    #expect(account?.rows == feed[vector.file].count - 1)
    #expect(
      imported.report.files.filter { $0.file != vector.file.rawValue }.allSatisfy {
        $0.rejected == 0
      }
    )
    try imported.timetable.check()
    let expected = try Self.feed.timetable().allBoards(
      "2026-06-14T00:00:00Z",
      "2026-06-16T00:00:00Z"
    )
    #expect(
      try imported.timetable.allBoards("2026-06-14T00:00:00Z", "2026-06-16T00:00:00Z") == expected
    )
    #expect(try imported.timetable.name("B", language: "fr") == "Berne")
  }

  @Test func `the stop times of a rejected trip are dropped and counted`() throws {
    var feed = Self.feed
    feed.add("U", [.init("A", "9:00:00"), .init("B", "9:10:00")], service: "x")
    feed.add("V", [.init("A", "9:00:00"), .init("B", "9:10:00")], route: "x")
    let imported = try feed.imported(maxRejectedShare: 1)
    #expect(imported.report.rejectedRows.map(\.file) == ["trips.txt", "trips.txt"])
    #expect(imported.account(.stopTimes)?.rejected == 0)
    #expect(imported.account(.stopTimes)?.dropped == 4)
    #expect(imported.report.trips == 1)
    #expect(imported.timetable.trips(id: "U").isEmpty)
  }

  /// 200 rows of stop_times.txt, some of which name a stop that does not exist.
  private func feed(wrong: Int) -> TestFeed {
    var feed = TestFeed()
    for trip in 0..<100 { feed.add("T\(trip)", [.init("A", "8:00:00"), .init("B", "9:00:00")]) }
    var lines = feed[.stopTimes]
    for number in 0..<wrong {
      lines[10 + 2 * number] = lines[10 + 2 * number].replacing(",B,", with: ",nowhere\(number),")
    }
    feed[.stopTimes] = lines
    return feed
  }

  @Test(arguments: [0, 1, 2])
  func `up to one row in a hundred may be malformed`(wrong: Int) throws {
    let imported = try feed(wrong: wrong).imported()
    #expect(imported.account(.stopTimes)?.rejected == wrong)
    #expect(imported.report.rejectedRows.count == wrong)
  }

  @Test func `more malformed rows fail the import, which names the first`() throws {
    let failure = try #require(try feed(wrong: 3).failure())
    #expect(failure.code == .tooManyRejectedRows)
    #expect(failure.message.hasPrefix("stop_times.txt: 3 of 200 rows are malformed"))
    #expect(
      failure.message.hasSuffix(
        "the first: line 11, column stop_id: stop_id \"nowhere0\" is not in stops.txt"
      )
    )
  }

  @Test func `the threshold is the caller's`() throws {
    #expect(try feed(wrong: 1).failure(maxRejectedShare: 0)?.code == .tooManyRejectedRows)
    #expect(try feed(wrong: 0).failure(maxRejectedShare: 0) == nil)
    #expect(try feed(wrong: 50).failure(maxRejectedShare: 0.25) == nil)
  }

  @Test func `each file is measured by itself`() throws {
    var feed = feed(wrong: 0)
    feed[.routes].append("X,F,1,,bus")
    let failure = try feed.failure()
    #expect(failure?.code == .tooManyRejectedRows)
    #expect(failure?.message.hasPrefix("routes.txt: 1 of 2 rows") == true)
  }

  @Test func `all rejected rows and warnings are counted and the first hundred kept`() throws {
    var feed = Self.feed
    feed[.trips] += (0..<150).map { "X,daily,X\($0),,," }
    feed[.stops] += (0..<130).map { "N\($0),N,,,,," }
    let imported = try feed.imported(maxRejectedShare: 1)
    #expect(imported.account(.trips)?.rejected == 150)
    #expect(imported.report.rejectedRows.count == FeedLimits.keptProblems)
    #expect(imported.report.rejectedRows.last?.line == 102)
    #expect(imported.report.warningCount == 130)
    #expect(imported.report.warnings.count == FeedLimits.keptProblems)
  }

  @Test func `lines are right after quoted line breaks and blank lines`() throws {
    var feed = Self.feed
    feed[.stops] += ["\"X\",\"two\r\nlines\",47,8,,,", "", "A,Twice,47,8,,,"]
    let imported = try feed.imported(maxRejectedShare: 1)
    #expect(imported.report.rejectedRows.map(\.line) == [10])
  }
}
