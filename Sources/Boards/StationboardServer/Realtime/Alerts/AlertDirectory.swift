import Timetable

/// Looks up the ids of alerts; built once per timetable.
final class AlertDirectory: Sendable {
  /// What routes have in common that an alert can name: agency and type.
  struct RouteClass: Hashable, Sendable {
    /// agency_id; `nil` if it is not known.
    var agency: String?
    /// route_type.
    var type: Int
  }

  /// The most levels of stops below stops that are followed upwards.
  static let mostLevels = 8

  let timetable: Timetable
  /// The classes of the timetable's routes.
  let classes: [RouteClass]
  private let routes: [String: UInt32]
  private let classOfRoute: [UInt32]
  /// Which classes depart from which stops; `nil` until an alert needs it.
  let stopClasses: StopClasses?

  /// Reads what alerts name from a timetable.
  convenience init(_ timetable: Timetable) {
    self.init(timetable, agency: { timetable.agencyId(ofRoute: $0) })
  }

  /// - Parameters:
  ///   - timetable: The timetable.
  ///   - agency: agency_id of a route, by the route's number; `nil` if it is not known.
  init(_ timetable: Timetable, agency: (Int) -> String?) {
    self.timetable = timetable
    var routes: [String: UInt32] = [:]
    var numbers: [RouteClass: UInt32] = [:]
    var classes: [RouteClass] = []
    var classOfRoute: [UInt32] = []
    routes.reserveCapacity(timetable.routeCount)
    classOfRoute.reserveCapacity(timetable.routeCount)
    for number in 0..<timetable.routeCount {
      let route = timetable.route(number)
      routes[route.id] = UInt32(number)
      let routeClass = RouteClass(agency: agency(number), type: route.type)
      if let known = numbers[routeClass] {
        classOfRoute.append(known)
      } else {
        numbers[routeClass] = UInt32(classes.count)
        classOfRoute.append(UInt32(classes.count))
        classes.append(routeClass)
      }
    }
    self.routes = routes
    self.classes = classes
    self.classOfRoute = classOfRoute
    stopClasses = nil
  }

  /// The number of the route with an id.
  func route(id: String) -> UInt32? { routes[id] }

  /// The class of a route.
  @inline(__always)
  func routeClass(of route: UInt32) -> UInt32 { classOfRoute[Int(route)] }

  private init(_ other: AlertDirectory, _ stopClasses: StopClasses) {
    timetable = other.timetable
    classes = other.classes
    routes = other.routes
    classOfRoute = other.classOfRoute
    self.stopClasses = stopClasses
  }

  /// The directory that also knows which classes depart from which stops.
  func knowingStopClasses() -> AlertDirectory {
    stopClasses == nil ? AlertDirectory(self, StopClasses(self)) : self
  }

  /// Calls `body` with a stop and every stop above it, from below.
  @inline(__always)
  func forEachLevel(of stop: UInt32, _ body: (UInt32) -> Void) {
    var next: UInt32? = stop
    var level = 0
    while let stop = next, level < Self.mostLevels {
      body(stop)
      next = timetable.parent(of: stop)
      level += 1
    }
  }

  /// The stop of an id, in the format of any year, and whether it is that of a platform that the
  /// timetable does not have.
  func stop(_ id: String) -> (stop: UInt32, isStationOfPlatform: Bool)? {
    if let stop = timetable.stop(id: id) ?? timetable.stop(originalId: id) { return (stop, false) }
    guard let found = timetable.station(swissId: id) else { return nil }
    guard let platform = Self.platform(id) else { return (found, false) }
    let station = timetable.station(of: found)
    let known = timetable.servedStops(of: station).first { stop in
      timetable.platform(of: stop) == platform
    }
    return known.map { ($0, false) } ?? (station, true)
  }

  /// The platform that a Swiss id names, an ordinary id or a SLOID; `nil` if it names none.
  private static func platform(_ id: String) -> String? {
    let sloid = "ch:1:sloid:"
    guard id.hasPrefix(sloid) else { return Timetable.swissPlatform(id) }
    let parts = id.dropFirst(sloid.count).split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 3 && !parts[2].isEmpty ? String(parts[2]) : nil
  }
}
