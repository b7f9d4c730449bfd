import Foundation
import GTFSRealtime
import HTTPTypes
import Serving
import Testing

@testable import StationboardServer

@Suite("What boards say of the next publication")
struct ForetoldChangeTests {
  /// Lets publications come every 15 s until boards foretell the next one.
  private func learn(_ stage: SourceStage, rounds: Int = 3) async throws {
    for round in 0..<rounds {
      stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 60 + round, at: stage.now)))
      try await stage.poll()
    }
  }

  @Test
  func `Few clients are told the moment, and not spread`() async throws {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 60, at: stage.now)))
    try await stage.run { stage in
      let first = try await stage.board()
      #expect(first.meta["nextExpectedQuantile"] is NSNull)
      #expect(first.meta["nextExpectedSpreadMs"] is NSNull)
      #expect(first.headers[.mdRealtimeSpread] == nil && first.headers[.mdRealtimeNext] == nil)
      try await learn(stage)
      let board = try await stage.board()
      #expect(board.meta["nextExpectedQuantile"] as? Double == 0.8)
      #expect(board.meta["nextExpectedSpreadMs"] as? Int == 0)
      #expect(board.headers[.mdRealtimeSpread] == "0")
      let next = try #require(StormBoard.instant(board.meta["nextExpectedAt"]))
      let ahead = board.headers[.mdRealtimeNext].flatMap { Double($0) } ?? -1
      #expect(abs(stage.service.now + ahead / 1_000 - next) < 0.002)
    }
  }

  @Test
  func `Many clients are asked to spread, in body, 304 and max-age`() async throws {
    let stage = try SourceStage(ease: 4)
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 60, at: stage.now)))
    try await stage.run { stage in
      try await learn(stage)
      for _ in 0..<100 { _ = try await stage.board() }
      let board = try await stage.board()
      let spread = try #require(board.meta["nextExpectedSpreadMs"] as? Int)
      let period = try #require(stage.snapshot.trips.period)
      #expect(abs(Double(spread) - period * 660) < 2 && spread > 0, "\(spread) of \(period)")
      let tag = try #require(board.headers[.eTag])
      let same = try await stage.probe.get(
        "/api/stationboard?stop_id=S0&window_minutes=60",
        headers: [.ifNoneMatch: tag]
      )
      #expect(same.status == 304 && same.headers[.mdRealtimeSpread] == "\(spread)")
      // The window depends on the last period: once it is quiet, clients are no longer spread.
      try await stage.pass(.seconds(2))
      try await learn(stage, rounds: 2)
      #expect(try await stage.board().meta["nextExpectedSpreadMs"] as? Int == 0)
    }
  }

  @Test
  func `max-age reaches to the moment, and to each answer's own place in the window`() {
    let foretold = ForetoldChange(expectedAt: 1_012.9, quantile: 0.8, spread: 10)
    #expect(foretold.maxAge(place: 0, at: 1_000) == 12)
    #expect(foretold.maxAge(place: 0.5, at: 1_000) == 17)
    #expect(foretold.maxAge(place: 9, at: 1_000) == 22)
    #expect(foretold.maxAge(place: 0, at: 2_000) == 0)
    #expect(
      ForetoldChange(expectedAt: 9_999, quantile: 0.8, spread: 0).maxAge(place: 0, at: 0) == 60
    )
    let fields = (0..<40).map {
      BoardEndpoint.cacheControl(foretold, place: Double($0) / 40, at: 1_000)
    }
    #expect(Set(fields).count == 11 && fields[0] == "private, max-age=12, must-revalidate")
    #expect(BoardEndpoint.cacheControl(nil, place: 0.5, at: 0) == "private, no-cache")
  }

  @Test
  func `The moment is a quantile of what happened`() throws {
    var status = SourceStatus()
    // Every tenth publication is five seconds late, one was left out.
    var at = 1_000.0
    for number in 0..<30 {
      let late = number % 10 == 4 ? 5.0 : number % 2 == 0 ? 0.4 : 0.8
      status.took(FeedHeader(version: "2.0", timestamp: UInt64(at)), bytes: 1, at: at + late)
      at += number == 25 ? 30 : 15
    }
    let made = at - 15
    let next = try #require(status.nextExpected(at: made + 1))
    #expect(abs(next - made - 15.8) < 0.001)
    #expect(status.nextExpected(at: made + 15.9) == nil)
  }
}
