import Testing

@testable import StationboardServer

/// Where trips end whose stops the feed lists itself: new ones and replacements.
@Suite struct ExtraTripEndTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  private let day = "20260216"

  private func stage() throws -> RealtimeStage {
    try RealtimeStage([
      .init("t", ["1 a 10:00:00", "2 b 10:10:00", "3 c 10:20:00", "4 d 10:30:00"]),
      .init("other", ["1 d 12:00:00", "2 x 12:10:00"]),
    ])
  }

  /// A trip that calls at these stops every ten minutes from 10:00 on, and not at those with a hyphen.
  private func trip(
    _ relationship: RealtimeWire.TripRelationship,
    _ calls: String,
    _ stage: RealtimeStage
  ) -> Trip {
    let start = stage.at("2026-02-16 10:00:00")
    var trip = Trip(relationship == .new ? "new" : "t", relationship, date: day)
    trip.stops = calls.split(separator: " ").enumerated().map { place, call in
      let isLeftOut = call.hasPrefix("-")
      let time = start + Int64(place) * 600
      let event = RealtimeWire.Event(time: time, scheduled: time)
      return Stop(
        place + 1,
        String(isLeftOut ? call.dropFirst() : call),
        departure: isLeftOut ? nil : event,
        isLeftOut ? .skipped : nil
      )
    }
    return trip
  }

  /// What the board of a stop says of the trip: destination, where it ends, what it leaves out, flags.
  private func said(
    _ relationship: RealtimeWire.TripRelationship,
    _ calls: String,
    at stop: String = "a"
  ) throws -> [String] {
    let stage = try stage()
    let rows = try stage.departures(
      stop,
      at: stage.at("2026-02-16 09:50:00"),
      [trip(relationship, calls, stage)],
      window: 120
    )
    return rows.filter { $0.tripId == (relationship == .new ? "new" : "t") && !$0.flags.isEmpty }
      .map { row in
        let flags = row.flags.filter { $0.hasPrefix("SHORT") }
        return "\(row.destination ?? "-") \(row.endsAt ?? "-") \(row.skippedStops) \(flags)"
      }
  }

  @Test(arguments: [RealtimeWire.TripRelationship.new, .replacement])
  func `a stop left out on the way is named, and the trip does not end early for it`(
    kind: RealtimeWire.TripRelationship
  ) throws {
    let destination = kind == .new ? "Stop d" : "Somewhere"
    #expect(try said(kind, "a -b c d") == [#"\#(destination) - ["Stop b"] []"#])
    #expect(try said(kind, "a b c d") == ["\(destination) - [] []"])
    #expect(try said(kind, "a -b c d", at: "c") == ["\(destination) - [] []"])
    #expect(try said(kind, "a -b c d", at: "b").isEmpty)
  }

  @Test(arguments: [RealtimeWire.TripRelationship.new, .replacement])
  func `a trip whose last stops are left out ends early, and where is named`(
    kind: RealtimeWire.TripRelationship
  ) throws {
    // Without a headsign a trip goes to the last stop that it serves.
    let end = kind == .new ? "Stop c" : "Somewhere"
    let destination = kind == .new ? "Stop d" : "Somewhere"
    #expect(try said(kind, "a -b c -d") == [#"\#(end) Stop c ["Stop b"] ["SHORT_TURN"]"#])
    #expect(
      try said(kind, "a b c -d", at: "c")
        == [#"\#(destination) Stop c [] ["SHORT_TURN", "SHORT_TURN_TERMINUS"]"#]
    )
    #expect(try said(kind, "-a -b -c -d").isEmpty)
    // Where it ends cannot be named.
    #expect(try said(kind, "a b nowhere -d") == ["\(destination) - [] []"])
  }

  @Test func `a replacement that ends before the last stop of its trip ends early`() throws {
    #expect(try said(.replacement, "a b c") == [#"Somewhere Stop c [] ["SHORT_TURN"]"#])
    #expect(try said(.replacement, "a c d") == [#"Somewhere - ["Stop b"] []"#])
  }

  @Test func `a replacement that ends at another place says so, and does not end early`() throws {
    #expect(try said(.replacement, "a b x") == [#"Stop x - ["Stop c", "Stop d"] []"#])
    // A stop that the timetable does not have changes nothing else.
    #expect(try said(.replacement, "a b nowhere") == ["Somewhere - [] []"])
  }

  @Test func `a replacement names the stops of its trip that it does not list`() throws {
    #expect(try said(.replacement, "a d") == [#"Somewhere - ["Stop b", "Stop c"] []"#])
    #expect(try said(.replacement, "a d", at: "b").isEmpty)
    #expect(try said(.replacement, "a c d", at: "c") == ["Somewhere - [] []"])
    // Listed as skipped or not listed at all: a person is told the same.
    #expect(try said(.replacement, "a -b d") == [#"Somewhere - ["Stop b", "Stop c"] []"#])
    #expect(try said(.replacement, "a -c d") == [#"Somewhere - ["Stop b", "Stop c"] []"#])
    // A stop that the trip does not have is between them; what lies behind the end is said by the end.
    #expect(try said(.replacement, "a x c") == [#"Somewhere Stop c ["Stop b"] ["SHORT_TURN"]"#])
    #expect(
      try said(.replacement, "a x c", at: "x") == [#"Somewhere Stop c ["Stop b"] ["SHORT_TURN"]"#]
    )
    // In another order it leaves nothing out.
    #expect(try said(.replacement, "a c b d") == ["Somewhere - [] []"])
    #expect(try said(.replacement, "b a d", at: "b") == [#"Somewhere - ["Stop c"] []"#])
    #expect(try said(.replacement, "a nowhere d") == [#"Somewhere - ["Stop b", "Stop c"] []"#])
  }

  @Test func `a board changes with the stops that a trip of its own leaves out`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:50:00")
    let versions = try ["a b c d", "a -b c d", "a b c -d", "a b x", "a b d"].map { calls in
      try stage.index([trip(.replacement, calls, stage)], at: now).version(of: 0)
    }
    #expect(Set(versions).count == versions.count)
  }
}
