import GTFS
import GTFSRealtime
import Testing
import Timetable

@testable import StationboardServer

/// Detours: trip modifications of the GTFS-Realtime reference.
@Suite struct ModificationTests {
  typealias Change = RealtimeWire.Change
  let day = "20260216"
  // 16 February 2026.
  let date = ServiceDate(daysSinceEpoch: 20_500)

  /// T goes a, b, c, d, e at 10:00, 10:10 … 10:40; x and the platforms of S are served by others.
  func stage() throws -> RealtimeStage {
    try RealtimeStage(
      [
        .init("T", (0..<5).map { "\($0 * 2 + 1) \("abcde".map(String.init)[$0]) 10:\($0)0:00" }),
        .init("other", ["1 x 12:00:00", "2 S1 12:10:00", "3 S2 12:20:00"]),
      ],
      stations: ["S": ["S1", "S2"]]
    )
  }

  /// Stops c and d are closed; x is served 8 min after b, and everything later comes 5 min later.
  let detour = RealtimeWire.Modifications(
    "m",
    trips: ["T"],
    dates: ["20260216"],
    [Change(from: (5, nil), to: (nil, "d"), delay: 300, stops: [("x", 480)])]
  )

  func index(
    _ stage: RealtimeStage,
    _ updates: [RealtimeWire.Trip] = [],
    _ modifications: [RealtimeWire.Modifications],
    stops: [RealtimeWire.AddedStop] = [],
    shapes: [(id: String, polyline: String)] = [],
    previous: RealtimeIndex? = nil,
    after seconds: Int64 = 0
  ) throws -> RealtimeIndex {
    let now = stage.at("2026-02-16 09:50:00") + seconds
    return RealtimeIndex(
      try TripUpdateFeed(
        protobuf: RealtimeWire.feed(
          updates,
          at: now,
          modifications: modifications,
          stops: stops,
          shapes: shapes
        )
      ),
      timetable: stage.feed.timetable,
      arrivedAt: now,
      previous: previous
    )
  }

  /// The rows of T at stops, as "stop local-time certainty delay flags".
  func rows(
    _ stage: RealtimeStage,
    _ index: RealtimeIndex,
    _ stops: [String]
  ) throws
    -> [String]
  {
    try stops.flatMap { stop in
      try stage.shown(stage.board(stop, at: stage.at("2026-02-16 09:50:00"), index, window: 120))
        .filter { $0.tripId == "T" }
        .map { row in
          let time = row.realtimeDeparture ?? row.scheduledDeparture
          return "\(stop) \(time.dropFirst(11).prefix(5)) \(row.certainty ?? "-")"
            + " \(row.rawDelaySec.map(String.init) ?? "-") \(row.flags.joined(separator: ","))"
        }
    }
  }

  let all = ["a", "b", "c", "d", "x", "e"]

  @Test func `closed stops lose the departure, replacement stops get it`() throws {
    let stage = try stage()
    let index = try index(stage, [], [detour])
    #expect(
      try rows(stage, index, all) == [
        "a 09:00 exact - DETOUR", "b 09:10 exact - DETOUR", "x 09:18 detoured - DETOUR",
      ]
    )
    let shown = try stage.shown(stage.board("a", at: stage.at("2026-02-16 09:50:00"), index))
    #expect(shown.map(\.skippedStops) == [["Stop c", "Stop d"]])
    #expect(shown.map(\.stopSequence) == [1])
    #expect(shown.map(\.key) == ["T|a|2026-02-16|1"])
    #expect(index.counters.modified == 1 && index.counters.unusableModifications == 0)
    #expect(index.counters.received == 0)
  }

  @Test func `times after the detour shift, and predictions come on top of that`() throws {
    let stage = try stage()
    var changed = detour
    changed.changes = [Change(from: (3, nil), to: (3, nil), delay: 120, stops: [("x", 300)])]
    let late = RealtimeWire.Trip("T", date: day).with(.init(1, departure: .delay(60)))
    let index = try index(stage, [late], [changed])
    #expect(
      try rows(stage, index, all) == [
        "a 09:01 exact 60 DETOUR,RT_CONFIRMED", "c 09:23 detoured 60 DETOUR,RT_CONFIRMED",
        "d 09:33 detoured 60 DETOUR,RT_CONFIRMED", "x 09:05 detoured - DETOUR",
      ]
    )
    #expect(index.counters.applied == 1 && index.counters.received == 1)
  }

  @Test func `delays of the trip's own id do not count the detour twice`() throws {
    let stage = try stage()
    var changed = detour
    changed.changes = [Change(from: (3, nil), to: (3, nil), delay: 120, stops: [("x", 300)])]
    // d is scheduled at 10:30, and after the detour at 10:32.
    let plain = RealtimeWire.Trip("T", date: day).with(.init(7, departure: .delay(180)))
    #expect(
      try rows(stage, index(stage, [plain], [changed]), ["a", "x", "c", "d"]) == [
        "a 09:00 exact - DETOUR", "x 09:05 detoured - DETOUR", "c 09:22 detoured - DETOUR",
        "d 09:33 detoured 60 DETOUR,RT_CONFIRMED",
      ]
    )
    let early = RealtimeWire.Trip("T", date: day).with(.init(5, departure: .delay(150)))
    // c is 30 s after its shifted time, and so is d.
    #expect(
      try rows(stage, index(stage, [early], [changed]), ["c", "d"]) == [
        "c 09:22 detoured 30 DETOUR,RT_CONFIRMED", "d 09:32 detoured 30 DETOUR,RT_CONFIRMED",
      ]
    )
    let own = own().with(.init(4, departure: .delay(180)))
    #expect(
      try rows(stage, index(stage, [own], [changed]), ["d"]) == [
        "d 09:35 detoured 180 DETOUR,RT_CONFIRMED"
      ]
    )
  }

  @Test func `an unknown replacement stop keeps its number`() throws {
    let stage = try stage()
    for lost in [("alone", 300), ("S1", nil)] as [(String, Int?)] {
      var changed = detour
      changed.changes = [
        Change(from: (5, nil), to: (nil, "d"), delay: 300, stops: [lost, ("x", 480)])
      ]
      let stops = [RealtimeWire.AddedStop(id: "alone", parent: nil, platform: nil)]
      let late = own().with(
        .init(3, lost.0, departure: .delay(60)),
        .init(4, departure: .delay(180))
      )
      let index = try index(stage, [late], [changed], stops: stops)
      #expect(
        try rows(stage, index, all + ["S"]) == [
          "a 09:00 exact - DETOUR", "b 09:10 exact - DETOUR",
          "x 09:21 detoured 180 DETOUR,RT_CONFIRMED",
        ]
      )
      #expect(index.counters.unlinkedStops == 0 && index.counters.unusableModifications == 1)
      // The id of another stop is of that stop, whatever its number.
      let other = try self.index(
        stage,
        [own().with(.init(3, "b", departure: .delay(60)))],
        [changed],
        stops: stops
      )
      #expect(try rows(stage, other, ["b"]) == ["b 09:11 exact 60 DETOUR,RT_CONFIRMED"])
    }
  }

  @Test func `the stop before an unknown end keeps its departure`() throws {
    let stage = try stage()
    var changed = detour
    changed.changes = [Change(from: (9, nil), to: (9, nil), stops: [("alone", 60)])]
    let index = try index(stage, [], [changed])
    #expect(try rows(stage, index, ["d", "e"]) == ["d 09:30 exact - DETOUR"])
    let board = try stage.board("a", at: stage.at("2026-02-16 09:50:00"), index)
    let row = try #require(try stage.shown(board).first)
    #expect(row.endsAt == nil && row.destination == "Somewhere")
    #expect(!row.flags.contains("SHORT_TURN"))
    // Of a trip of nothing but unknown stops the timetable is all that is known.
    changed.changes = [
      Change(from: (1, nil), to: (9, nil), stops: [("alone", 60), ("unknown", 70)])
    ]
    #expect(try self.index(stage, [], [changed]).counters.modified == 0)
  }

  @Test func `where no modification fits, an update of the trip's own id counts`() throws {
    let stage = try stage()
    var changed = detour
    changed.changes = [Change(from: (4, nil), to: (4, nil))]
    let plain = RealtimeWire.Trip("T", date: day).with(.init(1, departure: .delay(60)))
    let own = own().with(.init(1, departure: .delay(120)))
    let index = try index(stage, [plain, own], [changed])
    #expect(try rows(stage, index, ["a"]) == ["a 09:01 exact 60 RT_CONFIRMED"])
    #expect(index.counters.applied == 1 && index.counters.withoutEffect == [.modifiedTrip: 1])
  }

  /// An update of the changed trip T.
  func own(date: String? = "20260216") -> RealtimeWire.Trip {
    var own = RealtimeWire.Trip(nil)
    own.modifies = "m"
    own.affected = "T"
    own.affectedDate = date
    return own
  }

  @Test func `delays of several modifications add up, and stops may be put in`() throws {
    let stage = try stage()
    var changed = detour
    changed.changes = [
      // Out of order; without an end nothing is replaced.
      Change(from: (7, nil), delay: 60, stops: [("S1", 120)]),
      Change(from: (3, nil), to: (3, "b"), delay: 600, stops: []),
    ]
    let index = try index(stage, [], [changed])
    // c at 10:20 + 10 min; S1 2 min after it; d at 10:30 + 11 min.
    #expect(
      try rows(stage, index, ["a", "b", "c", "S", "d"]) == [
        "a 09:00 exact - DETOUR", "c 09:30 detoured - DETOUR", "S 09:32 detoured - DETOUR",
        "d 09:41 detoured - DETOUR",
      ]
    )
  }

  @Test func `an update of the changed trip numbers its stops from 1, and comes first`() throws {
    let stage = try stage()
    var own = own().with(.init(3, departure: .delay(180)))
    let plain = RealtimeWire.Trip("T", .canceled, date: day)
    let index = try index(stage, [plain, own], [detour])
    #expect(
      try rows(stage, index, all) == [
        "a 09:00 exact - DETOUR", "b 09:10 exact - DETOUR",
        "x 09:21 detoured 180 DETOUR,RT_CONFIRMED",
      ]
    )
    #expect(index.counters.applied == 1 && index.counters.withoutEffect == [.repeated: 1])
    own.affected = "nothing"
    let lost = try self.index(stage, [own], [detour])
    #expect(lost.counters.withoutEffect == [.modifiedTrip: 1])
  }

  @Test func `a stop that only the feed has is a platform of its station`() throws {
    let stage = try stage()
    var changed = detour
    changed.changes = [
      Change(from: (5, nil), to: (5, nil), stops: [("new", 60), ("unknown", 70), ("alone", 80)])
    ]
    let stops = [
      RealtimeWire.AddedStop(id: "new", parent: "S", platform: "K"),
      RealtimeWire.AddedStop(id: "alone", parent: nil, platform: nil),
    ]
    let index = try index(stage, [], [changed], stops: stops)
    let shown = try stage.shown(stage.board("S", at: stage.at("2026-02-16 09:50:00"), index))
    let row = try #require(shown.first { $0.tripId == "T" })
    #expect(row.stopId == "S" && row.platform == "K" && !row.platformChanged)
    #expect(row.scheduledDeparture == "2026-02-16T09:11:00Z")
    #expect(index.counters.unusableModifications == 2)
  }

  @Test func `modifications that do not fit change nothing, those that do count`() throws {
    let stage = try stage()
    func sound(_ changes: Change...) throws -> Bool {
      var changed = detour
      changed.changes = changes
      return try index(stage, [], [changed]).counters.modified == 1
    }
    #expect(try !sound(Change(from: (4, nil), to: (4, nil))))
    #expect(try !sound(Change(from: (nil, "nowhere"), to: (nil, "nowhere"))))
    #expect(try !sound(Change(from: (5, nil), to: (3, nil))))
    #expect(try !sound(Change(from: (3, "e"), to: (3, "e"))))
    #expect(try !sound(Change(from: (3, nil), to: (3, nil), delay: 90_000)))
    #expect(try !sound(Change(from: (1, nil), to: (9, nil))))
    #expect(try sound(Change(from: (1, nil), to: (7, nil), stops: [("x", -60)])))
    #expect(try sound(Change(from: (4, nil), to: (4, nil)), Change(from: (3, nil), to: (3, nil))))
    // Of two that overlap the one that starts first counts.
    #expect(
      try rows(
        stage,
        index(
          stage,
          [],
          [
            .init(
              "m",
              trips: ["T", "none"],
              dates: [day],
              [
                Change(from: (5, nil), to: (7, nil), stops: [("x", 60)]),
                Change(from: (3, nil), to: (5, nil), stops: []),
              ]
            )
          ]
        ),
        ["b", "c", "d", "x"]
      ) == ["d 09:30 exact - DETOUR"]
    )
  }

  @Test func `other days, and days far away, keep the timetable`() throws {
    let stage = try stage()
    var changed = detour
    changed.dates = ["20260217", "20260301"]
    let index = try index(stage, [], [changed])
    #expect(index.counters.modified == 1)
    #expect(try rows(stage, index, ["c"]) == ["c 09:20 exact - "])
  }

  @Test func `a trip that ends before its last stop, or elsewhere, says so`() throws {
    let stage = try stage()
    func row(_ change: Change) throws -> RealtimeStage.Shown {
      var changed = detour
      changed.changes = [change]
      let index = try index(stage, [], [changed])
      let board = try stage.board("a", at: stage.at("2026-02-16 09:50:00"), index)
      return try #require(try stage.shown(board).first)
    }
    let early = try row(Change(from: (7, nil), to: (9, nil)))
    #expect(early.endsAt == "Stop c" && early.flags.contains("SHORT_TURN"))
    let elsewhere = try row(Change(from: (9, nil), to: (9, nil), stops: [("x", 60)]))
    #expect(elsewhere.endsAt == nil && elsewhere.skippedStops == ["Stop e"])
  }

  @Test func `the versions of closed and of replacement stops change`() throws {
    let stage = try stage()
    let timetable = stage.feed.timetable
    func versions(_ index: RealtimeIndex) throws -> [UInt64] {
      try ["c", "x", "a"].map { index.version(of: Int(try #require(timetable.stop(id: $0)))) }
    }
    let plain = try versions(index(stage, [], []))
    let changed = try versions(index(stage, [], [detour]))
    #expect(zip(plain, changed).allSatisfy { $0 != $1 })
  }

  @Test func `what the feed no longer modifies runs as the timetable has it, at once`() throws {
    let stage = try stage()
    let first = try index(stage, [], [detour])
    let second = try index(stage, [], [], previous: first, after: 20)
    let third = try index(stage, [], [detour], previous: second, after: 40)
    let fourth = try index(stage, [], [], previous: third, after: 60)
    #expect(try rows(stage, fourth, ["c"]) == ["c 09:20 exact - "])
  }
}
