import Foundation
import GTFS
import NIOCore
import Testing
import Timetable

@testable import StationboardServer

/// What boards and trips say of the trips that a vehicle runs next, and of how people board by realtime.
@Suite struct ContinuationBoardTests {
  private let day = "20260216"
  // 16 February 2026.
  private let date = ServiceDate(daysSinceEpoch: 20_500)

  /// T goes from a over b to c, where its vehicle goes on as U to d.
  private func stage(prefix: String? = nil) throws -> RealtimeStage {
    try RealtimeStage(
      [
        .init("T", ["1 a 10:00:00", "2 b 10:10:00", "3 c 10:20:00"]),
        .init("U", ["1 c 10:25:00", "2 d 10:40:00"]),
      ],
      files: [
        "trips.txt": """
        route_id,service_id,trip_id,trip_headsign,block_id
        R1,daily,T,,v
        S1,daily,U,Deep,v

        """
      ],
      prefix: prefix
    )
  }

  private func rows(
    _ stage: RealtimeStage,
    _ updates: [RealtimeWire.Trip],
    at stop: String = "a"
  ) throws -> [RealtimeStage.Shown] {
    try stage.departures(stop, at: stage.at("2026-02-16 09:50:00"), updates)
  }

  @Test func `a row names the trip that its vehicle runs next`() throws {
    let stage = try stage(prefix: "x")
    let row = try #require(
      try stage.departures("x:a", at: stage.at("2026-02-16 09:50:00"), []).first
    )
    let next = try #require(row.continuesAs.first)
    #expect(row.continuesAs.count == 1)
    #expect(next.tripId == "x:U" && next.line == "S1" && next.destination == "Deep")
    #expect(next.serviceDate == "2026-02-16")
    #expect(next.scheduledDeparture == "2026-02-16T09:25:00Z")
  }

  @Test func `no trip continues that does not reach its end, nor as one that does not run`() throws
  {
    let stage = try stage()
    func continues(_ updates: RealtimeWire.Trip...) throws -> [Bool] {
      try rows(stage, updates).map { !$0.continuesAs.isEmpty }
    }
    let late = RealtimeWire.Trip("T", date: day).with(.init(1, departure: .delay(60)))
    #expect(try continues(late) == [true])
    #expect(try continues(.init("T", .canceled, date: day)) == [false])
    #expect(try continues(RealtimeWire.Trip("T", date: day).with(.init(3, .skipped))) == [false])
    #expect(try continues(RealtimeWire.Trip("T", date: day).with(.init(2, .skipped))) == [true])
    #expect(try continues(.init("U", .canceled, date: day)) == [false])
    #expect(try continues(.init("U", .deleted, date: day)) == [false])
    #expect(try continues(.init("U", .canceled, date: "20260217")) == [true])
    #expect(
      try continues(
        RealtimeWire.Trip("T", .duplicated, date: day).with { $0.newStart = "10:02:00" }
      ) == [true, false]
    )
  }

  @Test func `the version of a stop changes with the trip that the vehicle runs next`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:50:00")
    let timetable = stage.feed.timetable
    func versions(_ updates: [RealtimeWire.Trip]) throws -> [UInt64] {
      let index = try stage.index(updates, at: now)
      return try ["a", "b"].map { index.version(of: Int(try #require(timetable.stop(id: $0)))) }
    }
    let plain = try versions([])
    let cancelled = try versions([.init("U", .canceled, date: day)])
    #expect(zip(plain, cancelled).allSatisfy { $0 != $1 })
  }

  @Test func `a trip names it too`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:50:00")
    func body(_ updates: [RealtimeWire.Trip]) throws -> [String: Any] {
      var snapshot = RealtimeSnapshot()
      snapshot.index = try stage.index(updates, at: now)
      let trip = try #require(stage.feed.timetable.trips(id: "T").first)
      let answer = TripAnswer(
        journey: TripJourney(feed: stage.feed, trip: trip, day: date),
        language: nil,
        snapshot: snapshot,
        decay: .standard,
        now: Double(now)
      )
      let json = try JSONSerialization.jsonObject(with: Data(answer.body().readableBytesView))
      return try #require(json as? [String: Any])
    }
    func trip(_ updates: [RealtimeWire.Trip]) throws -> [String] {
      let trip = try #require(try body(updates)["trip"] as? [String: Any])
      let list = try #require(trip["continuesAs"] as? [[String: Any]])
      return list.compactMap { $0["trip_id"] as? String }
    }
    #expect(try trip([]) == ["U"])
    #expect(try trip([.init("U", .canceled, date: day)]) == [])
    #expect(try trip([RealtimeWire.Trip("T", date: day).with(.init(3, .skipped))]) == [])

    let arranged = RealtimeWire.Trip("T", date: day).with(
      .init(1, pickup: 2),
      .init(2, departure: .delay(0), pickup: 1)
    )
    let stops = try #require(try body([arranged])["stops"] as? [[String: Any]])
    #expect(stops.map { $0["boarding"] as? String } == ["phone_agency", nil, nil])
    #expect(stops.map { $0["pickup"] as? Bool } == [true, false, false])
  }

  @Test func `realtime says how people board, and takes back what the timetable says`() throws {
    let stage = try stage()
    func said(_ update: RealtimeWire.Trip, at stop: String = "a") throws -> [String?] {
      let row = try #require(try rows(stage, [update], at: stop).first)
      return [row.certainty, row.boarding]
    }
    func update(_ pickup: Int64) -> RealtimeWire.Trip {
      RealtimeWire.Trip("T", date: day).with(.init(1, pickup: pickup))
    }
    #expect(try said(update(2)) == ["on_demand", "phone_agency"])
    #expect(try said(update(3)) == ["on_demand", "ask_driver"])
    #expect(try said(update(0)) == ["exact", nil])
    let new = RealtimeWire.Trip("N", .new, date: day).with(
      .init(1, "b", departure: .time(stage.at("2026-02-16 10:05:00")), pickup: 2),
      .init(2, "c", arrival: .time(stage.at("2026-02-16 10:15:00")))
    )
    #expect(try said(new, at: "b") == ["on_demand", "phone_agency"])
  }
}
