import GTFSRealtime

/// Where selectors are found when a board is made.
final class AlertTables: Sendable {
  /// Trip ids as feeds write them, with the selectors that name them.
  struct TripIDs: Sendable {
    private(set) var selectors: [String: [UInt32]] = [:]

    /// Enters the ids of a trip.
    mutating func enter(_ trip: TripDescriptor?, _ selector: UInt32) {
      guard let trip else { return }
      for id in Set([trip.tripID, trip.originalTripID].compactMap(\.self)) {
        selectors[id, default: []].append(selector)
      }
    }
  }

  /// About a stop alone, by exactly this stop.
  let atStop: SelectorTable
  /// About a stop alone, by this stop and all stops above it.
  let atOrBelowStop: SelectorTable
  /// About a route, an agency or a route type at a stop, by exactly this stop and the route
  /// (``ResolvedSelector/none`` for the others).
  let atStopOfRoute: SelectorTable
  /// The same, by the stop and all stops above it.
  let scopedAtOrBelowStop: SelectorTable
  /// About a trip, by its runs.
  let ofTrip: SelectorTable
  /// About a route wherever it runs.
  let ofRoute: SelectorTable
  /// About an agency or a route type wherever it runs, by class.
  let ofClass: SelectorTable
  /// Whether an alert is about a route at one start or on one day: rows alike in all else may differ.
  let hasTimedRoutes: Bool
  /// About a trip, by its id.
  let tripIDs: [String: [UInt32]]

  init(
    _ selectors: [ResolvedSelector],
    _ scopes: [AlertScope],
    _ tripIDs: TripIDs,
    _ directory: AlertDirectory
  ) {
    typealias Entry = (key: UInt64, selector: UInt32)
    var atStop: [Entry] = []
    var atOrBelowStop: [Entry] = []
    var atStopOfRoute: [Entry] = []
    var scopedAtOrBelowStop: [Entry] = []
    var ofTrip: [Entry] = []
    var ofRoute: [Entry] = []
    var ofClass: [Entry] = []
    for (place, selector) in selectors.enumerated() {
      let number = UInt32(place)
      if selector.hasTrip {
        for run in 0..<selector.tripCount {
          ofTrip.append((UInt64(selector.firstTrip + run), number))
        }
      } else if selector.isStopOnly {
        atStop.append((UInt64(selector.stop), number))
        directory.forEachLevel(of: selector.stop) { atOrBelowStop.append((UInt64($0), number)) }
      } else if selector.stop != ResolvedSelector.none {
        atStopOfRoute.append((Self.key(selector.stop, selector.route), number))
        directory.forEachLevel(of: selector.stop) {
          scopedAtOrBelowStop.append((UInt64($0), number))
        }
      } else if selector.route != ResolvedSelector.none {
        ofRoute.append((UInt64(selector.route), number))
      } else {
        for routeClass in scopes[Int(selector.scope)].classes {
          ofClass.append((UInt64(routeClass), number))
        }
      }
    }
    self.atStop = SelectorTable(atStop)
    self.atOrBelowStop = SelectorTable(atOrBelowStop)
    self.atStopOfRoute = SelectorTable(atStopOfRoute)
    self.scopedAtOrBelowStop = SelectorTable(scopedAtOrBelowStop)
    self.ofTrip = SelectorTable(ofTrip)
    self.ofRoute = SelectorTable(ofRoute)
    self.ofClass = SelectorTable(ofClass)
    hasTimedRoutes = selectors.contains { selector in
      !selector.hasTrip
        && (selector.day != ResolvedSelector.anyDay || selector.start != ResolvedSelector.anyStart)
    }
    self.tripIDs = tripIDs.selectors
  }

  /// The key of a route at a stop.
  @inline(__always)
  static func key(_ stop: UInt32, _ route: UInt32) -> UInt64 { UInt64(stop) << 32 | UInt64(route) }
}
