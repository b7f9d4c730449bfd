import GTFS
import GTFSRealtime
import Timetable

@testable import StationboardServer

/// What a board shows of alerts, found by looking at every selector for every row.
///
/// Slow, and written from the rules only. It knows exact ids, and trips of the timetable.
struct AlertOracle {
  let timetable: Timetable
  let agency: (Int) -> String?
  let alerts: [Alert]
  /// The routes that depart from each stop, the stops below it not counted.
  private var routes: [Set<Int>]

  init(_ timetable: Timetable, _ alerts: [Alert], agency: @escaping (Int) -> String?) {
    self.timetable = timetable
    self.alerts = alerts
    self.agency = agency
    routes = Array(repeating: [], count: timetable.stopCount)
    for trip in 0..<UInt32(timetable.tripCount) {
      for position in 0..<(timetable.callCount(of: trip) - 1) {
        let call = timetable.call(position, of: trip)
        if call.allowsPickup { routes[Int(call.stop)].insert(timetable.route(of: trip)) }
      }
    }
  }

  /// The ids of the banners and of each row's alerts, as sets.
  func board(_ stop: UInt32, _ rows: [BoardRow], at now: UInt64) -> [Set<String>] {
    let active = alerts.filter { $0.isActive(at: now) }
    let departing = (0..<UInt32(timetable.stopCount)).filter { below in
      !routes[Int(below)].isEmpty && levels(of: below).contains(stop)
    }
    .reduce(into: Set<Int>()) { $0.formUnion(routes[Int($1)]) }
    var banners: Set<String> = []
    for alert in active
    where alert.informedEntities.contains(where: { isBanner($0, stop, departing) }) {
      banners.insert(alert.entityID)
    }
    let ofRows = rows.map { row in
      Set(
        active.filter { alert in
          !banners.contains(alert.entityID)
            && alert.informedEntities.contains { matches($0, row) }
        }
        .map(\.entityID)
      )
    }
    let seen = ofRows.reduce(into: Set<String>()) { $0.formUnion($1) }
    for alert in active where !seen.contains(alert.entityID) {
      if alert.informedEntities.contains(where: { isAtStop($0, stop) }) {
        banners.insert(alert.entityID)
      }
    }
    return [banners] + ofRows
  }

  private func levels(of stop: UInt32) -> [UInt32] {
    var levels = [stop]
    while let parent = timetable.parent(of: levels[levels.count - 1]) { levels.append(parent) }
    return levels
  }

  /// About a stop alone, or about agency and type alone.
  private func isBanner(
    _ selector: EntitySelector,
    _ stop: UInt32,
    _ departing: Set<Int>
  ) -> Bool {
    guard selector.routeID == nil, selector.trip == nil, selector.directionID == nil else {
      return false
    }
    if let id = selector.stopID {
      guard selector.agencyID == nil, selector.routeType == nil,
        let about = timetable.stop(id: id)
      else { return false }
      return levels(of: about).contains(stop) || levels(of: stop).contains(about)
    }
    guard !selector.isEmpty else { return false }
    return departing.contains { isOf(selector, $0) }
  }

  /// About a route, an agency or a type at the stop or below it.
  private func isAtStop(_ selector: EntitySelector, _ stop: UInt32) -> Bool {
    guard let about = selector.stopID.flatMap({ timetable.stop(id: $0) }), selector.trip == nil,
      levels(of: about).contains(stop)
    else { return false }
    if selector.directionID != nil, selector.routeID == nil { return false }
    guard selector.routeID != nil || selector.agencyID != nil || selector.routeType != nil else {
      return false
    }
    return (0..<timetable.routeCount).contains { isOf(selector, $0) }
  }

  private func isOf(_ selector: EntitySelector, _ route: Int) -> Bool {
    let description = timetable.route(route)
    if let id = selector.routeID, id != description.id { return false }
    if let id = selector.agencyID, id != agency(route) { return false }
    if let type = selector.routeType {
      return RouteTypeScope.contains(Int(type), description.type)
    }
    return true
  }

  private func matches(_ selector: EntitySelector, _ row: BoardRow) -> Bool {
    guard !selector.isEmpty, let trip = row.trip else { return false }
    if selector.directionID != nil, selector.routeID == nil, selector.trip == nil { return false }
    guard isOf(selector, timetable.route(of: trip)) else { return false }
    if let direction = selector.directionID {
      guard timetable.direction(of: trip).map({ UInt32($0) }) == direction else { return false }
    }
    if let descriptor = selector.trip {
      guard let id = descriptor.tripID, timetable.trips(id: id).contains(trip) else { return false }
      if let date = descriptor.startDate, date.daysSinceEpoch != row.day { return false }
    }
    if let id = selector.stopID {
      guard let about = timetable.stop(id: id), levels(of: row.stop).contains(about) else {
        return false
      }
      return selector != EntitySelector(stopID: id)
    }
    return true
  }
}
