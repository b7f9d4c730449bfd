import Foundation
import GTFS
import GTFSRealtime
import NIOCore
import Testing
import Timetable

@testable import StationboardServer

/// Trips with detours: their pages, their runs and days, and what several sources say of them.
extension ModificationTests {
  @Test func `without a date an update is of the nearest day`() throws {
    let stage = try stage()
    var changed = detour
    changed.dates = ["20260216", "20260217"]
    let own = own(date: nil).with(.init(3, departure: .delay(180)))
    let near = try index(stage, [own], [changed])
    #expect(try rows(stage, near, ["x"]) == ["x 09:21 detoured 180 DETOUR,RT_CONFIRMED"])
    // At 22:20 the arrival at 10:40 is as far away as the departure at 10:00 of the next day.
    let between = try index(stage, [own], [changed], after: 45_000)
    #expect(between.counters.withoutEffect == [.modifiedTrip: 1])
    let after = try index(stage, [own], [changed], after: 45_001)
    let trip = try #require(stage.feed.timetable.trips(id: "T").first)
    #expect(after.trip(trip, day: date.daysSinceEpoch)?.modification == .planned)
    #expect(after.trip(trip, day: date.daysSinceEpoch + 1)?.modification == .updated)
  }

  @Test func `of the runs of a frequency an update is of the one that it names`() throws {
    let stage = try RealtimeStage(
      [.init("T", ["1 a 10:00:00", "3 b 10:10:00", "5 c 10:20:00"])],
      files: [
        "frequencies.txt":
          "trip_id,start_time,end_time,headway_secs,exact_times\nT,10:00:00,10:30:00,600,1\n"
      ]
    )
    var changed = detour
    changed.changes = [Change(from: (3, nil), to: (3, nil), delay: 60)]
    var own = own().with(.init(1, departure: .delay(60)))
    own.affectedStart = "10:10:00"
    let runs = Array(stage.feed.timetable.trips(id: "T"))
    let index = try index(stage, [own], [changed])
    #expect(
      runs.map { index.trip($0, day: date.daysSinceEpoch)?.modification }
        == [.planned, .updated, .planned]
    )
    own.affectedStart = nil
    #expect(try self.index(stage, [own], [changed]).counters.withoutEffect == [.modifiedTrip: 1])
  }

  @Test func `modifications of one source come before predictions of another`() throws {
    let stage = try stage()
    let late = RealtimeWire.Trip("T", date: day).with(.init(1, departure: .delay(60)))
    let predictions = try index(stage, [late], [])
    let modified = try index(stage, [], [detour])
    let both = try #require(RealtimeBuilder.combined([predictions, modified]))
    #expect(try rows(stage, both, ["c", "x"]) == ["x 09:18 detoured - DETOUR"])
    #expect(both.counters.withoutEffect == [.otherSource: 1])
  }

  @Test func `modifications of one source do not revive a trip that another one cancels`() throws {
    let stage = try stage()
    let trip = try #require(stage.feed.timetable.trips(id: "T").first)
    let modified = try index(stage, [], [detour])
    for off in [RealtimeWire.TripRelationship.canceled, .deleted] {
      let other = try index(stage, [RealtimeWire.Trip("T", off, date: day)], [])
      for sources in [[modified, other], [other, modified]] {
        let both = try #require(RealtimeBuilder.combined(sources))
        let kind = both.trip(trip, day: date.daysSinceEpoch)?.kind
        #expect(kind == (off == .canceled ? .cancelled : .deleted))
        #expect(try rows(stage, both, ["x"]) == [])
        #expect(both.counters.modified == 0 && both.counters.received == 1)
      }
    }
    // What a source no longer says, and is kept, does not hide a detour.
    let late = RealtimeWire.Trip("T", date: day).with(.init(1, departure: .delay(60)))
    let first = try index(stage, [late], [])
    let kept = try index(stage, [], [], previous: first, after: 20)
    let both = try #require(RealtimeBuilder.combined([kept, modified]))
    #expect(try rows(stage, both, ["x"]) == ["x 09:18 detoured - DETOUR"])
  }

  /// The trip T, and its stops, as the contract has them.
  private func trip(
    _ stage: RealtimeStage,
    _ index: RealtimeIndex
  ) throws -> (head: [String: Any], stops: [[String: Any]]) {
    var snapshot = RealtimeSnapshot()
    snapshot.index = index
    let trip = try #require(stage.feed.timetable.trips(id: "T").first)
    let answer = TripAnswer(
      journey: TripJourney(feed: stage.feed, trip: trip, day: date),
      language: nil,
      snapshot: snapshot,
      decay: .standard,
      now: Double(stage.at("2026-02-16 09:50:00"))
    )
    let json = try JSONSerialization.jsonObject(with: Data(answer.body().readableBytesView))
    let body = try #require(json as? [String: Any])
    return (
      try #require(body["trip"] as? [String: Any]), try #require(body["stops"] as? [[String: Any]])
    )
  }

  @Test func `a changed trip whose stops are all skipped is canceled, also as a trip`() throws {
    let stage = try stage()
    var own = own()
    own.stops = (1...4).map { .init($0, .skipped) }
    let index = try index(stage, [own], [detour])
    let board = try stage.board("a", at: stage.at("2026-02-16 09:50:00"), index)
    #expect(try stage.shown(board).map(\.cancelled) == [true])
    let head = try trip(stage, index).head
    #expect(head["cancelled"] as? Bool == true)
    #expect(head["scheduleRelationship"] as? String == "CANCELED")
    let number = try #require(stage.feed.timetable.trips(id: "T").first)
    #expect(index.details(of: number, day: date.daysSinceEpoch)?.continuing == .never)
    let running = try self.index(stage, [], [detour])
    #expect(running.details(of: number, day: date.daysSinceEpoch)?.continuing == .asScheduled)
  }

  @Test func `a detoured trip without exact times has no delays, and says how often it comes`()
    throws
  {
    let stage = try RealtimeStage(
      [.init("T", ["1 a 10:00:00", "3 b 10:10:00", "5 c 10:20:00", "7 d 10:30:00"])],
      files: [
        "frequencies.txt":
          "trip_id,start_time,end_time,headway_secs,exact_times\nT,10:00:00,10:30:00,600,0\n"
      ]
    )
    var changed = detour
    changed.changes = [Change(from: (3, nil), to: (3, nil), delay: 60)]
    var own = own().with(.init(1, departure: .delay(60)))
    own.affectedStart = "10:00:00"
    let (head, stops) = try trip(stage, index(stage, [own], [changed]))
    #expect(stops.map { $0["realtimeDeparture"] is String } == [true, true, false])
    #expect(stops.allSatisfy { $0["delaySec"] is NSNull })
    #expect(head["headwaySec"] as? Int == 600 && head["startTime"] as? String == "10:00:00")
  }

  @Test func `the trip lists its stops after the detour, with their times`() throws {
    let stage = try stage()
    let (head, stops) = try trip(stage, index(stage, [], [detour]))
    #expect(head["detoured"] as? Bool == true)
    #expect(head["cancelled"] as? Bool == false)
    #expect(head["scheduleRelationship"] as? String == "SCHEDULED")
    #expect(
      stops.map { stop in
        let time = (stop["scheduledArrival"] ?? stop["scheduledDeparture"]) as? String
        let first = stop["scheduledDeparture"] as? String
        return "\(stop["stop_id"] ?? "") \((time ?? first ?? "").dropFirst(11).prefix(5))"
          + " \(stop["certainty"] ?? "") \(stop["stop_sequence"] ?? "")"
      } == [
        "a 09:00 exact 1", "b 09:10 exact 3", "x 09:18 detoured 10", "e 09:45 detoured 9",
      ]
    )
  }

  @Test func `the trip has the path that the feed gives it, if that is one`() throws {
    let stage = try stage()
    // 38.5 −120.2, 40.7 −120.95, 43.252 −126.453: the example of the format.
    let path = "_p~iF~ps|U_ulLnnqC_mqNvxq`@"
    var changed = detour
    changed.shape = "detour"
    for (shapes, shown) in [
      ([(id: "detour", polyline: path)], path),
      ([("detour", path), ("detour", "??")], path),
      ([("other", path)], nil),
      // One point, half a point, half a number, a character of no number, a place beyond the pole.
      ([("detour", "_p~iF~ps|U")], nil),
      ([("detour", "_p~iF~ps|U_ulL")], nil),
      ([("detour", "_p~iF~ps|U_ulLnnqC_mqNvxq`")], nil),
      ([("detour", "_p~iF~ps|U_ulLnnq ")], nil),
      ([("detour", "_p~iF~ps|U_ulLnnqC_ulLn~~~~~~C")], nil),
      ([("detour", "_ye~O?_seK?")], nil),
      ([], nil),
    ] as [([(id: String, polyline: String)], String?)] {
      let index = try index(stage, [], [changed], shapes: shapes)
      let (head, _) = try trip(stage, index)
      #expect(head["shape"] as? String == shown, "\(shapes)")
      #expect(index.counters.modified == 1)
    }
    // One that is too long spoils its entity only.
    let long = String(repeating: "?", count: RealtimeLimits.standard.polylineBytes + 1)
    let index = try index(stage, [], [changed], shapes: [("detour", long)])
    #expect(try trip(stage, index).0["shape"] is NSNull)
    #expect(index.counters.modified == 1)
  }
}
