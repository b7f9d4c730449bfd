import GTFS
import Hashing
import Testing
import Timetable

/// Interpolated times, and rows of stop_times.txt in any order.
@Suite struct StopTimesTests {
  @Test func `stops without times get those between their neighbours, in equal steps`() throws {
    var feed = TestFeed()
    feed.add(
      "T",
      [
        .init("A", "08:00:00", "08:02:00"), .init("B", ""), .init("C", ""),
        .init("D", "08:32:00", "08:40:00"), .init("E", ""), .init("A", "09:00:01"),
      ]
    )
    let timetable = try feed.timetable()
    #expect(
      try timetable.calls("T") == [
        "1 A 08:00:00 08:02:00", "2 B 08:12:00 08:12:00 ~", "3 C 08:22:00 08:22:00 ~",
        "4 D 08:32:00 08:40:00", "5 E 08:50:00 08:50:00 ~", "6 A 09:00:01 09:00:01",
      ]
    )
    #expect(
      try timetable.board("B", "2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z") == [
        "2026-06-15T06:12:00Z B T#2"
      ]
    )
  }

  /// A trip from 8:00 to 9:00 with stops at these distances; none where a text is empty.
  private func measured(_ distances: [String]) throws -> [String] {
    var feed = TestFeed()
    feed[.stopTimes] = [
      "trip_id,arrival_time,departure_time,stop_id,stop_sequence,shape_dist_traveled"
    ]
    for (place, distance) in distances.enumerated() {
      let time = place == 0 ? "08:00:00" : place == distances.count - 1 ? "09:00:00" : ""
      let stop = ["A", "B", "C", "D", "E"][place]
      feed[.stopTimes].append("T,\(time),\(time),\(stop),\(place + 1),\(distance)")
    }
    feed.add("T", [])
    let calls = try feed.timetable().calls("T")
    return calls.map { String($0.split(separator: " ")[2]) }
  }

  @Test func `stops without times get those of their distance, where all have one that rises`()
    throws
  {
    #expect(
      try measured(["0", "1.5", "9", "9", "12"]) == [
        "08:00:00", "08:07:30", "08:45:00", "08:45:00", "09:00:00",
      ]
    )
    let equal = ["08:00:00", "08:15:00", "08:30:00", "08:45:00", "09:00:00"]
    #expect(try measured(["0", "1.5", "", "9", "12"]) == equal)
    #expect(try measured(["0", "9", "1.5", "9", "12"]) == equal)
    #expect(try measured(["0", "0", "0", "0", "0"]) == equal)
    #expect(try measured(["0", "-1", "x", "nan", "12"]) == equal)
    // In whatever unit, and however they are written.
    #expect(
      try measured(["1e2", "+250", "1000.0000000000000000", "1000", "1300"]) == [
        "08:00:00", "08:07:30", "08:45:00", "08:45:00", "09:00:00",
      ]
    )
  }

  @Test func `a stop with one of its two times has both`() throws {
    var feed = TestFeed()
    feed.add(
      "T",
      [.init("A", "", "08:00:00"), .init("B", "08:10:00", ""), .init("C", "08:20:00", "")]
    )
    #expect(
      try feed.timetable().calls("T") == [
        "1 A 08:00:00 08:00:00", "2 B 08:10:00 08:10:00", "3 C 08:20:00 08:20:00",
      ]
    )
  }

  @Test func `pickup and drop-off are those of the feed`() throws {
    var feed = TestFeed()
    feed.add(
      "T",
      [
        .init("A", "08:00:00", pickup: "0", dropOff: "1"),
        .init("B", "08:10:00", pickup: "1", dropOff: "3"), .init("C", "08:20:00", pickup: "1"),
      ]
    )
    let timetable = try feed.timetable()
    let trip = try #require(timetable.trips(id: "T").first)
    let calls = (0..<3).map { timetable.call($0, of: trip) }
    #expect(calls.map(\.allowsPickup) == [true, false, false])
    #expect(calls.map(\.allowsDropOff) == [false, true, true])
  }

  /// Everything a person can see of a timetable.
  private func contents(_ feed: TestFeed) throws -> [String] {
    let timetable = try feed.timetable()
    var lines: [String] = []
    for trip in 0..<UInt32(timetable.tripCount) {
      let id = timetable.text(timetable.tripId(of: trip))
      lines += try timetable.calls(id)
      lines += try (0..<timetable.callCount(of: trip)).map { try timetable.destination(id, at: $0) }
    }
    for (stop, board) in try timetable.allBoards("2026-06-11T00:00:00Z", "2026-06-16T00:00:00Z")
      .sorted(by: { $0.key < $1.key })
    {
      lines.append(stop)
      lines += board
    }
    return lines
  }

  enum Order: String, CaseIterable {
    case reversed
    case byStop
    case bySequence
    case shuffled
    case halves
    case reversedTrips
  }

  @Test(arguments: Order.allCases)
  func `the order of rows changes nothing`(order: Order) throws {
    var feed = TestFeed.manyTrips
    // Distances of most trips rise, and not evenly.
    feed[.stopTimes] = feed[.stopTimes].enumerated().map { place, row in
      guard place > 0 else { return row + ",shape_dist_traveled" }
      let fields = row.split(separator: ",", omittingEmptySubsequences: false)
      let sequence = Double(fields[4]) ?? 0
      return row + (fields[0].utf8.count % 5 == 0 ? "," : ",\(sequence * sequence * 1.25)")
    }
    let expected = try contents(feed)
    #expect(expected.count > 1_000)
    var other = feed
    let header = feed[.stopTimes][0]
    let rows = Array(feed[.stopTimes].dropFirst())
    func field(_ row: String, _ place: Int) -> Substring {
      row.split(separator: ",", omittingEmptySubsequences: false)[place]
    }
    let ordered: [String]
    switch order {
    case .reversed: ordered = rows.reversed()
    case .byStop: ordered = rows.sorted { field($0, 3) < field($1, 3) }
    case .bySequence: ordered = rows.sorted { (Int(field($0, 4)) ?? 0) < (Int(field($1, 4)) ?? 0) }
    case .shuffled:
      var generator = SplitMix64(seed: 42)
      ordered = rows.shuffled(using: &generator)
    case .halves:
      ordered =
        rows.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        + rows.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    case .reversedTrips:
      ordered = rows.enumerated().sorted { left, right in
        let (first, second) = (field(left.element, 0), field(right.element, 0))
        return first == second ? left.offset > right.offset : first < second
      }
      .map(\.element)
    }
    other[.stopTimes] = [header] + ordered
    let found = try contents(other)
    #expect(found == expected)
  }

  @Test func `a sequence that appears twice is rejected with its place`() throws {
    var feed = TestFeed()
    feed.add(
      "T",
      [
        .init("A", "08:00:00", sequence: 1), .init("B", "08:10:00", sequence: 2),
        .init("C", "08:20:00", sequence: 2), .init("D", "08:30:00", sequence: 3),
      ]
    )
    let imported = try feed.imported(maxRejectedShare: 1)
    #expect(
      imported.report.rejectedRows == [
        RejectedRow(
          file: "stop_times.txt",
          line: 4,
          column: "stop_sequence",
          reason: "stop_sequence 2 appears twice in the trip"
        )
      ]
    )
    #expect(
      try imported.timetable.calls("T") == [
        "1 A 08:00:00 08:00:00", "2 B 08:10:00 08:10:00", "3 D 08:30:00 08:30:00",
      ]
    )
  }

  /// The rows are looked up the same way whether there are few or many of them.
  @Test(arguments: [0, 200])
  func `a sequence that appears twice is found wherever it is`(others: Int) throws {
    var feed = TestFeed()
    let between = (0..<others).map { TestFeed.Call("B", "08:10:00", sequence: 999 - $0) }
    feed.add(
      "T",
      [.init("A", "08:00:00", sequence: 1_000)] + between + [
        .init("C", "08:20:00", sequence: 3), .init("D", "08:30:00", sequence: 1_000),
        .init("D", "08:30:00", sequence: 2_000), .init("C", "08:40:00", sequence: 3),
      ]
    )
    let report = try feed.imported(maxRejectedShare: 1).report
    #expect(report.rejectedRows.map(\.line) == [others + 4, others + 6])
    #expect(
      report.rejectedRows.map(\.reason).allSatisfy { $0.hasSuffix("appears twice in the trip") }
    )
  }

  /// A row is compared with the one of its sequence beside it, and with one of a trip that was closed before.
  @Test(arguments: [0, 200])
  func `a row that says the same as another one is told from one that does not`(others: Int) throws
  {
    var feed = TestFeed()
    let between = (0..<others).map { TestFeed.Call("B", "08:10:00", sequence: 999 - $0) }
    feed.add(
      "T",
      [.init("A", "08:30:00", sequence: 1_000)] + between + [
        .init("C", "08:00:00", sequence: 3), .init("A", "08:30:00", sequence: 1_000),
        .init("C", "08:01:00", sequence: 3), .init("D", "08:40:00", sequence: 2_000),
        .init("E", "", sequence: 1_500),
      ]
    )
    feed.add("U", [.init("A", "08:00:00"), .init("B", "08:10:00")])
    let sound = try feed.imported(maxRejectedShare: 1)
    feed[.stopTimes] += [
      "T,08:00:00,08:00:00,C,3,,,", "T,08:00:00,08:00:00,C,3,1,,", "T,,,E,1500,,,",
      "T,08:00:00,08:00:00,C,3,,,Chur", "T,08:35:00,08:35:00,E,1500,,,",
    ]
    let imported = try feed.imported(maxRejectedShare: 1)
    #expect(
      imported.account(.stopTimes)?.reasons.map { "\($0.kind) \($0.rows) \($0.line)" }
        == ["copy 3 \(others + 4)", "duplicate 4 \(others + 5)"]
    )
    #expect(
      imported.account(.stopTimes)?.reasons.map(\.example) == [
        "stop_sequence 1000 appears twice in the trip, in equal rows",
        "stop_sequence 3 appears twice in the trip",
      ]
    )
    #expect(try imported.timetable.calls("T") == sound.timetable.calls("T"))
  }

  @Test func `a sequence that appears again after another trip is rejected too`() throws {
    var feed = TestFeed()
    feed.add("T", [.init("A", "08:00:00"), .init("B", "08:10:00"), .init("C", "08:20:00")])
    feed.add("U", [.init("A", "08:00:00"), .init("B", "08:10:00")])
    feed[.stopTimes].append("T,08:05:00,08:05:00,D,2,,,")
    let imported = try feed.imported(maxRejectedShare: 1)
    #expect(
      imported.report.rejectedRows == [
        RejectedRow(
          file: "stop_times.txt",
          line: 7,
          column: "stop_sequence",
          reason: "stop_sequence 2 appears twice in the trip"
        )
      ]
    )
    #expect(imported.account(.stopTimes)?.rejected == 1)
    #expect(try imported.timetable.calls("T").map { $0.prefix(3) } == ["1 A", "2 B", "3 C"])
  }

  @Test func `sequences found twice after another trip count for the threshold`() throws {
    var feed = TestFeed()
    feed.add("T", [.init("A", "08:00:00"), .init("B", "08:10:00")])
    feed.add("U", [.init("A", "08:00:00"), .init("B", "08:10:00")])
    feed[.stopTimes] += ["T,08:05:00,08:05:00,D,2,,,", "T,08:05:00,08:05:00,D,1,,,"]
    let failure = try feed.failure(maxRejectedShare: 0.3)
    #expect(failure?.code == .tooManyRejectedRows)
    #expect(failure?.message.contains("stop_times.txt: 2 of 6 rows") == true)
  }

  @Test(arguments: [["", "08:10:00"], ["08:00:00", ""], ["", ""]])
  func `a trip without its first or last time is rejected with its rows`(times: [String]) throws {
    var feed = TestFeed()
    feed.add("T", [.init("A", times[0]), .init("B", "08:05:00"), .init("C", times[1])])
    feed.add("U", [.init("A", "08:00:00"), .init("B", "08:10:00")])
    let imported = try feed.imported(maxRejectedShare: 1)
    #expect(
      imported.report.rejectedRows == [
        RejectedRow(
          file: "stop_times.txt",
          line: 2,
          column: nil,
          reason: "trip \"T\": its first or last stop has no time"
        )
      ]
    )
    #expect(imported.account(.stopTimes)?.rejected == 1)
    #expect(imported.account(.stopTimes)?.dropped == 2)
    let timetable = imported.timetable
    try timetable.check()
    #expect(timetable.trips(id: "T").isEmpty)
    #expect(timetable.trips(id: "U").count == 1)
  }

  @Test func `trips without first times count for the threshold`() throws {
    var feed = TestFeed()
    feed.add("T", [.init("A", ""), .init("B", "")])
    feed.add("U", [.init("A", "08:00:00"), .init("B", "08:10:00")])
    let failure = try feed.failure(maxRejectedShare: 0.2)
    #expect(failure?.code == .tooManyRejectedRows)
    #expect(failure?.message.contains("trip \"T\": its first or last stop has no time") == true)
  }

  @Test func `a trip may have 65,536 stop times and not one more, in any order`() throws {
    var feed = TestFeed()
    var rows = [feed[.stopTimes][0]]
    feed[.trips] += ["R,daily,long,,,", "R,daily,U,,,"]
    for sequence in 0..<FeedLimits.stopTimesPerTrip {
      rows.append("long,8:00:00,8:00:00,A,\(sequence),1,,")
    }
    rows += ["U,8:00:00,8:00:00,A,0,,,", "U,8:00:00,8:00:00,B,1,,,"]
    rows += ["long,9:00:00,9:00:00,B,65536,,,", "long,9:10:00,9:10:00,C,65537,,,"]
    feed[.stopTimes] = rows
    let imported = try feed.imported(maxRejectedShare: 1)
    #expect(imported.account(.stopTimes)?.rejected == 2)
    let timetable = imported.timetable
    try timetable.check()
    #expect(timetable.callCount(of: try #require(timetable.trips(id: "long").first)) == 65_536)
  }
}
