import GTFS

extension FeedTables {
  /// Names the zone of stops that have no stop_timezone and are served in another zone than the feed's.
  ///
  /// A stop takes the zone of the agencies that serve it, a station that of the stops below it, if that is one zone.
  mutating func nameZones() {
    guard timeZones.count > 1 else { return }
    let none = UInt8.max
    let several = none - 1
    var zones = [UInt8](repeating: none, count: stops.count)
    func join(_ stop: Int, _ zone: UInt8) {
      zones[stop] = zones[stop] == none || zones[stop] == zone ? zone : several
    }
    struct Served: Hashable {
      var pattern: UInt32
      var zone: UInt8
    }
    var served = Set<Served>()
    for trip in trips.states.indices where trips.states[trip] == .complete {
      let agency = routes[Int(trips.routes[trip])].agency
      served.insert(
        Served(
          pattern: trips.patterns[trip],
          zone: agency == noRecord ? 0 : agencyZones[Int(agency)]
        )
      )
    }
    for one in served {
      let pattern = patterns.patterns[Int(one.pattern)]
      for place in Int(pattern.first)..<Int(pattern.first + pattern.count) {
        var stop = patterns.stops[place]
        while stop != noRecord {
          join(Int(stop), one.zone)
          stop = stops[Int(stop)].parent
        }
      }
    }
    for (stop, zone) in zones.enumerated()
    where stops[stop].zone == 0 && zone != none && zone != several && zone != 0 {
      stops[stop].zone = texts.intern(timeZones[Int(zone)])
    }
  }
}
