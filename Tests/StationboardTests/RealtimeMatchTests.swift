import Testing

@testable import StationboardServer

/// What a server says of realtime that does not fit its timetable.
@Suite struct RealtimeMatchTests {
  @Test func `what does not match is told of each kind of realtime`() async throws {
    let others = (0..<30).map { RealtimeWire.Vehicle(RealtimeWire.Trip("other-\($0)"), 1) }
    for kinds in [[.vehiclePositions], [.tripUpdates, .vehiclePositions]] as [[RealtimeSource.Kind]]
    {
      let stage = try SourceStage(kinds)
      stage.answer(
        .vehiclePositions,
        .content(RealtimeWire.feed(vehicles: others, at: stage.now))
      )
      if kinds.count > 1 {
        stage.answer(
          .tripUpdates,
          .content(RealtimeWire.feed([SourceStage.late(300)], at: stage.now))
        )
      }
      try await stage.run { stage in
        try await stage.wait("everything arrived") {
          stage.snapshot.vehicleIndex != nil && (kinds.count == 1 || stage.snapshot.index != nil)
        }
        let health = try await stage.probe.get("/health").json
        #expect(health["status"] as? String == "degraded")
        let warnings = try #require(health["warnings"] as? [String])
        #expect(
          warnings.contains(
            "the feed default: 0 of 30 vehicle positions match the timetable"
          )
        )
        #expect(!warnings.contains { $0.contains("trip updates") })
        let feeds = health["feeds"] as? [[String: Any]]
        let realtime = try #require(feeds?.first?["realtime"] as? [String: Any])
        #expect(realtime["status"] as? String == "matches_nothing")
        let sources = try #require(realtime["sources"] as? [[String: Any]])
        #expect(sources.last?["unmatched"] as? Int == 30)
        let metrics = String(decoding: try await stage.probe.get("/metrics").body, as: UTF8.self)
        #expect(
          metrics.contains(
            #"freshet_realtime_matches{feed="default",kind="vehicle_positions",match="unmatched"} 30"#
          )
        )
      }
    }
  }
}
