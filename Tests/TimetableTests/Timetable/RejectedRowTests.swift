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

    /// What the report calls it.
    var kind: RejectedRow.Kind {
      let kinds: [(String, RejectedRow.Kind)] = [
        ("appears twice", .duplicate), ("blank or too long", .identifier), ("blank", .blank),
        ("is not in ", .reference), ("is in no ", .reference), ("is before", .order),
        ("the header has", .record), ("closing quote", .record),
      ]
      return kinds.first { reason.contains($0.0) }?.1 ?? .value
    }

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
    let imported = try feed.imported()
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
    #expect(
      account?.reasons.map { "\($0.kind) \($0.column ?? "-") \($0.rows) \($0.line) \($0.example)" }
        == [
          "\(vector.kind) \(vector.column ?? "-") 1 \(feed[vector.file].count) \(vector.reason)"
        ]
    )
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

  @Test(arguments: [0, 1, 60])
  func `up to half of the rows of a file may be malformed`(wrong: Int) throws {
    let imported = try feed(wrong: wrong).imported()
    #expect(imported.account(.stopTimes)?.rejected == wrong)
    #expect(imported.report.rejectedRows.count == wrong)
    #expect(imported.account(.stopTimes)?.reasons.map(\.rows) == (wrong == 0 ? [] : [wrong]))
  }

  /// A feed of one trip, whose other trips all name a service that does not exist.
  private func feed(strangers: Int) -> TestFeed {
    var feed = Self.feed
    for number in 0..<strangers {
      feed.add("X\(number)", [.init("A", "8:00:00"), .init("B", "9:00:00")], service: "x")
    }
    return feed
  }

  @Test func `a file of which most is malformed fails the import, which says what would serve`()
    throws
  {
    let failure = try #require(try feed(strangers: 11).failure())
    #expect(failure.code == .tooManyRejectedRows)
    #expect(
      failure.message
        == "trips.txt: 11 of 12 rows are malformed, more than 50 %; the first: line 3, column service_id:"
        + " service_id \"x\" is in no calendar file. With --max-rejected 92 the rest would serve: trips 1,"
        + " departures 2"
    )
    let imported = try feed(strangers: 11).imported(maxRejectedShare: 0.92)
    #expect(imported.report.trips == 1)
    #expect(imported.report.departures == 2)
    #expect(try feed(strangers: 11).failure(maxRejectedShare: 0.91)?.code == .tooManyRejectedRows)
  }

  @Test func `few malformed rows never fail an import, whatever their share`() throws {
    #expect(RejectedRowLimit.usualRows == 10)
    let imported = try feed(strangers: 10).imported()
    #expect(imported.account(.trips)?.rejected == 10)
    #expect(imported.account(.stopTimes)?.dropped == 20)
    #expect(imported.report.trips == 1)
  }

  @Test func `a feed of which nothing is left is refused, and says what was wrong`() throws {
    var feed = TestFeed()
    feed.add("T", [.init("A", "08:00:00"), .init("X", "08:10:00")])
    let noStop = try #require(try feed.failure())
    #expect(noStop.code == .invalid)
    #expect(
      noStop.message
        == "stop_times.txt: no departures; no trip is complete; stop_times.txt: 1 of 2 rows are malformed;"
        + " the first: line 3, column stop_id: stop_id \"X\" is not in stops.txt"
    )
    feed[.calendar] = [feed[.calendar][0], "daily,1,1,1,1,1,1,1,,"]
    let noDay = try #require(try feed.failure(maxRejectedShare: 1))
    #expect(noDay.code == .emptyCalendar)
    #expect(noDay.message.hasSuffix("column start_date: \"\" is not a date YYYYMMDD"))
  }

  /// What operators publish: each once refused a small feed.
  ///
  /// Added rows, and what is left to serve of the trip T.
  static let odd: [(file: FeedFile, rows: [String])] = [
    (.agency, ["G,No zone,https://x.ch,"]), (.agency, ["G,Bad zone,https://x.ch,CET5"]),
    (.stops, ["A,Twice,47,8,,,", "B,Twice,47,8,,,"]), (.routes, ["R,F,2,,3", "S,F,3,,bus"]),
    (.calendar, ["blank,1,1,1,1,1,1,1,,", "back,1,1,1,1,1,1,1,20260602,20260601"]),
    (.calendar, ["daily,1,1,1,1,1,1,1,20260601,20260630"]),
    (.calendarDates, ["daily,20260631,1", "daily,,2", "daily,20260615,0"]),
    (.trips, ["nowhere,daily,U,,,", "R,never,V,,,", "R,daily,T,,,"]),
    (
      .stopTimes,
      [
        "T,08:20:00,08:20:00,C,3,,,", "T,08:30:00,08:30:00,nowhere,4,,,",
        "T,later,08:30:00,C,5,,,", "unknown,08:30:00,08:30:00,C,5,,,",
      ]
    ),
    (
      .frequencies,
      [
        "trip_id,start_time,end_time,headway_secs", "unknown,08:00:00,09:00:00,600",
        "unknown,09:00:00,08:00:00,600",
      ]
    ),
  ]

  @Test(arguments: odd)
  func `odd rows refuse no small feed, and the others serve`(file: FeedFile, rows: [String]) throws
  {
    var feed = Self.feed
    let before = try feed.timetable()
      .allBoards("2026-06-14T00:00:00Z", "2026-06-16T00:00:00Z")
    feed[file] += rows
    let imported = try feed.imported()
    let said = (imported.account(file)?.rejected ?? 0) + imported.report.warningCount
    #expect(said == rows.count { !$0.hasPrefix("trip_id") })
    let boards = try imported.timetable
      .allBoards("2026-06-14T00:00:00Z", "2026-06-16T00:00:00Z")
    #expect(boards == before)
  }

  @Test func `a frequency that ends before it begins costs its own departures only`() throws {
    var feed = Self.feed
    feed[.frequencies] = [
      "trip_id,start_time,end_time,headway_secs", "T,09:00:00,08:00:00,600",
      "T,10:00:00,11:00:00,1800",
    ]
    let imported = try feed.imported()
    #expect(imported.report.trips == 2)
    #expect(imported.account(.frequencies)?.reasons.map(\.kind) == [.order])
  }

  @Test func `the threshold is the caller's`() throws {
    #expect(try feed(wrong: 1).failure(maxRejectedShare: 0)?.code == .tooManyRejectedRows)
    #expect(try feed(wrong: 0).failure(maxRejectedShare: 0) == nil)
    #expect(try feed(wrong: 50).failure(maxRejectedShare: 0.25) == nil)
    #expect(try feed(wrong: 51).failure(maxRejectedShare: 0.25)?.code == .tooManyRejectedRows)
  }

  @Test func `each file is measured by itself`() throws {
    var feed = feed(wrong: 0)
    feed[.routes] += (1...11).map { "X\($0),F,1,,bus" }
    let failure = try feed.failure()
    #expect(failure?.code == .tooManyRejectedRows)
    #expect(failure?.message.hasPrefix("routes.txt: 11 of 12 rows") == true)
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
