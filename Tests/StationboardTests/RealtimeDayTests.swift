import Testing
import Timetable

@testable import StationboardServer

/// Which service day an update is of: clock changes, trips past midnight, updates without a date.
@Suite struct RealtimeDayTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  private func late(_ trip: String = "n", date: String? = nil, start: String? = nil) -> Trip {
    Trip(trip, date: date).with(Stop(1, departure: .delay(180))).with { $0.start = start }
  }

  /// A trip at 24:30 of every day, and one at 25:30 of Mondays.
  private func nights() throws -> RealtimeStage {
    try RealtimeStage([
      .init("n", ["1 a 24:30:00", "2 b 24:50:00"]),
      .init("m", ["1 c 25:30:00", "2 b 25:50:00"], service: "mondays"),
    ])
  }

  private func days(_ stage: RealtimeStage, _ stop: String, _ update: Trip) throws -> [String] {
    let now = stage.at("2026-02-17 00:10:00")
    let index = try stage.index([update], at: now)
    return try stage.shown(stage.board(stop, at: now - 86_400, index, window: 720 * 5))
      .filter { $0.delayMin == 3 }.map(\.serviceDate)
  }

  @Test func `start_date is the service day, also of a trip past midnight`() throws {
    #expect(try days(nights(), "a", late(date: "20260216")) == ["2026-02-16"])
    #expect(try days(nights(), "a", late(date: "20260217")) == ["2026-02-17"])
  }

  @Test func `start_date and start_time together name an instant, 0:30 of the day after`() throws {
    #expect(try days(nights(), "a", late(date: "20260217", start: "00:30:00")) == ["2026-02-16"])
    #expect(try days(nights(), "a", late(date: "20260216", start: "24:30:00")) == ["2026-02-16"])
  }

  @Test func `the calendar date of a trip past midnight means the service day before`() throws {
    #expect(try days(nights(), "c", late("m", date: "20260217")) == ["2026-02-16"])
    #expect(try days(nights(), "c", late("m", date: "20260216")) == ["2026-02-16"])
  }

  @Test func `a date on which the trip does not run matches nothing, and is counted`() throws {
    let stage = try nights()
    #expect(try days(stage, "c", late("m", date: "20260218")).isEmpty)
    let now = stage.at("2026-02-17 00:10:00")
    let counters = try stage.index([late("m", date: "20260218")], at: now).counters
    #expect(counters.withoutEffect == [.notRunning: 1])
    #expect(counters.unmatched == 1)
    #expect(counters.discarded == 0)
    #expect(counters.examples.first?.trip == "m")
    #expect(counters.examples.first?.startDate == "2026-02-18")
  }

  @Test func `without a date the service day nearest to the timestamp is meant`() throws {
    let stage = try RealtimeStage([.init("n", ["1 a 23:50:00", "2 b 24:20:00"])])
    for (instant, day) in [
      ("2026-02-17 00:10:00", "2026-02-16"), ("2026-02-17 11:00:00", "2026-02-16"),
      ("2026-02-17 13:00:00", "2026-02-17"),
    ] {
      let now = stage.at(instant)
      let index = try stage.index([late()], at: now)
      let rows = try stage.shown(stage.board("a", at: now - 86_400, index, window: 720 * 5))
      #expect(rows.filter { $0.delayMin != nil }.map(\.serviceDate) == [day], "\(instant)")
    }
  }

  @Test func `without a date a trip of Mondays means the Monday that is at most a day away`() throws
  {
    let stage = try nights()
    let trip = try #require(stage.feed.timetable.trips(id: "m").first)
    for (instant, isMonday) in [
      ("16 01:20:00", false), ("16 01:40:00", true), ("18 01:40:00", true), ("19 12:00:00", false),
    ] {
      let index = try stage.index([late("m")], at: stage.at("2026-02-\(instant)"))
      #expect(index.touches(trip, day: 20_500) == isMonday, "\(instant)")
      #expect(index.counters.withoutEffect == (isMonday ? [:] : [.notRunning: 1]))
    }
  }

  @Test func `two updates of one trip are of two service days`() throws {
    let stage = try nights()
    let now = stage.at("2026-02-17 00:10:00")
    let cancelled = Trip("n", .canceled, date: "20260217")
    let index = try stage.index([late(date: "20260216"), cancelled], at: now)
    let rows = try stage.shown(stage.board("a", at: now, index, window: 720 * 3))
    #expect(rows.map(\.serviceDate) == ["2026-02-16", "2026-02-17"])
    #expect(rows.map(\.delayMin) == [3, nil])
    #expect(rows.map(\.cancelled) == [false, true])
  }

  @Test(arguments: [
    // Clocks go from 2:00 to 3:00: times count from noon minus 12 h, which is 23:00 the day before.
    ("20260329", "2026-03-29 00:00:00", "2026-03-29T01:30:00Z"),
    // Clocks go from 3:00 back to 2:00: 0:00 of the service day is 1:00 on the clock.
    ("20261025", "2026-10-25 00:00:00", "2026-10-25T02:30:00Z"),
  ])
  func `delays count from the true schedule in the nights of the clock change`(
    date: String,
    from: String,
    departure: String
  ) throws {
    let stage = try RealtimeStage([.init("n", ["1 a 03:30:00", "2 b 04:00:00"])])
    let row = try #require(
      try stage.departures("a", at: stage.at(from), [late(date: date)], window: 720).first
    )
    #expect(row.scheduledDeparture == departure)
    #expect(row.rawDelaySec == 180)
    let time = try stage.departures(
      "a",
      at: stage.at(from),
      [Trip("n", date: date).with(Stop(1, departure: .time(stage.at(from))))],
      window: 720
    )
    #expect(time.allSatisfy { $0.realtimeDeparture != $0.scheduledDeparture })
  }

  @Test func `in the night of the clock change yesterday's trips past 24:00 keep their delay`()
    throws
  {
    let stage = try RealtimeStage([.init("n", ["1 a 26:30:00", "2 b 27:00:00"])])
    let now = stage.at("2026-03-29 01:00:00")
    let row = try #require(
      try stage.departures("a", at: now, [late(date: "20260328")]).first
    )
    // 2:30 does not exist in this night; the trip leaves 26 and a half hours after Saturday's 0:00.
    #expect(row.scheduledDeparture == "2026-03-29T01:30:00Z")
    #expect(row.realtimeDeparture == "2026-03-29T01:33:00Z")
    #expect(row.serviceDate == "2026-03-28")
  }

  // MARK: Frequencies

  /// Every 15 minutes from 8:00 to 9:00, and from 24:30 to 25:00, to the minute.
  private func frequencies() throws -> RealtimeStage {
    try RealtimeStage(
      [.init("f", ["1 a 08:00:00", "2 b 08:10:00", "3 c 08:20:00"])],
      files: [
        "frequencies.txt": """
        trip_id,start_time,end_time,headway_secs,exact_times
        f,08:00:00,09:00:00,900,1
        f,24:30:00,25:00:00,900,1

        """
      ]
    )
  }

  @Test func `a run of a frequency is told by its start time`() throws {
    let stage = try frequencies()
    let update = Trip("f", .unscheduled, date: "20260216").with(
      Stop(2, "b", departure: .time(stage.at("2026-02-16 08:26:00")), .unscheduled)
    ).with { $0.start = "08:15:00" }
    let rows = try stage.departures("b", at: stage.at("2026-02-16 08:00:00"), [update], window: 60)
    #expect(rows.map(\.startTime) == ["08:00:00", "08:15:00", "08:30:00", "08:45:00"])
    #expect(rows.map(\.rawDelaySec) == [nil, 60, nil, nil])
  }

  @Test(arguments: [nil, "08:20:00"])
  func `without a start time, or with one at which no run starts, a frequency matches nothing`(
    start: String?
  ) throws {
    let stage = try frequencies()
    let update = late("f", date: "20260216", start: start)
    let index = try stage.index([update], at: stage.at("2026-02-16 08:00:00"))
    #expect(index.counters.withoutEffect == [.unknownStart: 1])
    #expect(index.version(of: 0) == 0)
  }

  @Test func `a run past midnight is found by either way to write its start`() throws {
    let stage = try frequencies()
    let now = stage.at("2026-02-17 00:20:00")
    for (date, start) in [("20260216", "24:30:00"), ("20260217", "00:30:00")] {
      let rows = try stage.departures(
        "a",
        at: now,
        [late("f", date: date, start: start)],
        window: 60
      )
      #expect(rows.map(\.rawDelaySec) == [180, nil], "\(date) \(start)")
      #expect(rows.first?.serviceDate == "2026-02-16")
    }
  }

  // MARK: Trips without an id

  private func byStart(_ change: (inout Trip) -> Void = { _ in }) -> Trip {
    Trip(nil, date: "20260216").with(Stop(nil, "a", departure: .delay(180))).with {
      $0.route = "R1"
      $0.start = "08:00:00"
      $0.direction = 1
    }.with(change)
  }

  private func directions() throws -> RealtimeStage {
    var there = RealtimeStage.Trip("there", ["1 a 08:00:00", "2 b 08:10:00"])
    there.direction = "0"
    var back = RealtimeStage.Trip("back", ["1 a 08:00:00", "2 c 08:10:00"])
    back.direction = "1"
    return try RealtimeStage([there, back])
  }

  @Test func `a trip is told by route, direction, start time and date`() throws {
    let stage = try directions()
    let rows = try stage.departures("a", at: stage.at("2026-02-16 07:50:00"), [byStart()])
    #expect(rows.first { $0.tripId == "back" }?.delayMin == 3)
    #expect(rows.first { $0.tripId == "there" }?.delayMin == nil)
  }

  @Test func `what names several trips, or not enough, matches none`() throws {
    let stage = try directions()
    let updates: [(Trip, RealtimeCounters.Reason)] = [
      (byStart { $0.direction = nil }, .ambiguous), (byStart { $0.date = nil }, .noTrip),
      (byStart { $0.start = nil }, .noTrip), (byStart { $0.route = nil }, .noTrip),
      (byStart { $0.start = "08:01:00" }, .unknownTrip),
      (byStart { $0.route = "R9" }, .unknownTrip),
      (byStart { $0.date = "20270216" }, .unknownTrip),
    ]
    for (update, reason) in updates {
      let index = try stage.index([update], at: stage.at("2026-02-16 07:50:00"))
      #expect(index.counters.withoutEffect == [reason: 1])
      #expect(index.counters.unmatched == 1)
    }
  }

  @Test func `the Swiss original_trip_id is used when the trip id is unknown`() throws {
    let stage = try nights()
    let update = late("gone", date: "20260216").with { $0.original = "n" }
    #expect(try days(stage, "a", update) == ["2026-02-16"])
    #expect(try days(stage, "a", late("gone", date: "20260216")).isEmpty)
  }
}
