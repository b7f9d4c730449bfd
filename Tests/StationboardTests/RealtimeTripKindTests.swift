import Testing
import Timetable

@testable import StationboardServer

/// What becomes of a trip: cancelled, deleted, replaced, duplicated, new (reference, "Trip Descriptor").
@Suite struct RealtimeTripKindTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop
  private typealias Event = RealtimeWire.Event

  private let day = "20260216"

  private func line() throws -> RealtimeStage {
    try RealtimeStage([
      .init("t", ["1 a 10:00:00", "2 b 10:10:00 10:12:00", "3 c 10:20:00", "4 d 10:30:00"])
    ])
  }

  private func rows(
    _ stage: RealtimeStage,
    _ stop: String,
    _ updates: Trip...
  ) throws -> [RealtimeStage.Shown] {
    try stage.departures(stop, at: stage.at("2026-02-16 09:50:00"), updates)
  }

  // MARK: Cancelled and deleted

  @Test func `CANCELED stays on the board as scheduled, whatever its stop time updates say`() throws
  {
    let stage = try line()
    let update = Trip("t", .canceled, date: day).with(Stop(1, departure: .delay(900)))
    let row = try #require(try rows(stage, "b", update).first)
    #expect(row.cancelled)
    #expect(row.realtimeDeparture == nil)
    #expect(row.rawDelaySec == nil)
    #expect(row.scheduledDeparture == "2026-02-16T09:12:00Z")
  }

  @Test func `DELETED disappears, other days stay`() throws {
    let stage = try line()
    #expect(try rows(stage, "b", Trip("t", .deleted, date: day)).isEmpty)
    #expect(try rows(stage, "b", Trip("t", .deleted, date: "20260217")).count == 1)
    let index = try stage.index(
      [Trip("t", .deleted, date: day)],
      at: stage.at("2026-02-16 09:50:00")
    )
    #expect(index.counters.deleted == 1)
    #expect(index.version(of: 1) != 0)
    #expect(index.version(of: 3) != 0)
  }

  @Test func `a trip all of whose stops are skipped is cancelled`() throws {
    let stage = try line()
    let update = Trip("t", date: day).with(
      Stop(1, .skipped),
      Stop(2, .skipped),
      Stop(3, .skipped),
      Stop(4, .skipped)
    )
    let row = try #require(try rows(stage, "b", update).first)
    #expect(row.cancelReasonCode == "CANCELED_TRIP")
    #expect(row.status == "CANCELLED")
    #expect(row.flags == ["TRIP_CANCELLED", "STOP_SKIPPED"])
  }

  // MARK: Replacement

  private func replacement(_ stage: RealtimeStage) -> Trip {
    func stop(_ sequence: Int, _ stop: String, _ time: String) -> Stop {
      let instant = stage.at("2026-02-16 \(time)")
      return Stop(
        sequence,
        stop,
        arrival: Event(time: instant + 60, scheduled: instant),
        departure: Event(time: instant + 60, scheduled: instant)
      )
    }
    return Trip("t", .replacement, date: day).with(
      stop(1, "a", "10:05:00"),
      stop(3, "c", "10:25:00"),
      stop(4, "d", "10:35:00")
    )
  }

  @Test func `REPLACEMENT: its stop time updates are all its stops`() throws {
    let stage = try line()
    let update = replacement(stage)
    let first = try rows(stage, "a", update)
    #expect(first.map(\.scheduledDeparture) == ["2026-02-16T09:05:00Z"])
    #expect(first.first?.rawDelaySec == 60)
    #expect(first.first?.tripId == "t")
    #expect(first.first?.destination == "Somewhere")
    #expect(first.first?.line == "1")
    #expect(first.first?.flags == ["REPLACEMENT_SERVICE", "RT_CONFIRMED"])
    #expect(try rows(stage, "b", update).isEmpty)
    #expect(try rows(stage, "c", update).map(\.stopSequence) == [3])
    #expect(try rows(stage, "d", update).isEmpty)
  }

  @Test func `REPLACEMENT of a trip that is not there, or without stops, changes nothing`() throws {
    let stage = try line()
    #expect(try rows(stage, "b", Trip("t", .replacement, date: day)).count == 1)
    var other = replacement(stage)
    other.date = "20270101"
    #expect(try rows(stage, "b", other).count == 1)
  }

  // MARK: Duplicated

  private func copy(_ change: (inout Trip) -> Void) -> Trip {
    Trip("t", .duplicated).with(Stop(1, departure: .delay(45))).with(change)
  }

  @Test func `DUPLICATED is its template moved to the start of its properties`() throws {
    let stage = try line()
    let update = copy {
      $0.newTrip = "copy"
      $0.newDate = day
      $0.newStart = "11:00:00"
    }
    let both = try rows(stage, "b", update)
    #expect(both.map(\.tripId) == ["t", "copy"])
    #expect(both.map(\.scheduledDeparture) == ["2026-02-16T09:12:00Z", "2026-02-16T10:12:00Z"])
    #expect(both.map(\.rawDelaySec) == [nil, 45])
    #expect(both.map(\.destination) == ["Somewhere", "Somewhere"])
    #expect(both[1].flags == ["EXTRA_SERVICE", "RT_CONFIRMED"])
    #expect(both[1].stopSequence == 2)
  }

  @Test func `DUPLICATED without properties starts when its descriptor says`() throws {
    let stage = try line()
    let update = copy {
      $0.date = day
      $0.start = "10:30:00"
    }
    let both = try rows(stage, "b", update)
    #expect(both.map(\.scheduledDeparture) == ["2026-02-16T09:12:00Z", "2026-02-16T09:42:00Z"])
    #expect(Set(both.map(\.key)).count == 2)
    #expect(both[1].tripId == "t")
  }

  @Test func `DUPLICATED on another day, at a time past midnight, or at its template's own time`()
    throws
  {
    let stage = try line()
    let late = copy {
      $0.newTrip = "late"
      $0.newDate = "20260215"
      $0.newStart = "34:30:00"
    }
    let same = copy {
      $0.date = day
      $0.start = "10:00:00"
    }
    let found = try rows(stage, "a", late, same)
    #expect(
      found.map(\.scheduledDeparture) == [
        "2026-02-16T09:00:00Z", "2026-02-16T09:00:00Z", "2026-02-16T09:30:00Z",
      ]
    )
    #expect(Set(found.map(\.key)).count == 3)
    #expect(found.last?.serviceDate == "2026-02-15")
  }

  @Test func `times of a duplicated trip are not moved, delays are`() throws {
    let stage = try line()
    let time = stage.at("2026-02-16 11:13:00")
    let update = Trip("t", .duplicated).with(Stop(2, "b", departure: .time(time))).with {
      $0.newTrip = "copy"
      $0.newDate = day
      $0.newStart = "11:00:00"
    }
    #expect(try rows(stage, "b", update).last?.rawDelaySec == 60)
    #expect(try rows(stage, "c", update).last?.rawDelaySec == 60)
    #expect(try rows(stage, "a", update).last?.rawDelaySec == nil)
  }

  @Test func `DUPLICATED without a date, or of an unknown trip, is counted`() throws {
    let stage = try line()
    let unknown = copy { $0.trip = "x" }
    let index = try stage.index([copy { _ in }, unknown], at: stage.at("2026-02-16 09:50:00"))
    #expect(index.counters.withoutEffect == [.noStart: 1, .unknownTrip: 1])
    #expect(index.counters.duplicated == 0)
  }

  @Test func `one copy that is in the feed twice is one trip`() throws {
    let stage = try line()
    let update = copy {
      $0.date = day
      $0.start = "11:00:00"
    }
    #expect(try rows(stage, "a", update, update).count == 2)
  }

  // MARK: New and added

  @Test(arguments: [RealtimeWire.TripRelationship.new, .added])
  func `NEW and ADDED are trips of their own, with their route, headsign and stops`(
    relationship: RealtimeWire.TripRelationship
  ) throws {
    let stage = try line()
    let start = stage.at("2026-02-16 10:03:00")
    let update = Trip("new", relationship, date: day).with(
      Stop(1, "a", departure: .time(start), headsign: "Via b"),
      Stop(2, "b", departure: Event(time: start + 300, scheduled: start + 240)),
      Stop(3, "d", arrival: .time(start + 600))
    ).with {
      $0.route = "S1"
      $0.headsign = "The end"
    }
    let first = try #require(try rows(stage, "a", update).last)
    #expect(first.tripId == "new")
    #expect(first.line == "S1")
    #expect(first.routeId == "S1")
    #expect(first.destination == "Via b")
    #expect(first.scheduledDeparture == first.realtimeDeparture)
    #expect(first.rawDelaySec == nil)
    #expect(first.status == "UNKNOWN")
    let second = try #require(try rows(stage, "b", update).first)
    #expect(second.destination == "The end")
    #expect(second.rawDelaySec == 60)
    // A train: up to a minute late is on time.
    #expect(second.delayMin == 0)
    #expect(try rows(stage, "d", update).isEmpty)
  }

  @Test func `a new trip of an unknown route is named by what its id says`() throws {
    let stage = try line()
    let start = stage.at("2026-02-16 10:03:00")
    let update = Trip("new", .new).with(
      Stop(1, "a", departure: .time(start)),
      Stop(2, "d", arrival: .time(start + 600))
    )
    for (route, line) in [("92-N1-H-j26-1", "N1"), ("Shuttle", "Shuttle")] {
      let row = try rows(stage, "a", update.with { $0.route = route }).last
      #expect(row?.line == line)
      #expect(row?.routeId == route)
      #expect(row?.serviceDate == "2026-02-16")
    }
    #expect(try rows(stage, "a", update).last?.line == nil)
  }

  @Test func `a new trip departs where people may board, and at stops with a time`() throws {
    let stage = try line()
    let start = stage.at("2026-02-16 10:03:00")
    let update = Trip("new", .new).with(
      Stop(1, "a", departure: .time(start), pickup: 1),
      Stop(2, "b"),
      Stop(3, "c", arrival: .time(start + 60)),
      Stop(4, "d", arrival: .time(start + 600))
    )
    #expect(try rows(stage, "a", update).map(\.tripId) == ["t"])
    #expect(try rows(stage, "b", update).map(\.tripId) == ["t"])
    #expect(try rows(stage, "c", update).map(\.tripId) == ["new", "t"])
  }

  @Test func `ADDED with the id of a duplicated trip is not processed twice`() throws {
    let stage = try line()
    let duplicated = copy {
      $0.newTrip = "copy"
      $0.newDate = day
      $0.newStart = "11:00:00"
    }
    let added = Trip("t", .added, date: day).with(Stop(1, departure: .delay(45))).with {
      $0.start = "11:00:00"
    }
    #expect(try rows(stage, "a", duplicated, added).map(\.tripId) == ["t", "copy"])
    // Alone, it is the copy.
    let alone = try rows(stage, "a", added)
    #expect(alone.map(\.scheduledDeparture) == ["2026-02-16T09:00:00Z", "2026-02-16T10:00:00Z"])
  }

  @Test func `updates that follow trip modifications, or of an unknown kind, are set aside`() throws
  {
    let stage = try line()
    let late = Trip("t", date: day).with(Stop(1, departure: .delay(300)))
    let modified = late.with { $0.modifies = "detour" }
    let odd = late.with { $0.relationship = .undefined }
    let index = try stage.index([modified, odd], at: stage.at("2026-02-16 09:50:00"))
    #expect(index.counters.withoutEffect == [.modifiedTrip: 1, .unknownRelationship: 1])
    #expect(index.counters.discarded == 2)
    #expect(index.version(of: 0) == 0)
  }

  // MARK: Numbers out of this world

  @Test(arguments: [
    RealtimeWire.TripRelationship.scheduled, .added, .canceled, .replacement, .duplicated, .deleted,
    .new,
  ])
  func `no number that fits into a feed stops the merge`(
    relationship: RealtimeWire.TripRelationship
  ) throws {
    let stage = try line()
    let now = stage.at("2026-02-16 09:50:00")
    let times: [Int64?] = [.min, .min + now, -1, 0, 1, now, .max - now, .max, nil]
    let delays: [Int?] = [Int(Int32.min), -1, Int(Int32.max), nil]
    var updates: [Trip] = []
    for time in times {
      for scheduled in times {
        for delay in delays {
          let event = Event(time: time, delay: delay, scheduled: scheduled)
          updates.append(
            Trip("t", relationship, date: updates.count % 3 == 0 ? nil : day).with(
              Stop(1, "a", arrival: event),
              Stop(2, "b", departure: event),
              Stop(Int(UInt32.max), "c", arrival: event, departure: event),
              Stop(4, "d", arrival: event)
            ).with {
              $0.newTrip = "copy-\(updates.count)"
              $0.newDate = "22001231"
              $0.newStart = "120:00:00"
              $0.delay = delay
              $0.timestamp = time
              if relationship == .new { $0.trip = "new-\(updates.count)" }
            }
          )
        }
      }
    }
    for update in updates { _ = try rows(stage, "b", update) }
    let index = try stage.index(updates, at: now)
    let again = try stage.index([], at: now + 20, previous: index)
    for stop in ["a", "b", "c"] {
      for index in [index, again] {
        let board = try stage.board(stop, at: now, index, window: 720)
        #expect(try stage.shown(board).count == board.rows.count)
      }
    }
    let counted = index.counters
    let effective = counted.applied + counted.cancelled + counted.deleted + counted.replaced
    let beside = counted.added + counted.duplicated
    #expect(effective + beside + counted.unmatched + counted.discarded == updates.count)
  }
}
