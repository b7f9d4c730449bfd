import GTFSRealtime
import Testing
import Timetable

@testable import StationboardServer

/// Which rows a board with realtime has, in which order, and how long it is right.
@Suite struct RealtimeBoardTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  private let day = "20260216"

  /// A trip every ten minutes from 10:00 on, named t0, t1 and so forth.
  private func series(_ count: Int = 6) throws -> RealtimeStage {
    try RealtimeStage(
      (0..<count).map { number in
        let hour = 10 + number / 6
        let tens = number % 6
        return .init("t\(number)", ["1 a \(hour):\(tens)0:00", "2 b \(hour):\(tens)5:00"])
      }
    )
  }

  private func late(_ trip: String, _ seconds: Int) -> Trip {
    Trip(trip, date: day).with(Stop(1, departure: .delay(seconds)))
  }

  private func ids(_ stage: RealtimeStage, _ board: MergedBoard) throws -> [String?] {
    try stage.shown(board).map(\.tripId)
  }

  @Test func `rows stand by effective departure, then scheduled, then trip id`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 09:58:00")
    let updates = [late("t0", 1_200), late("t1", 600), late("t4", -1_260)]
    let board = try stage.board("a", at: now, try stage.index(updates, at: now), window: 60)
    #expect(try ids(stage, board) == ["t4", "t0", "t1", "t2", "t3", "t5"])
    #expect(board.rows.count { $0.hasRealtime } == board.appliedCount)
    #expect(board.appliedCount == 3)
  }

  @Test func `effective times decide about the window, at both ends and to the second`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 10:30:00")
    // t0 left at 10:00 by the timetable; t5 leaves at 10:50, and the board ends at 11:00.
    for (delay, isThere) in [(1_754, false), (1_755, true), (3_599, true), (3_600, false)] {
      let index = try stage.index([late("t0", delay)], at: now)
      let board = try stage.board("a", at: now, index, window: 30)
      #expect(try ids(stage, board).contains("t0") == isThere, "\(delay) s")
    }
    for (delay, isThere) in [(599, true), (600, false), (-1_245, true), (-1_246, false)] {
      let index = try stage.index([late("t5", delay)], at: now)
      let board = try stage.board("a", at: now, index, window: 30)
      #expect(try ids(stage, board).contains("t5") == isThere, "\(delay) s")
    }
  }

  @Test func `the limit counts rows after the merge`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 09:58:00")
    let index = try stage.index([late("t0", 1_500), late("t3", 60)], at: now)
    let all = try ids(stage, try stage.board("a", at: now, index, window: 60))
    for limit in 1...6 {
      let board = try stage.board("a", at: now, index, window: 60, limit: limit)
      #expect(try ids(stage, board) == Array(all.prefix(limit)))
    }
  }

  @Test func `a stop that realtime says nothing of has the same board as without`() throws {
    let stage = try RealtimeStage([
      .init("t", ["1 a 10:00:00", "2 b 10:10:00"]), .init("u", ["1 c 10:00:00", "2 b 10:10:00"]),
    ])
    let now = stage.at("2026-02-16 09:58:00")
    let index = try stage.index([late("t", 60)], at: now)
    let with = try stage.board("c", at: now, index)
    let without = try stage.board("c", at: now, nil)
    #expect(with.rows == without.rows)
    #expect(with.visibleHash == without.visibleHash)
    #expect(with.worstFreshness == nil)
    #expect(index.version(of: 2) == 0)
    #expect(index.version(of: 0) != 0)
  }

  @Test func `realtime of another import is not used`() throws {
    let stage = try series()
    let other = try series()
    let now = stage.at("2026-02-16 09:58:00")
    let board = try stage.board("a", at: now, try other.index([late("t0", 60)], at: now))
    #expect(board.realtime == nil)
    #expect(board.appliedCount == 0)
  }

  // MARK: How long a board is right

  /// The board changes after ``MergedBoard/nextChangeAt`` and not before.
  private func verify(
    _ stage: RealtimeStage,
    _ now: Int64,
    _ index: RealtimeIndex?,
    window: Int = 30,
    limit: Int = 300,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let resolved = try #require(StopResolver(feeds: [stage.feed]).resolve("a"))
    func board(_ instant: Double) -> MergedBoard {
      MergedBoard(
        request: BoardRequest(stop: resolved, limit: limit, window: window),
        now: instant,
        realtime: index
      )
    }
    let first = board(Double(now))
    let next = first.nextChangeAt
    #expect(next > Double(now), sourceLocation: sourceLocation)
    #expect(board(next).visibleHash == first.visibleHash, sourceLocation: sourceLocation)
    let middle = (Double(now) + next) / 2
    #expect(board(middle).visibleHash == first.visibleHash, sourceLocation: sourceLocation)
    guard next < Double(now) + MergedBoard.changeHorizon else { return }
    #expect(board(next + 0.5).visibleHash != first.visibleHash, sourceLocation: sourceLocation)
  }

  @Test func `a board is right until a row leaves, a row enters, or realtime ages`() throws {
    let stage = try series(12)
    let now = stage.at("2026-02-16 09:58:30")
    let updates = [late("t0", 47), late("t3", 15), late("t4", -200)]
    for shift in stride(from: Int64(0), to: 3_600, by: 97) {
      try verify(stage, now + shift, try stage.index(updates, at: now))
      try verify(stage, now + shift, nil)
      try verify(stage, now + shift, try stage.index(updates, at: now), limit: 2)
    }
  }

  @Test func `an empty board is right for a while, and until a row enters`() throws {
    let stage = try series()
    let night = stage.at("2026-02-16 03:00:00")
    let empty = try stage.board("a", at: night, nil, window: 30)
    #expect(empty.rows.isEmpty)
    #expect(empty.noService?.reason == .noServiceInTimeWindow)
    #expect(empty.nextChangeAt == Double(night) + MergedBoard.changeHorizon)
    let before = stage.at("2026-02-16 09:25:00")
    #expect(
      try stage.board("a", at: before, nil, window: 30).nextChangeAt == Double(before + 300)
    )
  }

  @Test func `a row ages from the time of its source`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 09:58:00")
    let update = late("t0", 60).with { $0.timestamp = now - 30 }
    let index = try stage.index([update, late("t1", 60)], at: now)
    let states = try [0, 15, 16, 46, 150, 151, 181].map { age in
      try stage.shown(stage.board("a", at: now + age, index)).prefix(2).map(\.realtimeFreshness)
    }
    #expect(
      states == [
        ["fresh", "fresh"], ["fresh", "fresh"], ["ageing", "fresh"], ["ageing", "ageing"],
        ["ageing", "ageing"], ["stale", "ageing"], ["stale", "stale"],
      ]
    )
    let board = try stage.board("a", at: now + 16, index)
    #expect(board.worstFreshness == .ageing)
    #expect(board.rows.first?.delay == 60)
  }

  @Test func `a timestamp in the future, or none at all, is the arrival`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 09:58:00")
    let ahead = late("t0", 60).with { $0.timestamp = now + 500 }
    let board = try stage.board("a", at: now, try stage.index([ahead], at: now))
    #expect(board.rows.first?.sourceTime == now)
    let unstamped = try stage.index([late("t0", 60)], at: now, stamped: false)
    #expect(unstamped.sourceTime == now)
  }

  // MARK: Versions

  @Test func `a publication that says the same again changes no version`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 09:58:00")
    let first = try stage.index([late("t0", 60), Trip("t1", .deleted, date: day)], at: now)
    let again = try stage.index(
      [Trip("t1", .deleted, date: day), late("t0", 60).with { $0.timestamp = now + 10 }],
      at: now + 15,
      previous: first
    )
    #expect(first.version(of: 0) != 0)
    #expect(first.version(of: 0) == again.version(of: 0))
    #expect(again.sourceTime == now + 15)
    #expect(again.gap == 15)
    #expect(first.directory === again.directory)
  }

  @Test func `whatever changes a board changes its version`() throws {
    let stage = try RealtimeStage(
      [.init("t", ["1 8501008:0:3 10:00:00", "2 x 10:10:00"])],
      stations: ["Parent8501008": ["8501008:0:3"]]
    )
    let now = stage.at("2026-02-16 09:58:00")
    let time = now + 600
    func new(_ change: (inout Trip) -> Void) -> Trip {
      Trip("new", .new, date: day).with(
        Stop(1, "8501008", departure: .time(time)),
        Stop(2, "x", arrival: .time(time + 60))
      ).with(change)
    }
    let feeds: [[Trip]] = [
      [late("t", 60)], [late("t", 61)], [late("t", 60), new { _ in }], [new { _ in }],
      [new { $0.headsign = "Elsewhere" }], [new { $0.route = "S1" }], [new { $0.trip = "newer" }],
      [Trip("t", .deleted, date: day)], [Trip("t", .canceled, date: day)],
      [Trip("t", .canceled, date: "20260217")],
      [Trip("t", date: day).with(Stop(1, .skipped))],
      [Trip("t", date: day).with(Stop(1, "8501008:0:9", departure: .delay(60)))],
      [Trip("t", date: day).with(Stop(1, "8501008:0:8", departure: .delay(60)))],
    ]
    let station = try #require(stage.feed.timetable.stop(id: "Parent8501008"))
    let versions = try feeds.map { try stage.index($0, at: now).version(of: Int(station)) }
    #expect(Set(versions).count == feeds.count)
    #expect(!versions.contains(0))
    let hashes = try feeds.map {
      try stage.board("8501008", at: now, try stage.index($0, at: now)).visibleHash
    }
    // A cancellation of tomorrow is not on today's board.
    #expect(Set(hashes).count == feeds.count)
  }

  @Test func `a trip is not kept across a gap that is not the producer's rhythm`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 09:58:00")
    let first = try stage.index([late("t0", 60)], at: now)
    let second = try stage.index([late("t0", 60)], at: now + 20, previous: first)
    let soon = try stage.index([], at: now + 60, previous: second)
    let later = try stage.index([], at: now + 61, previous: second)
    #expect(soon.counters.kept == 1)
    #expect(later.counters.kept == 0)
    #expect(try stage.index([], at: now + 301, previous: first).counters.kept == 0)
    #expect(try stage.index([], at: now, previous: first).counters.kept == 0)
  }

  @Test func `a new trip that one publication omits is kept with all it says`() throws {
    let stage = try RealtimeStage(
      [.init("t", ["1 8501008:0:3 12:00:00", "2 x 12:10:00"])],
      stations: ["Parent8501008": ["8501008:0:3"]]
    )
    let now = stage.at("2026-02-16 09:58:00")
    let new = Trip("new", .new).with(
      Stop(1, "8501008:0:9", departure: .time(now + 600)),
      Stop(2, "x", arrival: .time(now + 660))
    )
    let first = try stage.index([new], at: now)
    let second = try stage.index([], at: now + 30, previous: first)
    let station = Int(try #require(stage.feed.timetable.stop(id: "Parent8501008")))
    #expect(second.version(of: station) == first.version(of: station))
    let row = try #require(try stage.shown(stage.board("8501008", at: now + 30, second)).first)
    #expect(row.tripId == "new")
    #expect(row.platform == "9")
    let back = try stage.index([new], at: now + 60, previous: second)
    #expect(back.counters.kept == 0)
    #expect(back.counters.added == 1)
  }

  // MARK: Ids

  @Test func `with a prefix realtime ids are the feed's own, and the answer's have the prefix`()
    throws
  {
    let stage = try RealtimeStage([.init("t", ["1 a 10:00:00", "2 b 10:10:00"])], prefix: "sbb")
    let now = stage.at("2026-02-16 09:58:00")
    let new = Trip("new", .new).with(
      Stop(1, "a", departure: .time(now + 60)),
      Stop(2, "b", arrival: .time(now + 660))
    ).with { $0.route = "R1" }
    let index = try stage.index([late("t", 60), new], at: now)
    let rows = try stage.shown(stage.board("sbb:a", at: now, index))
    #expect(rows.map(\.tripId) == ["sbb:new", "sbb:t"])
    #expect(rows.map(\.routeId) == ["sbb:R1", "sbb:R1"])
    #expect(rows.map(\.stopId) == ["sbb:a", "sbb:a"])
    #expect(rows.last?.key == "sbb:t|sbb:a|2026-02-16|1")
    #expect(rows.last?.delayMin == 1)
  }

  @Test func `at most twenty examples of what has no effect are kept, all are counted`() throws {
    let stage = try series()
    let now = stage.at("2026-02-16 09:58:00")
    let unknown = (0..<50).map { late("x\($0)", 60) }
    let counters = try stage.index(unknown, at: now).counters
    #expect(counters.withoutEffect == [.unknownTrip: 50])
    #expect(counters.examples.count == RealtimeCounters.mostExamples)
    #expect(counters.examples.first?.entity == "entity-0")
  }
}
