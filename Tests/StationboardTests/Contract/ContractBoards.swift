import ContractSchema
import GTFS
import GTFSRealtime
import NIOCore
import StrictJSON
import Testing
import Timetable

@testable import StationboardServer

extension BoardContract {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop
  private typealias Vehicle = RealtimeWire.Vehicle

  private static let day = "20260216"
  private static let morning = "2026-02-16 09:50:00"

  mutating func compare(_ buffer: ByteBuffer, _ operation: String) throws {
    let value = try ContractDocument.value(of: Array(buffer.readableBytesView))
    comparison.compare(value, answering: operation)
  }

  mutating func compare(_ buffer: ByteBuffer, with name: String) throws {
    comparison.compare(
      try ContractDocument.value(of: Array(buffer.readableBytesView)),
      with: name
    )
  }

  // MARK: Words

  /// Words that a type has and no stage needs to show one by one.
  mutating func compareWords() {
    let departure = "Departure/properties/"
    let stop = "TripStop/properties/"
    comparison.compare(words: BoardRealtimeStatus.self, with: "RealtimeStatus")
    comparison.compare(
      words: BoardAnswer.ResponseMode.self,
      with: "BoardMeta/properties/responseMode"
    )
    comparison.compare(words: DelayReading.Status.self, with: departure + "status")
    comparison.compare(words: BoardRow.CancelReason.self, with: departure + "cancelReasonCode")
    comparison.compare(words: StopResolver.Source.self, with: "Resolved/properties/source")
    comparison.compare(words: NoService.Reason.self, with: "NoService/oneOf/1/properties/reason")
    comparison.compare(words: FeedManifest.HoldReason.self, with: "HealthFeed/properties/held")
    for place in [departure, stop] {
      comparison.compare(words: ScheduleCertainty.Value.self, with: place + "certainty")
      comparison.compare(words: ScheduleCertainty.Boarding.self, with: place + "boarding")
    }
    let health = "HealthFeed/properties/realtime/properties/"
    comparison.compare(words: MatchReport.Status.self, with: health + "status")
    let sources = health + "sources/items/properties/"
    comparison.compare(words: MatchReport.Status.self, with: sources + "status")
    comparison.compare(words: RealtimeSource.Kind.self, with: sources + "kind")
    for freshness in [RealtimeFreshness.fresh, .ageing, .stale] {
      comparison.compare(
        .string("\(freshness.name)"),
        with: departure + "realtimeFreshness"
      )
    }
    for status in BoardRealtimeStatus.allCases {
      comparison.compare(.string(status.reason), with: "RealtimeReason")
      comparison.compare(.string(status.closedReason), with: "RealtimeReason")
    }
    for number in 0...8 {
      guard let occupancy = VehiclePosition.Occupancy(number: Int32(number)) else { continue }
      let carriage = "TripVehicle/properties/carriages/items/properties/"
      for place in [
        departure, stop, "DepartureVehicle/properties/", "TripVehicle/properties/", carriage,
      ] {
        comparison.compare(.string(occupancy.rawValue), with: place + "occupancy")
      }
    }
    for status in [VehiclePosition.StopStatus.incomingAt, .stoppedAt, .inTransitTo] {
      let word = RowVehicle.name(of: status).map(JSONValue.string) ?? .null
      for place in ["DepartureVehicle", "TripVehicle"] {
        comparison.compare(word, with: place + "/properties/status")
      }
    }
  }

  // MARK: The stage

  /// A timetable with every kind of trip and stop: trips that vehicles go on as, runs of frequencies, calls to be arranged,
  /// services on demand, routes and stops with everything and with nothing that may be left out.
  private static func stage() throws -> RealtimeStage {
    var calls = ""
    func trip(_ id: String, _ stops: [(String, String, Int)], timepoint: String = "") {
      for (place, (stop, time, pickup)) in stops.enumerated() {
        let rule = pickup != 2 ? "" : id == "soon" ? "now" : "call"
        let exact = place == 1 && !timepoint.isEmpty ? timepoint : ""
        calls += "\(id),\(place + 1),\(stop),\(time),\(time),\(pickup),,,\(rule),\(exact)\n"
      }
    }
    for id in ["late", "early", "off", "skips", "short", "moved", "detour", "old"] {
      trip(
        id,
        [("S1", "10:00:00", 0), ("b", "10:10:00", 0), ("c", "10:20:00", 0), ("d", "10:30:00", 0)]
      )
    }
    trip("rail", [("S2", "10:02:00", 0), ("c", "10:22:00", 0)])
    trip("bare", [("n", "10:03:00", 0), ("c", "10:23:00", 0)])
    trip("substitute", [("S1", "10:04:00", 0), ("c", "10:24:00", 0)])
    trip("called", [("S1", "10:05:00", 2), ("c", "10:25:00", 2), ("d", "10:45:00", 0)])
    trip("asked", [("S1", "10:06:00", 3), ("c", "10:26:00", 0)])
    trip("every", [("S1", "10:00:00", 0), ("c", "10:20:00", 0)])
    trip("soon", [("n", "10:09:00", 2), ("c", "10:29:00", 0)])
    trip(
      "about",
      [("b", "10:09:00", 0), ("S1", "10:19:00", 0), ("c", "10:29:00", 0)],
      timepoint: "0"
    )
    trip("first", [("S1", "10:07:00", 0), ("c", "10:27:00", 0)])
    trip("second", [("c", "10:30:00", 0), ("d", "10:40:00", 0)])
    trip("third", [("n", "10:08:00", 0), ("c", "10:28:00", 0)])
    trip("fourth", [("c", "10:33:00", 0), ("n", "10:43:00", 0)])
    for (id, rule) in [("ride", "call"), ("other", "")] {
      for place in 1...2 { calls += "\(id),\(place),d,,,2,08:00:00,18:00:00,\(rule),\n" }
    }
    let plain = [
      "late", "early", "off", "skips", "short", "moved", "detour", "old", "called", "asked",
      "every", "soon", "about",
    ]
    let trips = plain.map { "\($0),R1,daily,,Somewhere,42,0\n" }.joined()
    return try RealtimeStage(
      [.init("unused", ["1 S1 10:00:00", "2 b 10:10:00"])],
      files: [
        "feed_info.txt": """
        feed_publisher_name,feed_publisher_url,feed_lang,feed_version
        Publisher,http://a,de,1

        """,
        "stops.txt": """
        stop_id,stop_name,location_type,parent_station,platform_code,stop_lat,stop_lon
        S,Station,1,,,46.5,6.6
        S1,Station,0,S,1,46.5,6.6
        S2,Station,0,S,2,46.5,6.6
        b,B,0,,,46.5,6.7
        c,C,0,,,46.5,6.8
        d,D,0,,,46.5,6.9
        n,,0,,,,
        lonely,Lonely,0,,,46.9,7.9

        """,
        "routes.txt": """
        route_id,agency_id,route_short_name,route_long_name,route_type,route_color,route_text_color
        R1,A,1,,3,FF0000,FFFFFF
        S1,A,S1,,2,,
        EV1,A,EV1,,700,,
        none,,,,3,,

        """,
        "agency.txt": """
        agency_id,agency_name,agency_url,agency_timezone
        A,Agency,http://a,Europe/Zurich
        "",,http://b,Europe/Zurich

        """,
        "trips.txt": """
        trip_id,route_id,service_id,block_id,trip_headsign,trip_short_name,direction_id
        \(trips)rail,S1,daily,,,,
        bare,none,daily,,,,
        substitute,EV1,daily,,,,
        first,R1,daily,v,,,
        second,R1,daily,v,On,,
        third,R1,daily,w,,,
        fourth,none,daily,w,,,
        ride,R1,daily,,,,
        other,S1,daily,,,,

        """,
        "stop_times.txt":
          "trip_id,stop_sequence,stop_id,arrival_time,departure_time,pickup_type,"
          + "start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_booking_rule_id,"
          + "timepoint\n" + calls,
        "booking_rules.txt": """
        booking_rule_id,booking_type,prior_notice_duration_min,prior_notice_last_day,message,phone_number,info_url,booking_url
        call,2,30,1,Call,+41 1,https://a,https://b
        now,0,,,,,,

        """,
        "frequencies.txt": """
        trip_id,start_time,end_time,headway_secs,exact_times
        every,10:00:00,11:00:00,600,0

        """,
      ]
    )
  }

  private static func feed(_ stage: RealtimeStage, _ updates: [Trip]) throws -> RealtimeIndex {
    let now = stage.at(morning)
    return RealtimeIndex(
      try TripUpdateFeed(
        protobuf: RealtimeWire.feed(
          updates,
          at: now,
          modifications: [
            RealtimeWire.Modifications(
              "m",
              trips: ["detour"],
              dates: [day],
              [.init(from: (3, nil), to: (3, nil), delay: 300, stops: [("b", 480)])]
            )
          ].map {
            var modifications = $0
            modifications.shape = "s"
            return modifications
          },
          shapes: [("s", "_p~iF~ps|U_ulLnnqC")]
        )
      ),
      timetable: stage.feed.timetable,
      arrivedAt: now,
      previous: nil
    )
  }

  private static func updates(_ stage: RealtimeStage) -> [Trip] {
    func on(_ id: String, _ kind: RealtimeWire.TripRelationship? = nil) -> Trip {
      Trip(id, kind, date: day)
    }
    let start = stage.at(morning) + 900
    var late = Stop(1, departure: .init(delay: 300, uncertainty: 60), occupancy: 3)
    late.stop = nil
    return [
      on("late").with(late, Stop(2, arrival: .delay(200), departure: .delay(200))),
      on("early").with(Stop(1, departure: .delay(-120))),
      on("off", .canceled), on("old", .deleted),
      on("skips").with(Stop(1, .skipped), Stop(3, departure: .delay(0))),
      on("short").with(Stop(1, departure: .delay(0)), Stop(2, .skipped), Stop(4, .skipped)),
      on("moved").with(Stop(1, nil, departure: .delay(0), assigned: "S2")),
      on("asked", .duplicated).with {
        $0.newTrip = "copy"
        $0.newStart = "10:12:00"
      },
      on("called", .replacement).with(
        Stop(1, "S1", departure: .time(start)),
        Stop(2, "d", arrival: .time(start + 600))
      ),
      Trip("new", .new, date: day).with { $0.route = "R1" }
        .with(Stop(1, "S1", departure: .time(start)), Stop(2, "c", arrival: .time(start + 600))),
      Trip(nil, .new, date: day).with(
        Stop(1, "S1", departure: .time(start)),
        Stop(2, "nowhere", arrival: .time(start + 600))
      ),
      on("unknown").with(Stop(1, departure: .delay(0))),
    ]
  }

  private static func vehicles(
    _ stage: RealtimeStage,
    _ trips: RealtimeIndex
  ) throws -> VehicleIndex {
    var full = Vehicle(
      Trip("late", date: day),
      1,
      "S1",
      status: 1,
      occupancy: 1,
      percent: 50,
      wheelchair: 2
    )
    full.label = "7"
    full.place = (46.5, 6.6)
    full.carriages = [("A", 1, 50), (nil, nil, nil)]
    let placed = Vehicle(Trip("early", date: day), 1, "S1", status: 1)
    let loaded = Vehicle(Trip("moved", date: day), occupancy: 3)
    return try stage.vehicles([full, placed, loaded], at: stage.at(morning), trips: trips)
  }

  private static func alerts(_ stage: RealtimeStage) -> AlertIndex {
    func text(_ text: String, _ language: String?) -> TranslatedText {
      TranslatedText([.init(text: text, language: language)])
    }
    var full = Alert(entityID: "full")
    full.informedEntities = [EntitySelector(stopID: "S")]
    full.activePeriods = [
      ActivePeriod(start: 1, end: 4_000_000_000), ActivePeriod(start: nil, end: nil),
    ]
    full.header = text("Title", "de")
    full.text = text("Text", "fr")
    full.url = text("https://a", nil)
    full.causeDetail = text("A tree", "de")
    full.effectDetail = text("A detour", "de")
    full.image = text("https://a/b.png", nil)
    full.imageAlternative = text("A map", nil)
    var bare = Alert(entityID: "bare")
    bare.informedEntities = [EntitySelector(routeID: "R1")]
    bare.image = text("https://a/b.png", nil)
    var untagged = Alert(entityID: "untagged")
    untagged.informedEntities = [EntitySelector(agencyID: "A"), EntitySelector(routeType: 3)]
    untagged.header = text("Title", "de")
    untagged.text = text("Text", nil)
    var all = [full, bare, untagged]
    let selectors = [
      EntitySelector(routeID: "R1", directionID: 0), EntitySelector(routeType: 3),
      EntitySelector(trip: TripDescriptor(tripID: "late")),
    ]
    for (number, selector) in selectors.enumerated() {
      var alert = Alert(entityID: "selector-\(number)")
      alert.informedEntities = [selector]
      all.append(alert)
    }
    for cause in 0...20 {
      var alert = Alert(entityID: "cause-\(cause)")
      alert.informedEntities = [EntitySelector(stopID: "S1")]
      alert.cause = AlertCause(number: Int32(cause))
      alert.effect = AlertEffect(number: Int32(cause))
      alert.severity = AlertSeverity(number: Int32(cause % 4 + 1))
      all.append(alert)
    }
    return AlertIndex(all, AlertDirectory(stage.feed.timetable))
  }

  // MARK: Boards

  /// What is known of a source of which everything is known.
  private static func status(_ now: Double) -> SourceStatus {
    var status = SourceStatus()
    status.isConfigured = true
    status.lastPollAt = now
    status.lastSuccessAt = now
    status.fetchedAt = now
    status.failure = "timeout"
    status.feedVersion = "2"
    status.payloadBytes = 10
    return status
  }

  mutating func compareBoards() throws {
    let stage = try Self.stage()
    let now = Double(stage.at(Self.morning))
    let index = try Self.feed(stage, Self.updates(stage))
    var full = RealtimeSnapshot()
    full.index = index
    full.vehicleIndex = try Self.vehicles(stage, index)
    full.alertIndex = Self.alerts(stage)
    full.trips = Self.status(now)
    full.alerts = Self.status(now)
    let bare = try RealtimeStage([.init("t", ["1 a 10:00:00", "2 b 10:10:00"])])
    let worlds: [(RealtimeStage, RealtimeSnapshot, String)] =
      ["S", "b", "c", "d", "n", "lonely"].map { (stage, full, $0) }
      + [(stage, RealtimeSnapshot(), "S"), (bare, RealtimeSnapshot(), "a")]
    for (stage, snapshot, stop) in worlds {
      for (hours, isClosed) in [(0.0, false), (12, false), (0, true), (24 * 400, false)] {
        try compareBoard(stage, snapshot, stop, now + hours * 3_600, isClosed: isClosed)
      }
    }
    for status in BoardRealtimeStatus.allCases {
      try compareBoard(stage, full, "lonely", now, isClosed: false, status)
    }
  }

  private mutating func compareBoard(
    _ stage: RealtimeStage,
    _ snapshot: RealtimeSnapshot,
    _ stop: String,
    _ now: Double,
    isClosed: Bool,
    _ status: BoardRealtimeStatus = .applied
  ) throws {
    let resolved = try #require(StopResolver(feeds: [stage.feed]).resolve(stop))
    let operation = "GET /api/stationboard"
    var request = BoardRequest(stop: resolved, limit: 100, window: 120)
    request.includeAlerts = snapshot.index != nil
    var shown: RenderedBoard?
    for (isDebug, realtime) in [(true, snapshot), (false, RealtimeSnapshot()), (false, snapshot)] {
      request.isDebug = isDebug
      let merged = MergedBoard(
        request: request,
        now: now,
        realtime: realtime.index,
        vehicles: realtime.vehicleIndex
      )
      let selection = realtime.alertIndex.map { index in
        AlertSelection(
          index: index,
          stop: Int(resolved.stop),
          rows: merged.rows,
          realtime: merged.realtime,
          now: merged.instant,
          language: nil
        )
      }
      let board = RenderedBoard(
        merged,
        selection: selection,
        snapshot: realtime,
        statuses: .init(realtime: status, alerts: .applied),
        additions: isClosed ? [.closedTypes] : [],
        before: nil
      )
      let answer = BoardAnswer(
        request: request,
        renderedBoard: board,
        snapshot: realtime,
        mode: .full,
        skipped: isDebug ? ["rt_apply_skipped_budget", "alerts_skipped_budget"] : [],
        requestId: "1",
        now: now,
        elapsed: 0.5,
        entityTag: board.entityTag,
        foretold: isDebug
          ? ForetoldChange(expectedAt: now + 30, quantile: 0.8, spread: 5) : nil
      )
      try compare(answer.body(), operation)
      try compare(answer.verification(), with: "BoardVerification")
      if let shown { try compare(answer.change(from: shown), with: "BoardChange") }
      shown = board
    }
  }

  // MARK: Trips

  mutating func compareTrips() throws {
    let stage = try Self.stage()
    let now = Double(stage.at(Self.morning))
    let index = try Self.feed(stage, Self.updates(stage))
    var full = RealtimeSnapshot()
    full.index = index
    full.vehicleIndex = try Self.vehicles(stage, index)
    full.trips = Self.status(now)
    let timetable = stage.feed.timetable
    let day = ServiceDate(daysSinceEpoch: 20_500)
    var journeys: [TripJourney] = []
    for number in 0..<timetable.tripCount {
      journeys.append(TripJourney(feed: stage.feed, trip: Timetable.Trip(number), day: day))
    }
    for trip in index.trips where trip.extra >= 0 {
      let template = trip.trip < timetable.tripCount ? trip.trip : nil
      journeys.append(TripJourney(feed: stage.feed, trip: template, day: day, extra: trip))
    }
    for snapshot in [full, RealtimeSnapshot()] {
      for journey in journeys {
        let answer = TripAnswer(
          journey: journey,
          language: nil,
          snapshot: snapshot,
          decay: .standard,
          now: now
        )
        try compare(answer.body(), "GET /api/trips/{trip_id}")
      }
    }
  }
}
