import Timetable

extension FeedWorld {
  /// The trip updates of a publication, as protobuf.
  package func tripUpdates(of tick: FeedTick) -> [UInt8] {
    tripUpdates(at: tick.sourceTime)
  }

  /// The trip updates at an instant, in seconds since 1970-01-01T00:00:00Z.
  func tripUpdates(at instant: Int64) -> [UInt8] {
    var writer = TripUpdateWriter(timetable, instant: instant, capacity: 1 << 20)
    writer.header()
    var state = RunState()
    visitRuns(at: instant) { scenario in
      fill(&state, with: scenario, at: instant)
      writer.run(scenario, state)
      guard let extra = scenario.extra else { return }
      fill(&state, with: scenario, extra: extra, at: instant)
      guard state.phase == .extra else { return }
      writer.extra(
        scenario,
        extra,
        id: extraID(of: scenario),
        headsign: timetable.destination(of: scenario.run.trip, at: 0, language: nil),
        state
      )
    }
    return writer.wire.bytes
  }

  /// A feed without entities.
  func emptyFeed(at instant: Int64) -> [UInt8] {
    var writer = TripUpdateWriter(timetable, instant: instant, capacity: 64)
    writer.header()
    return writer.wire.bytes
  }
}
