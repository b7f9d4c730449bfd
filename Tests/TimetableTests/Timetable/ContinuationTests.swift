import GTFS
import Testing
import Timetable

/// Which trips a vehicle runs next with passengers in it: block_id and the links of transfers.txt.
@Suite struct ContinuationTests {
  // 15 and 20 June 2026.
  private let monday = ServiceDate(daysSinceEpoch: 20_619)
  private let saturday = ServiceDate(daysSinceEpoch: 20_624)

  /// A trip as "id service from start to end block".
  private func feed(_ trips: [String], links: [String] = []) -> TestFeed {
    var feed = TestFeed()
    var rows = ["route_id,service_id,trip_id,block_id"]
    for trip in trips {
      let parts = trip.split(separator: " ").map(String.init)
      feed.add(
        parts[0],
        [.init(parts[2], parts[3] + ":00"), .init(parts[4], parts[5] + ":00")],
        service: parts[1]
      )
      rows.append("R,\(parts[1]),\(parts[0]),\(parts.count > 6 ? parts[6] : "")")
    }
    feed[.trips] = rows
    if !links.isEmpty {
      feed[.transfers] =
        ["from_trip_id,to_trip_id,transfer_type"] + links.map { $0.replacing(" ", with: ",") }
    }
    return feed
  }

  /// The ids of the trips that a trip continues as, with `+` for those of the next day.
  private func next(_ timetable: Timetable, _ trip: String, on day: ServiceDate) -> [String] {
    guard let number = timetable.trips(id: trip).first else { return ["unknown"] }
    return timetable.continuations(of: number, on: day).map { next in
      let id = String(decoding: timetable.tripId(of: next.trip), as: UTF8.self)
      let before = timetable.predecessors(of: next.trip, on: next.day)
      // Both directions say the same.
      return (before.contains(.init(trip: number, day: day)) ? "" : "!") + id
        + (next.day == day ? "" : "+")
    }
  }

  @Test func `the next trip of a block continues, day by day its own`() throws {
    let timetable = try feed([
      "T daily A 08:00 B 09:00 b", "U weekdays B 09:05 C 10:00 b", "V daily B 09:10 D 10:00 b",
      "W daily B 09:05 C 10:00 other", "X daily B 08:59 C 10:00 b",
    ]).timetable()
    #expect(next(timetable, "T", on: monday) == ["U"])
    #expect(next(timetable, "T", on: saturday) == ["V"])
    #expect(next(timetable, "U", on: monday) == [])
    #expect(next(timetable, "W", on: monday) == [])
  }

  @Test func `passengers stay for half an hour at most, and where the next trip begins near`()
    throws
  {
    func continues(_ start: String, from stop: String) throws -> Bool {
      var feed = feed(["T daily A 08:00 B 09:00 b", "U daily \(stop) \(start) C 11:00 b"])
      feed[.stops] += ["B2,Bern Post,46.9515,7.4400,,,", "B3,Bern See,46.9525,7.4400,,,"]
      return next(try feed.timetable(), "T", on: monday) == ["U"]
    }
    #expect(try continues("09:30", from: "B"))
    #expect(try !continues("09:31", from: "B"))
    // 167 m and 278 m away.
    #expect(try continues("09:10", from: "B2"))
    #expect(try !continues("09:10", from: "B3"))
  }

  @Test func `a vehicle that goes elsewhere next continues as no later trip of its block`() throws {
    let timetable = try feed([
      "T daily A 08:00 B 09:00 b", "U daily D 09:05 E 09:08 b", "V daily B 09:10 C 10:00 b",
    ]).timetable()
    #expect(next(timetable, "T", on: monday) == [])
  }

  @Test func `links of transfers come before the block, several of a vehicle that is divided`()
    throws
  {
    let trips = [
      "T daily A 08:00 B 09:00 b", "U daily B 09:05 C 10:00 b", "V weekdays B 11:00 D 12:00",
      "W weekdays E 07:00 D 12:00",
    ]
    let timetable = try feed(trips, links: ["T V 4", "T W 4", "T V 4", "T nowhere 4", "T T 4"])
      .timetable()
    #expect(next(timetable, "T", on: monday) == ["V", "W+"])
    // Friday's link is to Saturday, when W does not run.
    #expect(next(timetable, "T", on: saturday + -1) == ["V"])
    #expect(next(timetable, "T", on: saturday) == ["U"])
    let barred = try feed(trips, links: ["T U 5"]).timetable()
    #expect(next(barred, "T", on: monday) == [])
  }

  @Test func `runs of a frequency continue as nothing, and nothing as them`() throws {
    var feed = feed(
      ["T daily A 08:00 B 09:00 b", "U daily B 09:05 C 10:00 b", "V daily C 10:00 A 10:30 b"],
      links: ["T U 4", "U V 4"]
    )
    feed[.frequencies] = [
      "trip_id,start_time,end_time,headway_secs,exact_times", "U,09:05:00,12:00:00,600,1",
    ]
    let timetable = try feed.timetable()
    #expect(next(timetable, "T", on: monday) == [])
    #expect(next(timetable, "U", on: monday) == [])
  }

  @Test func `no more trips continue as one trip than the limit allows`() throws {
    let most = FeedLimits.predecessorsPerTrip
    let others = (0...most).map { "P\($0)" }
    let links = others.map { "\($0) T 4" }
    for (block, links) in [("b", []), ("", links)] as [(String, [String])] {
      var feed = feed(["T daily B 09:00 C 10:00 \(block)"], links: links)
      feed[.trips] += others.map { "R,daily,\($0),\(block)" }
      feed[.stopTimes] += others.flatMap {
        ["\($0),08:00:00,08:00:00,A,1,,,", "\($0),08:50:00,08:50:00,B,2,,,"]
      }
      let timetable = try feed.timetable()
      let trip = try #require(timetable.trips(id: "T").first)
      #expect(timetable.predecessors(of: trip, on: monday).count == most)
      #expect(timetable.continuations(of: trip, on: monday).isEmpty)
    }
  }

  @Test func `a block of many trips is looked through within a limit`() throws {
    let starts = (0..<120).map { "T\($0) daily A 08:00 A 08:00 b" }
    let timetable = try feed(starts).timetable()
    #expect(next(timetable, "T7", on: monday).count == 1)
  }
}
