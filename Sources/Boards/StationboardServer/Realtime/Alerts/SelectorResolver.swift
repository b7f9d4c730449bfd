import GTFS
import GTFSRealtime
import Timetable

/// Looks up what alerts are about, each selector once per feed.
struct SelectorResolver {
  let directory: AlertDirectory
  /// The agencies and route types that alerts name.
  private(set) var scopes: [AlertScope] = []
  private var scopeNumbers: [AlertDirectory.ScopeKey: UInt32] = [:]
  private var failedScopes: [AlertDirectory.ScopeKey: AlertCounters.Reason] = [:]
  /// Selectors of a platform that the timetable does not have.
  private(set) var platformsAsStations = 0

  init(_ directory: AlertDirectory) { self.directory = directory }

  /// The selector in numbers of the timetable, of a trip unknown to it without runs.
  ///
  /// All given fields must be known and go together; nothing is widened.
  ///
  /// - Throws: Why it has no effect.
  mutating func resolve(
    _ selector: EntitySelector
  ) throws(AlertCounters.Reason) -> ResolvedSelector {
    guard !selector.isEmpty else { throw .empty }
    var resolved = ResolvedSelector()
    try resolveRoute(selector, &resolved)
    if let trip = selector.trip { try resolveTrip(trip, &resolved) }
    try resolveDirection(selector, &resolved)
    try resolveScope(selector, &resolved)
    if let id = selector.stopID {
      guard let stop = directory.stop(id) else { throw .unknownStop }
      resolved.stop = stop.stop
      if stop.isStationOfPlatform { platformsAsStations += 1 }
    }
    return resolved
  }

  private func resolveRoute(
    _ selector: EntitySelector,
    _ resolved: inout ResolvedSelector
  ) throws(AlertCounters.Reason) {
    for id in [selector.routeID, selector.trip?.routeID].compactMap(\.self) {
      guard let route = directory.route(id: id) else { throw .unknownRoute }
      guard resolved.route == ResolvedSelector.none || resolved.route == route else {
        throw .contradiction
      }
      resolved.route = route
    }
  }

  private func resolveTrip(
    _ descriptor: TripDescriptor,
    _ resolved: inout ResolvedSelector
  ) throws(AlertCounters.Reason) {
    let timetable = directory.timetable
    if let start = descriptor.startTime { resolved.start = start }
    let date = descriptor.startDate
    if let date { resolved.day = Int32(truncatingIfNeeded: date.daysSinceEpoch) }
    guard descriptor.tripID != nil || descriptor.originalTripID != nil else {
      guard resolved.route != ResolvedSelector.none else { throw .incompleteTrip }
      return
    }
    resolved.hasTrip = true
    guard var runs = runs(of: descriptor) else { return }
    let route = UInt32(timetable.route(of: runs.lowerBound))
    guard resolved.route == ResolvedSelector.none || resolved.route == route else {
      throw .contradiction
    }
    resolved.route = route
    if timetable.isFrequency(runs.lowerBound), let start = descriptor.startTime {
      let starting = runs.filter { timetable.start(of: $0) == start }
      guard let first = starting.first, let last = starting.last else { throw .unknownStart }
      runs = first..<last + 1
    } else {
      // A trip with fixed times has one start; a start in the feed adds nothing.
      resolved.start = ResolvedSelector.anyStart
    }
    if let date { resolved.day = try day(date, of: runs) }
    resolved.firstTrip = runs.lowerBound
    resolved.tripCount = UInt32(runs.count)
  }

  /// The runs of a trip; `nil` if the timetable does not have it.
  private func runs(of descriptor: TripDescriptor) -> Range<Timetable.Trip>? {
    for id in [descriptor.tripID, descriptor.originalTripID].compactMap(\.self) {
      let runs = directory.timetable.trips(id: id)
      if !runs.isEmpty { return runs }
    }
    return nil
  }

  /// The service day that a date means: itself, or the day before for trips that start past 24:00.
  private func day(
    _ date: ServiceDate,
    of runs: Range<Timetable.Trip>
  ) throws(AlertCounters.Reason) -> Int32 {
    let timetable = directory.timetable
    if runs.contains(where: { timetable.runs($0, on: date) }) {
      return Int32(truncatingIfNeeded: date.daysSinceEpoch)
    }
    let before = date + -1
    let isNight = runs.contains { run in
      timetable.start(of: run) >= 86_400 && timetable.runs(run, on: before)
    }
    guard isNight else { throw .notRunning }
    return Int32(truncatingIfNeeded: before.daysSinceEpoch)
  }

  private func resolveDirection(
    _ selector: EntitySelector,
    _ resolved: inout ResolvedSelector
  ) throws(AlertCounters.Reason) {
    for direction in [selector.directionID, selector.trip?.directionID].compactMap(\.self) {
      guard direction <= 1 else { throw .contradiction }
      guard resolved.direction == 255 || resolved.direction == UInt8(direction) else {
        throw .contradiction
      }
      resolved.direction = UInt8(direction)
    }
    guard resolved.direction != 255 else { return }
    guard resolved.route != ResolvedSelector.none || resolved.hasTrip else {
      throw .directionWithoutRoute
    }
    if resolved.firstTrip != ResolvedSelector.none,
      directory.timetable.direction(of: resolved.firstTrip) != resolved.direction
    {
      throw .contradiction
    }
  }

  /// Agency and route type: a condition that a known route meets or not, else what it is about.
  private mutating func resolveScope(
    _ selector: EntitySelector,
    _ resolved: inout ResolvedSelector
  ) throws(AlertCounters.Reason) {
    guard selector.agencyID != nil || selector.routeType != nil else { return }
    let number = try scope(
      AlertDirectory.ScopeKey(
        agency: selector.agencyID,
        type: selector.routeType.map { Int($0) }
      )
    )
    guard resolved.route != ResolvedSelector.none else {
      resolved.scope = number
      return
    }
    let routeClass = directory.routeClass(of: resolved.route)
    guard scopes[Int(number)].contains(routeClass) else { throw .contradiction }
  }

  private mutating func scope(
    _ key: AlertDirectory.ScopeKey
  ) throws(AlertCounters.Reason) -> UInt32 {
    if let known = scopeNumbers[key] { return known }
    if let reason = failedScopes[key] { throw reason }
    do {
      scopes.append(try AlertScope(agency: key.agency, type: key.type, in: directory))
    } catch {
      failedScopes[key] = error
      throw error
    }
    let number = UInt32(scopes.count - 1)
    scopeNumbers[key] = number
    return number
  }
}

extension AlertDirectory {
  /// Identifies an agency and route type.
  struct ScopeKey: Hashable {
    var agency: String?
    var type: Int?
  }
}
