import GTFS
import Testing
import Timetable

@Suite struct TripTests {
  @Test func `trips are found by their whole id, whatever is beside it`() throws {
    var feed = TestFeed()
    let ids = [
      "b", "a", "ab", "a-1", "A", "aa", "1", "10", "2", "é", "abcdefgh", "abcdefghi", "abcdefg",
      "zürich",
    ]
    for (hour, id) in ids.enumerated() {
      feed.add(id, [.init("A", "\(hour + 6):00:00"), .init("B", "\(hour + 7):00:00")])
    }
    let timetable = try feed.timetable()
    for (hour, id) in ids.enumerated() {
      let runs = timetable.trips(id: id)
      #expect(runs.count == 1)
      #expect(timetable.text(timetable.tripId(of: runs.lowerBound)) == id)
      #expect(timetable.start(of: runs.lowerBound) == Int32((hour + 6) * 3600))
    }
    for id in ["", "c", "abc", "0", "zz", "B", "abcdefghij"] {
      #expect(timetable.trips(id: id).isEmpty)
    }
    let order = (0..<UInt32(timetable.tripCount)).map { timetable.text(timetable.tripId(of: $0)) }
    #expect(order == ids.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
  }

  @Test func `a trip has its route, short name and calls`() throws {
    var feed = TestFeed()
    feed[.routes].append("IC,F,IC 1,Intercity,102")
    feed[.trips].append("IC,daily,T,,712,0")
    feed[.stopTimes] += ["T,8:00:00,8:01:00,A,10,0,1,", "T,9:00:00,9:00:00,B,25,1,0,"]
    let timetable = try feed.timetable()
    let trip = try #require(timetable.trips(id: "T").first)
    #expect(timetable.text(timetable.shortName(of: trip)) == "712")
    #expect(timetable.text(timetable.routeId(of: trip)) == "IC")
    #expect(timetable.route(timetable.route(of: trip)).shortName == "IC 1")
    #expect(timetable.callCount(of: trip) == 2)
    #expect(timetable.sequence(1, of: trip) == 25)
    #expect(try timetable.calls("T") == ["10 A 08:00:00 08:01:00", "25 B 09:00:00 09:00:00"])
    #expect(timetable.start(of: trip) == 28_860)
  }

  @Test func `the calls of a trip read at once are its calls one by one`() throws {
    let timetable = try TestFeed.manyTrips.timetable()
    var calls: [ScheduledCall] = []
    for trip in 0..<UInt32(timetable.tripCount) {
      timetable.readCalls(of: trip, into: &calls)
      #expect(
        calls == (0..<timetable.callCount(of: trip)).map { timetable.call($0, of: trip) }
      )
    }
  }

  @Test func `a trip has one run if it is found alone by its id`() throws {
    var feed = TestFeed.manyTrips
    feed[.frequencies] = [
      "trip_id,start_time,end_time,headway_secs", "T1,06:00:00,07:00:00,600",
      "T2,06:00:00,06:10:00,600",
    ]
    let timetable = try feed.timetable()
    for trip in 0..<UInt32(timetable.tripCount) {
      let id = timetable.tripId(of: trip)
      if timetable.hasOneRun(trip, id: id) {
        #expect(timetable.trips(id: id) == trip..<trip + 1)
      } else {
        #expect(["T1", "T2"].contains(timetable.text(id)))
      }
      let other = timetable.tripId(of: (trip + 20) % UInt32(timetable.tripCount))
      #expect(!timetable.hasOneRun(trip, id: other))
    }
  }

  @Test func `trips with the same stops and running times share them`() throws {
    var feed = TestFeed()
    for hour in 10..<20 {
      feed.add("T\(hour)", [.init("A", "\(hour):00:00"), .init("B", "\(hour):10:00")])
    }
    feed.add("X", [.init("A", "10:00:00"), .init("C", "10:10:00")])
    feed.add("Y", [.init("A", "10:00:00", headsign: "x"), .init("B", "10:10:00")])
    let report = try feed.imported().report
    #expect(report.trips == 12)
    #expect(report.patterns == 3)
    #expect(report.departures == 12)
  }

  @Test func `routes are described as in the feed`() throws {
    var feed = TestFeed()
    feed[.agency].append("G,Other,https://y.ch,Europe/Zurich")
    feed[.routes] = [
      "route_id,agency_id,route_short_name,route_long_name,route_type,route_color,route_text_color",
      "R,F,1,First,3,FF0000,ffffff", "Q,G,2,,700,#00ff7F,", "P,,,Third,0,red,12345",
      "N,X,4,,1702,,",
    ]
    feed.add("T", [.init("A", "10:00:00"), .init("B", "10:10:00")])
    let imported = try feed.imported()
    let routes = (0..<4).map { imported.timetable.route($0) }
    #expect(
      routes == [
        RouteDescription(
          id: "R",
          shortName: "1",
          longName: "First",
          agency: "Freshet",
          type: 3,
          color: 0xFF0000,
          textColor: 0xFFFFFF
        ),
        RouteDescription(
          id: "Q",
          shortName: "2",
          longName: "",
          agency: "Other",
          type: 700,
          color: 0x00FF7F,
          textColor: nil
        ),
        RouteDescription(
          id: "P",
          shortName: "",
          longName: "Third",
          agency: "",
          type: 0,
          color: nil,
          textColor: nil
        ),
        RouteDescription(
          id: "N",
          shortName: "4",
          longName: "",
          agency: "",
          type: 1702,
          color: nil,
          textColor: nil
        ),
      ]
    )
    #expect(
      imported.report.warnings.map { "\($0.line) \($0.column ?? "-")" } == [
        "4 route_color", "4 route_text_color", "5 agency_id",
      ]
    )
  }

  @Test func `a route without agency_id belongs to the only agency`() throws {
    var feed = TestFeed()
    feed[.routes] = ["route_id,route_short_name,route_type", "R,1,3"]
    feed.add("T", [.init("A", "10:00:00"), .init("B", "10:10:00")])
    #expect(try feed.timetable().route(0).agency == "Freshet")
  }

  @Test func `the timetable knows its feed`() throws {
    var feed = TestFeed()
    feed[.agency] = [
      "agency_id,agency_name,agency_url,agency_timezone,agency_lang",
      "F,Freshet,https://x.ch,Europe/Zurich,rm",
    ]
    feed.add("T", [.init("A", "10:00:00"), .init("B", "26:10:00"), .init("C", "26:20:00")])
    let plain = try feed.timetable().metadata
    #expect(plain.language == "rm")
    #expect(plain.publisher == nil)
    #expect(plain.timeZone == "Europe/Zurich")
    #expect(plain.latestTime == 94_200)
    #expect(plain.importedAt == 1_780_000_000)
    feed[.feedInfo] = [
      "feed_publisher_name,feed_publisher_url,feed_lang,default_lang,feed_version",
      "SKI,https://x.ch,mul,de,2026-1",
    ]
    let full = try feed.timetable().metadata
    #expect(full.publisher == "SKI")
    #expect(full.version == "2026-1")
    #expect(full.language == "de")
    feed[.feedInfo] = ["feed_publisher_name,feed_lang", "SKI,fr"]
    #expect(try feed.timetable().metadata.language == "fr")
    feed[.feedInfo] = ["feed_publisher_name,feed_lang", "SKI,mul"]
    #expect(try feed.timetable().metadata.language == "rm")
  }
}
