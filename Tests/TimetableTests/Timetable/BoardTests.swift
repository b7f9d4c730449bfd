import Foundation
import GTFS
import Testing
import Timetable

@Suite struct BoardTests {
  private func feed(_ trips: (String, [TestFeed.Call])...) -> TestFeed {
    var feed = TestFeed()
    for (trip, calls) in trips { feed.add(trip, calls) }
    return feed
  }

  @Test func `a board holds the departures of every service day in its window`() throws {
    let timetable = try feed(("T", [.init("A", "08:00:00"), .init("B", "08:10:00")])).timetable()
    #expect(
      try timetable.board("A", "2026-06-15T00:00:00Z", "2026-06-17T00:00:00Z") == [
        "2026-06-15T06:00:00Z A T#1", "2026-06-16T06:00:00Z A T#1",
      ]
    )
    #expect(timetable.departureCount == 1)
  }

  @Test func `the first instant of a window belongs to it and the last does not`() throws {
    let timetable = try feed(("T", [.init("A", "08:00:00"), .init("B", "08:10:00")])).timetable()
    let time = "2026-06-15T06:00:00Z"
    #expect(try timetable.board("A", time, "2026-06-15T06:00:01Z") == ["\(time) A T#1"])
    #expect(try timetable.board("A", "2026-06-15T05:59:59Z", time).isEmpty)
    #expect(try timetable.board("A", "2026-06-15T06:00:01Z", "2026-06-15T23:00:00Z").isEmpty)
    #expect(try timetable.board("A", time, time).isEmpty)
    #expect(try timetable.board("A", "2026-06-16T00:00:00Z", time).isEmpty)
  }

  @Test func `a limit takes the first departures`() throws {
    var feed = TestFeed()
    for minute in 10..<40 {
      feed.add("T\(minute)", [.init("A", "08:\(minute):00"), .init("B", "09:00:00")])
    }
    let timetable = try feed.timetable()
    let all = try timetable.board("A", "2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z")
    #expect(all.count == 30)
    for limit in [0, 1, 7, 30, 31] {
      let some = try timetable.board(
        "A",
        "2026-06-15T00:00:00Z",
        "2026-06-16T00:00:00Z",
        limit: limit
      )
      #expect(some == Array(all.prefix(limit)))
    }
  }

  @Test func `midnight does not cut a board in two`() throws {
    let timetable = try feed(
      ("early", [.init("A", "00:03:00"), .init("B", "00:10:00")]),
      ("late", [.init("A", "23:58:00"), .init("B", "24:10:00")]),
      ("past", [.init("A", "24:01:00"), .init("B", "24:20:00")])
    )
    .timetable()
    #expect(
      try timetable.board("A", "2026-06-15T21:55:00Z", "2026-06-15T22:30:00Z") == [
        "2026-06-15T21:58:00Z A late#1", "2026-06-15T22:01:00Z A past#1",
        "2026-06-15T22:03:00Z A early#1",
      ]
    )
  }

  @Test func `trips of yesterday and of the day before are still on the board`() throws {
    var feed = TestFeed()
    feed.add("one", [.init("A", "25:30:00"), .init("B", "26:00:00")])
    feed.add("two", [.init("A", "49:31:00"), .init("B", "50:00:00")])
    feed.add("week", [.init("A", "169:32:00"), .init("B", "170:00:00")])
    let timetable = try feed.timetable()
    #expect(
      try timetable.board("A", "2026-06-15T23:00:00Z", "2026-06-16T00:00:00Z") == [
        "2026-06-15T23:30:00Z A one#1", "2026-06-15T23:31:00Z A two#1",
        "2026-06-15T23:32:00Z A week#1",
      ]
    )
    // After the last service day, 30 June, its night continues.
    #expect(
      try timetable.board("A", "2026-07-01T20:00:00Z", "2026-08-01T00:00:00Z").map {
        $0.dropFirst(23)
      } == ["two#1", "week#1", "week#1", "week#1", "week#1", "week#1", "week#1"]
    )
    // Before the first one nothing runs.
    #expect(
      try timetable.board("A", "2026-05-01T00:00:00Z", "2026-06-01T23:31:00Z") == [
        "2026-06-01T23:30:00Z A one#1"
      ]
    )
  }

  @Test func `the night in which clocks go forward counts from noon`() throws {
    var feed = TestFeed()
    feed[.calendar][1] = "daily,1,1,1,1,1,1,1,20260327,20260331"
    feed.add("night", [.init("A", "25:30:00"), .init("B", "28:00:00")])
    feed.add("half-past-one", [.init("A", "01:30:00"), .init("B", "02:00:00")])
    feed.add("half-past-three", [.init("A", "03:30:00"), .init("B", "04:00:00")])
    let timetable = try feed.timetable()
    #expect(
      try timetable.board("A", "2026-03-28T00:00:00Z", "2026-03-29T12:00:00Z") == [
        "2026-03-28T00:30:00Z A half-past-one#1",
        "2026-03-28T00:30:00Z A night#1",
        "2026-03-28T02:30:00Z A half-past-three#1",
        // 29 March begins at 23:00 of 28 March; 3:30 is right, 1:30 an hour early.
        "2026-03-28T23:30:00Z A half-past-one#1",
        "2026-03-29T00:30:00Z A night#1",
        "2026-03-29T01:30:00Z A half-past-three#1",
      ]
    )
    let date = try #require(ServiceDate("20260329"))
    #expect(timetable.start(of: date) == (try Instant.read("2026-03-28T22:00:00Z")))
  }

  /// Agencies in three zones, and a trip of each at the stop A.
  private var zones: TestFeed {
    var feed = TestFeed()
    feed[.agency] += [
      "L,London,https://x.uk,Europe/London", "P,Paris,https://x.fr,Europe/Paris",
      "N,New York,https://x.us,America/New_York",
    ]
    feed[.routes] += ["RL,L,2,,3", "RP,P,3,,3", "RN,N,4,,3"]
    feed[.stops] += ["X,York,40,-73,,station,1", "station,York,40,-73,1,,", "Y,Yonkers,41,-73,,,"]
    let calls: [TestFeed.Call] = [.init("A", "08:00:00"), .init("B", "09:00:00")]
    feed.add("zurich", calls)
    feed.add("london", calls, route: "RL")
    feed.add("paris", calls, route: "RP")
    feed.add(
      "york",
      [.init("X", "20:30:00"), .init("Y", "25:00:00"), .init("B", "26:00:00")],
      route: "RN"
    )
    feed.add("home", [.init("B", "23:00:00"), .init("A", "23:30:00")], route: "RN")
    return feed
  }

  @Test func `trips leave in the time zone of their agency`() throws {
    let imported = try zones.imported()
    try imported.timetable.check()
    #expect(
      imported.report.timeZone == "Europe/Zurich, Europe/London, Europe/Paris, America/New_York"
    )
    #expect(imported.report.warnings.isEmpty)
    let timetable = imported.timetable
    #expect(
      try timetable.board("A", "2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z") == [
        "2026-06-15T06:00:00Z A paris#1", "2026-06-15T06:00:00Z A zurich#1",
        "2026-06-15T07:00:00Z A london#1",
      ]
    )
    #expect(
      try timetable.board("B", "2026-06-15T00:00:00Z", "2026-06-17T00:00:00Z") == [
        "2026-06-15T03:00:00Z B home#1", "2026-06-16T03:00:00Z B home#1",
      ]
    )
    // After midnight, of the service day before.
    #expect(
      try timetable.board("Y", "2026-06-15T00:00:00Z", "2026-06-16T06:00:00Z") == [
        "2026-06-15T05:00:00Z Y york#2", "2026-06-16T05:00:00Z Y york#2",
      ]
    )
    let stop = try #require(timetable.stop(id: "Y"))
    #expect(
      timetable.nextDeparture(at: stop, after: try Instant.read("2026-06-15T05:00:01Z"))
        == (try Instant.read("2026-06-16T05:00:00Z"))
    )
    let date = try #require(ServiceDate("20260615"))
    let york = try #require(timetable.trips(id: "york").first)
    let home = try #require(timetable.trips(id: "zurich").first)
    #expect(timetable.start(of: date, for: york) == (try Instant.read("2026-06-15T04:00:00Z")))
    #expect(timetable.start(of: date, for: home) == (try Instant.read("2026-06-14T22:00:00Z")))
    #expect(timetable.zoneName(ofTrip: york) == "America/New_York")
    #expect(timetable.starts(of: date).lowerBound == timetable.start(of: date, for: home))
    #expect(timetable.starts(of: date).upperBound == timetable.start(of: date, for: york))
  }

  @Test func `a stop without a time zone has that of the agencies that serve it`() throws {
    let timetable = try zones.timetable()
    func zone(_ id: String) throws -> String {
      String(decoding: timetable.zoneName(of: try #require(timetable.stop(id: id))), as: UTF8.self)
    }
    #expect(try ["X", "Y", "station"].map(zone) == Array(repeating: "America/New_York", count: 3))
    #expect(try ["A", "B", "C"].map(zone) == ["", "", ""])
  }

  @Test func `zones whose days begin at the same instants are one, and the file says so`() throws {
    var feed = TestFeed()
    feed.add("T", [.init("A", "08:00:00"), .init("B", "08:10:00")])
    let one = try feed.imported()
    #expect(one.timetable.metadata.timeZones == nil)
    #expect(one.bytes[8] == 1)
    feed[.agency].append("P,Paris,https://x.fr,Europe/Paris")
    feed[.routes].append("RP,P,3,,3")
    feed.add("U", [.init("A", "08:00:00"), .init("B", "08:10:00")], route: "RP")
    let two = try feed.imported()
    #expect(two.timetable.metadata.timeZones == ["Europe/Zurich", "Europe/Paris"])
    #expect(two.bytes[8] == 2)
    let board = try two.timetable.board("A", "2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z")
    #expect(board == ["2026-06-15T06:00:00Z A T#1", "2026-06-15T06:00:00Z A U#1"])
  }

  @Test func `the night in which clocks go back counts from noon`() throws {
    var feed = TestFeed()
    feed[.calendar][1] = "daily,1,1,1,1,1,1,1,20261024,20261025"
    feed.add("night", [.init("A", "26:30:00"), .init("B", "28:00:00")])
    feed.add("half-past-one", [.init("A", "01:30:00"), .init("B", "02:00:00")])
    feed.add("noon", [.init("A", "12:00:00"), .init("B", "13:00:00")])
    let timetable = try feed.timetable()
    #expect(
      try timetable.board("A", "2026-10-24T12:00:00Z", "2026-10-27T00:00:00Z") == [
        "2026-10-25T00:30:00Z A half-past-one#1",
        "2026-10-25T00:30:00Z A night#1",
        "2026-10-25T11:00:00Z A noon#1",
        "2026-10-26T01:30:00Z A night#1",
      ]
    )
  }

  @Test func `the last stop of a trip and pickup type 1 are not departures`() throws {
    let timetable = try feed(
      (
        "T",
        [
          .init("A", "08:00:00", pickup: "0"), .init("B", "08:10:00", pickup: "1"),
          .init("C", "08:20:00", pickup: "2"), .init("D", "08:30:00", pickup: "3"),
          .init("E", "08:40:00", pickup: "0"),
        ]
      )
    )
    .timetable()
    let day = ("2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z")
    #expect(try timetable.board("A", day.0, day.1).count == 1)
    #expect(try timetable.board("B", day.0, day.1).isEmpty)
    #expect(try timetable.board("C", day.0, day.1).count == 1)
    #expect(try timetable.board("D", day.0, day.1).count == 1)
    #expect(try timetable.board("E", day.0, day.1).isEmpty)
  }

  @Test(arguments: ["4", "5", "9", "a"])
  func `an unknown pickup type is not taken for "nobody may get on"`(pickup: String) throws {
    let timetable = try feed(
      ("T", [.init("A", "08:00:00", pickup: pickup), .init("B", "08:10:00")])
    )
    .timetable()
    #expect(try timetable.board("A", "2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z").count == 1)
  }

  @Test func `a trip of one stop and a loop's last stop have no departure`() throws {
    let timetable = try feed(
      ("loop", [.init("A", "08:00:00"), .init("B", "08:10:00"), .init("A", "08:20:00")]),
      ("single", [.init("A", "09:00:00")])
    )
    .timetable()
    #expect(
      try timetable.board("A", "2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z") == [
        "2026-06-15T06:00:00Z A loop#1"
      ]
    )
  }

  @Test func `equal times are ordered by trip id and stop sequence`() throws {
    let timetable = try feed(
      ("b", [.init("A", "08:00:00"), .init("B", "09:00:00")]),
      ("a10", [.init("A", "08:00:00"), .init("B", "09:00:00")]),
      ("B", [.init("A", "08:00:00"), .init("B", "09:00:00")]),
      ("a1", [.init("A", "08:00:00"), .init("B", "09:00:00")]),
      ("a2", [.init("A", "08:00:00"), .init("B", "09:00:00")]),
      (
        "a",
        [
          .init("A", "07:59:59"), .init("A", "08:00:00"), .init("A", "08:00:00"),
          .init("B", "9:00:00"),
        ]
      )
    )
    .timetable()
    #expect(
      try timetable.board("A", "2026-06-15T05:00:00Z", "2026-06-15T07:00:00Z").map {
        $0.dropFirst(23)
      }
        == ["a#1", "B#1", "a#2", "a#3", "a1#1", "a10#1", "a2#1", "b#1"]
    )
  }

  @Test func `equal times of yesterday's and today's trips are ordered by trip id, then day`()
    throws
  {
    let timetable = try feed(
      ("m", [.init("A", "00:30:00"), .init("B", "00:40:00")]),
      ("a", [.init("A", "24:30:00"), .init("B", "24:40:00")]),
      ("z", [.init("A", "24:30:00"), .init("B", "24:40:00")]),
      (
        "n",
        [
          .init("A", "00:30:00"), .init("B", "12:00:00"), .init("A", "24:30:00"),
          .init("C", "25:00:00"),
        ]
      )
    )
    .timetable()
    #expect(
      try timetable.board("A", "2026-06-15T22:30:00Z", "2026-06-15T22:31:00Z").map {
        $0.dropFirst(23)
      }
        == ["a#1", "m#1", "n#1", "n#3", "z#1"]
    )
  }

  @Test func `equal times at several platforms are ordered as at one`() throws {
    var feed = TestFeed()
    feed[.stops] += ["S,Sion,46.2,7.3,1,,", "S1,,46.2,7.3,,S,1", "S2,,46.2,7.3,,S,2"]
    for (trip, stop) in [("d", "S1"), ("a", "S2"), ("c", "S2"), ("b", "S1")] {
      feed.add(trip, [.init(stop, "08:00:00"), .init("B", "09:00:00")])
    }
    #expect(
      try feed.timetable().board("S", "2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z") == [
        "2026-06-15T06:00:00Z S2 a#1", "2026-06-15T06:00:00Z S1 b#1",
        "2026-06-15T06:00:00Z S2 c#1", "2026-06-15T06:00:00Z S1 d#1",
      ]
    )
  }

  @Test func `the next departure is found over any gap`() throws {
    var feed = TestFeed()
    feed[.calendarDates] = ["service_id,date,exception_type", "far,20260630,1", "far,20260601,1"]
    feed.add("T", [.init("A", "08:00:00"), .init("B", "09:00:00")], service: "far")
    let timetable = try feed.timetable()
    let stop = try #require(timetable.stop(id: "A"))
    let last = try Instant.read("2026-06-30T06:00:00Z")
    #expect(
      timetable.nextDeparture(at: stop, after: try Instant.read("2026-06-02T00:00:00Z")) == last
    )
    #expect(timetable.nextDeparture(at: stop, after: last) == last)
    #expect(timetable.nextDeparture(at: stop, after: last + 1) == nil)
    #expect(
      timetable.nextDeparture(at: stop, after: 0) == (try Instant.read("2026-06-01T06:00:00Z"))
    )
    #expect(timetable.nextDeparture(at: try #require(timetable.stop(id: "E")), after: 0) == nil)
  }

  @Test func `a feed in another zone has its departures there`() throws {
    var feed = feed(("T", [.init("A", "08:00:00"), .init("B", "09:00:00")]))
    feed[.agency][1] = "F,Freshet,https://x.ch,America/Los_Angeles"
    let timetable = try feed.timetable()
    #expect(
      try timetable.board("A", "2026-06-15T08:00:00Z", "2026-06-16T08:00:00Z") == [
        "2026-06-15T15:00:00Z A T#1"
      ]
    )
    #expect(timetable.zone.identifier == "America/Los_Angeles")
  }

  @Test func `an archive gives the same board as a folder`() throws {
    let feed = feed(("T", [.init("A", "08:00:00"), .init("B", "09:00:00")]))
    let archive = try feed.imported(asArchive: true)
    #expect(archive.bytes == (try feed.imported().bytes))
  }
}
