import Foundation
import GTFSRealtime
import Testing
import Timetable

@testable import StationboardServer

/// The vectors M1–M29 of the system before this one (research §5.1), on a Monday, 2026-02-16.
///
/// Where the GTFS-Realtime reference says otherwise, the reference wins and the name says so.
@Suite struct RealtimeVectorTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  private let day = "20260216"

  /// One trip: stops a to e, ten minutes apart, c at 10:00.
  private func line() throws -> RealtimeStage {
    try RealtimeStage([
      .init("t", ["2 a 09:40:00", "5 b 09:50:00", "8 c 10:00:00", "9 d 10:10:00", "12 e 10:20:00"])
    ])
  }

  private func departures(
    _ stage: RealtimeStage,
    _ stop: String,
    _ trips: Trip...
  ) throws -> [RealtimeStage.Shown] {
    try stage.departures(stop, at: stage.at("2026-02-16 09:35:00"), trips)
  }

  @Test func `M1: a skipped stop is cancelled there, by its own reason`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(Stop(8, "c", .skipped))
    let row = try #require(try departures(stage, "c", update).first)
    #expect(row.cancelled)
    #expect(row.cancelReasonCode == "SKIPPED_STOP")
    #expect(row.status == "SKIPPED_STOP")
    #expect(row.stopEvent == "SKIPPED")
    #expect(row.flags.contains("STOP_SKIPPED"))
  }

  @Test func `M2: a trip whose last stops are skipped ends early and is not cancelled`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(Stop(12, "e", .skipped))
    let row = try #require(try departures(stage, "a", update).first)
    #expect(!row.cancelled)
    #expect(row.flags == ["SHORT_TURN"])
    #expect(row.status == "UNKNOWN")
  }

  @Test func `M3, NO_DATA: no realtime is not on time, the reference wins`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(
      Stop(5, "b", departure: .delay(300)),
      Stop(8, "c", .noData)
    )
    for stop in ["c", "d"] {
      let row = try #require(try departures(stage, stop, update).first)
      #expect(!row.cancelled)
      #expect(row.flags.isEmpty)
      #expect(row.delayMin == nil)
      #expect(row.realtimeDeparture == nil)
      #expect(row.status == "UNKNOWN")
    }
    #expect(try departures(stage, "b", update).first?.delayMin == 5)
  }

  @Test func `M4: the time wins over the delay`() throws {
    let stage = try line()
    let time = stage.at("2026-02-16 10:02:59")
    let update = Trip("t", date: day).with(
      Stop(8, "c", departure: .init(time: time, delay: 300))
    )
    let row = try #require(try departures(stage, "c", update).first)
    #expect(row.realtimeDeparture == "2026-02-16T09:02:59Z")
    #expect(row.rawDelaySec == 179)
    #expect(row.delayMin == 3)
    #expect(row.status == "DELAYED")
  }

  @Test func `M5: a time hours away from the delay loses against it`() throws {
    let stage = try line()
    let time = stage.at("2026-02-16 18:00:00")
    let update = Trip("t", date: day).with(
      Stop(8, "c", departure: .init(time: time, delay: 181))
    )
    let row = try #require(try departures(stage, "c", update).first)
    #expect(row.realtimeDeparture == "2026-02-16T09:03:01Z")
    #expect(row.delayMin == 4)
  }

  @Test func `M6: a sequence that has drifted does not keep an update from its stop`() throws {
    let stage = try line()
    let time = stage.at("2026-02-16 10:02:59")
    let update = Trip("t", date: day).with(Stop(9, "c", departure: .time(time)))
    #expect(try departures(stage, "c", update).first?.delayMin == 3)
  }

  @Test func `M7, ±4: a delay goes on to later stops until the next update, the reference wins`()
    throws
  {
    let stage = try line()
    let update = Trip("t", date: day).with(
      Stop(5, "b", departure: .delay(90)),
      Stop(9, "d", departure: .delay(102))
    )
    #expect(try departures(stage, "a", update).first?.rawDelaySec == nil)
    #expect(try departures(stage, "c", update).first?.rawDelaySec == 90)
    #expect(try departures(stage, "c", update).first?.delayMin == 2)
    #expect(try departures(stage, "d", update).first?.rawDelaySec == 102)
  }

  @Test func `M7, ±4: a delay goes on as far as the trip, and never upstream`() throws {
    let calls = (1...20).map { "\($0) s\($0) \(9 + $0 / 10):\(10 + $0 % 10 * 2):00" }
    let stage = try RealtimeStage([.init("long", calls)])
    let update = Trip("long", date: day).with(Stop(3, departure: .delay(240)))
    let now = stage.at("2026-02-16 09:00:00")
    #expect(try stage.departures("s2", at: now, [update]).first?.rawDelaySec == nil)
    for number in [3, 8, 19] {
      let row = try #require(try stage.departures("s\(number)", at: now, [update]).first)
      #expect(row.rawDelaySec == 240, "s\(number)")
    }
  }

  @Test func `M8: the station's number without platform is the trip's stop of that station`() throws
  {
    let stage = try RealtimeStage(
      [.init("t", ["1 8591988:0:C 10:00:00", "2 x 10:10:00"])],
      stations: ["Parent8591988": ["8591988:0:C"]]
    )
    let update = Trip("t", date: day).with(Stop(nil, "8591988:0", departure: .delay(126)))
    let row = try #require(try departures(stage, "8591988", update).first)
    #expect(row.delayMin == 3)
    #expect(row.platform == "C")
    #expect(!row.platformChanged)
  }

  @Test func `M9: a numeric root with another sequence is the stop of that station`() throws {
    let stage = try RealtimeStage(
      [.init("t", ["5 8587387:0:A 10:00:00", "6 x 10:10:00"])],
      stations: ["Parent8587387": ["8587387:0:A"]]
    )
    let update = Trip("t", date: day).with(Stop(5, "8587387", departure: .delay(120)))
    #expect(try departures(stage, "Parent8587387", update).first?.delayMin == 2)
  }

  @Test func `M10: an update of another station is not this stop's`() throws {
    let stage = try RealtimeStage(
      [
        .init("t", ["5 8587387:0:A 10:00:00", "6 x 10:10:00"]),
        .init("other", ["1 8587388 10:00:00", "2 x 10:10:00"]),
      ],
      stations: ["Parent8587387": ["8587387:0:A"]]
    )
    let update = Trip("t", date: day).with(Stop(50, "8587388", departure: .delay(120)))
    let row = try #require(try departures(stage, "Parent8587387", update).first)
    #expect(row.delayMin == nil)
    #expect(row.realtimeDeparture == nil)
    #expect(row.status == "UNKNOWN")
    let index = try stage.index([update], at: stage.at("2026-02-16 09:35:00"))
    #expect(index.counters.unlinkedStops == 1)
  }

  @Test(arguments: ["8501120:0:4", "8501120:0:9"])
  func `M11: another platform of the station is a platform change`(platform: String) throws {
    let stage = try RealtimeStage(
      [
        .init("t", ["1 8501120:0:3 10:00:00", "2 x 10:10:00"]),
        .init("o", ["1 8501120:0:4 11:00:00", "2 x 11:10:00"]),
      ],
      stations: ["Parent8501120": ["8501120:0:3", "8501120:0:4"]]
    )
    let update = Trip("t", date: day).with(Stop(1, platform, departure: .delay(120)))
    let row = try #require(try departures(stage, "8501120", update).first)
    #expect(row.platform == String(platform.suffix(1)))
    #expect(row.previousPlatform == "3")
    #expect(row.platformChanged)
    #expect(row.delayMin == 2)
    #expect(row.stopId == "8501120:0:3")
  }

  @Test func `M12: a minute early is a minute early, not clamped to on time`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(Stop(8, "c", departure: .delay(-61)))
    let row = try #require(try departures(stage, "c", update).first)
    #expect(row.realtimeDeparture == "2026-02-16T08:58:59Z")
    #expect(row.delayMin == -1)
    #expect(row.status == "EARLY")
  }

  @Test(arguments: [(20, 0), (-30, 0)])
  func `M13: seconds shift the departure and are not a delay`(seconds: Int, minutes: Int) throws {
    let stage = try line()
    let update = Trip("t", date: day).with(Stop(8, "c", departure: .delay(seconds)))
    let row = try #require(try departures(stage, "c", update).first)
    #expect(row.rawDelaySec == seconds)
    #expect(row.delayMin == minutes)
    #expect(row.status == "ON_TIME")
    #expect(row.realtimeDeparture != row.scheduledDeparture)
  }

  @Test func `M14: a cancelled trip is cancelled, other trips are not`() throws {
    let stage = try RealtimeStage([
      .init("t", ["1 c 10:00:00", "2 d 10:10:00"]),
      .init("u", ["1 c 10:05:00", "2 d 10:15:00"]),
    ])
    let rows = try departures(stage, "c", Trip("t", .canceled, date: day))
    #expect(rows.map(\.tripId) == ["t", "u"])
    #expect(rows[0].cancelled)
    #expect(rows[0].cancelReasonCode == "CANCELED_TRIP")
    #expect(rows[0].status == "CANCELLED")
    #expect(rows[0].flags == ["TRIP_CANCELLED"])
    #expect(!rows[1].cancelled)
    #expect(rows[1].realtimeAt == nil)
  }

  @Test func `M15: a cancellation is of its service day`() throws {
    let stage = try line()
    #expect(
      try departures(stage, "c", Trip("t", .canceled, date: "20260217")).first?.cancelled == false
    )
  }

  @Test func `M16: the stop before a skipped one is not cancelled, the reference wins`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(Stop(9, "d", .skipped))
    let row = try #require(try departures(stage, "c", update).first)
    #expect(!row.cancelled)
    #expect(row.flags.isEmpty, "the trip reaches its last stop")
    let ends = Trip("t", date: day).with(Stop(9, "d", .skipped), Stop(12, "e", .skipped))
    let last = try #require(try departures(stage, "c", ends).first)
    #expect(!last.cancelled)
    #expect(last.flags == ["SHORT_TURN", "SHORT_TURN_TERMINUS"])
  }

  /// A trip of Sunday's service day at half past one on Monday.
  private func night() throws -> RealtimeStage {
    try RealtimeStage(
      [.init("n", ["5 8587387:0:A 25:30:00", "6 x 25:40:00"])],
      stations: ["Parent8587387": ["8587387:0:A"]]
    )
  }

  private func nightRows(_ update: Trip) throws -> [RealtimeStage.Shown] {
    let stage = try night()
    return try stage.departures("8587387", at: stage.at("2026-02-23 01:00:00"), [update])
  }

  @Test func `M17: an update of yesterday's service day is tonight's trip`() throws {
    let update = Trip("n", date: "20260222").with(Stop(5, "8587387:0:A", departure: .delay(120)))
    let row = try #require(try nightRows(update).first)
    #expect(row.serviceDate == "2026-02-22")
    #expect(row.delayMin == 2)
  }

  @Test func `M18: an update of today's service day is tomorrow night's trip`() throws {
    let update = Trip("n", date: "20260223").with(Stop(5, "8587387:0:A", departure: .delay(120)))
    let row = try #require(try nightRows(update).first)
    #expect(row.serviceDate == "2026-02-22")
    #expect(row.delayMin == nil)
  }

  @Test func `M19: the same with the station's number`() throws {
    let update = Trip("n", date: "20260222").with(Stop(5, "8587387", departure: .delay(180)))
    #expect(try nightRows(update).first?.delayMin == 3)
  }

  @Test func `M20: without a date the trip nearest to the feed's timestamp is meant`() throws {
    let update = Trip("n").with(Stop(5, "8587387", departure: .delay(180)))
    let row = try #require(try nightRows(update).first)
    #expect(row.serviceDate == "2026-02-22")
    #expect(row.delayMin == 3)
  }

  @Test(arguments: [("10:15:00", 1_800, 30), ("11:00:00", 4_500, 75)])
  func `M21, M22: a late train stays until it has left`(
    now: String,
    delay: Int,
    minutes: Int
  )
    throws
  {
    let stage = try line()
    let update = Trip("t", date: day).with(Stop(8, "c", departure: .delay(delay)))
    let instant = stage.at("2026-02-16 \(now)")
    let row = try #require(try stage.departures("c", at: instant, [update]).first)
    #expect(row.delayMin == minutes)
    let left = stage.at("2026-02-16 10:00:46") + Int64(delay)
    #expect(
      try !stage.departures("c", at: left, [update]).contains { $0.serviceDate == "2026-02-16" }
    )
    let leaves = try stage.departures("c", at: left - 1, [update])
    #expect(leaves.contains { $0.serviceDate == "2026-02-16" })
  }

  @Test func `M23: a cancelled train stays cancelled for as long as it is on the board`() throws {
    let stage = try line()
    let update = Trip("t", .canceled, date: day)
    let last = try stage.departures("c", at: stage.at("2026-02-16 10:00:45"), [update])
    #expect(last.first?.cancelled == true)
    let index = try stage.index([update], at: stage.at("2026-02-16 10:20:00"))
    let timetable = stage.feed.timetable
    let trip = try #require(timetable.trips(id: "t").first)
    #expect(index.trip(trip, day: 20_500)?.kind == .cancelled)
  }

  @Test(arguments: [true, false])
  func `M24: of an active and a cancelled update of one trip the cancelled one counts`(
    isFirst: Bool
  ) throws {
    let stage = try line()
    let cancelled = Trip("t", .canceled, date: day).with { $0.timestamp = 1_000_000_000 }
    let active = Trip("t", date: day).with(Stop(8, "c", departure: .delay(60)))
      .with { $0.timestamp = 1_000_000_100 }
    let updates = isFirst ? [cancelled, active] : [active, cancelled]
    let now = stage.at("2026-02-16 09:35:00")
    let rows = try stage.departures("c", at: now, updates)
    #expect(rows.map(\.cancelled) == [true])
    let counters = try stage.index(updates, at: now).counters
    #expect(counters.withoutEffect == [.repeated: 1])
  }

  @Test func `M25: an added replacement service is shown beside the scheduled trip`() throws {
    let stage = try line()
    let time = stage.at("2026-02-16 10:00:00")
    let extra = Trip("ev", .added).with(
      Stop(1, "c", departure: .time(time)),
      Stop(2, "e", departure: .time(time + 600))
    ).with { $0.route = "EV1" }
    let rows = try departures(stage, "c", extra)
    let row = try #require(rows.first { $0.line == "EV1" })
    #expect(row.replacementType == "EV")
    #expect(row.flags.contains("REPLACEMENT_SERVICE"))
    #expect(rows.contains { $0.tripId == "t" && !$0.cancelled })
  }

  @Test func `M26: an added trip gives one row for each stop it serves`() throws {
    let stage = try RealtimeStage(
      [.init("t", ["1 8501120:0:3 12:00:00", "2 x 12:10:00"], route: "S1")],
      stations: ["Parent8501120": ["8501120:0:3"]]
    )
    let now = stage.at("2026-02-16 10:00:00")
    let extra = Trip("ev-1", .added).with(
      Stop(nil, "8501120:0:3", departure: .time(now + 240)),
      Stop(nil, "8501120:0:9", .skipped)
    ).with { $0.route = "EV1" }
    let rows = try stage.departures("Parent8501120", at: now, [extra], window: 30)
    #expect(rows.count == 1)
    let row = try #require(rows.first)
    #expect(row.tripId == "ev-1")
    #expect(row.platform == "3")
    #expect(row.replacementType == "EV")
    // Its last stop is left out: it ends where it starts.
    #expect(
      row.flags == [
        "REPLACEMENT_SERVICE", "EXTRA_SERVICE", "SHORT_TURN", "SHORT_TURN_TERMINUS", "RT_CONFIRMED",
      ]
    )
    #expect(row.realtimeDeparture == "2026-02-16T09:04:00Z")
  }

  @Test func `M27: the JSON form of a feed gives the same board as its protobuf form`() throws {
    let stage = try line()
    let now = stage.at("2026-02-16 09:35:00")
    let trip = Trip("t", date: day).with(
      Stop(8, "c", departure: .delay(125)),
      Stop(9, "d", .skipped)
    )
    let json = """
      {"header":{"gtfsRealtimeVersion":"2.0","timestamp":"\(now)"},"entity":[{"id":"entity-0",\
      "tripUpdate":{"trip":{"tripId":"t","startDate":"20260216"},"stopTimeUpdate":[\
      {"stopSequence":8,"stopId":"c","departure":{"delay":125}},\
      {"stopSequence":9,"stopId":"d","scheduleRelationship":"SKIPPED"}]}}]}
      """
    let read = try FeedDocument(Array(json.utf8)).tripUpdates()
    let index = RealtimeIndex(read, timetable: stage.feed.timetable, arrivedAt: now)
    let other = try stage.index([trip], at: now)
    for stop in ["a", "c", "d"] {
      let left = try stage.board(stop, at: now, index)
      let right = try stage.board(stop, at: now, other)
      #expect(left.rows == right.rows)
      #expect(left.visibleHash == right.visibleHash)
      #expect(left.rows.contains { $0.hasRealtime } == (stop != "a"))
    }
  }

  @Test func `M28: a trip that one publication omits is kept, and gone when the next omits it too`()
    throws
  {
    let stage = try line()
    let start = stage.at("2026-02-16 09:35:00")
    let update = Trip("t", date: day).with(Stop(8, "c", departure: .delay(300)))
    let first = try stage.index([update], at: start)
    let second = try stage.index([], at: start + 30, previous: first)
    let third = try stage.index([], at: start + 60, previous: second)
    let kept = try #require(
      try stage.shown(stage.board("c", at: start + 50, second)).first
    )
    #expect(kept.delayMin == 5)
    #expect(kept.realtimeFreshness == "ageing")
    #expect(kept.realtimeAt == "2026-02-16T08:35:00Z")
    #expect(second.counters.kept == 1)
    #expect(try stage.shown(stage.board("c", at: start + 60, third)).first?.delayMin == nil)
    #expect(third.version(of: 2) == 0)
  }

  @Test func `M29: an added trip at a station's number is on the boards of the station`() throws {
    let stage = try RealtimeStage(
      [.init("t", ["1 8501120:0:3 12:00:00", "2 x 12:10:00"])],
      stations: ["Parent8501120": ["8501120:0:3"]]
    )
    let now = stage.at("2026-02-16 10:00:00")
    let extra = Trip("e", .added).with(
      Stop(1, "8501120", departure: .time(now + 240)),
      Stop(2, "x", arrival: .time(now + 900))
    )
    let rows = try stage.departures("Parent8501120", at: now, [extra], window: 30)
    #expect(rows.map(\.tripId) == ["e"])
    #expect(rows.first?.destination == "Stop x")
  }
}
