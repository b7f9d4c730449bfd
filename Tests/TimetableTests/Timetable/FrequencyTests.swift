import GTFS
import Testing
import Timetable

@Suite struct FrequencyTests {
  private func feed(_ rows: String...) -> TestFeed {
    var feed = TestFeed()
    feed.add(
      "T",
      [.init("A", "10:00:00"), .init("B", "10:05:00", "10:06:00"), .init("C", "10:20:00")]
    )
    feed.add("U", [.init("A", "06:01:00"), .init("B", "06:10:00")])
    feed[.frequencies] = ["trip_id,start_time,end_time,headway_secs,exact_times"] + rows
    return feed
  }

  private func board(_ stop: String, _ feed: TestFeed) throws -> [String] {
    try feed.timetable().board(stop, "2026-06-14T23:00:00Z", "2026-06-15T21:00:00Z")
      .filter { !$0.contains("U#") }.map { String($0.dropFirst(11).prefix(5)) }
  }

  @Test(arguments: ["0", "1", ""])
  func `a trip runs every headway from the start up to the end, which is excluded`(
    exact: String
  ) throws {
    let feed = feed("T,06:00:00,06:30:00,600,\(exact)")
    #expect(try board("A", feed) == ["04:00", "04:10", "04:20"])
    #expect(try board("B", feed) == ["04:06", "04:16", "04:26"])
    #expect(try board("C", feed).isEmpty)
    #expect(try feed.imported().report.trips == 4)
  }

  @Test func `a last run just before the end belongs to it`() throws {
    #expect(try board("A", feed("T,06:00:00,06:20:01,600,")) == ["04:00", "04:10", "04:20"])
    #expect(try board("A", feed("T,06:00:00,06:00:01,600,")) == ["04:00"])
    #expect(try board("A", feed("T,06:00:00,06:05:00,600,")) == ["04:00"])
  }

  @Test func `two rows of a trip are joined`() throws {
    let feed = feed("T,06:00:00,06:30:00,900,", "T,06:30:00,07:00:00,600,")
    #expect(try board("A", feed) == ["04:00", "04:15", "04:30", "04:40", "04:50"])
    let overlapping = self.feed("T,06:10:00,06:40:00,600,", "T,06:00:00,06:30:00,600,")
    #expect(try board("A", overlapping) == ["04:00", "04:10", "04:20", "04:30"])
  }

  @Test func `the trip's own times do not run`() throws {
    #expect(try board("A", feed("T,06:00:00,06:10:00,600,")) == ["04:00"])
    #expect(try board("A", feed("T,07:10:00,07:20:00,600,")) == ["05:10"])
  }

  @Test func `runs past midnight are on the board of the next morning`() throws {
    let feed = feed("T,23:50:00,24:30:00,1200,1")
    #expect(
      try feed.timetable().board("A", "2026-06-15T21:00:00Z", "2026-06-15T23:00:00Z").map {
        $0.prefix(16)
      }
        == ["2026-06-15T21:50", "2026-06-15T22:10"]
    )
  }

  @Test func `the runs of a trip are found by its id, ordered by start`() throws {
    let timetable = try feed("T,07:00:00,07:20:00,600,1", "T,06:00:00,06:20:00,600,0").timetable()
    let runs = timetable.trips(id: "T")
    #expect(runs.map { timetable.start(of: $0) } == [21_600, 22_200, 25_200, 25_800])
    #expect(runs.allSatisfy { timetable.isFrequency($0) })
    #expect(timetable.trips(id: "U").count == 1)
    #expect(!timetable.isFrequency(try #require(timetable.trips(id: "U").first)))
    #expect(
      try timetable.calls("T", run: 2) == [
        "1 A 07:00:00 07:00:00", "2 B 07:05:00 07:06:00", "3 C 07:20:00 07:20:00",
      ]
    )
  }

  @Test func `equal times of two runs are ordered by stop sequence`() throws {
    var feed = TestFeed()
    feed[.stops] += ["S,Sion,46.2,7.3,1,,", "S1,,46.2,7.3,,S,1", "S2,,46.2,7.3,,S,2"]
    feed.add("T", [.init("S1", "10:00:00"), .init("S2", "10:10:00"), .init("C", "10:20:00")])
    feed[.frequencies] = ["trip_id,start_time,end_time,headway_secs", "T,08:00:00,08:15:00,600"]
    #expect(
      try feed.timetable().board("S", "2026-06-15T06:00:00Z", "2026-06-15T06:11:00Z") == [
        "2026-06-15T06:00:00Z S1 T#1", "2026-06-15T06:10:00Z S1 T#1", "2026-06-15T06:10:00Z S2 T#2",
      ]
    )
  }

  /// A file of 2 kB that gave a timetable of 453 MB.
  @Test func `rows that give more departures than a trip can have are left out`() throws {
    let bomb = "T,00:00:00,335:59:59,1,"
    var feed = feed(
      "T,06:00:00,06:20:00,600,",
      "U,00:00:00,24:00:00,30,",
      "U,00:00:00,00:00:30,30,"
    )
    feed[.frequencies] += [String](repeating: bomb, count: 80)
    let imported = try feed.imported(maxRejectedShare: 1)
    #expect(imported.timetable.trips(id: "T").count == 2)
    // One every 30 s for a day is the most, and one more is too many.
    #expect(imported.timetable.trips(id: "U").count == FeedLimits.runsPerTrip)
    #expect(imported.report.timetableBytes < 500_000)
    let rejected = try #require(imported.report.rejectedRows.first)
    #expect(rejected.column == "headway_secs")
    #expect(rejected.reason.contains("would depart 2881 times"))
    #expect(imported.report.rejectedRows.last?.reason.contains("1209601 times") == true)
    // With the usual share of wrong rows nothing is imported.
    #expect(try feed.failure() != nil)
  }

  @Test func `what all frequencies give has a limit too`() throws {
    var feed = TestFeed()
    feed.add("U", [.init("A", "06:01:00"), .init("B", "06:10:00")])
    feed[.frequencies] = ["trip_id,start_time,end_time,headway_secs"]
    for number in 10..<40 {
      // Each run has the id of its trip beside it.
      let trip = String(repeating: "t", count: 4_000) + "\(number)"
      feed.add(trip, [.init("A", "10:00:00"), .init("B", "10:05:00")])
      feed[.frequencies].append("\(trip),00:00:00,24:00:00,30")
    }
    let failure = try #require(try feed.failure())
    #expect(failure.code == .limitExceeded)
    #expect("\(failure)".contains("frequencies.txt"))
  }

  @Test(arguments: [
    ("X,06:00:00,07:00:00,600,", "trip_id", "\"X\" is not in trips.txt"),
    ("T,6,07:00:00,600,", "start_time", "\"6\" is not a time"),
    ("T,,07:00:00,600,", "start_time", "\"\" is not a time"),
    ("T,06:00:00,7:0:0,600,", "end_time", "\"7:0:0\" is not a time"),
    ("T,06:00:00,07:00:00,0,", "headway_secs", "\"0\" is not between"),
    ("T,06:00:00,07:00:00,-600,", "headway_secs", "\"-600\" is not between"),
    ("T,06:00:00,07:00:00,86401,", "headway_secs", "\"86401\" is not between"),
  ])
  func `a wrong row is rejected and located`(row: String, column: String, reason: String) throws {
    var feed = feed("U,06:00:00,06:10:00,600,", row)
    feed[.frequencies].append("T,06:00:00,06:20:00,600,")
    let imported = try feed.imported(maxRejectedShare: 1)
    let rejected = try #require(imported.report.rejectedRows.first)
    #expect(imported.report.rejectedRows.count == 1)
    #expect(rejected.file == "frequencies.txt")
    #expect(rejected.line == 3)
    #expect(rejected.column == column)
    #expect(rejected.reason.contains(reason))
    #expect(imported.timetable.trips(id: "T").count == 2)
  }
}
