import GTFSRealtime
import Hashing
import NIOCore
import Testing
import Timetable

@testable import StationboardServer

/// Every trip update is counted in one place, and what is counted without effect has none.
@Suite struct RealtimeCountersTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop
  private typealias Event = RealtimeWire.Event

  private let day = "20260216"

  private func stage() throws -> RealtimeStage {
    var trips = (0..<4).map { number in
      RealtimeStage.Trip(
        "t\(number)",
        [
          "1 a 10:0\(number):00", "2 b 10:1\(number):00", "3 c 10:2\(number):00",
          "4 a 10:3\(number):00",
        ]
      )
    }
    trips.append(.init("monday", ["1 a 11:00:00", "2 b 11:10:00"], service: "mondays"))
    trips.append(.init("every", ["1 b 06:00:00", "2 c 06:10:00", "3 d 06:20:00"]))
    return try RealtimeStage(
      trips,
      files: [
        "frequencies.txt": """
        trip_id,start_time,end_time,headway_secs,exact_times
        every,09:00:00,12:00:00,600,1

        """
      ]
    )
  }

  private func update(_ numbers: inout SplitMix64, at now: Int64) -> Trip {
    let kinds: [RealtimeWire.TripRelationship?] = [
      nil, nil, .scheduled, .added, .unscheduled, .canceled, .undefined, .replacement, .duplicated,
      .deleted, .new,
    ]
    let ids = ["t0", "t1", "t2", "t3", "monday", "every", "gone", "x", nil]
    var trip = Trip(numbers.one(of: ids), numbers.one(of: kinds))
    trip.date = numbers.one(of: [day, day, "20260217", "20991231", nil])
    trip.start = numbers.one(of: [nil, nil, "10:00:00", "10:30:00", "23:00:00"])
    trip.route = numbers.one(of: [nil, nil, "R1", "gone"])
    trip.delay = numbers.one(of: [nil, nil, nil, 60, 999_999])
    trip.modifies = numbers.one(of: Array(repeating: nil, count: 9) + ["m"])
    trip.newDate = numbers.one(of: [nil, day])
    trip.headsign = numbers.one(of: Array(repeating: nil, count: 5) + ["Elsewhere"])
    // An id that is too long cannot be read.
    if numbers.one(of: Array(repeating: false, count: 12) + [true]) {
      trip.trip = String(repeating: "x", count: 5_000)
    }
    let relationships: [RealtimeWire.StopRelationship?] = [nil, nil, nil, .skipped, .noData]
    for _ in 0..<Int.random(in: 0...4, using: &numbers) {
      var stop = Stop(
        numbers.one(of: [nil, 1, 2, 3, 4, 9]),
        numbers.one(of: [nil, "a", "b", "c", "d", "gone"]),
        departure: numbers.one(of: [
          nil, .delay(0), .delay(120), .delay(999_999), .time(now + 600), .time(1),
        ]),
        numbers.one(of: relationships)
      )
      stop.arrival = numbers.one(of: [nil, nil, .delay(30)])
      stop.assigned = numbers.one(of: [nil, nil, nil, "d", "gone"])
      stop.headsign = numbers.one(of: [nil, nil, nil, "Here"])
      stop.pickup = numbers.one(of: [nil, nil, nil, 1, 0])
      trip.stops.append(stop)
    }
    return trip
  }

  private func classes(_ counters: RealtimeCounters) -> Int {
    counters.applied + counters.duplicated + counters.replaced + counters.cancelled
      + counters.deleted
      + counters.added + counters.withoutEffect.values.reduce(0, +)
  }

  /// Everything that boards and trips show with an index.
  private func shown(
    _ stage: RealtimeStage,
    at now: Int64,
    _ index: RealtimeIndex?
  ) throws -> [String] {
    var shown: [String] = []
    for stop in ["a", "b", "c", "d"] {
      let board = try stage.board(stop, at: now, index, window: 300)
      let writer = DepartureRows(feed: stage.feed, language: nil, realtime: board.realtime)
      for (place, row) in board.rows.enumerated() {
        var json = JSONBytes()
        writer.write(row, at: place, &json)
        shown.append(String(buffer: json.buffer))
      }
    }
    for trip in 0..<UInt32(stage.feed.timetable.tripCount) {
      guard let details = index?.details(of: trip, day: 20_500) else { continue }
      shown += (0..<4).compactMap { place in
        details.arrival(at: place).map { "\(trip) \(place) \($0)" }
      }
    }
    return shown
  }

  @Test(arguments: 0..<10)
  func `the classes add up to the entities of the feed`(seed: UInt64) throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:50:00")
    var numbers = SplitMix64(seed: seed)
    let updates = (0..<200).map { _ in update(&numbers, at: now) }
    let feed = try TripUpdateFeed(protobuf: RealtimeWire.feed(updates, at: now))
    #expect(feed.counters.total == updates.count)
    for parts in [1, 2] {
      var builder = RealtimeBuilder(
        feed,
        TimetableDirectory(stage.feed.timetable),
        arrivedAt: now,
        .standard
      )
      builder.build(after: nil, parts: parts)
      #expect(builder.counters.received == updates.count)
      #expect(classes(builder.counters) == updates.count)
      #expect(
        builder.counters.withoutEffect[.unreadable, default: 0] == feed.counters.rejectedTotal
      )
    }
    // What the answers say adds up too.
    let index = try stage.index(updates, at: now)
    let coverage = try #require(try stage.board("a", at: now, index).coverage)
    #expect(
      coverage.matched + coverage.added + coverage.withoutEffect.values.reduce(0, +)
        == coverage.received
    )
  }

  @Test func `each reason is told in words of its own`() {
    let updates = RealtimeCounters.Reason.allCases
    #expect(Set(updates.map(\.explanation)).count == updates.count)
    #expect(updates.allSatisfy { $0.sentence.hasSuffix(" (\($0.rawValue))") })
    let selectors = AlertCounters.Reason.allCases
    #expect(Set(selectors.map(\.explanation)).count == selectors.count)
    #expect(selectors.allSatisfy { $0.sentence.hasSuffix(" (\($0.rawValue))") })
  }

  @Test(arguments: 0..<10)
  func `an update that is counted without effect changes nothing, and every other one something`(
    seed: UInt64
  ) throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:50:00")
    #expect(try stage.index([], at: now).counters.received == 0)
    var numbers = SplitMix64(seed: seed &+ 1_000)
    let plain = try shown(stage, at: now, nil)
    var effects: [Bool: Int] = [:]
    for _ in 0..<100 {
      let update = update(&numbers, at: now)
      let index = try stage.index([update], at: now)
      let hasEffect = index.counters.withoutEffect.isEmpty
      effects[hasEffect, default: 0] += 1
      let changed = try shown(stage, at: now, index) != plain
      // Of another day, of no stop of the timetable, or cancelled where boarding is not possible: not on these boards.
      let isElsewhere =
        hasEffect
        && index.trips.allSatisfy { trip in
          trip.day != 20_500 || trip.extra >= 0 || trip.kind == .replaced
        }
      #expect(changed == hasEffect || isElsewhere, "\(update) \(index.counters)")
    }
    #expect(effects.values.allSatisfy { $0 > 20 } && effects.count == 2)
  }

  @Test
  func `an update that matches and says nothing is not live data, nor a sign of a new timetable`()
    throws
  {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:50:00")
    let silent = [
      Trip("t0", date: day), Trip("t1", date: day).with(Stop(1, .noData)),
      Trip("t2", date: day).with(Stop(9, "gone", departure: .delay(60))),
      Trip("t3", date: day).with(Stop(1, departure: .delay(999_999))),
    ]
    let counters = try stage.index(silent, at: now).counters
    #expect(counters.matched == 0)
    // A trip of which no stop is known is one of another timetable.
    #expect(counters.withoutEffect == [.saysNothing: 3, .unknownStop: 1])
    #expect(counters.match == .some)
    #expect(try stage.index([silent[2]], at: now).counters.match == .nothing)
    let withUnknown = try stage.index(silent + [Trip("gone", date: day)], at: now).counters
    #expect(withUnknown.match == .some)
    let nowhere = Trip("n", .new, date: day).with(Stop(1, "gone", departure: .time(now)))
    #expect(try stage.index([nowhere], at: now).counters.withoutEffect == [.noStopTimes: 1])
  }
}
