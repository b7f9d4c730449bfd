import GTFSRealtime
import Testing
import Timetable

@testable import StationboardServer

/// What boards say of vehicles.
@Suite struct VehicleBoardTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop
  private typealias Vehicle = RealtimeWire.Vehicle

  private let day = "20260216"

  private func stage(_ files: [String: String] = [:]) throws -> RealtimeStage {
    try RealtimeStage(
      [
        .init("t", ["1 a 10:00:00", "2 b 10:10:00", "3 c 10:20:00", "4 d 10:30:00"]),
        .init("u", ["1 a 10:05:00", "2 b 10:15:00", "3 a 10:25:00", "4 d 10:35:00"]),
      ],
      files: files
    )
  }

  /// What the rows of a stop say of their vehicles at 10:02, seen then unless said otherwise.
  private func shown(
    _ stage: RealtimeStage,
    _ stop: String,
    _ vehicles: [Vehicle],
    trips: [Trip]? = nil,
    later: Int64 = 0
  ) throws -> [String?: RealtimeStage.ShownVehicle?] {
    let now = stage.at("2026-02-16 10:02:00")
    let index = try trips.map { try stage.index($0, at: now) }
    let positions = try stage.vehicles(vehicles, at: now, trips: index)
    let rows = try stage.shown(stage.board(stop, at: now + later, index, positions))
    return Dictionary(rows.map { ($0.tripId, $0.vehicle) }) { first, _ in first }
  }

  private func on(_ trip: String = "t") -> Trip { Trip(trip, date: day) }

  @Test func `a vehicle stands at a stop, is about to arrive there, or is on the way to it`() throws
  {
    let stage = try stage()
    let statuses: [(Int64?, String)] = [
      (0, "INCOMING_AT"), (1, "STOPPED_AT"), (2, "IN_TRANSIT_TO"), (nil, "IN_TRANSIT_TO"),
    ]
    for (status, word) in statuses {
      let vehicle = Vehicle(on(), 2, "b", status: status)
      let here = try #require(try shown(stage, "b", [vehicle])["t"] ?? nil)
      #expect(here.status == word)
      #expect(here.stopName == "Stop b")
      #expect(here.stopsAway == 0)
      let next = try #require(try shown(stage, "c", [vehicle])["t"] ?? nil)
      #expect(next.stopName == "Stop b")
      #expect(next.stopsAway == 1)
    }
    let unknown = try shown(stage, "b", [Vehicle(on(), 2, "b", status: 9)])
    #expect((unknown["t"] ?? nil)?.status == nil)
  }

  @Test func `a vehicle that has passed a stop says nothing there, and one of no trip nothing`()
    throws
  {
    let stage = try stage()
    #expect(try shown(stage, "b", [Vehicle(on(), 3, "c", occupancy: 1)])["t"] == .some(nil))
    #expect(try shown(stage, "b", [Vehicle(nil, 2, "b")])["t"] == .some(nil))
    #expect(try shown(stage, "b", [Vehicle(on())])["t"] == .some(nil))
    #expect(try shown(stage, "b", [Vehicle(on("u"), 1, "a")])["t"] == .some(nil))
  }

  @Test func `the load is said also where the place is not known`() throws {
    let stage = try stage()
    let vehicle = Vehicle(on(), occupancy: 3, percent: 90, wheelchair: 2)
    let row = try #require(try shown(stage, "b", [vehicle])["t"] ?? nil)
    #expect(row.status == nil)
    #expect(row.stopsAway == nil)
    #expect(row.occupancy == "STANDING_ROOM_ONLY")
    #expect(row.occupancyPercent == 90)
    #expect(row.wheelchair == true)
    let closed = try shown(stage, "b", [Vehicle(on(), wheelchair: 3)])
    #expect((closed["t"] ?? nil)?.wheelchair == false)
  }

  @Test func `the stop is that of stop_sequence, unless stop_id is of another station`() throws {
    let stage = try stage()
    func place(_ vehicle: Vehicle, _ trip: String = "t") throws -> Int? {
      (try shown(stage, trip == "t" ? "c" : "a", [vehicle])[trip] ?? nil)?.stopsAway
    }
    #expect(try place(Vehicle(on(), 2)) == 1)
    #expect(try place(Vehicle(on(), nil, "b")) == 1)
    #expect(try place(Vehicle(on(), 3, "b")) == 1)
    #expect(try place(Vehicle(on(), 7, "b")) == 1)
    #expect(try place(Vehicle(on(), 2, "nowhere")) == 1)
    // A stop that the trip visits twice: the visit has to be named.
    #expect(try place(Vehicle(on("u"), nil, "a", occupancy: 1), "u") == nil)
    #expect(try place(Vehicle(on("u"), 1, "a"), "u") == 0)
  }

  @Test func `what was seen long ago says nothing, and the board changes at that instant`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 10:02:00")
    let seen = now - 100
    let vehicles = [Vehicle(on(), 2, "b", timestamp: seen)]
    let row = try #require(try shown(stage, "b", vehicles)["t"] ?? nil)
    #expect(row.seenAt == "2026-02-16T09:00:20Z")
    #expect(try shown(stage, "b", vehicles, later: 80)["t"] != .some(nil))
    #expect(try shown(stage, "b", vehicles, later: 81)["t"] == .some(nil))
    let index = try stage.vehicles(vehicles, at: now)
    let fresh = try stage.board("b", at: now, nil, index)
    #expect(fresh.nextChangeAt == Double(seen + 180))
    #expect(!fresh.hidesVehicles)
    #expect(try stage.board("b", at: now + 81, nil, index).hidesVehicles)
    // A clock that is ahead makes nothing newer than its arrival; one without a year is not one.
    for stamp in [now + 500, 12] {
      let other = try shown(stage, "b", [Vehicle(on(), 2, "b", timestamp: stamp)])
      #expect((other["t"] ?? nil)?.seenAt == "2026-02-16T09:02:00Z")
    }
  }

  @Test func `of several vehicles of a run the newest counts, of several sources the first`() throws
  {
    let stage = try stage()
    let now = stage.at("2026-02-16 10:02:00")
    let row = try shown(
      stage,
      "c",
      [
        Vehicle(on(), 1, "a", timestamp: now - 60), Vehicle(on(), 2, "b", timestamp: now - 10),
        Vehicle(on(), 1, "a", timestamp: now - 30),
      ]
    )
    #expect((row["t"] ?? nil)?.stopsAway == 1)
    let first = try stage.vehicles([Vehicle(on(), 1, "a")], at: now)
    let second = try stage.vehicles([Vehicle(on(), 2, "b"), Vehicle(on("u"), 1, "a")], at: now)
    let both = try #require(VehicleIndex.combined([first, second]))
    let rows = try stage.shown(stage.board("b", at: now, nil, both))
    #expect(rows.map { $0.vehicle?.stopsAway } == [1, 1])
    #expect(VehicleIndex.combined([]) == nil)
  }

  @Test func `boarding is not possible on a cancelled trip or at a skipped stop`() throws {
    let stage = try stage()
    let vehicle = [Vehicle(on(), 1, "a", occupancy: 1)]
    let cancelled = try shown(stage, "b", vehicle, trips: [Trip("t", .canceled, date: day)])
    #expect(cancelled["t"] == .some(nil))
    let skipped = Trip("t", date: day).with(Stop(2, .skipped))
    #expect(try shown(stage, "b", vehicle, trips: [skipped])["t"] == .some(nil))
    #expect(try shown(stage, "c", vehicle, trips: [skipped])["t"] != .some(nil))
  }

  @Test func `the vehicle of a new trip, of a copy and of a replacement is found by its id`() throws
  {
    let stage = try stage()
    let now = stage.at("2026-02-16 10:02:00")
    let new = Trip("new", .new, date: day).with(
      Stop(1, "a", departure: .time(now + 60)),
      Stop(2, "b", departure: .time(now + 600)),
      Stop(3, "d", arrival: .time(now + 900))
    )
    let added = Vehicle(Trip("new", .new, date: day), 1, "a", status: 1)
    let rows = try shown(stage, "b", [added], trips: [new])
    #expect((rows["new"] ?? nil)?.stopsAway == 1)
    #expect((rows["new"] ?? nil)?.stopName == "Stop a")
    // Without its trip update it is of no trip.
    #expect(try stage.vehicles([added], at: now).vehicles.isEmpty)
    let copy = Trip("t", .duplicated, date: day).with {
      $0.start = "10:03:00"
      $0.newTrip = "copy"
    }
    let copied = try shown(stage, "b", [Vehicle(Trip("copy", date: day), 1, "a")], trips: [copy])
    #expect((copied["copy"] ?? nil)?.stopsAway == 1)
    #expect(copied["t"] == .some(nil))
    // A copy that has the id of its template is not the template.
    let same = copy.with { $0.newTrip = nil }
    let own = try shown(stage, "b", [Vehicle(Trip("t", date: day), 1, "a")], trips: [same])
    #expect((own["t"] ?? nil)?.stopsAway == 1)
    let replacement = Trip("t", .replacement, date: day).with(
      Stop(1, "a", departure: .time(now + 60)),
      Stop(2, "x", departure: .time(now + 100)),
      Stop(3, "b", departure: .time(now + 200)),
      Stop(4, "d", arrival: .time(now + 300))
    )
    let replaced = try shown(
      stage,
      "b",
      [Vehicle(Trip("t", .replacement, date: day), 1, "a")],
      trips: [replacement]
    )
    #expect((replaced["t"] ?? nil)?.stopsAway == 2)
  }

  @Test func `a position is of the run that the trip update of the same name has found`() throws {
    let stage = try stage([
      "frequencies.txt": """
      trip_id,start_time,end_time,headway_secs,exact_times
      t,09:00:00,12:00:00,600,0

      """
    ])
    let now = stage.at("2026-02-16 10:02:00")
    // Its start is arbitrary; the prediction says that it is the run of 10:10.
    func named() -> Trip { Trip("t", .unscheduled, date: day).with { $0.start = "03:33:33" } }
    let update = named().with(Stop(1, "a", departure: .time(now + 420)))
    let index = try stage.index([update], at: now)
    let positions = try stage.vehicles([Vehicle(named(), 1, "a", status: 1)], at: now, trips: index)
    let rows = try stage.shown(stage.board("a", at: now, index, positions, window: 30))
      .filter { $0.tripId == "t" }
    #expect(rows.map { $0.vehicle?.status } == ["STOPPED_AT", nil, nil])
    #expect(rows[0].startTime == "10:10:00")
    #expect(try stage.vehicles([Vehicle(named(), 1, "a")], at: now).vehicles.isEmpty)
  }

  @Test func `a position whose name two vehicles of a headway share is of neither`() throws {
    let stage = try stage([
      "frequencies.txt": """
      trip_id,start_time,end_time,headway_secs,exact_times
      t,09:00:00,12:00:00,600,0

      """
    ])
    let now = stage.at("2026-02-16 10:02:00")
    func named() -> Trip { Trip("t", .unscheduled, date: day) }
    let updates = [420, 1_020].map { named().with(Stop(1, "a", departure: .time(now + $0))) }
    for count in 1...2 {
      let index = try stage.index(Array(updates.prefix(count)), at: now)
      #expect(index.counters.applied == count)
      let positions = try stage.vehicles([Vehicle(named(), 1, "a")], at: now, trips: index)
      #expect(positions.vehicles.count == (count == 1 ? 1 : 0))
    }
  }

  @Test func `versions of stations change with what their rows can show, and not with time`() throws
  {
    let stage = try stage()
    let now = stage.at("2026-02-16 10:02:00")
    func versions(_ vehicle: Vehicle, at instant: Int64) throws -> [UInt64] {
      let index = try stage.vehicles([vehicle], at: instant)
      return try ["a", "b", "c", "d"].map { id in
        index.version(ofStation: try #require(stage.feed.timetable.stop(id: id)))
      }
    }
    let first = try versions(Vehicle(on(), 2, "b", timestamp: now - 5), at: now)
    #expect(first[0] == 0)
    #expect(first[1...].allSatisfy { $0 != 0 })
    #expect(try versions(Vehicle(on(), 2, "b", timestamp: now + 10), at: now + 15) == first)
    for other in [
      Vehicle(on(), 3, "c"), Vehicle(on(), 2, "b", status: 1), Vehicle(on(), 2, "b", occupancy: 1),
      Vehicle(on(), 2, "b", percent: 3), Vehicle(on(), 2, "b", wheelchair: 2),
      Vehicle(on("u"), 2, "b"),
    ] {
      #expect(try versions(other, at: now)[3] != first[3])
    }
  }
}
