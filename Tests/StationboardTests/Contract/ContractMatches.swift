import ContractSchema
import GTFS
import GTFSRealtime
import NIOCore
import StrictJSON
import Testing
import Timetable

@testable import Serving
@testable import StationboardServer

/// How much of the realtime fits the timetable, as `/health` and boards say it.
extension BoardContract {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  /// Trips `n/0` to `n/19`, one every ten minutes from 8:00.
  private static func stage() throws -> RealtimeStage {
    func time(_ minutes: Int) -> String {
      let parts = [8 + minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      return parts.joined(separator: ":") + ":00"
    }
    // Two trips start at 8:40: an update without an id is of the one that ends where it does.
    let same = RealtimeStage.Trip("same", ["1 a 08:40:00", "2 c 08:45:00"])
    let trips =
      [same]
      + (0..<20).map { number in
        RealtimeStage.Trip(
          "n/\(number)",
          ["1 a \(time(number * 10))", "2 b \(time(number * 10 + 5))"]
        )
      }
    let info = """
      feed_publisher_name,feed_publisher_url,feed_lang,feed_version
      P,http://p,en,2026-01-09

      """
    return try RealtimeStage(trips, files: ["feed_info.txt": info])
  }

  /// An update of a trip by route, start and date, two minutes late.
  private static func update(_ id: String?, _ number: Int, _ stage: RealtimeStage) -> Trip {
    let start = stage.at("2026-02-16 08:00:00") + Int64(number) * 600
    var trip = Trip(id, date: "20260216")
    trip.route = "R1"
    let (hour, minute) = (8 + number / 6, number % 6)
    trip.start = "\(hour < 10 ? "0" : "")\(hour):\(minute)0:00"
    trip.stops = [
      Stop(1, "a", departure: .time(start + 120)), Stop(2, "b", arrival: .time(start + 420)),
    ]
    return trip
  }

  mutating func compareMatches() throws {
    let stage = try Self.stage()
    let now = stage.at("2026-02-16 08:30:00")
    let drifted = (0..<15).map { number in
      Trip("v2:n/\(number)").with(Self.update(nil, number, stage).stops[0])
    }
    let feeds: [[Trip]] = [
      [], [Self.update("n/1", 1, stage)], drifted,
      [Self.update("old", 3, stage), Self.update(nil, 4, stage)],
      [Trip("gone"), Trip("gone", date: "20260216").with { $0.route = "R1" }],
      [Trip(nil).with { $0.route = "R1" }],
    ]
    for updates in feeds {
      let index = try stage.index(updates, at: now)
      let sources = Self.sources(index, now: Double(now))
      for index in [index, nil] {
        let report = MatchReport(index, of: stage.feed, sources: sources, leastPercent: 80)
        var json = JSONBytes()
        report.write(&json, idPrefix: "", now: Double(now))
        try compare(json.buffer, with: "HealthFeed/properties/realtime")
      }
      let board = try stage.board("a", at: now, index)
      var json = JSONBytes()
      try #require(board.coverage).write(&json)
      try compare(json.buffer, with: "RealtimeCoverage")
    }
  }

  private static func sources(_ index: RealtimeIndex, now: Double) -> [SourceView] {
    var answered = SourceStatus()
    answered.fetchedAt = now
    answered.failure = "timeout"
    return [
      SourceView(
        kind: .tripUpdates,
        number: 1,
        of: 2,
        status: answered,
        counters: index.counters,
        alerts: nil
      ),
      SourceView(
        kind: .tripUpdates,
        number: 2,
        of: 2,
        status: SourceStatus(),
        counters: nil,
        alerts: nil
      ),
    ]
  }
}
