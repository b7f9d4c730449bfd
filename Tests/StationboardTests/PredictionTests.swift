import Testing
import Timetable

@testable import StationboardServer

/// What predictions say of themselves: by how much they may be off, and how full the vehicle leaves.
@Suite struct PredictionTests {
  private typealias Event = RealtimeWire.Event
  private let day = "20260216"

  private func stage() throws -> RealtimeStage {
    try RealtimeStage([
      .init("T", ["1 a 10:00:00", "2 b 10:10:00", "3 c 10:20:00", "4 d 10:30:00"])
    ])
  }

  private func said(
    _ stage: RealtimeStage,
    _ update: RealtimeWire.Trip,
    _ stops: [String]
  ) throws
    -> [String]
  {
    try stops.map { stop in
      let row = try #require(
        try stage.departures(stop, at: stage.at("2026-02-16 09:50:00"), [update]).first
      )
      let seconds = row.predictionUncertaintySec.map(String.init) ?? "-"
      return "\(seconds) \(row.occupancy ?? "-")"
    }
  }

  @Test func `a prediction says by how much it may be off, where its stop has an update`() throws {
    let stage = try stage()
    let update = RealtimeWire.Trip("T", date: day).with(
      .init(1, departure: Event(delay: 60, uncertainty: 30), occupancy: 2),
      .init(2, arrival: Event(delay: 60, uncertainty: 90_000))
    )
    #expect(
      try said(stage, update, ["a", "b", "c"]) == ["30 FEW_SEATS_AVAILABLE", "65534 -", "- -"]
    )
  }

  @Test func `nothing is said of what is not predicted, not served, or not data`() throws {
    let stage = try stage()
    let update = RealtimeWire.Trip("T", date: day).with(
      .init(1, departure: Event(delay: 0, uncertainty: -1), occupancy: 7),
      .init(2, departure: Event(delay: 0, uncertainty: 5), .skipped),
      .init(3, departure: Event(uncertainty: 5), .noData)
    )
    #expect(try said(stage, update, ["a", "b", "c"]) == ["- -", "- -", "- -"])
    #expect(
      try said(stage, .init("T", .canceled, date: day).with(.init(1, occupancy: 3)), ["a"]) == [
        "- -"
      ]
    )
  }

  @Test func `how full it leaves alone is something to say, also of a new trip`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:50:00")
    let full = RealtimeWire.Trip("T", date: day).with(.init(2, occupancy: 5))
    #expect(try said(stage, full, ["a", "b"]) == ["- -", "- FULL"])
    #expect(try stage.index([full], at: now).counters.applied == 1)
    let new = RealtimeWire.Trip("N", .new, date: day).with(
      .init(1, "b", departure: Event(time: now + 60, uncertainty: 15), occupancy: 0),
      .init(2, "c", arrival: .time(now + 120))
    )
    #expect(try said(stage, new, ["b"]) == ["15 EMPTY"])
  }

  @Test func `the version of a stop changes with both`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:50:00")
    let stop = Int(try #require(stage.feed.timetable.stop(id: "a")))
    func version(_ uncertainty: Int, _ occupancy: Int64) throws -> UInt64 {
      let update = RealtimeWire.Trip("T", date: day).with(
        .init(1, departure: Event(delay: 60, uncertainty: uncertainty), occupancy: occupancy)
      )
      return try stage.index([update], at: now).version(of: stop)
    }
    #expect(try Set([version(5, 1), version(6, 1), version(5, 2)]).count == 3)
  }
}
