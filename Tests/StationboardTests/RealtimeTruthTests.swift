import Testing
import Timetable

@testable import StationboardServer

/// What a board says of a trip is true of that trip: its delay, its key, its headsign, its stops.
@Suite struct RealtimeTruthTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop
  private typealias Event = RealtimeWire.Event

  private let day = "20260216"

  private func line(
    headsign: String = "Somewhere",
    files: [String: String] = [:]
  ) throws -> RealtimeStage {
    var trip = RealtimeStage.Trip(
      "t",
      ["1 a 10:00:00", "2 b 10:10:00", "3 c 10:20:00", "4 d 10:30:00", "5 e 10:40:00"]
    )
    trip.headsign = headsign
    return try RealtimeStage([trip], files: files)
  }

  private func rows(
    _ stage: RealtimeStage,
    _ stop: String,
    _ updates: Trip...
  ) throws -> [RealtimeStage.Shown] {
    try stage.departures(stop, at: stage.at("2026-02-16 09:50:00"), updates)
  }

  // MARK: Added trips

  private func added(_ stage: RealtimeStage, late delay: Int, from first: Int = 1) -> Trip {
    let start = stage.at("2026-02-16 10:03:00")
    var trip = Trip("new", .added, date: day)
    for number in first...3 {
      let planned = start + Int64(number) * 300
      trip.stops.append(
        Stop(
          number,
          ["a", "b", "c"][number - 1],
          departure: Event(time: planned + Int64(delay), delay: delay)
        )
      )
    }
    return trip.with { $0.route = "S1" }
  }

  @Test func `an added trip with time and delay is as late as the feed says`() throws {
    let stage = try line()
    let row = try #require(try rows(stage, "a", added(stage, late: 240)).last)
    #expect(row.tripId == "new")
    #expect(row.scheduledDeparture == "2026-02-16T09:08:00Z")
    #expect(row.realtimeDeparture == "2026-02-16T09:12:00Z")
    #expect(row.rawDelaySec == 240)
    #expect(row.status == "DELAYED")
    #expect(row.certainty == "exact")
  }

  @Test func `an added trip with only an arrival keeps the delay of that, and absurd ones none`()
    throws
  {
    let stage = try line()
    let time = stage.at("2026-02-16 10:03:00")
    func update(_ event: Event) -> Trip {
      Trip("new", .added, date: day).with(Stop(1, "a", arrival: event), Stop(2, "b"))
    }
    #expect(try rows(stage, "a", update(Event(time: time, delay: 60))).last?.rawDelaySec == 60)
    let absurd = try rows(stage, "a", update(Event(time: time, delay: 100_000))).last
    #expect(absurd?.rawDelaySec == nil)
    #expect(absurd?.certainty == nil)
  }

  @Test func `a row keeps its key while predictions change and stops behind it go`() throws {
    let stage = try line()
    let keys = try [(0, 1), (30, 1), (90, 2), (240, 2)].map { delay, first in
      try rows(stage, "b", added(stage, late: delay, from: first)).last?.key
    }
    #expect(Set(keys) == ["new|b|2026-02-16|2|new"])
  }

  @Test func `without stop_sequence and date a row keeps its key too, past midnight`() throws {
    let stage = try line()
    let start = stage.at("2026-02-16 23:50:00")
    func update(_ stops: [(String, Int64)]) -> Trip {
      var trip = Trip("new", .new)
      trip.stops = stops.map { Stop(nil, $0, departure: .time(start + $1)) }
      return trip
    }
    let whole = update([("a", 0), ("b", 300), ("a", 600), ("c", 900), ("d", 1_200)])
    let index = try stage.index([whole], at: start - 60)
    let first = try stage.shown(stage.board("a", at: start - 60, index, window: 30))
    #expect(first.map(\.key) == ["new|a|2026-02-16|~1|new", "new|a|2026-02-16|~0|new"])
    // Ten minutes later the first stops are no longer in the feed, and it is another day.
    let rest = update([("a", 630), ("c", 960), ("d", 1_200)])
    let later = try stage.index([rest], at: start + 540, previous: index)
    let second = try stage.shown(stage.board("a", at: start + 540, later, window: 30))
    #expect(second.map(\.key) == ["new|a|2026-02-16|~0|new"])
  }

  @Test func `no two rows have one key: runs of two days, copies, new trips of a known id`() throws
  {
    let stage = try line(files: [
      "frequencies.txt": """
      trip_id,start_time,end_time,headway_secs,exact_times
      t,08:00:00,36:00:00,3600,1

      """
    ])
    let now = stage.at("2026-02-17 09:50:00")
    let new = Trip("t", .new, date: "20260217").with(
      Stop(1, "a", departure: .time(now + 600)),
      Stop(5, "e", arrival: .time(now + 900))
    )
    let rows = try stage.departures("a", at: now, [new])
    #expect(rows.count { $0.scheduledDeparture == "2026-02-17T09:00:00Z" } == 3)
    #expect(Set(rows.map(\.key)).count == rows.count)
  }

  // MARK: Headways

  /// Every ten minutes from 9:00 to 12:00, not to the minute.
  private func frequent() throws -> RealtimeStage {
    try line(files: [
      "frequencies.txt": """
      trip_id,start_time,end_time,headway_secs,exact_times
      t,09:00:00,12:00:00,600,0

      """
    ])
  }

  @Test func `a frequency without exact times says how often vehicles come`() throws {
    let stage = try frequent()
    let now = stage.at("2026-02-16 09:50:00")
    let rows = try stage.departures("a", at: now, [], window: 30)
    #expect(rows.count > 2)
    #expect(rows.allSatisfy { $0.certainty == "headway" && $0.headwaySec == 600 })
    let exact = try line(files: [
      "frequencies.txt": """
      trip_id,start_time,end_time,headway_secs,exact_times
      t,09:00:00,12:00:00,600,1

      """
    ])
    let others = try exact.departures("a", at: now, [], window: 30)
    #expect(others.allSatisfy { $0.certainty == "exact" && $0.headwaySec == nil })
  }

  @Test(arguments: ["10:07:00", "00:00:00", "10:10:00", nil] as [String?])
  func `a vehicle takes the place of the nearest run, whatever its start_time`(
    start: String?
  ) throws {
    let stage = try frequent()
    let time = stage.at("2026-02-16 10:07:00")
    let update = Trip("t", .unscheduled, date: day)
      .with(Stop(1, "a", departure: .time(time))).with { $0.start = start }
    let now = stage.at("2026-02-16 10:01:00")
    let index = try stage.index([update], at: now)
    #expect(index.counters.applied == 1)
    let rows = try stage.shown(stage.board("a", at: now, index, window: 30))
    #expect(rows.map(\.startTime) == ["10:10:00", "10:20:00", "10:30:00"])
    #expect(rows[0].realtimeDeparture == "2026-02-16T09:07:00Z")
    // Nothing schedules it to the minute: it is neither late nor early.
    #expect(rows[0].rawDelaySec == nil)
    #expect(rows[0].status == "UNKNOWN")
    #expect(rows[1].realtimeDeparture == nil)
  }

  @Test func `vehicles share no run, and delays count from their own start`() throws {
    let stage = try frequent()
    let now = stage.at("2026-02-16 10:01:00")
    func vehicle(_ start: String, _ delay: Int) -> Trip {
      Trip("t", .unscheduled, date: day).with(Stop(1, departure: .delay(delay))).with {
        $0.start = start
      }
    }
    let index = try stage.index(
      [vehicle("10:09:00", 0), vehicle("10:11:00", 60), vehicle("10:10:00", 30)],
      at: now
    )
    #expect(index.counters.applied == 3)
    let rows = try stage.shown(stage.board("a", at: now, index, window: 30))
    let predicted = rows.compactMap(\.realtimeDeparture).sorted()
    #expect(
      predicted == ["2026-02-16T09:09:00Z", "2026-02-16T09:10:30Z", "2026-02-16T09:12:00Z"]
    )
  }

  // MARK: Properties of scheduled trips

  @Test func `a new headsign of the trip or of one stop is shown`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(
      Stop(1, departure: .delay(60)),
      Stop(2, "b", departure: .delay(60), headsign: "Depot via b")
    ).with { $0.headsign = "Depot" }
    #expect(try rows(stage, "a", update).first?.destination == "Depot")
    #expect(try rows(stage, "b", update).first?.destination == "Depot via b")
    #expect(try rows(stage, "c", update).first?.destination == "Depot")
    #expect(try rows(stage, "a").first?.destination == "Somewhere")
    let now = stage.at("2026-02-16 09:50:00")
    let (with, without) = (
      try stage.index([update], at: now),
      try stage.index([update.with { $0.headsign = nil }], at: now)
    )
    #expect(with.version(of: 0) != without.version(of: 0))
    // Kept for a publication that omits the trip.
    let kept = try stage.index([], at: now + 20, previous: with)
    let board = try stage.shown(stage.board("b", at: now + 20, kept))
    #expect(board.first?.destination == "Depot via b")
  }

  @Test func `a stop without boarding has no departure, and one with boarding has one`()
    throws
  {
    let stage = try RealtimeStage([
      .init("t", ["1 a 10:00:00", "2 b 10:10:00", "3 c 10:20:00 no-pickup", "4 d 10:30:00"])
    ])
    let update = Trip("t", date: day).with(
      Stop(1, departure: .delay(60)),
      Stop(2, "b", departure: .delay(60), pickup: 1),
      Stop(3, "c", departure: .delay(60), pickup: 0),
      Stop(4, "d", arrival: .delay(60), pickup: 0)
    )
    #expect(try rows(stage, "b", update).isEmpty)
    #expect(try rows(stage, "c", update).map(\.rawDelaySec) == [60])
    #expect(try rows(stage, "d", update).isEmpty)
  }

  // MARK: Cancellations end

  @Test func `a cancellation ends with the first publication without it, a delay is kept`() throws {
    let stage = try RealtimeStage([
      .init("t", ["1 a 10:00:00", "2 b 10:10:00"]), .init("u", ["1 a 10:05:00", "2 b 10:15:00"]),
      .init("v", ["1 a 10:06:00", "2 b 10:16:00"]),
      .init("w", ["1 a 10:07:00", "2 c 10:12:00", "3 b 10:17:00"]),
    ])
    let now = stage.at("2026-02-16 09:50:00")
    let index = try stage.index(
      [
        Trip("t", .canceled, date: day), Trip("u", date: day).with(Stop(1, departure: .delay(120))),
        Trip("v", .deleted, date: day),
        Trip("w", date: day).with(Stop(1, departure: .delay(60)), Stop(2, .skipped)),
      ],
      at: now
    )
    let next = try stage.index([], at: now + 20, previous: index)
    let rows = try stage.shown(stage.board("a", at: now + 20, next))
    #expect(rows.map(\.tripId) == ["t", "v", "u", "w"])
    #expect(rows.map(\.cancelled) == [false, false, false, false])
    #expect(rows.map(\.rawDelaySec) == [nil, nil, 120, 60])
    #expect(rows.allSatisfy { $0.skippedStops.isEmpty })
    let skipped = try stage.shown(stage.board("c", at: now + 20, next))
    #expect(skipped.map(\.status) == ["DELAYED"])
  }

  // MARK: Which stop

  @Test(arguments: [(2, "2026-02-16T09:02:00Z", 120), (17, "2026-02-16T09:17:00Z", 120)])
  func `the update of a loop without stop_sequence is of the visit nearest to its time`(
    minute: Int64,
    departure: String,
    delay: Int
  ) throws {
    let stage = try RealtimeStage([
      .init("t", ["1 a 10:00:00", "2 b 10:10:00", "3 a 10:15:00", "4 c 10:30:00"])
    ])
    let time = stage.at("2026-02-16 10:00:00") + minute * 60
    let rows = try rows(
      stage,
      "a",
      Trip("t", date: day).with(Stop(nil, "a", departure: .time(time)))
    )
    let row = try #require(rows.first { $0.realtimeDeparture == departure })
    #expect(row.rawDelaySec == delay)
    #expect(row.stopSequence == (minute < 10 ? 1 : 3))
  }

  @Test func `each update of a late loop has its own visit, in order`() throws {
    let stage = try RealtimeStage([
      .init("t", ["1 a 10:00:00", "2 b 10:10:00", "3 a 10:15:00", "4 c 10:30:00"])
    ])
    let start = stage.at("2026-02-16 10:16:00")
    let rows = try rows(
      stage,
      "a",
      Trip("t", date: day).with(
        Stop(nil, "a", departure: .time(start)),
        Stop(nil, "a", departure: .time(start + 900))
      )
    )
    #expect(rows.map(\.rawDelaySec) == [960, 960])
  }

  @Test func `a right stop_sequence counts with a stop_id that means nothing`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(Stop(2, "nowhere", departure: .delay(180)))
    let row = try #require(try rows(stage, "b", update).first)
    #expect(row.rawDelaySec == 180)
    #expect(!row.platformChanged)
    let unlinked = Trip("t", date: day).with(Stop(9, "nowhere", departure: .delay(180)))
    let index = try stage.index([unlinked], at: stage.at("2026-02-16 09:50:00"))
    #expect(index.counters.unlinkedStops == 1)
  }

  // MARK: Which day

  @Test(arguments: [("20260216", 1), ("20260217", 1), ("20260218", 0), ("20991231", 0)])
  func `an update without a date is of no day farther away than one`(
    date: String,
    count: Int
  ) throws {
    let stage = try line(files: [
      "calendar.txt": """
      service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
      daily,1,1,1,1,1,1,1,\(date),\(date)

      """
    ])
    let update = Trip("t").with(Stop(1, departure: .delay(60)))
    let index = try stage.index([update], at: stage.at("2026-02-16 12:00:00"))
    #expect(index.counters.applied == count)
    #expect(index.counters.withoutEffect == (count == 1 ? [:] : [.notRunning: 1]))
  }

  // MARK: Stops left out

  @Test func `stops that a trip leaves out are named, and it does not end early for them`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(Stop(2, .skipped), Stop(4, .skipped))
    let first = try #require(try rows(stage, "a", update).first)
    #expect(first.skippedStops == ["Stop b", "Stop d"])
    #expect(first.endsAt == nil)
    #expect(first.flags.isEmpty)
    #expect(try rows(stage, "c", update).first?.skippedStops == ["Stop d"])
    #expect(try rows(stage, "d", update).first?.skippedStops == [])
  }

  @Test func `a row whose own stop is left out is never the terminus`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(Stop(4, .skipped), Stop(5, .skipped))
    let row = try #require(try rows(stage, "d", update).first)
    #expect(row.endsAt == "Stop c")
    #expect(row.skippedStops.isEmpty)
    #expect(row.flags == ["STOP_SKIPPED", "SHORT_TURN"])
    let alone = Trip("t", date: day).with(Stop(1, .skipped), Stop(5, .skipped))
    #expect(try rows(stage, "a", alone).first?.endsAt == "Stop d")
  }

  @Test func `without a headsign a trip goes to the last stop that it serves`() throws {
    let stage = try line(headsign: "")
    let update = Trip("t", date: day).with(Stop(4, .skipped), Stop(5, .skipped))
    func destinations(_ update: Trip) throws -> [String?] {
      try ["a", "b", "c", "d"].map { try rows(stage, $0, update).first?.destination }
    }
    #expect(try destinations(Trip("t", date: day)) == Array(repeating: "Stop e", count: 4))
    // At the terminus and at a skipped stop boarding is not possible: the row shows the scheduled departure.
    #expect(try destinations(update) == ["Stop c", "Stop c", "Stop e", "Stop e"])
    let onTheWay = Trip("t", date: day).with(Stop(3, .skipped))
    #expect(try destinations(onTheWay) == Array(repeating: "Stop e", count: 4))
  }

  @Test func `the new terminus is named`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(
      Stop(2, .skipped),
      Stop(4, .skipped),
      Stop(5, .skipped)
    )
    let first = try #require(try rows(stage, "a", update).first)
    #expect(first.endsAt == "Stop c")
    #expect(first.skippedStops == ["Stop b"])
    #expect(first.flags == ["SHORT_TURN"])
    let last = try #require(try rows(stage, "c", update).first)
    #expect(last.endsAt == "Stop c")
    #expect(last.flags == ["SHORT_TURN", "SHORT_TURN_TERMINUS"])
    let now = stage.at("2026-02-16 09:50:00")
    let other = Trip("t", date: day).with(Stop(3, .skipped), Stop(4, .skipped), Stop(5, .skipped))
    #expect(
      try stage.index([update], at: now).version(of: 0)
        != stage.index([other], at: now).version(of: 0)
    )
  }
}
