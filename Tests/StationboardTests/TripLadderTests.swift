import GTFS
import GTFSRealtime
import Testing
import Timetable

@testable import StationboardServer

/// Trip updates whose ids the timetable does not have find their trip if it is the only one that fits, and none otherwise.
@Suite struct TripLadderTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  private let day = "20260216"

  /// Trips `n/0` to `n/19` from a over b to c, one every ten minutes from 8:00.
  private func stage(version: String = "", modifiedAt: Int64? = nil) throws -> RealtimeStage {
    let trips = (0..<20).map { number in
      let first = 480 + number * 10
      func time(_ minutes: Int) -> String {
        let (hour, minute) = ((first + minutes) / 60, (first + minutes) % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute):00"
      }
      return RealtimeStage.Trip(
        "n/\(number)",
        ["1 a \(time(0))", "2 b \(time(5))", "3 c \(time(9))"]
      )
    }
    let info = """
      feed_publisher_name,feed_publisher_url,feed_lang,feed_version
      P,http://p,en,\(version)

      """
    return try RealtimeStage(
      trips,
      files: version.isEmpty ? [:] : ["feed_info.txt": info],
      modifiedAt: modifiedAt
    )
  }

  /// An update of the trip with a number, two minutes late, as a careful producer writes it.
  private func update(_ id: String?, _ number: Int, _ stage: RealtimeStage) -> Trip {
    let start = stage.at("2026-02-16 08:00:00") + Int64(number) * 600
    var trip = Trip(id, date: day)
    trip.route = "R1"
    let (hour, minute) = (8 + number / 6, number % 6)
    trip.start = "\(hour < 10 ? "0" : "")\(hour):\(minute)0:00"
    trip.stops = [
      Stop(1, "a", departure: .time(start + 120)),
      Stop(2, "b", departure: .init(time: start + 420, delay: 120)),
      Stop(3, "c", arrival: .time(start + 660)),
    ]
    return trip
  }

  private func bare(_ id: String, _ number: Int, _ stage: RealtimeStage) -> Trip {
    update(id, number, stage).with { trip in
      trip.route = nil
      trip.start = nil
      trip.date = nil
    }
  }

  private func index(
    _ stage: RealtimeStage,
    _ trips: [Trip],
    previous: RealtimeIndex? = nil
  ) throws -> RealtimeIndex {
    try stage.index(trips, at: stage.at("2026-02-16 09:30:00"), previous: previous)
  }

  /// The numbers of the trips of the timetable with realtime, in the order of the index.
  private func found(_ index: RealtimeIndex) -> [String] {
    index.trips.map { String(decoding: index.timetable.tripId(of: $0.trip), as: UTF8.self) }
  }

  // MARK: Route, start and last stop

  @Test func `an id of an older export is found by route, start, date and last stop`() throws {
    let stage = try stage()
    let index = try index(stage, [update("old-1", 3, stage), update("n/4", 4, stage)])
    #expect(found(index).sorted() == ["n/3", "n/4"])
    #expect(index.counters.matched == 2)
    #expect(index.counters.byRung == [.start: 1])
    #expect(index.counters.proofs.map(\.given) == ["old-1"])
    #expect(index.counters.proofs.map(\.found) == ["n/3"])
    let shown = try stage.shown(stage.board("b", at: stage.at("2026-02-16 08:34:00"), index))
    #expect(shown.first?.rawDelaySec == 120)
  }

  @Test func `whatever contradicts the trip leaves the update without one`() throws {
    let stage = try stage()
    let late = stage.at("2026-02-16 08:30:00") + 4 * 3_600
    // Eleven minutes before the vehicle may leave: it is of a trip before.
    let early = stage.at("2026-02-16 08:35:00") - 660
    let flaws: [(inout Trip) -> Void] = [
      { $0.route = "S1" },
      { $0.route = nil },
      { $0.start = "08:31:00" },
      { $0.start = nil },
      { $0.date = "20270216" },
      { $0.date = nil },
      { $0.stops.removeLast() },
      { $0.stops = [] },
      { $0.stops.swapAt(0, 1) },
      { $0.stops[1].sequence = 7 },
      { $0.stops[1].stop = "a" },
      { $0.stops[1].stop = "gone" },
      { $0.stops[1].departure = .time(late) },
      { $0.stops[1].departure = .time(early) },
      { $0.stops[1].departure?.delay = 900 },
      { $0.stops[1].departure = .time(.min) },
      { $0.stops[2].stop = nil },
    ]
    for (number, flaw) in flaws.enumerated() {
      let index = try index(stage, [update("old-1", 3, stage).with(flaw)])
      #expect(index.counters.matched == 0, "flaw \(number)")
      #expect(index.counters.withoutEffect == [.unknownTrip: 1], "flaw \(number)")
    }
  }

  @Test func `of two trips that fit none is taken`() throws {
    let calls = ["1 a 08:00:00", "2 b 08:05:00", "3 c 08:09:00"]
    let stage = try RealtimeStage([.init("x", calls), .init("y", calls)])
    let index = try index(stage, [update("old", 0, stage)])
    #expect(index.counters.withoutEffect == [.ambiguous: 1])
    // Of trips without an id, too, the last stop decides.
    let other = try RealtimeStage([.init("x", calls), .init("y", Array(calls.prefix(2)))])
    let without = try self.index(other, [update(nil, 0, other)])
    #expect(found(without) == ["x"])
    #expect(without.counters.byRung == [.start: 1])
  }

  @Test func `one trip is not taken by two updates`() throws {
    let stage = try stage()
    let claimed = try index(stage, [update("old", 3, stage), update("n/3", 3, stage)])
    #expect(claimed.counters.withoutEffect == [.claimed: 1])
    #expect(claimed.counters.matched == 1)
    #expect(claimed.counters.byRung.isEmpty)
    let both = try index(stage, [update("old", 3, stage), update("older", 3, stage)])
    #expect(both.counters.withoutEffect == [.ambiguous: 2])
    // The same update twice is one.
    let twice = try index(stage, [update("old", 3, stage), update("old", 3, stage)])
    #expect(twice.counters.withoutEffect == [.repeated: 1])
    #expect(twice.counters.matched == 1)
  }

  @Test func `an update of the night is found on the service day before`() throws {
    let stage = try RealtimeStage([
      .init("x", ["1 a 24:30:00", "2 b 24:35:00", "3 c 24:39:00"])
    ])
    let start = stage.at("2026-02-16 00:30:00")
    let trip = update("old", 0, stage).with { trip in
      trip.start = "00:30:00"
      trip.stops = [
        Stop(nil, "a", departure: .time(start)), Stop(nil, "c", arrival: .time(start + 540)),
      ]
    }
    let index = try stage.index([trip], at: start)
    let before = try #require(ServiceDate(year: 2026, month: 2, day: 15))
    #expect(index.trips.map(\.day) == [Int32(before.daysSinceEpoch)])
  }

  // MARK: A part of the ids

  @Test(arguments: [
    ("v2:", ""), ("", "_20260216"), ("agency:v2-", ""), ("", "-a.b"),
  ])
  func `a prefix or suffix of most ids is learned`(prefix: String, suffix: String) throws {
    let stage = try stage()
    let updates = (0..<15).map { bare("\(prefix)n/\($0)\(suffix)", $0, stage) }
    let index = try index(stage, updates)
    #expect(index.counters.matched == 15)
    #expect(index.counters.byRung == [.affix: 15])
    #expect(found(index) == (0..<15).map { "n/\($0)" })
  }

  @Test func `a version in the middle of the ids is learned`() throws {
    let trips = (0..<12).map { number in
      RealtimeStage.Trip("L-42-\(number)", ["1 a 08:0\(number % 10):00", "2 b 09:00:00"])
    }
    let stage = try RealtimeStage(trips)
    let now = stage.at("2026-02-16 08:00:00")
    let updates = (0..<12).map { number in
      Trip("L-41-\(number)").with(Stop(1, "a", departure: .time(now + Int64(number % 10) * 60)))
    }
    let index = try stage.index(updates, at: now)
    #expect(index.counters.byRung == [.affix: 12])
    #expect(index.renamings.renamings.map(\.place) == [.part(2)])
  }

  @Test func `nothing is learned from a few ids, or from ids whose stops do not fit`() throws {
    let stage = try stage()
    let few = try index(stage, (0..<9).map { bare("v2:n/\($0)", $0, stage) })
    #expect(few.counters.withoutEffect == [.unknownTrip: 9])
    // The ids of other trips: they are known, and their times hours away.
    let wrong = (0..<19).map { number in
      bare("v2:n/\(number)", number, stage).with { trip in
        for place in trip.stops.indices {
          trip.stops[place].departure?.time? += 5 * 3_600
          trip.stops[place].arrival?.time? += 5 * 3_600
        }
      }
    }
    #expect(try index(stage, wrong).counters.matched == 0)
    // Updates that say nothing of the stop but its number would fit any trip.
    let vague = (0..<19).map { Trip("v2:n/\($0)").with(Stop(1, departure: .delay(60))) }
    #expect(try index(stage, vague).counters.matched == 0)
    let numbered = (0..<19).map { Trip("other/\($0)").with(Stop(1, "a", departure: .delay(60))) }
    #expect(try index(stage, numbered).counters.matched == 0)
    // A large share of the unknown ids must differ in this way.
    let others = (0..<40).map { bare("other\($0)x", $0 % 20, stage) }
    let mixed = try index(stage, (0..<10).map { bare("v2:n/\($0)", $0, stage) } + others)
    #expect(mixed.counters.matched == 0)
  }

  @Test func `what was learned holds in the next publication, also for a few ids of it`() throws {
    let stage = try stage()
    let first = try index(stage, (0..<15).map { bare("v2:n/\($0)", $0, stage) })
    let second = try index(
      stage,
      (2..<14).map { bare("v2:n/\($0)", $0, stage) },
      previous: first
    )
    #expect(second.counters.byRung == [.affix: 12])
    // It is forgotten when it no longer proves itself.
    let third = try index(stage, [bare("v2:n/1", 1, stage)], previous: second)
    #expect(third.renamings.renamings.isEmpty)
  }

  @Test func `after a failed attempt the next one waits`() throws {
    let stage = try stage()
    let updates = (0..<12).map { bare("other\($0)x", $0, stage) }
    var last: RealtimeIndex?
    var pauses: [Int] = []
    for _ in 0..<5 {
      let next = try index(stage, updates, previous: last)
      pauses.append(next.renamings.pause)
      last = next
    }
    #expect(pauses == [1, 0, 2, 1, 0])
  }

  @Test func `an id that can be renamed in two ways matches nothing`() throws {
    let policy = RealtimePolicy.standard
    let id = try #require(CutID("v2:n/1_x".utf8, policy))
    #expect(id.count == 8)
    let prefix = TripRenaming(place: .prefix, given: Array("v2:".utf8), own: [])
    #expect(prefix.apply(id) == Array("n/1_x".utf8))
    let suffix = TripRenaming(place: .suffix, given: Array("_x".utf8), own: Array("_y".utf8))
    #expect(suffix.apply(id) == Array("v2:n/1_y".utf8))
    let part = TripRenaming(place: .part(3), given: Array("n".utf8), own: Array("m".utf8))
    #expect(part.apply(id) == Array("v2:m/1_x".utf8))
    // Not in the middle of a part, and never the whole id.
    #expect(TripRenaming(place: .prefix, given: Array("v2:n/1_x".utf8), own: []).apply(id) == nil)
    let inner = try #require(CutID("v25".utf8, policy))
    #expect(TripRenaming(place: .prefix, given: Array("v2".utf8), own: []).apply(inner) == nil)
    #expect(CutID([UInt8](repeating: 0x61, count: policy.longestRenamedID + 1), policy) == nil)
    #expect(CutID([UInt8](repeating: 0x2D, count: policy.mostIDParts + 1), policy) == nil)
    #expect(CutID([], policy) == nil)
  }

  // MARK: What is said of it

  @Test func `the report names lines, reasons and an older timetable`() throws {
    let stage = try stage(version: "2026-01-09 18:50:16")
    let updates =
      (0..<6).map { update("n/\($0)", $0, stage) }
      + (0..<5).map { bare("gone\($0)x", $0, stage).with { $0.route = "R1" } }
    let index = try index(stage, updates)
    let report = MatchReport(index, of: stage.feed, leastPercent: 80)
    #expect(report.status == .matchesLittle)
    #expect(MatchReport(index, of: stage.feed, leastPercent: 50).status == .ok)
    #expect(report.lines.map { [$0.matched, $0.unmatched] } == [[6, 5]])
    #expect(
      report.hint
        == "5 of 11 trip updates name trips that this timetable does not have; the timetable is from 2026-01-09, the feed from 2026-02-16"
    )
    #expect(report.sentences.first == "6 of 11 trip updates match a trip of the timetable")
    // Of a few updates no share is judged.
    let small = try self.index(stage, Array(updates[5..<8]))
    #expect(MatchReport(small, of: stage.feed, leastPercent: 80).status == .ok)
    let nothing = try self.index(stage, Array(updates[6..<8]))
    #expect(MatchReport(nothing, of: stage.feed, leastPercent: 0).status == .matchesNothing)
  }

  /// feed_version, Last-Modified, and the date of the timetable if it is before the realtime, which is of 2026-02-16.
  static let ages: [(version: String, modifiedAt: Int64?, date: String?)] = [
    ("", 1_767_960_000, "2026-01-09"),
    // 23:30 UTC is the next day in Zurich.
    ("", 1_768_001_400, "2026-01-10"), ("v7", 1_767_960_000, "2026-01-09"),
    ("", 1_771_239_600, nil), ("", nil, nil), ("v7", nil, nil),
    ("2026-01-02", 1_767_960_000, "2026-01-02"), ("2026-02-16", 1_767_960_000, nil),
  ]

  @Test(arguments: ages)
  func `without a date in its version a timetable is as old as its file`(
    version: String,
    modifiedAt: Int64?,
    date: String?
  ) throws {
    let stage = try stage(version: version, modifiedAt: modifiedAt)
    let index = try index(stage, [bare("gone", 3, stage)])
    let hint = MatchReport(index, of: stage.feed, leastPercent: 80).hint
    let said = date.map {
      "1 of 1 trip updates name trips that this timetable does not have; the timetable is from \($0), the feed from 2026-02-16"
    }
    #expect(hint == said)
  }

  @Test func `the date of a version is read in its usual spellings`() throws {
    let dates = [
      "2023-03-09 18:50:16": "2023-03-09", "1/20251230 16:02:18/20251231": "2025-12-30",
      "v12345678": nil, "": nil, "202312": nil, "2023-13-09": nil, "120230309": nil,
    ]
    for (text, date) in dates {
      #expect(MatchReport.date(in: text)?.description == date, "\(text)")
    }
  }
}
