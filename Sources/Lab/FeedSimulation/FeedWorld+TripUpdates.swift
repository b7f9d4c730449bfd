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
    visitRuns(at: instant) { story in
      fill(&state, with: story, at: instant)
      writer.run(story, state)
      guard let extra = story.extra else { return }
      fill(&state, with: story, extra: extra, at: instant)
      guard state.phase == .extra else { return }
      writer.extra(
        story,
        extra,
        id: extraID(of: story),
        headsign: timetable.destination(of: story.run.trip, at: 0, language: nil),
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
