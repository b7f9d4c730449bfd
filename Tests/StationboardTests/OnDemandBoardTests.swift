import GTFS
import NIOCore
import Testing
import Timetable

@testable import StationboardServer

/// Services that run for those who book them, at the stops where they can be had.
@Suite struct OnDemandBoardTests {
  private typealias Row = (trip: String, sequence: Int, place: String, window: String, rule: String)

  /// A timetable with one trip at a time, and trips on demand.
  ///
  /// Places are `stop:a`, `group:g`, `zone:z` and `draft:z`.
  private func stage(_ rows: [Row], rules: [String] = []) throws -> RealtimeStage {
    var stopTimes =
      "trip_id,stop_sequence,stop_id,location_id,location_group_id,arrival_time,departure_time,"
      + "pickup_type,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_booking_rule_id\n"
      + "t,1,a,,,10:00:00,10:00:00,0,,,\nt,2,b,,,11:00:00,11:00:00,2,,,phone\n"
      + "t,3,c,,,12:00:00,12:00:00,0,,,\n"
      + "u,1,b,,,11:30:00,11:30:00,0,,,\nu,2,c,,,12:30:00,12:30:00,0,,,\n"
    for row in rows {
      let parts = row.place.split(separator: ":").map(String.init)
      let places = ["stop", "zone", "group"].map { $0 == parts[0] ? parts[1] : "" }
      let stop = parts[0] == "draft" ? parts[1] : places[0]
      let times = row.window.isEmpty ? "," : row.window
      stopTimes +=
        "\(row.trip),\(row.sequence),\(stop),\(places[1]),\(places[2]),,,2,\(times),\(row.rule)\n"
    }
    let ring = "[[7.0,46.0],[8.0,46.0],[8.0,47.0],[7.0,47.0],[7.0,46.0]]"
    let hole = "[[7.4,46.4],[7.6,46.4],[7.6,46.6],[7.4,46.6],[7.4,46.4]]"
    return try RealtimeStage(
      [.init("t", ["1 a 10:00:00", "2 b 11:00:00", "3 c 12:00:00"])],
      files: [
        "stops.txt":
          "stop_id,stop_name,stop_lat,stop_lon\na,A,46.2,7.2\nb,B,46.5,7.5\nc,C,47.5,7.5\n"
          + "d,D,46.9,7.9\n",
        "trips.txt":
          "trip_id,route_id,service_id\nt,R1,daily\nx,S1,daily\ny,S1,mondays\n"
          + "u,R1,daily\n",
        "stop_times.txt": stopTimes,
        "booking_rules.txt":
          "booking_rule_id,booking_type,prior_notice_duration_min,prior_notice_last_day,"
          + "prior_notice_last_time,message,phone_number,info_url,booking_url,"
          + "prior_notice_service_id\n"
          + "phone,2,,1,14:00:00,\"Call, please\",+41 1,javascript:x,https://b,\n"
          + "soon,1,120,,,,,,,\n" + rules.map { $0 + "\n" }.joined(),
        "location_group_stops.txt": "location_group_id,stop_id\ng,c\ng,nowhere\n",
        "locations.geojson": """
        {"type":"FeatureCollection","features":[{"type":"Feature","id":"z","properties":{},
        "geometry":{"type":"Polygon","coordinates":[\(ring),\(hole)]}}]}
        """,
      ]
    )
  }

  /// What a stop offers: line, window, until when it can be booked.
  private func offers(_ stage: RealtimeStage, _ stop: String, at instant: Int64) throws -> [String]
  {
    let timetable = stage.feed.timetable
    let station = timetable.station(of: try #require(timetable.stop(id: stop)))
    return stage.feed.onDemand.offers(at: station, Double(instant)).offers.map { offer in
      let by = offer.bookBy.map { " by \($0 - instant)" } ?? ""
      return "\(offer.service.line) \(offer.opensAt - instant) \(offer.closesAt - instant)\(by)"
    }
  }

  @Test
  func
    `a service is offered at its stop, at those of its group, and in its zone but not in a hole`()
    throws
  {
    let window = "08:00:00,18:00:00"
    for (place, at) in [("stop:d", "d"), ("group:g", "c"), ("zone:z", "ad"), ("draft:z", "ad")] {
      let stage = try stage([("x", 1, place, window, ""), ("x", 2, place, window, "")])
      let noon = stage.at("2026-02-17 12:00:00")
      for stop in "abcd" {
        let expected = at.contains(stop) ? ["S1 -14400 21600"] : []
        #expect(try offers(stage, String(stop), at: noon) == expected, "\(place) \(stop)")
      }
    }
  }

  @Test func `the window is the next one that can still be booked`() throws {
    let stage = try stage([
      ("x", 1, "stop:d", "08:00:00,18:00:00", "phone"),
      ("x", 2, "stop:d", "08:00:00,18:00:00", "phone"),
    ])
    // Today is over at 14:00 of yesterday, tomorrow at 14:00 of today.
    let noon = stage.at("2026-02-17 12:00:00")
    #expect(try offers(stage, "d", at: noon) == ["S1 72000 108000 by 7200"])
    #expect(try offers(stage, "d", at: noon + 7_199) == ["S1 64801 100801 by 1"])
    #expect(try offers(stage, "d", at: noon + 7_200) == ["S1 151200 187200 by 86400"])
    let timetable = stage.feed.timetable
    let found = stage.feed.onDemand.offers(at: try #require(timetable.stop(id: "d")), Double(noon))
    #expect(found.nextChangeAt == Double(noon + 7_200))
    // With two hours of notice the last ride of today is booked at 16:00.
    let soon = try self.stage([("x", 1, "stop:d", "08:00:00,18:00:00", "soon")])
    #expect(try offers(soon, "d", at: noon + 14_399) == ["S1 -28799 7201"])
    #expect(try offers(soon, "d", at: noon + 14_400) == ["S1 57600 93600"])
  }

  @Test func `windows of one line that meet are one, and others are the next one`() throws {
    let windows = [
      "08:00:00,08:30:00", "08:30:00,09:10:00", "09:00:00,09:20:00", "09:30:00,10:00:00",
    ]
    let stage = try stage(windows.enumerated().map { ("x", $0 + 1, "stop:d", $1, "") })
    let seven = stage.at("2026-02-17 07:00:00")
    #expect(try offers(stage, "d", at: seven) == ["S1 3600 8400"])
    #expect(try offers(stage, "d", at: seven + 8_400) == ["S1 600 2400"])
  }

  @Test func `a service of Mondays is offered for Monday`() throws {
    let stage = try stage([("y", 1, "stop:d", "22:00:00,26:00:00", "")])
    // 2026-02-16 is a Monday; its window ends on Tuesday at 2:00.
    #expect(try offers(stage, "d", at: stage.at("2026-02-17 01:59:59")) == ["S1 -14399 1"])
    let next = stage.at("2026-02-23 22:00:00") - stage.at("2026-02-17 02:00:00")
    #expect(
      try offers(stage, "d", at: stage.at("2026-02-17 02:00:00")) == ["S1 \(next) \(next + 14_400)"]
    )
  }

  @Test func `the days before a ride are counted among those of a service`() throws {
    // By 14:00 of the second Monday before; the service of a calendar that is not there counts all days.
    let rules = ["mondays,2,,2,14:00:00,,,,,mondays", "lost,2,,2,14:00:00,,,,,none"]
    let monday = ("y", 1, "stop:d", "08:00:00,18:00:00", "mondays")
    let stage = try stage([monday], rules: rules)
    // 2026-02-02 is a Monday; a ride of Monday the 16th is booked until then.
    let then = stage.at("2026-02-02 14:00:00")
    let ride = stage.at("2026-02-16 08:00:00")
    let next = stage.at("2026-02-23 08:00:00")
    #expect(
      try offers(stage, "d", at: then - 1) == ["S1 \(ride - then + 1) \(ride - then + 36_001) by 1"]
    )
    // The one of the 23rd is more than 14 days away at the moment.
    #expect(try offers(stage, "d", at: then) == [])
    let later = stage.at("2026-02-09 12:00:00")
    #expect(
      try offers(stage, "d", at: later) == ["S1 \(next - later) \(next - later + 36_000) by 7200"]
    )
    let other = try self.stage([("y", 1, "stop:d", "08:00:00,18:00:00", "lost")], rules: rules)
    let saturday = other.at("2026-02-14 14:00:00")
    #expect(
      try offers(other, "d", at: saturday - 1) == [
        "S1 \(ride - saturday + 1) \(ride - saturday + 36_001) by 1"
      ]
    )
  }

  @Test func `a departure that has to be arranged says by when and where to call`() throws {
    let stage = try stage([])
    let now = stage.at("2026-02-17 10:30:00")
    func written(_ stop: String, at instant: Int64) throws -> [String] {
      try stage.board(stop, at: instant, nil).rows.map { row in
        var json = JSONBytes(capacity: 64)
        DepartureRows(feed: stage.feed, language: nil).writeCertainty(row, nil, &json)
        return String(buffer: json.buffer)
      }
    }
    let rows = try written("b", at: now)
    #expect(rows.count == 2)
    #expect(
      rows[0].hasSuffix(
        """
        ,"booking":{"bookBy":"2026-02-16T13:00:00Z","noticeMinutes":null,"phone":"+41 1",\
        "message":"Call, please","infoUrl":null,"bookingUrl":"https://b"}
        """
      )
    )
    // The same route at the same stop, for everybody.
    #expect(!rows[1].contains("booking"))
    #expect(try written("a", at: now - 3_600).map { $0.contains("booking") } == [false])
  }

  @Test func `a board has its offers, and changes when one can no longer be booked`() throws {
    let stage = try stage([("x", 1, "stop:a", "08:00:00,18:00:00", "phone")])
    let noon = stage.at("2026-02-17 13:59:50")
    let board = try stage.board("a", at: noon, nil)
    let renderedBoard = RenderedBoard(
      board,
      selection: nil,
      snapshot: RealtimeSnapshot(),
      statuses: RenderedBoard.Statuses(realtime: .disabled, alerts: .disabled),
      additions: [],
      before: nil
    )
    #expect(
      String(decoding: renderedBoard.onDemand, as: UTF8.self).hasPrefix(
        "\"onDemand\":[{\"line\":\"S1\""
      )
    )
    #expect(renderedBoard.validUntil == Double(noon + 10))
    let elsewhere = try stage.board("c", at: noon, nil)
    #expect(elsewhere.offers.offers.isEmpty)
  }

  @Test(arguments: ["", "{", "[1]", "{\"features\":[{\"id\":\"z\"}]}"])
  func `zones that cannot be read cost the services in them, and nothing else`(text: String) throws
  {
    let stage = try RealtimeStage(
      [.init("t", ["1 a 10:00:00", "2 b 11:00:00"])],
      files: [
        "locations.geojson": text,
        "trips.txt": "trip_id,route_id,service_id\nt,R1,daily\nx,S1,daily\n",
        "stop_times.txt":
          "trip_id,stop_sequence,stop_id,location_id,arrival_time,departure_time,"
          + "start_pickup_drop_off_window,end_pickup_drop_off_window\n"
          + "t,1,a,,10:00:00,10:00:00,,\nt,2,b,,11:00:00,11:00:00,,\nx,1,,z,,,08:00:00,18:00:00\n",
      ]
    )
    #expect(try offers(stage, "a", at: stage.at("2026-02-17 12:00:00")).isEmpty)
    #expect(try stage.board("a", at: stage.at("2026-02-17 09:00:00"), nil).rows.count == 1)
  }
}
