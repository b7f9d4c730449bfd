import GTFSRealtime
import Hashing
import Testing
import Timetable

@testable import StationboardServer

/// What is only done to be fast changes nothing: parts, and where trips are looked for first.
@Suite struct RealtimePartsTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  private static let stops = ["8501008:0:1", "8501008:0:2", "b", "c", "d"]

  /// Twenty trips of one run, and one with several.
  private func stage() throws -> RealtimeStage {
    try RealtimeStage(
      (0..<21).map { trip in
        .init(
          "t\(trip)",
          Self.stops.indices.map { place in
            let stop = Self.stops[(place + trip) % Self.stops.count]
            return "\(place + 1) \(stop) \(10 + trip / 10):\(10 + trip % 10 * 4 + place):00"
          }
        )
      },
      stations: ["8501008": ["8501008:0:1", "8501008:0:2"]],
      platforms: ["8501008:0:1": "1", "8501008:0:2": "2"],
      files: [
        "frequencies.txt": """
        trip_id,start_time,end_time,headway_secs
        t20,10:00:00,12:00:00,1200

        """
      ]
    )
  }

  /// Trip updates of every kind, some about the same trip, some about none.
  private func updates(_ generator: inout SplitMix64, at instant: Int64) -> [Trip] {
    let kinds: [RealtimeWire.TripRelationship?] = [
      nil, nil, nil, nil, .scheduled, .canceled, .deleted, .replacement, .duplicated, .new, .added,
      .undefined,
    ]
    var numbers = Array(0..<23)
    if Bool.random(using: &generator) { numbers.shuffle(using: &generator) }
    numbers.removeAll { _ in Int.random(in: 0..<6, using: &generator) == 0 }
    for _ in 0..<4 { numbers.append(Int.random(in: 0..<21, using: &generator)) }
    return numbers.map { number in
      let kind = kinds[Int.random(in: 0..<kinds.count, using: &generator)]
      var trip = Trip("t\(number)", kind, date: "20260216")
      trip.start = number == 20 ? "10:20:00" : nil
      trip.headsign = kind == .replacement ? "Elsewhere" : nil
      trip.newTrip = kind == .duplicated ? "copy \(number)" : nil
      trip.newStart = kind == .duplicated ? "12:00:00" : nil
      for place in 0..<Int.random(in: 0...5, using: &generator) {
        let ids = Self.stops + ["8501008:0:9", "8501008:0:8", "unknown"]
        var stop = Stop(place + 1)
        stop.stop = ids[Int.random(in: 0..<ids.count, using: &generator)]
        stop.departure = .time(instant + Int64.random(in: 0..<7_200, using: &generator))
        stop.relationship = Int.random(in: 0..<8, using: &generator) == 0 ? .skipped : nil
        trip.stops.append(stop)
      }
      return trip
    }
  }

  @Test func `a feed merged in parts is the feed merged at once`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:50:00")
    let directory = TimetableDirectory(stage.feed.timetable)
    var seen = (extras: 0, kept: 0, texts: 0, arrivals: 0, repeated: 0)
    for seed in 0..<30 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      let before = try stage.index(updates(&generator, at: now - 30), at: now - 30)
      let previous = seed % 3 == 0 ? nil : before
      let bytes = RealtimeWire.feed(updates(&generator, at: now), at: now)
      let feed = try TripUpdateFeed(protobuf: bytes)
      let merged = (1...4).map { parts in
        var builder = RealtimeBuilder(feed, directory, arrivedAt: now, .standard)
        builder.build(after: previous, parts: parts)
        return builder
      }
      let whole = merged[0]
      seen.extras += whole.extraTrips.count
      seen.kept += whole.counters.kept
      seen.texts += whole.texts.count
      seen.arrivals += whole.arrivals.count
      seen.repeated += whole.counters.withoutEffect[.repeated, default: 0]
      for part in merged.dropFirst() {
        #expect(part.trips == whole.trips, "seed \(seed)")
        #expect(part.calls == whole.calls, "seed \(seed)")
        #expect(part.arrivals == whole.arrivals, "seed \(seed)")
        #expect(part.extraTrips == whole.extraTrips, "seed \(seed)")
        #expect(part.texts == whole.texts, "seed \(seed)")
        #expect(part.counters == whole.counters, "seed \(seed)")
        for trip in whole.trips {
          let (number, day) = (trip.trip, trip.day)
          guard number != TimetableDirectory.none else { continue }
          #expect(part.instances.find(number, day) == whole.instances.find(number, day))
        }
      }
    }
    #expect(seen.extras > 30)
    #expect(seen.kept > 30)
    #expect(seen.texts > 10)
    #expect(seen.arrivals > 30)
    #expect(seen.repeated > 10)
  }

  @Test func `a trip is found wherever the feed before had it`() throws {
    let stage = try stage()
    let now = stage.at("2026-02-16 09:50:00")
    let timetable = stage.feed.timetable
    for seed in 0..<30 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      let previous = try stage.index(updates(&generator, at: now), at: now)
      var finder = TripFinder(timetable, after: previous)
      for trip in updates(&generator, at: now) + updates(&generator, at: now) {
        var id = trip.trip ?? ""
        #expect(
          id.withUTF8 { finder.runs(id: UnsafeRawBufferPointer($0)) } == timetable.trips(id: id)
        )
      }
    }
  }

  @Test func `a table of instances has room for more than it was made for`() {
    var table = InstanceTable(tripCount: 500, capacity: 0)
    for trip in 0..<500 as Range<UInt32> { table.insert(trip, Int32(trip % 7), trip * 3) }
    table.insert(17, 3, 9)
    for trip in 0..<500 as Range<UInt32> {
      #expect(table.find(trip, Int32(trip % 7)) == (trip == 17 ? 9 : trip * 3))
      #expect(table.find(trip, 8) == nil)
    }
  }

  @Test(arguments: [0, 20_500 << 32] as [UInt64])
  func `keys that differ in their low half spread over the slots`(high: UInt64) {
    let slots = HashSlots(capacity: 50_000)
    let found = Set((0..<50_000 as Range<UInt64>).map { slots.first(for: high | $0) })
    // With random slots it would be 0.83 of them.
    #expect(found.count > 35_000)
    #expect(found.allSatisfy { (0..<slots.count).contains($0) })
  }

  @Test func `keys that differ in their high half spread over the slots`() {
    let slots = HashSlots(capacity: 50_000)
    let found = Set((0..<50_000 as Range<UInt64>).map { slots.first(for: $0 << 32 | 7) })
    #expect(found.count > 35_000)
  }
}
