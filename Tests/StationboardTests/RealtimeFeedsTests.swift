import ConditionalHTTP
import Foundation
import GTFSRealtime
import HTTPTypes
import Serving
import Testing

@testable import StationboardServer

/// What becomes of a source's answers, each cause with its word, through the real poller and the router.
@Suite struct RealtimeFeedsTests {
  private static let corrupt: [UInt8] = Array("<html>503</html>".utf8)

  private func feed(_ delay: Int, _ stage: SourceStage, trips: Int = 1) -> SourceStage.Answer {
    .content(SourceStage.feed(delay: delay, at: stage.now, trips: trips))
  }

  // MARK: Nothing there

  @Test func `without a source realtime is disabled, and the board is full`() async throws {
    let stage = try SourceStage([])
    let board = try await stage.board()
    #expect(board.rtStatus == "disabled")
    #expect(board.alertsStatus == "disabled")
    #expect(board.mode == "full")
    #expect(board.rt["available"] as? Bool == false)
    #expect(board.headers[.mdRealtimeAge] == "-1")
  }

  @Test func `a source that never answers holds no board up, and is missing`() async throws {
    let stage = try SourceStage([.tripUpdates, .alerts])
    try await stage.run { stage in
      let board = try await stage.board()
      #expect(board.rtStatus == "missing_cache")
      #expect(board.alertsStatus == "missing_cache")
      #expect(board.mode == "degraded_static")
      #expect(!board.departures.isEmpty)
      #expect(board.lastError == nil)
      #expect(board.meta["nextExpectedAt"] is NSNull)
      try await stage.pass(.seconds(9))
      try await stage.wait("the timeout") { stage.snapshot.trips.failure != nil }
      let later = try await stage.board()
      #expect(later.rtStatus == "missing_cache")
      #expect(later.lastError == "the source did not answer in time")
    }
  }

  @Test(arguments: [
    (404, "refuses"), (401, "refuses access"), (410, "gone"), (500, "failed"), (503, "pause"),
  ])
  func `a source that refuses from the start is missing, and says why`(
    status: Int,
    words: String
  ) async throws {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, .status(status, [.retryAfter: "30"]))
    try await stage.run { stage in
      let board = try await stage.board()
      #expect(board.rtStatus == "missing_cache")
      #expect(board.mode == "degraded_static")
      #expect(board.lastError?.contains(words) == true, "\(board.lastError ?? "nothing")")
    }
  }

  @Test(arguments: [HTTPExchangeError.Code.unreachable, .tooLarge, .timedOut])
  func `a source that cannot be reached is missing, one that answers with too much is refused`(
    code: HTTPExchangeError.Code
  ) async throws {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, .failure(code))
    try await stage.run { stage in
      let board = try await stage.board()
      #expect(board.rtStatus == (code == .tooLarge ? "guarded_error" : "missing_cache"))
      #expect(board.lastError != nil)
      stage.answer(.tripUpdates, feed(300, stage))
      try await stage.poll()
      let after = try await stage.board()
      #expect(after.rtStatus == "applied")
      #expect(after.lastError == nil)
    }
  }

  // MARK: Bytes that are not a feed

  @Test(arguments: [corrupt, [], [0x0A], [0x7B, 0x7D]])
  func `bytes that are not a feed are guarded against, with nothing before`(
    bytes: [UInt8]
  ) async throws {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, .content(bytes))
    try await stage.run { stage in
      let board = try await stage.board()
      #expect(board.rtStatus == "guarded_error")
      #expect(board.mode == "degraded_static")
      #expect(board.lastError != nil)
      #expect(SourceStage.delay(board) == nil)
    }
  }

  @Test func `corrupt bytes leave the good feed in use until it is old, and end when they end`()
    async throws
  {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, feed(300, stage))
    try await stage.run { stage in
      let made = stage.now
      #expect(SourceStage.delay(try await stage.board()) == 300)
      stage.answer(.tripUpdates, .content(Self.corrupt))
      try await stage.poll()
      let young = try await stage.board()
      #expect(young.rtStatus == "applied")
      #expect(young.lastError != nil)
      try await stage.pass(.seconds(made + 46 - stage.now))
      let old = try await stage.board()
      #expect(old.rtStatus == "guarded_error")
      #expect(old.mode == "degraded_static")
      #expect(SourceStage.delay(old) == 300)
      stage.answer(.tripUpdates, feed(360, stage))
      try await stage.poll()
      let new = try await stage.board()
      #expect(new.rtStatus == "applied")
      #expect(new.lastError == nil)
      #expect(SourceStage.delay(new) == 360)
    }
  }

  @Test func `a source that goes back to the feed in use is believed again`() async throws {
    let stage = try SourceStage()
    let good = feed(300, stage)
    stage.answer(.tripUpdates, good)
    try await stage.run { stage in
      stage.answer(.tripUpdates, .content(Self.corrupt))
      try await stage.poll()
      #expect(stage.snapshot.trips.isRefused)
      stage.answer(.tripUpdates, good)
      try await stage.poll()
      #expect(!stage.snapshot.trips.isRefused)
      try await stage.pass(.seconds(60))
      // Old by the clock alone: the source repeats what it said.
      #expect(try await stage.board().rtStatus == "stale_cache")
    }
  }

  @Test func `a feed of more bytes than the limit is refused, and the one before stays`()
    async throws
  {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, feed(300, stage))
    try await stage.run { stage in
      let bytes = [UInt8](repeating: 0x0A, count: RealtimeLimits.standard.feedBytes + 1)
      stage.answer(.tripUpdates, .content(bytes))
      try await stage.poll()
      let board = try await stage.board()
      #expect(board.lastError?.contains("bytes; the most is") == true)
      #expect(SourceStage.delay(board) == 300)
    }
  }

  // MARK: The clock

  @Test func `a feed that stays unchanged gets stale by the clock, never full`() async throws {
    let stage = try SourceStage([.tripUpdates])
    stage.answer(.tripUpdates, feed(300, stage))
    try await stage.run { stage in
      let made = stage.now
      stage.answer(.tripUpdates, .status(304))
      for age in stride(from: 1, through: 400, by: 7) as StrideThrough<Int64> {
        try await stage.pass(.seconds(made + age - stage.now))
        let board = try await stage.board()
        #expect(board.rtStatus == (age <= 45 ? "applied" : "stale_cache"))
        #expect(board.mode == (age <= 45 ? "full" : "degraded_static"))
        #expect(SourceStage.delay(board) == 300)
        #expect(board.rt["ageSeconds"] as? Int64 == age)
        #expect(board.lastError == nil)
      }
      #expect(stage.snapshot.trips.lastSuccessAt.map { $0 > Double(made) + 300 } == true)
    }
  }

  @Test func `a feed that does not say when it was made ages from its arrival`() async throws {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 60, at: nil)))
    try await stage.run { stage in
      try await stage.pass(.seconds(44))
      #expect(try await stage.board().rtStatus == "applied")
      try await stage.pass(.seconds(3))
      #expect(try await stage.board().rtStatus == "stale_cache")
    }
  }

  @Test func `a feed made in the future is as old as its arrival`() async throws {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 60, at: stage.now + 40)))
    try await stage.run { stage in
      let board = try await stage.board()
      let fetched = StormBoard.instant(board.meta["rtFetchedAt"])
      #expect(fetched == stage.service.now)
      try await stage.pass(.seconds(10))
      #expect(try await stage.board().rt["ageSeconds"] as? Int64 == 10)
    }
  }

  // MARK: Doubts

  @Test func `a feed that shrinks by far is doubted, then believed`() async throws {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, feed(300, stage, trips: 40))
    try await stage.run { stage in
      for round in 1...3 {
        stage.answer(.tripUpdates, feed(360, stage))
        try await stage.poll()
        let board = try await stage.board()
        #expect(SourceStage.delay(board) == (round < 3 ? 300 : 360))
        #expect((board.lastError == nil) == (round == 3))
        #expect(stage.snapshot.trips.isRefused == (round < 3))
      }
    }
  }

  @Test func `a feed from before is doubted, then believed`() async throws {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, feed(300, stage))
    try await stage.run { stage in
      let made = stage.now
      for round in 1...3 as ClosedRange<Int64> {
        let bytes = SourceStage.feed(delay: 360, at: made - 100 + round)
        stage.answer(.tripUpdates, .content(bytes))
        try await stage.poll()
        let board = try await stage.board()
        #expect(SourceStage.delay(board) == (round < 3 ? 300 : 360))
        #expect(board.lastError?.contains("older") == (round < 3 ? true : nil))
      }
    }
  }

  // MARK: Nothing new

  @Test func `the same bytes again cost no tick and no index`() async throws {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, feed(300, stage))
    try await stage.run { stage in
      let before = stage.snapshot
      for _ in 1...5 { try await stage.poll() }
      #expect(stage.snapshot.tick == before.tick)
      #expect(stage.snapshot.index === before.index)
      #expect(stage.asked().count == 6)
    }
  }

  @Test func `a 304 costs no tick and no index, and is asked for with the tag`() async throws {
    let stage = try SourceStage()
    stage.answer(
      .tripUpdates,
      .content(SourceStage.feed(delay: 300, at: stage.now), fields: [.eTag: "\"a\""])
    )
    try await stage.run { stage in
      let before = stage.snapshot
      stage.answer(.tripUpdates, .status(304, [.eTag: "\"a\""]))
      for _ in 1...5 { try await stage.poll() }
      #expect(stage.lastFields()[.ifNoneMatch] == "\"a\"")
      #expect(stage.snapshot.tick == before.tick)
      #expect(stage.snapshot.index === before.index)
      let last = try #require(stage.asked().last)
      #expect(stage.snapshot.trips.lastSuccessAt == last)
      #expect(stage.snapshot.trips.lastPollAt == last)
    }
  }

  @Test func `a failure is over with the first answer, if it is only that nothing changed`()
    async throws
  {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, feed(300, stage))
    try await stage.run { stage in
      stage.answer(.tripUpdates, .status(500))
      try await stage.poll()
      #expect(try await stage.board().lastError?.contains("500") == true)
      stage.answer(.tripUpdates, .status(304))
      try await stage.poll()
      #expect(try await stage.board().lastError == nil)
    }
  }

  // MARK: Other feeds

  @Test func `a feed in JSON is a feed`() async throws {
    let stage = try SourceStage()
    let json = """
      {"header":{"gtfsRealtimeVersion":"2.0","timestamp":"\(stage.now)"},"entity":[{"id":"1",\
      "tripUpdate":{"trip":{"tripId":"R0-14","startDate":"20261020"},"stopTimeUpdate":[\
      {"stopSequence":1,"departure":{"delay":420}}]}}]}
      """
    stage.answer(.tripUpdates, .content(Array(json.utf8), type: "application/json"))
    try await stage.run { stage in
      let board = try await stage.board()
      #expect(board.rtStatus == "applied")
      #expect(SourceStage.delay(board) == 420)
    }
  }

  @Test func `a feed for another timetable changes no board, and what it lacks is counted`()
    async throws
  {
    let stage = try SourceStage()
    let trips = (0..<30).map { RealtimeWire.Trip("other-\($0)", date: "20261020") }
      .map { $0.with(RealtimeWire.Stop(1, departure: .delay(60))) }
    stage.answer(.tripUpdates, .content(RealtimeWire.feed(trips, at: stage.now)))
    try await stage.run { stage in
      let board = try await stage.board()
      #expect(board.rtStatus == "partial")
      #expect(board.rt["applied"] as? Bool == false)
      #expect(board.mode == "degraded_static")
      #expect(board.meta["rtAppliedCount"] as? Int == 0)
      #expect(board.rows.allSatisfy { $0.predicted == nil })
      #expect(stage.snapshot.index?.counters.unmatched == 30)
      let coverage = try #require(board.meta["rtCoverage"] as? [String: Any])
      #expect([coverage["tripUpdates"], coverage["matched"]].map { $0 as? Int } == [30, 0])
      #expect(coverage["withoutEffect"] as? [String: Int] == ["unknown_trip": 30])
      #expect(coverage["live"] as? Int == 0)
      let health = try await stage.probe.get("/health").json
      #expect(health["status"] as? String == "degraded")
      let feeds = health["feeds"] as? [[String: Any]]
      let realtime = try #require(feeds?.first?["realtime"] as? [String: Any])
      #expect(realtime["status"] as? String == "matches_nothing")
      #expect(realtime["withoutEffect"] as? [String: Int] == ["unknown_trip": 30])
      let metrics = String(decoding: try await stage.probe.get("/metrics").body, as: UTF8.self)
      #expect(metrics.contains("freshet_realtime_matched_ratio{feed=\"default\"} 0"))
      #expect(metrics.contains("freshet_board_departures_total{realtime=\"none\"}"))
      // The board changes first.
      try await stage.wait("the log says so") {
        stage.log.lines.contains { $0.contains("do not match the timetable") }
      }
    }
    let told = stage.log.lines.filter { $0.contains("do not match the timetable") }
    #expect(told.count == 1)
    #expect(told.first?.contains("unknown_trip=30") == true)
  }

  @Test func `a feed that matches again is told of, and boards are applied again`() async throws {
    let stage = try SourceStage()
    let other = RealtimeWire.Trip("other", date: "20261020")
      .with(RealtimeWire.Stop(1, departure: .delay(60)))
    stage.answer(.tripUpdates, .content(RealtimeWire.feed([other], at: stage.now)))
    try await stage.run { stage in
      let tag = try await stage.board().entityTag
      try await stage.pass(.seconds(5))
      stage.answer(
        .tripUpdates,
        .content(RealtimeWire.feed([other, SourceStage.late(300)], at: stage.now))
      )
      try await stage.poll()
      let board = try await stage.board("", headers: [.ifNoneMatch: tag])
      #expect(board.rtStatus == "applied")
      let coverage = try #require(board.meta["rtCoverage"] as? [String: Any])
      #expect([coverage["live"], coverage["matched"]].map { $0 as? Int } == [1, 1])
      let health = try await stage.probe.get("/health").json
      #expect(health["status"] as? String == "ok")
      // The board changes first.
      try await stage.wait("the log says so") {
        stage.log.lines.contains { $0.contains("some trip updates do not match") }
      }
    }
  }

  @Test func `a stop whose next departures have no realtime says so, and is not called applied`()
    async throws
  {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, feed(300, stage))
    try await stage.run { stage in
      let answer = try await stage.probe.get("/api/stationboard?stop_id=S5&window_minutes=60")
      let board = StormBoard(answer)
      #expect(board.rtStatus == "partial")
      #expect(board.rt["reason"] as? String == "partial")
      #expect(board.mode == "degraded_static")
      #expect(board.meta["rtAppliedCount"] as? Int == 0)
      let coverage = try #require(board.meta["rtCoverage"] as? [String: Any])
      #expect(coverage["live"] as? Int == 0)
      #expect(coverage["departures"] as? Int ?? 0 > 0)
      #expect(coverage["matched"] as? Int == 1)
      // Where nothing departs, no realtime is missing.
      let end = StormBoard(
        try await stage.probe.get("/api/stationboard?stop_id=S6&window_minutes=60")
      )
      #expect(end.rtStatus == "applied")
      #expect(end.mode == "full")
    }
  }

  @Test func `a new import under the running poller is indexed at once, and no older for it`()
    async throws
  {
    let path = NSTemporaryDirectory() + "freshet-reimport-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try StormNetwork.imported(into: path)
    let stage = try SourceStage(store: try SampleFeed.store(folder))
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 300, at: nil)))
    try await stage.run { stage in
      let before = try await stage.board()
      #expect(SourceStage.delay(before) == 300)
      try await stage.pass(.seconds(10))
      let asked = stage.asked().count
      _ = try StormNetwork.imported(into: path, version: "2")
      stage.store.reload()
      try await stage.wait("the index") { stage.snapshot.index != nil }
      let after = try await stage.board()
      #expect(stage.asked().count == asked)
      #expect((after.meta["timetable"] as? [String: Any])?["version"] as? String == "2")
      #expect(after.rtStatus == "applied")
      #expect(SourceStage.delay(after) == 300)
      #expect(after.rt["ageSeconds"] as? Int == 10)
      let known = after.departures.first { $0["trip_id"] as? String == "R0-14" }
      #expect(StormBoard.instant(known?["realtimeAt"]) == Double(SourceStage.start))
      #expect(after.entityTag != before.entityTag)
    }
  }

  // MARK: Alerts

  @Test func `alerts have statuses of their own`() async throws {
    let stage = try SourceStage([.tripUpdates, .alerts])
    stage.answer(.tripUpdates, feed(300, stage))
    stage.answer(.alerts, .status(500))
    try await stage.run { stage in
      let without = try await stage.board()
      #expect([without.rtStatus, without.alertsStatus] == ["applied", "missing_cache"])
      #expect(without.mode == "degraded_static")
      let unasked = try await stage.board("&include_alerts=0")
      #expect([unasked.rtStatus, unasked.alertsStatus] == ["applied", "disabled"])
      #expect(unasked.mode == "full")
      stage.answer(.alerts, .content(RealtimeWire.feed([], at: stage.now)))
      try await stage.poll(.alerts)
      let made = stage.now
      stage.answer(.alerts, .status(304))
      for age in [1, 100, 119, 122, 300] as [Int64] {
        try await stage.pass(.seconds(made + age - stage.now))
        stage.answer(.tripUpdates, feed(300, stage))
        try await stage.poll()
        let board = try await stage.board()
        let isFresh = (board.json["alerts"] as? [String: Any])?["ageSeconds"] as? Int ?? 0 <= 120
        #expect(board.rtStatus == "applied")
        #expect(board.alertsStatus == (isFresh ? "applied" : "stale_cache"), "\(age)")
        #expect(board.mode == (isFresh ? "full" : "degraded_static"))
      }
      stage.answer(.alerts, .content(Self.corrupt))
      try await stage.poll(.alerts)
      #expect(try await stage.board().alertsStatus == "guarded_error")
    }
  }

  // MARK: How often

  @Test(arguments: [429, 503])
  func `a source that asks for a pause gets it`(status: Int) async throws {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, .status(status, [.retryAfter: "90"]))
    try await stage.run { stage in
      try await stage.pass(.seconds(89))
      #expect(stage.asked().count == 1)
      try await stage.pass(.seconds(30))
      #expect(stage.asked().count == 2)
    }
  }

  @Test(
    arguments: [RealtimeSource.Kind.tripUpdates, .alerts],
    [0, 200, 304, 404, 429, 500, 503, 599]
  )
  func `no source is asked more often than its floor, whatever it answers`(
    kind: RealtimeSource.Kind,
    status: Int
  ) async throws {
    let stage = try SourceStage([kind])
    let fields: HTTPFields = [.retryAfter: "0", .cacheControl: "max-age=1"]
    stage.answer(kind, .content(RealtimeWire.feed([], at: stage.now), fields: fields))
    try await stage.run { stage in
      if status == 0 { stage.answer(kind, .failure(.unreachable)) }
      if status > 200 { stage.answer(kind, .status(status, fields)) }
      // What comes after a failure has to keep the distance too.
      for round in 0..<20 {
        if status == 500 { stage.answer(kind, round % 2 == 0 ? .status(500) : .status(304)) }
        try await stage.pass(.seconds(60))
      }
      let times = stage.asked(kind)
      let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
      #expect(gaps.count > 5)
      #expect(gaps.allSatisfy { $0 >= (kind == .alerts ? 15 : 5) }, "\(gaps.min() ?? 0)")
    }
  }
}
