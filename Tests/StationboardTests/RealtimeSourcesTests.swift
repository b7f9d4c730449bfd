import ConditionalHTTP
import GTFSRealtime
import HTTPTypes
import Testing
import Timetable

@testable import StationboardServer

/// Several sources of one timetable are one to boards: the first that has a trip decides, and each departure is as old
/// as its source.
@Suite struct RealtimeSourcesTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  private let day = "20260216"

  private func stage() throws -> RealtimeStage {
    try RealtimeStage(
      (0..<4).map { number in
        RealtimeStage.Trip(
          "t\(number)",
          ["1 a 10:0\(number):00", "2 b 10:1\(number):00", "3 c 11:00:00"]
        )
      }
    )
  }

  private func late(_ number: Int, _ seconds: Int) -> Trip {
    Trip("t\(number)", date: day).with(Stop(1, departure: .delay(seconds)))
  }

  private func delays(_ stage: RealtimeStage, _ index: RealtimeIndex?) throws -> [Int?] {
    try stage.shown(stage.board("a", at: stage.at("2026-02-16 09:59:00"), index))
      .sorted { $0.scheduledDeparture < $1.scheduledDeparture }.map(\.rawDelaySec)
  }

  private func isWhole(_ counters: RealtimeCounters, _ count: Int) -> Bool {
    counters.received == count && counters.applied >= 0 && counters.added >= 0
  }

  @Test func `the first source that has a trip decides, and the others fill in`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:55:00")
    let first = try stage.index([late(0, 60), late(1, 120)], at: now)
    let second = try stage.index([late(1, 600), late(2, 180)], at: now - 20)
    let both = try #require(RealtimeBuilder.combined([first, second]))
    #expect(try delays(stage, both) == [60, 120, 180, nil])
    #expect(both.counters.withoutEffect == [.otherSource: 1])
    #expect(isWhole(both.counters, 4))
    let other = try #require(RealtimeBuilder.combined([second, first]))
    #expect(try delays(stage, other) == [60, 600, 180, nil])
    #expect(RealtimeBuilder.combined([first]) === first)
    #expect(RealtimeBuilder.combined([]) == nil)
  }

  @Test func `each departure is as old as its source`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:55:00")
    let first = try stage.index([late(0, 60)], at: now)
    let second = try stage.index([late(2, 180)], at: now - 300)
    let both = try #require(RealtimeBuilder.combined([first, second]))
    #expect(both.sourceTime == now)
    let rows = try stage.board("a", at: now, both).rows.filter(\.hasRealtime)
    #expect(rows.map(\.sourceTime) == [now, now - 300])
    #expect(rows.map(\.freshness) == [.fresh, .stale])
  }

  @Test func `what a source no longer says gives way to what another one says`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:55:00")
    let before = try stage.index([late(0, 60), late(1, 120)], at: now - 15)
    let first = try stage.index([late(0, 60)], at: now, previous: before)
    #expect(first.counters.kept == 1)
    let second = try stage.index([late(1, 600)], at: now)
    let both = try #require(RealtimeBuilder.combined([first, second]))
    #expect(try delays(stage, both) == [60, 600, nil, nil])
    #expect(both.counters.kept == 0)
    #expect(isWhole(both.counters, 2))
  }

  @Test func `cancelled, new, copied and replaced trips are taken from one source each`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:55:00")
    func time(_ text: String) -> Int64 { stage.at("2026-02-16 \(text)") }
    let added = Trip("extra", .new, date: day).with(
      Stop(nil, "a", departure: .time(time("10:30:00"))),
      Stop(nil, "b", arrival: .time(time("10:40:00")))
    )
    let later = Trip("extra", .new, date: day).with(
      Stop(nil, "a", departure: .time(time("10:50:00"))),
      Stop(nil, "b", arrival: .time(time("10:59:00")))
    )
    let instead = Trip("t2", .replacement, date: day).with(
      Stop(1, "a", departure: .time(time("10:20:00"))),
      Stop(2, "c", arrival: .time(time("10:59:00")))
    )
    let copy = Trip("t3", .duplicated, date: day).with { trip in
      trip.newTrip = "copy"
      trip.newStart = "10:45:00"
      trip.newDate = "20260216"
      trip.stops = [Stop(1, departure: .delay(0))]
    }
    let silent = Trip("t3", date: day).with(Stop(1, .noData))
    let first = try stage.index(
      [Trip("t1", .canceled, date: day), added, instead, silent],
      at: now
    )
    let second = try stage.index([late(1, 60), later, late(2, 60), copy, late(3, 60)], at: now)
    let both = try #require(RealtimeBuilder.combined([first, second]))
    let shown = try stage.shown(stage.board("a", at: now, both))
    #expect(
      shown.map { String($0.scheduledDeparture.suffix(9)) } == [
        "09:00:00Z", "09:01:00Z", "09:03:00Z", "09:20:00Z", "09:30:00Z", "09:45:00Z",
      ]
    )
    #expect(shown.map(\.cancelled) == [false, true, false, false, false, false])
    #expect(isWhole(both.counters, 9))
    #expect(both.counters.withoutEffect == [.otherSource: 4, .saysNothing: 1])
    let turned = try #require(RealtimeBuilder.combined([second, first]))
    let others = try stage.shown(stage.board("a", at: now, turned))
    #expect(others.map(\.cancelled).contains(true) == false)
    #expect(isWhole(turned.counters, 9))
    #expect(turned.counters.withoutEffect == [.otherSource: 3, .saysNothing: 1])
  }

  @Test func `the version of a stop changes with what is shown, not with the source`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:55:00")
    let stop = Int(try #require(stage.feed.timetable.stop(id: "a")))
    let whole = try stage.index([late(0, 60), late(1, 120)], at: now)
    let first = try stage.index([late(0, 60)], at: now)
    let second = try stage.index([late(1, 120)], at: now - 10)
    let both = try #require(RealtimeBuilder.combined([first, second]))
    #expect(both.version(of: stop) == whole.version(of: stop))
    #expect(both.oldestSourceTime(at: stop) == now - 10)
  }

  @Test func `a stale source comes after the others`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:55:00")
    var state = RealtimeState()
    for (name, age) in [("dead", Int64(600)), ("alive", 10)] {
      let request = HTTPRequest(method: .get, scheme: "file", authority: "", path: "/\(name)")
      var source = SourceState<TripUpdateFeed>(RealtimeSource(kind: .tripUpdates, request: request))
      source.index = try stage.index([late(0, Int(age))], at: now - age)
      state.trips.append(source)
    }
    let both = RealtimeBuilder.combined(state.indexes(at: Double(now)))
    #expect(try delays(stage, both).first == 10)
    let earlier = RealtimeBuilder.combined(state.indexes(at: Double(now - 500)))
    #expect(try delays(stage, earlier).first == 600)
  }

  @Test func `several sources are as new as the newest, and say which fails`() {
    func status(_ made: Double, _ failure: String? = nil) -> SourceStatus {
      var status = SourceStatus()
      status.isConfigured = true
      status.took(
        FeedHeader(version: "2.0", timestamp: UInt64(made)),
        bytes: 100,
        at: made + 1
      )
      status.failure = failure
      return status
    }
    let one = status(1_800_000_000)
    #expect(SourceStatus(of: [one]) == one)
    let both = SourceStatus(of: [status(1_800_000_000), status(1_800_000_030, "it burns")])
    #expect(both.sourceTime == 1_800_000_030)
    #expect(both.payloadBytes == 200)
    #expect(both.lastError == "1 of 2 sources: it burns")
    #expect(!both.isRefused)
    var refused = [status(1_800_000_000), status(1_800_000_030)]
    for place in refused.indices { refused[place].refusal = "no" }
    #expect(SourceStatus(of: refused).isRefused)
    #expect(SourceStatus(of: [SourceStatus(), one]).sourceTime == one.sourceTime)
    var polled = [status(1_800_000_000), status(1_800_000_030)]
    polled[0].lastPollAt = 1_800_000_090
    polled[1].lastPollAt = 1_800_000_060
    let poll = SourceStatus(of: polled)
    #expect(poll.lastPollAt == 1_800_000_090)
    #expect(poll.lastPollText == InstantText.write(1_800_000_090))
  }

  @Test func `R37: what a source with a wrong clock says is as old as the last check without it`() {
    var status = SourceStatus()
    let now = 1_800_000_000.0
    func made(_ timestamp: Double?, at instant: Double) -> Double? {
      var status = status
      let header = FeedHeader(version: "2.0", timestamp: timestamp.map { UInt64($0) })
      status.took(header, bytes: 1, at: instant)
      return status.sourceTime.map { $0 - now }
    }
    status.answered(isChange: true, at: now)
    #expect(made(now + 86_400, at: now) == 0, "how old the first one is, nothing shows")
    status.answered(isChange: false, at: now + 10)
    status.answered(isChange: true, at: now + 20)
    status.answered(isChange: false, at: now + 30)
    for timestamp in [nil, now + 86_400, now + 800_000_000, now + 50, now + 23] {
      #expect(made(timestamp, at: now + 20) == 10, "\(timestamp ?? 0)")
    }
    // A clock that is ahead by as little as clocks differ.
    #expect(made(now + 22, at: now + 20) == 20)
    #expect(made(now + 19, at: now + 20) == 19)
    #expect(made(now + 5, at: now + 20) == 5)
  }

  @Test func `the alerts of all sources are united, and none is there twice`() throws {
    func feed(_ alerts: [(id: String, text: String)]) throws -> AlertFeed {
      func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(bytes.count)] + bytes
      }
      let header = field(1, field(1, Array("2.0".utf8)))
      let entities = alerts.flatMap { alert in
        let text = field(1, field(1, Array(alert.text.utf8)))
        let about = field(5, field(5, Array("a".utf8)))
        return field(2, field(1, Array(alert.id.utf8)) + field(5, about + field(10, text)))
      }
      return try AlertFeed(protobuf: header + entities)
    }
    let first = try feed([("1", "works"), ("2", "strike")])
    let second = try feed([("7", "works"), ("2", "snow"), ("3", "lift")])
    #expect(RealtimeState.united([first]).map(\.entityID) == ["1", "2"])
    #expect(RealtimeState.united([first, second]).map(\.entityID) == ["1", "2", "2~2", "3"])
    #expect(RealtimeState.united([]).isEmpty)
  }
}
