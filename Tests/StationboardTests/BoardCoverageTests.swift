import Testing
import Timetable

@testable import StationboardServer

/// How many departures carry realtime, of those that could, and what a board is called for it.
@Suite struct BoardCoverageTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  private let day = "20260216"

  /// A trip every ten minutes from 10:00 on, named t0, t1 and so forth.
  private func series() throws -> RealtimeStage {
    try RealtimeStage(
      (0..<6).map { .init("t\($0)", ["1 a 10:\($0)0:00", "2 b 10:\($0)5:00"]) }
    )
  }

  private func late(_ trip: String) -> Trip {
    Trip(trip, date: day).with(Stop(1, departure: .delay(60)))
  }

  private func counts(_ board: MergedBoard) -> [Int]? {
    board.coverage.map { [$0.departures, $0.live, $0.old] }
  }

  @Test func `departures of the next half hour count, and all that carry realtime`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 09:55:00")
    // Until 10:25 leave t0, t1 and t2; t5 leaves later and carries realtime.
    let index = try stage.index([late("t0"), late("t5"), Trip("gone", date: day)], at: now)
    let board = try stage.board("a", at: now, index)
    #expect(counts(board) == [4, 2, 0])
    #expect(board.coverage?.received == 3)
    #expect(board.coverage?.matched == 2)
    #expect(board.coverage?.withoutEffect == [.unknownTrip: 1])
    #expect(try stage.board("a", at: now, nil).coverage == nil)
  }

  @Test func `a departure counts from half an hour before it on, and not earlier`() throws {
    let stage = try series()
    let made = stage.at("2026-02-16 09:20:00")
    let index = try stage.index([late("t5")], at: made)
    for (time, count) in [("09:29:59", 1), ("09:30:00", 1), ("09:30:01", 2), ("09:40:01", 3)] {
      let now = stage.at("2026-02-16 \(time)")
      #expect(counts(try stage.board("a", at: now, index))?[0] == count, "\(time)")
    }
    // The board is right until then, the instant included.
    let board = try stage.board("a", at: stage.at("2026-02-16 09:25:00"), index)
    #expect(board.nextChangeAt <= Double(stage.at("2026-02-16 09:30:00")))
  }

  @Test func `stale realtime is old, not live, and a trip without a prediction carries none`()
    throws
  {
    let stage = try series()
    let made = stage.at("2026-02-16 09:50:00")
    let silent = Trip("t1", date: day).with(Stop(1, .noData))
    let index = try stage.index([late("t0"), silent], at: made)
    #expect(counts(try stage.board("a", at: made, index)) == [2, 1, 0])
    #expect(counts(try stage.board("a", at: made + 181, index)) == [3, 0, 1])
  }

  @Test func `a fresh feed is applied if departures carry it or none could, else partial`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 09:50:00")
    func word(
      _ updates: [Trip],
      at instant: Int64,
      _ given: BoardRealtimeStatus
    ) throws
      -> BoardRealtimeStatus
    {
      let board = try stage.board("a", at: instant, try stage.index(updates, at: now))
      return given.refined(board.coverage, freshest: board.freshest)
    }
    #expect(try word([late("t0")], at: now, .applied) == .applied)
    #expect(try word([], at: now, .applied) == .partial)
    #expect(try word([], at: now - 7_200, .applied) == .applied)
    #expect(try word([late("t0")], at: now + 200, .applied) == .staleCache)
    for other in [BoardRealtimeStatus.disabled, .missingCache, .guardedError, .skippedBudget] {
      #expect(try word([], at: now, other) == other)
    }
  }

  @Test func `every trip update is counted once`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 09:50:00")
    let new = Trip("new", .new, date: day).with(Stop(1, "a", departure: .time(now)), Stop(2, "b"))
    let updates = [
      late("t0"), late("t0"), Trip("t1", .canceled, date: day), new, Trip("gone", date: day),
    ]
    let counters = try stage.index(updates, at: now).counters
    #expect(counters.received == 5)
    #expect(counters.matched == 2)
    #expect(counters.match == .some)
    #expect(try stage.index([new], at: now).counters.match == .all)
    #expect(try stage.index([new, Trip("gone", date: day)], at: now).counters.match == .nothing)
  }
}
