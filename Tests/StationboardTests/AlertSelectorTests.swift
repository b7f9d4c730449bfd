import GTFS
import GTFSRealtime
import Testing
import Timetable

@testable import StationboardServer

/// What alerts are about: every kind of selector, found on boards and nowhere else.
@Suite struct AlertSelectorTests {
  private let stage: AlertStage

  init() throws { stage = try AlertStage.open() }

  @Test(arguments: [
    "Parent8501120", "8501120", "8501120P", "ch:1:sloid:1120", "8501120:0:2", "8501120:0:99",
    "ch:1:sloid:1120:9:93", "ch:1:sloid:1120:0:1",
  ])
  func `an alert about a stop is a banner on the station's board, by any shape of the id`(
    id: String
  ) throws {
    #expect(try stage.board([Alert("a", .init(stopID: id))]) == ["banners": ["a"]])
  }

  @Test func `a station means its platforms, a platform only itself`() throws {
    let station = [Alert("a", .init(stopID: "Parent8501120"))]
    #expect(try stage.board(station, stop: "8501120:0:1") == ["banners": ["a"]])
    let platform = [Alert("a", .init(stopID: "8501120:0:1"))]
    #expect(try stage.board(platform, stop: "8501120:0:1") == ["banners": ["a"]])
    #expect(try stage.board(platform, stop: "8501120:0:2") == [:])
  }

  @Test func `a SLOID with a platform means the platform of that code`() throws {
    let alerts = [
      Alert("one", .init(stopID: "ch:1:sloid:1120:0:1")),
      Alert("three", .init(stopID: "ch:1:sloid:1120:9:93")),
    ]
    #expect(try stage.board(alerts, stop: "8501120:0:1") == ["banners": ["one"]])
    #expect(try stage.board(alerts, stop: "8501120:0:3") == ["banners": ["three"]])
  }

  @Test func `a platform that the timetable does not have means its station, and is counted`()
    throws
  {
    let index = AlertIndex([Alert("a", .init(stopID: "8501120:0:99"))], stage.directory)
    #expect(index.counters.platformsAsStations == 1)
    let known = AlertIndex([Alert("a", .init(stopID: "8501120:0:1"))], stage.directory)
    #expect(known.counters.platformsAsStations == 0)
  }

  @Test func `an alert about another stop is not on the board`() throws {
    #expect(try stage.board([Alert("a", .init(stopID: "Parent8501576"))]) == [:])
  }

  @Test func `an alert about an agency is a banner where the agency departs`() throws {
    let alerts = [Alert("sbb", .init(agencyID: "sbb")), Alert("tl", .init(agencyID: "tl"))]
    #expect(try stage.board(alerts) == ["banners": ["sbb", "tl"]])
    #expect(try stage.board(alerts, stop: "8501120:0:3") == ["banners": ["sbb"]])
    #expect(try stage.board(alerts, stop: "8501120:0:1") == ["banners": ["tl"]])
    // Trips end at Gare; nothing departs.
    #expect(try stage.board(alerts, stop: "Parent8576646") == [:])
  }

  @Test func `an alert about an agency is on a board without departures too`() throws {
    #expect(
      try stage.board([Alert("a", .init(agencyID: "tl"))], rows: []) == ["banners": ["a"]]
    )
  }

  @Test(
    arguments: [
      (2, "ic"), (100, "ic"), (102, "ic"), (3, "tl"), (700, "tl"),
    ] as [(Int32, String)]
  )
  func `a route type means its extended types and the other way round`(
    type: Int32,
    at place: String
  ) throws {
    let platform = place == "ic" ? "8501120:0:3" : "8501120:0:2"
    let other = place == "ic" ? "8501120:0:2" : "8501120:0:3"
    let alerts = [Alert("a", .init(routeType: type))]
    #expect(try stage.board(alerts, stop: platform) == ["banners": ["a"]])
    #expect(try stage.board(alerts, stop: other) == [:])
  }

  @Test func `route types: classes, members and basic types`() {
    #expect(RouteTypeScope.contains(2, 109))
    #expect(RouteTypeScope.contains(100, 2))
    #expect(RouteTypeScope.contains(100, 109))
    #expect(!RouteTypeScope.contains(109, 2))
    #expect(!RouteTypeScope.contains(109, 100))
    #expect(!RouteTypeScope.contains(102, 109))
    #expect(RouteTypeScope.contains(3, 200))
    #expect(!RouteTypeScope.contains(200, 3))
    #expect(RouteTypeScope.contains(0, 900))
    #expect(RouteTypeScope.contains(900, 0))
    #expect(RouteTypeScope.contains(1, 401))
    #expect(RouteTypeScope.contains(12, 405))
    #expect(RouteTypeScope.contains(405, 12))
    #expect(!RouteTypeScope.contains(1, 405))
    #expect(RouteTypeScope.contains(4, 1000))
    #expect(RouteTypeScope.contains(7, 1400))
    #expect(!RouteTypeScope.contains(3, 2))
    #expect(!RouteTypeScope.contains(3, 1700))
    #expect(RouteTypeScope.contains(1700, 1702))
  }

  @Test func `agency and route type are joined by and`() throws {
    let alerts = [Alert("a", .init(agencyID: "tl", routeType: 0))]
    #expect(try stage.board(alerts, stop: "8501120:0:1") == ["banners": ["a"]])
    #expect(try stage.board(alerts, stop: "8501120:0:2") == [:])
    #expect(try stage.reason(.init(agencyID: "sbb", routeType: 700)) == .contradiction)
  }

  @Test func `an alert about a route is on its rows`() throws {
    #expect(
      try stage.board([Alert("a", .init(routeID: "route-1"))]) == ["bus1": ["a"], "back1": ["a"]]
    )
  }

  @Test func `a direction narrows a route`() throws {
    #expect(
      try stage.board([Alert("a", .init(routeID: "route-1", directionID: 1))]) == ["back1": ["a"]]
    )
    #expect(try stage.board([Alert("a", .init(routeID: "ic-1", directionID: 0))]) == [:])
  }

  @Test func `a stop narrows a route, an agency and a route type to the rows there`() throws {
    #expect(
      try stage.board([Alert("a", .init(routeID: "route-1", stopID: "8501120:0:2"))])
        == ["back1": ["a"]]
    )
    #expect(
      try stage.board([Alert("a", .init(agencyID: "tl", stopID: "8501120:0:2"))])
        == ["bus2": ["a"], "back1": ["a"]]
    )
    #expect(
      try stage.board([Alert("a", .init(routeType: 2, stopID: "Parent8501120"))]) == ["ic": ["a"]]
    )
    #expect(try stage.board([Alert("a", .init(routeID: "route-1", stopID: "8501576"))]) == [:])
  }

  @Test func `an alert about a route at the stop is a banner if no row carries it`() throws {
    let alerts = [Alert("a", .init(routeID: "route-1", stopID: "8501120"))]
    #expect(try stage.board(alerts, rows: []) == ["banners": ["a"]])
    // The platform's board does not cover the station.
    #expect(try stage.board(alerts, stop: "8501120:0:3") == [:])
    // A route that does not say a stop is not about this one.
    #expect(try stage.board([Alert("a", .init(routeID: "route-1"))], rows: []) == [:])
  }

  @Test func `an alert about a trip is on its row`() throws {
    #expect(
      try stage.board([Alert("a", .init(trip: .init(tripID: "bus2")))]) == ["bus2": ["a"]]
    )
    #expect(
      try stage.board([Alert("a", .init(trip: .init(tripID: "x", originalTripID: "bus2")))])
        == ["bus2": ["a"]]
    )
  }

  @Test func `start_date narrows a trip to one service day`() throws {
    func alert(_ day: String) throws -> [Alert] {
      let date = try #require(ServiceDate(day))
      return [Alert("a", .init(trip: .init(tripID: "bus2", startDate: date)))]
    }
    #expect(try stage.board(try alert("20260224")) == ["bus2": ["a"]])
    #expect(try stage.board(try alert("20260225")) == [:])
  }

  @Test func `the calendar date of a trip past 24 o'clock means the service day before`() throws {
    let rows = try stage.rows(
      "Parent8501120",
      "2026-02-25T07:45:00Z",
      "2026-02-25T07:55:00Z"
    )
    #expect(rows.map { stage.trip($0) } == ["night"])
    // It runs every day, so both dates name a run; only the service day's is this one.
    for (day, expected) in [("20260224", ["night": ["a"]]), ("20260225", [:])] {
      let date = try #require(ServiceDate(day))
      let alerts = [Alert("a", .init(trip: .init(tripID: "night", startDate: date)))]
      #expect(try stage.board(alerts, rows: rows) == expected)
    }
    // On the day after the last one it runs only as the service day before.
    let last = try #require(ServiceDate("20260401"))
    let alert = Alert("a", .init(trip: .init(tripID: "night", startDate: last)))
    let late = try stage.rows("Parent8501120", "2026-04-01T06:45:00Z", "2026-04-01T06:55:00Z")
    #expect(try stage.board([alert], rows: late) == ["night": ["a"]])
  }

  @Test func `start_time names a run of a frequency`() throws {
    let rows = try stage.rows("8501120:0:1", "2026-02-24T07:30:00Z", "2026-02-24T10:00:00Z")
    let trips = rows.map { stage.trip($0) }
    #expect(trips.count { $0 == "shuttle" } == 3)
    let start: Int32 = 9 * 3_600 + 2_400
    let run = Alert("a", .init(trip: .init(tripID: "shuttle", startTime: start)))
    #expect(try stage.board([run], rows: rows) == ["shuttle": ["a"]])
    let all = Alert("a", .init(trip: .init(tripID: "shuttle")))
    #expect(try stage.board([all], rows: rows) == ["shuttle": ["a", "a", "a"]])
  }

  @Test func `route, start time and date name a trip without its id`() throws {
    let date = try #require(ServiceDate("20260224"))
    let trip = TripDescriptor(routeID: "route-1", startDate: date, startTime: 8 * 3_600)
    #expect(try stage.board([Alert("a", .init(trip: trip))]) == ["bus1": ["a"]])
    // Of rows alike in all but the start, only the one that starts then.
    let rows = try stage.rows("8501120:0:1", "2026-02-24T07:30:00Z", "2026-02-24T10:00:00Z")
    let second = TripDescriptor(routeID: "route-3", startTime: 9 * 3_600 + 2_400)
    #expect(try stage.board([Alert("a", .init(trip: second))], rows: rows) == ["shuttle": ["a"]])
  }

  @Test func `a stop narrows a trip`() throws {
    let here = EntitySelector(trip: .init(tripID: "bus1"), stopID: "8501120")
    let there = EntitySelector(trip: .init(tripID: "bus1"), stopID: "8576391")
    #expect(try stage.board([Alert("a", here)]) == ["bus1": ["a"]])
    #expect(try stage.board([Alert("a", there)]) == [:])
  }

  @Test func `several selectors are joined by or`() throws {
    let alert = Alert(
      "a",
      .init(routeID: "route-2"),
      .init(trip: .init(tripID: "ic")),
      .init(stopID: "8501576")
    )
    #expect(try stage.board([alert]) == ["bus2": ["a"], "ic": ["a"]])
  }

  @Test func `an unresolved selector is counted with its reason and never widened`() throws {
    let day = try #require(ServiceDate("20251224"))
    let cases: [(EntitySelector, AlertCounters.Reason)] = [
      (.init(), .empty),
      (.init(agencyID: "x", stopID: "8501120"), .unknownAgency),
      (.init(routeType: 6, stopID: "8501120"), .unknownRouteType),
      (.init(routeID: "x", stopID: "8501120"), .unknownRoute),
      (.init(trip: .init(tripID: "x"), stopID: "8501120"), .unknownTrip),
      (.init(trip: .init(tripID: "shuttle", startTime: 1)), .unknownStart),
      (.init(trip: .init(tripID: "bus1", startDate: day)), .notRunning),
      (.init(trip: .init(startDate: day), stopID: "8501120"), .incompleteTrip),
      (.init(routeID: "route-1", stopID: "x"), .unknownStop),
      (.init(directionID: 1, stopID: "8501120"), .directionWithoutRoute),
      (.init(routeID: "route-2", trip: .init(tripID: "bus1")), .contradiction),
      (.init(agencyID: "sbb", routeID: "route-1"), .contradiction),
      (.init(routeType: 2, trip: .init(tripID: "bus1")), .contradiction),
      (.init(directionID: 1, trip: .init(tripID: "bus1")), .contradiction),
    ]
    for (selector, reason) in cases {
      #expect(try stage.reason(selector) == reason, "\(selector)")
      #expect(try stage.board([Alert("a", selector)]) == [:], "\(selector)")
    }
    #expect(Set(cases.map(\.1)) == Set(AlertCounters.Reason.allCases))
  }

  @Test func `the counters counts every alert and every selector`() throws {
    let index = AlertIndex(
      [
        Alert("a", .init(stopID: "8501120"), .init(stopID: "x")),
        Alert("a", .init(stopID: "8501576")),
        Alert("b", .init(routeID: "x")),
        Alert("c"),
      ],
      stage.directory
    )
    #expect(index.counters.alerts == 1)
    #expect(index.counters.repeatedIDs == 1)
    #expect(index.counters.withoutEffect == 2)
    #expect(index.counters.resolved == 1)
    #expect(index.counters.unresolved == [.unknownStop: 1, .unknownRoute: 1])
    #expect(index.counters.examples.map(\.alert) == ["a", "b"])
  }

  @Test func `an alert about a trip that the timetable does not have is on the added trip's row`()
    throws
  {
    let realtime = try stage.realtime(
      """
      {"header":{"gtfs_realtime_version":"2.0","timestamp":1771916400},"entity":[{"id":"1",
      "trip_update":{"trip":{"trip_id":"extra","route_id":"route-2","start_date":"20260224",
      "schedule_relationship":"NEW"},"stop_time_update":[
      {"stop_sequence":1,"stop_id":"8501120:0:3","departure":{"time":1771917000}},
      {"stop_sequence":2,"stop_id":"8576646:0:A","arrival":{"time":1771918000}}]}}]}
      """
    )
    let rows = realtime.rows(
      at: UInt32(try stage.stop("Parent8501120")),
      from: 1_771_916_000,
      until: 1_771_920_000,
      limit: 10
    )
    #expect(rows.count == 1)
    let alerts = [
      Alert("agency", .init(agencyID: "tl", stopID: "8501120:0:3")),
      Alert("route", .init(routeID: "route-2")),
      Alert("trip", .init(trip: .init(tripID: "extra"))),
      Alert("other", .init(trip: .init(tripID: "unknown"))),
    ]
    #expect(
      try stage.board(alerts, rows: rows, realtime: realtime) == ["-": ["agency", "route", "trip"]]
    )
    // Buses do not depart from platform 3 by the timetable: the alert about them is on the row.
    #expect(
      try stage.board(
        [Alert("a", .init(routeType: 3))],
        stop: "8501120:0:3",
        rows: rows,
        realtime: realtime
      ) == ["-": ["a"]]
    )
  }

  @Test func `a row that departs from another platform carries the alerts of both`() throws {
    let realtime = try stage.realtime(
      """
      {"header":{"gtfs_realtime_version":"2.0","timestamp":1771916400},"entity":[{"id":"1",
      "trip_update":{"trip":{"trip_id":"bus1","start_date":"20260224"},"stop_time_update":[
      {"stop_sequence":5,"stop_id":"8501120:0:3","departure":{"delay":60}}]}}]}
      """
    )
    let rows = realtime.rows(
      at: UInt32(try stage.stop("Parent8501120")),
      from: 1_771_916_000,
      until: 1_771_920_000,
      limit: 10
    )
    #expect(rows.map { stage.trip($0) } == ["bus1"])
    let alerts = ["1", "2", "3"].map { platform in
      Alert(platform, .init(routeID: "route-1", stopID: "8501120:0:\(platform)"))
    }
    let board = try stage.board(alerts, rows: rows, realtime: realtime)
    #expect(board["bus1"] == ["1", "3"])
  }
}

extension AlertStage {
  /// The realtime of a feed in its JSON form.
  func realtime(_ text: String) throws -> RealtimeIndex {
    let feed = try FeedDocument(Array(text.utf8)).tripUpdates()
    return RealtimeIndex(feed, timetable: timetable, arrivedAt: 1_771_916_400)
  }
}
