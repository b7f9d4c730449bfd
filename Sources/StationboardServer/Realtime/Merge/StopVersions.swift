import Timetable

/// The versions of all stops: sums of the hashes of what can change their boards, in any order.
enum StopVersions {
  /// The versions of the stops of a timetable, by number; 0 for stops that nothing concerns.
  static func of(_ builder: RealtimeBuilder) -> [UInt64] {
    let directory = builder.directory
    var versions = [UInt64](repeating: 0, count: directory.timetable.stopCount)
    let extras = builder.extraTrips.map { trip in
      var hash = ContentHash()
      trip.add(to: &hash)
      return hash.value
    }
    let platforms = builder.platformTexts.map { text in
      var hash = ContentHash()
      hash.add(text)
      return hash.value
    }
    let trips = builder.trips.map { trip in
      let identity = mix(UInt64(trip.trip) << 32 | UInt64(UInt32(bitPattern: trip.day)))
      return trip.extra < 0 ? identity : identity ^ extras[Int(trip.extra)]
    }
    for call in builder.calls {
      var hash = trips[Int(call.trip)] &+ UInt64(call.position)
      hash = mix(hash ^ UInt64(bitPattern: builder.sourceTime + Int64(call.effective)))
      if call.scheduled != RealtimeCall.unscheduled {
        hash = mix(hash ^ UInt64(bitPattern: builder.sourceTime + Int64(call.scheduled)))
      }
      if call.platform == RealtimeCall.usualPlatform || call.platform < RealtimeCall.firstText {
        hash ^= UInt64(call.platform) << 20
      } else {
        hash ^= platforms[Int(call.platform - RealtimeCall.firstText)]
      }
      hash = mix(hash ^ UInt64(call.marks.rawValue))
      StopLists.forEachStop(of: call, directory) { versions[Int($0)] &+= hash }
    }
    // Trips without rows of their own change a board by what is missing from it.
    let timetable = directory.timetable
    for (number, trip) in builder.trips.enumerated()
    where trip.kind == .deleted || trip.kind == .replaced {
      for position in 0..<timetable.callCount(of: trip.trip) {
        let stop = timetable.call(position, of: trip.trip).stop
        let hash = mix(trips[number] ^ 0xDE1E_7ED0 ^ UInt64(position) << 40)
        directory.forEachLevel(of: stop) { versions[Int($0)] &+= hash }
      }
    }
    return versions
  }

  /// The finalizer of splitmix64.
  @inline(__always)
  private static func mix(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
