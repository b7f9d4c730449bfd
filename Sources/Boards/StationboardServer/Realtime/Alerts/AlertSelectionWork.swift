import Timetable

/// The working memory for selecting the alerts of one board.
struct AlertSelectionWork {
  /// A row in the terms of alerts.
  struct Row {
    var row: BoardRow
    /// The run of the timetable that the row is; `nil` for trips that it does not have.
    var trip: UInt32?
    /// The route, or ``ResolvedSelector/none``.
    var route: UInt32
    /// The class of the route, or ``ResolvedSelector/none``.
    var routeClass: UInt32
    var direction: UInt8?
    /// The first departure in seconds after 0:00 of the service day.
    var start: Int32?
    /// The stop it departs from instead of its own, or ``ResolvedSelector/none``.
    var otherStop: UInt32 = ResolvedSelector.none
    /// The trip id, of trips that the timetable does not have as they run.
    var extraID: String?

    init(_ row: BoardRow, _ directory: AlertDirectory, _ realtime: RealtimeIndex?) {
      let timetable = directory.timetable
      self.row = row
      trip = row.trip
      start = row.trip.map { timetable.start(of: $0) }
      direction = row.trip.flatMap { timetable.direction(of: $0) }
      var route = row.trip.map { UInt32(timetable.route(of: $0)) }
      if let number = row.extra, let realtime {
        let extra = realtime.extraTrips[number]
        extraID = extra.tripID
        route = extra.route.map { UInt32($0) } ?? route
        start = extra.start ?? start
        // A copy of a trip, or a new one, is not the trip itself.
        if extra.kind != .replacement { trip = nil }
      }
      self.route = route ?? ResolvedSelector.none
      routeClass = route.map { directory.routeClass(of: $0) } ?? ResolvedSelector.none
      if row.flags.contains(.platformChanged), let realtime,
        case .stop(let stop) = realtime.platform(of: row)
      {
        otherStop = stop
      }
    }
  }

  /// What is known about an alert so far.
  private enum Status: UInt8 {
    case unknown
    case inactive
    case active
    case banner
    case onRow
  }

  /// What rows have in common that carry the same alerts except for those about trips.
  private struct Likeness: Equatable {
    var route: UInt32
    var stop: UInt32
    var otherStop: UInt32
    var direction: UInt8?

    init(_ row: Row) {
      route = row.route
      stop = row.row.stop
      otherStop = row.otherStop
      direction = row.direction
    }
  }

  private let index: AlertIndex
  private let tables: AlertTables
  private let selectors: [ResolvedSelector]
  private let instant: UInt64
  private var statuses: [Status]
  /// Alerts with the selectors that brought them, each pair in one number.
  private var hits: [UInt64] = []
  private var likenesses: [Likeness] = []
  private var sharedRanges: [Range<Int>] = []
  private var sharedHits: [UInt64] = []
  /// The first instant at which an alert of the board starts or ends.
  private(set) var nextChange: UInt64?

  init(index: AlertIndex, now: Double) {
    self.index = index
    tables = index.tables
    selectors = index.selectors
    // The comparison also keeps out what is not a number.
    instant = now >= 0 && now < 0x1p62 ? UInt64(now) : 0
    statuses = Array(repeating: .unknown, count: index.alerts.count)
  }

  // MARK: Banners

  /// The alerts about a stop, and about what departs from it as a whole.
  mutating func banners(at stop: UInt32) -> [AlertSelection.Hit] {
    hits.removeAll(keepingCapacity: true)
    tables.atOrBelowStop.forEach(UInt64(stop)) { note($0) }
    if !tables.atStop.isEmpty {
      index.directory.forEachLevel(of: stop) { level in
        if level != stop { tables.atStop.forEach(UInt64(level)) { note($0) } }
      }
    }
    if !tables.ofClass.isEmpty, let classes = index.directory.stopClasses {
      for routeClass in classes[stop] { tables.ofClass.forEach(UInt64(routeClass)) { note($0) } }
    }
    return taken()
  }

  /// The alerts about a route, agency or route type at a stop that no row carries.
  mutating func unseen(at stop: UInt32) -> [AlertSelection.Hit] {
    hits.removeAll(keepingCapacity: true)
    index.tables.scopedAtOrBelowStop.forEach(UInt64(stop)) { note($0) }
    return taken(unlessOnRow: true)
  }

  // MARK: Rows

  /// Appends the alerts of a row; returns how many are too many.
  mutating func append(_ row: Row, to list: inout [AlertSelection.Hit]) -> Int {
    hits.removeAll(keepingCapacity: true)
    if let trip = row.trip { tables.ofTrip.forEach(UInt64(trip)) { note($0, row) } }
    if let id = row.extraID, let selectors = tables.tripIDs[id] {
      for selector in selectors { note(selector, row) }
    }
    let shared = shared(by: row)
    if hits.isEmpty { return append(sharedHits[shared], to: &list) }
    hits.append(contentsOf: sharedHits[shared])
    tidy()
    return append(hits[...], to: &list)
  }

  private mutating func append(
    _ found: ArraySlice<UInt64>,
    to list: inout [AlertSelection.Hit]
  ) -> Int {
    for hit in found { statuses[Int(hit >> 32)] = .onRow }
    for hit in found.prefix(AlertLimits.rowAlerts) {
      list.append(AlertSelection.Hit(packed: hit))
    }
    return max(0, found.count - AlertLimits.rowAlerts)
  }

  /// The alerts of a row that all rows like it have, as a place in ``sharedHits``.
  private mutating func shared(by row: Row) -> Range<Int> {
    guard row.route != ResolvedSelector.none || !tables.atStopOfRoute.isEmpty else { return 0..<0 }
    let likeness = Likeness(row)
    if !tables.hasTimedRoutes, let known = likenesses.firstIndex(of: likeness) {
      return sharedRanges[known]
    }
    let ofTrip = hits
    hits.removeAll(keepingCapacity: true)
    if row.route != ResolvedSelector.none {
      tables.ofRoute.forEach(UInt64(row.route)) { note($0, row) }
      tables.ofClass.forEach(UInt64(row.routeClass)) { note($0, row) }
    }
    if !tables.atStopOfRoute.isEmpty {
      atStops(of: row, row.row.stop)
      if row.otherStop != ResolvedSelector.none { atStops(of: row, row.otherStop) }
    }
    tidy()
    let range = sharedHits.count..<sharedHits.count + hits.count
    sharedHits.append(contentsOf: hits)
    likenesses.append(likeness)
    sharedRanges.append(range)
    hits = ofTrip
    return range
  }

  private mutating func atStops(of row: Row, _ stop: UInt32) {
    index.directory.forEachLevel(of: stop) { level in
      if row.route != ResolvedSelector.none {
        tables.atStopOfRoute.forEach(AlertTables.key(level, row.route)) { note($0, row) }
      }
      tables.atStopOfRoute.forEach(AlertTables.key(level, ResolvedSelector.none)) { note($0, row) }
    }
  }

  // MARK: Selectors

  @inline(__always)
  private mutating func note(_ selector: UInt32, _ row: Row) {
    if matches(selectors[Int(selector)], row) { note(selector) }
  }

  /// Notes the selector if its alert is active.
  @inline(__always)
  private mutating func note(_ selector: UInt32) {
    let alert = selectors[Int(selector)].alert
    if statuses[Int(alert)] == .unknown { judge(Int(alert)) }
    if statuses[Int(alert)] == .inactive { return }
    hits.append(UInt64(alert) << 32 | UInt64(selector))
  }

  private mutating func judge(_ alert: Int) {
    let state = index.alerts[alert].periods.state(at: instant)
    statuses[alert] = state.isActive ? .active : .inactive
    if let change = state.changesAt { nextChange = min(nextChange ?? change, change) }
  }

  /// Sorts the noted alerts, each once, and removes those that are banners already.
  private mutating func tidy() {
    guard !hits.isEmpty else { return }
    hits.sort()
    var kept = 0
    var last: UInt64?
    for place in hits.indices {
      let hit = hits[place]
      let alert = hit >> 32
      if alert == last || statuses[Int(alert)] == .banner { continue }
      last = alert
      hits[kept] = hit
      kept += 1
    }
    hits.removeSubrange(kept...)
  }

  /// The noted alerts as banners.
  private mutating func taken(unlessOnRow: Bool = false) -> [AlertSelection.Hit] {
    tidy()
    var found: [AlertSelection.Hit] = []
    for hit in hits {
      let hit = AlertSelection.Hit(packed: hit)
      if unlessOnRow, statuses[Int(hit.alert)] == .onRow { continue }
      statuses[Int(hit.alert)] = .banner
      found.append(hit)
    }
    return found
  }

  /// Whether a row is all that a selector says.
  @inline(__always)
  private func matches(_ selector: ResolvedSelector, _ row: Row) -> Bool {
    // A replacement of a trip may run on another route and is still what the alert is about.
    if selector.route != ResolvedSelector.none, selector.firstTrip == ResolvedSelector.none,
      selector.route != row.route
    {
      return false
    }
    if selector.day != ResolvedSelector.anyDay, Int(selector.day) != row.row.day { return false }
    if selector.start != ResolvedSelector.anyStart, selector.start != row.start { return false }
    if selector.direction != 255, selector.direction != row.direction { return false }
    if selector.scope != ResolvedSelector.none {
      guard row.routeClass != ResolvedSelector.none,
        index.scopes[Int(selector.scope)].contains(row.routeClass)
      else { return false }
    }
    if selector.stop != ResolvedSelector.none {
      return isAtOrAbove(selector.stop, row.row.stop)
        || (row.otherStop != ResolvedSelector.none && isAtOrAbove(selector.stop, row.otherStop))
    }
    return true
  }

  private func isAtOrAbove(_ upper: UInt32, _ stop: UInt32) -> Bool {
    var found = false
    index.directory.forEachLevel(of: stop) { if $0 == upper { found = true } }
    return found
  }
}

extension AlertSelection.Hit {
  fileprivate init(packed: UInt64) {
    self.init(
      alert: UInt32(truncatingIfNeeded: packed >> 32),
      selector: UInt32(truncatingIfNeeded: packed)
    )
  }
}
