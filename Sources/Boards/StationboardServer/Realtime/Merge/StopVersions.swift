import GTFS
import Hashing
import Timetable

/// The versions of all stops: sums of the hashes of what can change their boards, in any order; and how
/// old the oldest realtime of each stop is.
struct StopVersions: Sendable {
  /// The versions, by the number of the stop; 0 for stops that nothing concerns.
  private(set) var versions: [UInt64]
  /// The oldest source time of the departures of each stop, in seconds since 1970-01-01T00:00:00Z.
  private(set) var oldest: [Int64]

  /// The versions of the stops of a timetable.
  init(_ builder: RealtimeBuilder) {
    let directory = builder.directory
    versions = [UInt64](repeating: 0, count: directory.timetable.stopCount)
    oldest = [Int64](repeating: .max, count: directory.timetable.stopCount)
    let extras = builder.extraTrips.map { trip in
      var hash = ContentHash()
      trip.add(to: &hash)
      return hash.value
    }
    let texts = builder.texts.map { text in
      var hash = ContentHash()
      hash.add(text)
      return hash.value
    }
    let trips = builder.trips.map { trip in
      var identity = Self.mix(UInt64(trip.trip) << 32 | UInt64(UInt32(bitPattern: trip.day)))
      if trip.headsign != RealtimeCall.usualPlatform {
        identity = Self.mix(identity ^ texts[Int(trip.headsign - RealtimeCall.firstText)])
      }
      for place in builder.skips[Int(trip.firstSkip)..<Int(trip.firstSkip + trip.skipCount)] {
        identity = Self.mix(identity ^ UInt64(place))
      }
      return trip.extra < 0 ? identity : identity ^ extras[Int(trip.extra)]
    }
    for (number, call) in builder.calls.enumerated() {
      var hash = trips[Int(call.trip)] &+ UInt64(call.position)
      hash = Self.mix(hash ^ UInt64(bitPattern: builder.sourceTime + Int64(call.effective)))
      if call.scheduled != RealtimeCall.unscheduled {
        hash = Self.mix(hash ^ UInt64(bitPattern: builder.sourceTime + Int64(call.scheduled)))
      }
      if call.platform == RealtimeCall.usualPlatform || call.platform < RealtimeCall.firstText {
        hash ^= UInt64(call.platform) << 20
      } else {
        hash ^= texts[Int(call.platform - RealtimeCall.firstText)]
      }
      if !builder.headsigns.isEmpty, let headsign = builder.headsigns[UInt32(number)] {
        hash = Self.mix(hash ^ texts[Int(headsign - RealtimeCall.firstText)])
      }
      hash = Self.mix(
        hash ^ UInt64(call.flags.rawValue) ^ UInt64(call.uncertainty) << 16
          ^ UInt64(call.occupancy) << 32
      )
      let source = builder.trips[Int(call.trip)].sourceTime
      StopLists.forEachStop(of: call, directory) {
        versions[Int($0)] &+= hash
        if source < oldest[Int($0)] { oldest[Int($0)] = source }
      }
    }
    // Stops without boarding and trips without rows of their own change a board by what is missing from it.
    let timetable = directory.timetable
    for (number, trip) in builder.trips.enumerated() where trip.closedCount > 0 {
      for place in builder.closed[Int(trip.firstClosed)..<Int(trip.firstClosed + trip.closedCount)]
      {
        let stop = timetable.call(Int(place), of: trip.trip).stop
        let hash = Self.mix(trips[number] ^ 0xC105_ED00 ^ UInt64(place) << 40)
        directory.forEachLevel(of: stop) { versions[Int($0)] &+= hash }
      }
    }
    for (number, trip) in builder.trips.enumerated()
    where trip.kind == .deleted || trip.kind == .replaced {
      for position in 0..<timetable.callCount(of: trip.trip) {
        let stop = timetable.call(position, of: trip.trip).stop
        let hash = Self.mix(trips[number] ^ 0xDE1E_7ED0 ^ UInt64(position) << 40)
        directory.forEachLevel(of: stop) { versions[Int($0)] &+= hash }
      }
    }
    guard timetable.hasContinuations else { return }
    // A trip that does not run is no longer the one that the vehicle of another trip runs next.
    for (number, trip) in builder.trips.enumerated()
    where trip.extra < 0 && trip.endsContinuation {
      let day = ServiceDate(daysSinceEpoch: Int(trip.day))
      for before in timetable.predecessors(of: trip.trip, on: day) {
        for position in 0..<timetable.callCount(of: before.trip) {
          let stop = timetable.call(position, of: before.trip).stop
          let hash = Self.mix(trips[number] ^ 0xC047_1401 ^ UInt64(position) << 40)
          directory.forEachLevel(of: stop) { versions[Int($0)] &+= hash }
        }
      }
    }
  }

  /// The finalizer of splitmix64.
  @inline(__always)
  private static func mix(_ value: UInt64) -> UInt64 {
    SplitMix64.mix(value &+ SplitMix64.increment)
  }
}
