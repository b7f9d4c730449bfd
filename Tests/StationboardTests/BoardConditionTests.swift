import Foundation
import HTTPTypes
import Serving
import Testing

@testable import StationboardServer

/// When a client may be told that its board is right: never if a person would see another one, always if
/// not.
@Suite(.serialized) struct BoardConditionTests {
  private func trip(_ delay: Int, at known: Int64) -> RealtimeWire.Trip {
    SourceStage.late(delay).with { $0.timestamp = known }
  }

  @Test func `a row that is fresh again is another board, whatever else is the same`() async throws
  {
    let stage = try SourceStage()
    // The vehicle was last heard of a minute before: its row is ageing, the feed is fresh.
    stage.answer(
      .tripUpdates,
      .content(RealtimeWire.feed([trip(300, at: stage.now - 60)], at: stage.now))
    )
    try await stage.run { stage in
      let before = try await stage.board()
      #expect(before.departures.contains { $0["realtimeFreshness"] as? String == "ageing" })
      stage.answer(
        .tripUpdates,
        .content(RealtimeWire.feed([trip(300, at: stage.now + 10)], at: stage.now + 10))
      )
      try await stage.poll()
      let answer = try await stage.board(headers: [.ifNoneMatch: before.entityTag])
      #expect(answer.status == 200)
      #expect(answer.departures.contains { $0["realtimeFreshness"] as? String == "fresh" })
      #expect(answer.entityTag != before.entityTag)
    }
  }

  @Test func `a row that ages while the feed repeats itself makes another board`()
    async throws
  {
    let stage = try SourceStage()
    let known = stage.now
    stage.answer(.tripUpdates, .content(RealtimeWire.feed([trip(300, at: known)], at: stage.now)))
    try await stage.run { stage in
      let before = try await stage.board()
      for _ in 0..<4 {
        // The feed is new, what it knows of the vehicle is not.
        stage.answer(
          .tripUpdates,
          .content(RealtimeWire.feed([trip(300, at: known)], at: stage.now + 10))
        )
        try await stage.poll()
        let now = try await stage.board(headers: [.ifNoneMatch: before.entityTag])
        #expect(now.status == (stage.service.now <= Double(known) + 45 ? 304 : 200))
      }
      #expect(stage.service.now > Double(known) + 45)
    }
  }

  @Test func `an update that says nothing of a stop changes no tag there`() async throws {
    let stage = try SourceStage()
    let other = RealtimeWire.Trip("R1-1", date: "20261020")
      .with(RealtimeWire.Stop(1, departure: .delay(0)))
    stage.answer(.tripUpdates, .content(RealtimeWire.feed([other], at: stage.now)))
    try await stage.run { stage in
      let before = try await stage.board()
      // From the fourth stop on something is known; before it nothing is.
      let later = RealtimeWire.Trip("R0-14", date: "20261020")
        .with(RealtimeWire.Stop(31, departure: .delay(60)))
      stage.answer(.tripUpdates, .content(RealtimeWire.feed([other, later], at: stage.now + 10)))
      try await stage.poll()
      let after = try await stage.board()
      #expect(after.visible == before.visible)
      #expect(after.entityTag == before.entityTag)
      let answer = try await stage.board(headers: [.ifNoneMatch: before.entityTag])
      #expect(answer.status == 304)
    }
  }

  @Test func `alerts that come between two publications end a 204`() async throws {
    let stage = try SourceStage([.tripUpdates, .alerts])
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 300, at: stage.now)))
    stage.answer(.alerts, .status(500))
    try await stage.run { stage in
      let before = try await stage.board()
      let token = try #require(before.meta["rtFetchedAt"] as? String)
      let same = try await stage.board("&since_rt=\(token)&if_board=1")
      #expect(same.status == 204)
      stage.answer(.tripUpdates, .status(304))
      stage.answer(.alerts, .content(RealtimeWire.feed([], at: stage.now + 10)))
      try await stage.poll(.alerts)
      let after = try await stage.board("&since_rt=\(token)&if_board=1")
      #expect(after.status == 200)
      #expect(after.alertsStatus == "applied")
    }
  }

  @Test func `an arrival that is written as the millisecond after it is named by its token`()
    async throws
  {
    let stage = try SourceStage()
    // A feed that does not say when it was made: its arrival is the token.
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 300, at: nil)))
    try await stage.pass(.nanoseconds(999_700))
    try await stage.run { stage in
      let before = try await stage.board()
      let token = try #require(before.meta["rtFetchedAt"] as? String)
      #expect(token.hasSuffix(".001Z"))
      let same = try await stage.board("&since_rt=\(token)&if_board=1")
      #expect(same.status == 204)
    }
  }

  @Test func `another feed with the same timestamp ends a 204`() async throws {
    let stage = try SourceStage()
    let made = stage.now
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 300, at: made)))
    try await stage.run { stage in
      let before = try await stage.board()
      let token = try #require(before.meta["rtFetchedAt"] as? String)
      stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 360, at: made)))
      try await stage.poll()
      let after = try await stage.board("&since_rt=\(token)&if_board=1")
      #expect(after.status == 200)
      #expect(SourceStage.delay(after) == 360)
    }
  }

  @Test func `a new import ends a 204`() async throws {
    let path = NSTemporaryDirectory() + "freshet-conditions-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try StormNetwork.imported(into: path)
    let stage = try SourceStage(store: try SampleFeed.store(folder))
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 300, at: stage.now)))
    try await stage.run { stage in
      try await stage.pass(.seconds(2))
      let before = try await stage.board()
      let token = try #require(before.meta["rtFetchedAt"] as? String)
      #expect(try await stage.board("&since_rt=\(token)&if_board=1").status == 204)
      _ = try StormNetwork.imported(into: path, version: "2")
      stage.store.reload()
      try await stage.wait("the index") { stage.snapshot.index != nil }
      #expect(try await stage.board("&since_rt=\(token)&if_board=1").status == 200)
    }
  }

  @Test func `an answer with a step left out has a tag of its own`() async throws {
    let stage = try SourceStage([])
    let feed = try #require(stage.store.feeds.first)
    let stop = try #require(StopResolver(feeds: [feed]).resolve("S0"))
    let request = BoardRequest(stop: stop, limit: 10, window: 60)
    let renderer = BoardRenderer(realtime: nil, clock: stage.service)
    var tags: [String] = []
    for inFlight in [1, BoardBudget.inFlight + 1] {
      let plan = await BoardPlan(request, inFlight: inFlight, began: .now, faults: PhaseFaults())
      let renderedBoard = renderer.renderedBoard(
        request,
        phases: plan.phases,
        at: stage.service.now,
        snapshot: renderer.snapshot(of: feed)
      )
      for isCopy in [false, true] { tags.append(plan.entityTag(of: renderedBoard, isCopy: isCopy)) }
    }
    #expect(Set(tags).count == 4, "\(tags)")
  }

  @Test func `the next departure of an empty board passes, deleted or not`() throws {
    let stage = try RealtimeStage([
      .init("t", ["1 a 12:00:00", "2 b 12:10:00"]), .init("u", ["1 a 14:00:00", "2 b 14:10:00"]),
    ])
    let now = stage.at("2026-02-16 11:25:00")
    let index = try stage.index([.init("t", .deleted, date: "20260216")], at: now)
    let board = try stage.board("a", at: now, index, window: 30)
    #expect(board.noService?.next == stage.at("2026-02-16 12:00:00"))
    #expect(board.nextChangeAt == Double(stage.at("2026-02-16 11:30:00")))
    let later = try stage.board("a", at: stage.at("2026-02-16 11:30:01"), index, window: 30)
    #expect(later.noService?.next == stage.at("2026-02-16 14:00:00"))
  }
}
