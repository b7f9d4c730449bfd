import Synchronization
package import Timetable

/// What realtime ids are looked up in: made once per timetable, not per tick.
///
/// Stop ids are normalised here, once: the exact id, an original id, and the Swiss shapes of any year
/// (`8501008P`, `Parent8501008`, `ch:1:sloid:1008`, `8501008:0:3`, `8501008`) all lead to one station.
package final class TimetableDirectory: Sendable {
  /// The timetable.
  package let timetable: Timetable
  /// Means no stop.
  static let none = UInt32.max
  /// The most levels of stops below stops that are followed upwards.
  private static let mostLevels = 8

  private let parents: [UInt32]
  private let stations: [UInt32]
  /// The Swiss station number of each stop's station, 0 for none.
  private let numbers: [UInt32]
  private let routes: [String: Int]
  /// All trips by route and start, once an update asks for them.
  private let starts = Mutex<TripStarts?>(nil)

  /// Reads what realtime ids are looked up in.
  package init(_ timetable: Timetable) {
    self.timetable = timetable
    let stops = 0..<UInt32(timetable.stopCount)
    parents = stops.map { timetable.parent(of: $0) ?? Self.none }
    let stations = stops.map { timetable.station(of: $0) }
    self.stations = stations
    let own = stops.map { stop in
      Timetable.swissNumber(String(decoding: timetable.id(of: stop), as: UTF8.self)) ?? 0
    }
    numbers = stops.map { stop in
      let number = own[Int(stop)]
      return number != 0 ? number : own[Int(stations[Int(stop)])]
    }
    var routes: [String: Int] = [:]
    routes.reserveCapacity(timetable.routeCount)
    for route in 0..<timetable.routeCount { routes[timetable.route(route).id] = route }
    self.routes = routes
  }

  /// The number of the route with an id.
  func route(id: String) -> Int? { routes[id] }

  /// The trips of a route that start at a time of the service day, each run of a frequency counted.
  func trips(route: Int, start: Int32) -> ArraySlice<UInt32> {
    let starts = starts.withLock { starts in
      if let starts { return starts }
      let made = TripStarts(timetable)
      starts = made
      return made
    }
    return starts.trips(route: route, start: start, timetable)
  }

  /// Calls `body` with a stop and every stop above it, from below.
  @inline(__always)
  func forEachLevel(of stop: UInt32, _ body: (UInt32) -> Void) {
    var stop = stop
    var level = 0
    while stop != Self.none, level < Self.mostLevels {
      body(stop)
      stop = parents[Int(stop)]
      level += 1
    }
  }

  /// Whether a stop is another one or above it.
  func contains(_ upper: UInt32, _ lower: UInt32) -> Bool {
    var found = false
    forEachLevel(of: lower) { if $0 == upper { found = true } }
    return found
  }

  /// Whether two stops belong to one station; ``none`` belongs to no one.
  @inline(__always)
  func isSameStation(_ left: UInt32, _ right: UInt32) -> Bool {
    guard left != Self.none, right != Self.none else { return false }
    if stations[Int(left)] == stations[Int(right)] { return true }
    let number = numbers[Int(left)]
    return number != 0 && number == numbers[Int(right)]
  }

  /// The numbers of which a stop shares one with every other stop of its station (``isSameStation(_:_:)``).
  func stationNumbers(of stop: UInt32) -> [UInt64] {
    let number = numbers[Int(stop)]
    return number == 0
      ? [UInt64(stations[Int(stop)])] : [UInt64(stations[Int(stop)]), UInt64(number) << 32]
  }

  /// The stop that a realtime id means.
  func resolve(_ id: String) -> ResolvedStop {
    if let stop = timetable.stop(id: id) ?? timetable.stop(originalId: id) {
      return ResolvedStop(stop: stop, names: isPlatform(stop) ? .platform : .station)
    }
    guard let station = timetable.station(swissId: id) else { return ResolvedStop() }
    guard let platform = Timetable.swissPlatform(id) else {
      return ResolvedStop(stop: station, names: .station)
    }
    // The platform may be in the timetable under another id.
    let top = stations[Int(station)]
    if let known = timetable.servedStops(of: top).first(where: { matches($0, platform) }) {
      return ResolvedStop(stop: known, names: .platform)
    }
    return ResolvedStop(stop: station, names: .unknownPlatform(platform))
  }

  private func matches(_ stop: UInt32, _ platform: String) -> Bool {
    timetable.platform(of: stop) == platform
  }

  /// Whether a stop is a place at a station where vehicles stop, not the station.
  private func isPlatform(_ stop: UInt32) -> Bool {
    timetable.locationType(of: stop) != 1
  }
}

/// The stop that the id of a feed means.
struct ResolvedStop: Hashable, Sendable {
  /// How exact the id is.
  enum Precision: Hashable, Sendable {
    /// A stop of the timetable where vehicles stop.
    case platform
    /// A station, by whatever id.
    case station
    /// A platform of the station that the timetable does not have, by the name in the id.
    case unknownPlatform(String)
  }

  /// The stop of the timetable; ``TimetableDirectory/none`` if the id means none.
  var stop: UInt32 = TimetableDirectory.none
  /// How exact the id is.
  var names: Precision = .station

  /// Whether the id means a stop of the timetable.
  var isKnown: Bool { stop != TimetableDirectory.none }
}
