import GTFSRealtime
import Testing
import Timetable

@testable import StationboardServer

/// How exact the times of a board are.
@Suite struct CertaintyTests {
  private let day = "20260216"

  /// A trip whose stops have every kind of time: 10:00 exact, 10:08 without a time, 10:12 approximate, 10:30 exact.
  private func stage(_ more: [String: String] = [:]) throws -> RealtimeStage {
    let files = [
      "stop_times.txt": """
      trip_id,stop_sequence,stop_id,arrival_time,departure_time,pickup_type,timepoint
      t,1,a,10:00:00,10:00:00,0,1
      t,2,b,,,0,
      t,3,c,10:12:00,10:12:00,2,0
      t,4,d,10:20:00,10:21:00,3,
      t,5,e,10:30:00,10:30:00,0,7
      t,6,f,10:40:00,10:40:00,0,0

      """
    ].merging(more) { $1 }
    let calls = ["a", "b", "c", "d", "e", "f"].enumerated().map { "\($0 + 1) \($1) 10:00:00" }
    return try RealtimeStage([.init("t", calls)], files: files)
  }

  private func row(_ stage: RealtimeStage, _ stop: String) throws -> RealtimeStage.Shown {
    try #require(try stage.departures(stop, at: stage.at("2026-02-16 09:50:00"), []).first)
  }

  @Test func `a row says how exact its time is, and by how much it may be off`() throws {
    let stage = try stage()
    let rows = try ["a", "b", "c", "d", "e"].map { try row(stage, $0) }
    #expect(
      rows.map(\.certainty) == ["timepoint", "interpolated", "on_demand", "on_demand", "exact"]
    )
    // Between 10:00 and 10:20, the times of the exact stops around them: 10:06 and 10:12.
    #expect(rows.map(\.uncertaintySec) == [nil, 840, 720, nil, nil])
    #expect(rows.map(\.boarding) == [nil, nil, "phone_agency", "ask_driver", nil])
    #expect(rows.allSatisfy { $0.headwaySec == nil })
  }

  @Test func `a time is not bounded where no exact one is on one side`() throws {
    let stage = try stage([
      "stop_times.txt": """
      trip_id,stop_sequence,stop_id,arrival_time,departure_time,timepoint
      t,1,a,10:00:00,10:00:00,0
      t,2,b,10:08:00,10:08:00,0
      t,3,c,10:12:00,10:12:00,1
      t,4,d,10:20:00,10:21:00,0
      t,5,e,10:30:00,10:30:00,0
      t,6,f,10:40:00,10:40:00,0

      """
    ])
    let rows = try ["a", "b", "c", "d", "e"].map { try row(stage, $0) }
    #expect(rows.map { $0.certainty == "interpolated" } == [true, true, false, true, true])
    #expect(rows.allSatisfy { $0.uncertaintySec == nil })
  }

  @Test func `a prediction does not change how exact the timetable is`() throws {
    let stage = try stage()
    let update = RealtimeWire.Trip("t", date: day).with(.init(2, departure: .delay(60)))
    let rows = try stage.departures("c", at: stage.at("2026-02-16 09:50:00"), [update])
    #expect(rows.map(\.rawDelaySec) == [60])
    #expect(rows.map(\.certainty) == ["on_demand"])
    #expect(rows.map(\.uncertaintySec) == [720])
  }

  @Test func `a run of a headway has no bound, and can have to be arranged`() throws {
    let stage = try stage([
      "frequencies.txt": """
      trip_id,start_time,end_time,headway_secs,exact_times
      t,09:00:00,12:00:00,600,0

      """
    ])
    let rows = try ["a", "b", "c"].map { try row(stage, $0) }
    #expect(rows.map(\.certainty) == ["headway", "headway", "on_demand"])
    #expect(rows.map(\.headwaySec) == [600, 600, 600])
    #expect(rows.allSatisfy { $0.uncertaintySec == nil })
  }

  @Test func `the number of a train is on its row, and not on one beside the timetable`() throws {
    let stage = try stage([
      "trips.txt": """
      route_id,service_id,trip_id,trip_headsign,trip_short_name,direction_id
      R1,daily,t,Somewhere,712,

      """
    ])
    #expect(try row(stage, "a").tripShortName == "712")
    let copy = RealtimeWire.Trip("t", .duplicated, date: day).with { $0.start = "10:05:00" }
    let rows = try stage.departures("a", at: stage.at("2026-02-16 09:50:00"), [copy])
    #expect(rows.map(\.tripShortName) == ["712", nil])
  }
}
