package import GTFS

/// What a timetable offers passengers in the next days, and what it has that is of no use.
package struct ServiceSummary: Codable, Hashable, Sendable {
  /// The days that are counted, from the first one on.
  package static let days = ServiceChanges.comparedDays
  /// The lines, and likewise the stations, that are named; all of them are counted.
  package static let mostNamed = ServiceChanges.mostNamed

  /// Lines or stations: how many, and the names of the first.
  package struct Names: Codable, Hashable, Sendable {
    /// How many there are.
    package var count = 0
    /// Their names, at most ``ServiceSummary/mostNamed``.
    package var names: [String] = []

    mutating func add(_ name: String) {
      count += 1
      if names.count < mostNamed { names.append(name) }
    }
  }

  /// The first day counted, as days since 1970-01-01.
  package var firstDay: Int
  /// The departures of each of the days, at all stations.
  package var departures: [Int]
  /// The departures whose time the feed does not give: boards show them as approximate.
  package var approximate = 0
  /// All stations and stops without one.
  package var stations = 0
  /// Stations without a departure on any day.
  package var unusedStations = Names()
  /// Stations that have departures, but none on these days.
  package var restingStations = Names()
  /// Stations without coordinates.
  package var stationsWithoutPlace = Names()
  /// All lines.
  package var lines = 0
  /// Lines without a departure on any day.
  package var unusedLines = Names()
  /// Lines that have departures, but none on these days.
  package var restingLines = Names()
  /// Lines with neither a short nor a long name.
  package var namelessLines = Names()

  /// Counts what a timetable offers.
  ///
  /// The work grows with the departures of the timetable, not with the length of its calendar.
  ///
  /// - Parameters:
  ///   - timetable: The timetable.
  ///   - day: The first of ``days`` days.
  package init(of timetable: Timetable, on day: ServiceDate) {
    firstDay = day.daysSinceEpoch
    departures = [Int](repeating: 0, count: Self.days)
    let image = timetable.image
    let masks = timetable.dayMasks(from: firstDay, count: Self.days)
    // Whether a line runs at all, and on these days.
    var runs = [(ever: Bool, soon: Bool)](repeating: (false, false), count: timetable.routeCount)
    for root in timetable.stationRoots {
      let name = String(decoding: timetable.name(of: root), as: UTF8.self)
      var (isUsed, isSoon) = (false, false)
      for served in timetable.servedStops(of: root) {
        let slice = timetable.places(of: served)
        for place in slice {
          let departure = image.departures[place]
          let trip = image.trips[Int(departure.trip)]
          var mask = masks[Int(trip.daySet)]
          isUsed = true
          runs[Int(trip.route)].ever = true
          guard mask != 0 else { continue }
          isSoon = true
          runs[Int(trip.route)].soon = true
          if timetable.isInterpolated(departure.position, of: departure.trip) {
            approximate += mask.nonzeroBitCount
          }
          while mask != 0 {
            departures[mask.trailingZeroBitCount] += 1
            mask &= mask - 1
          }
        }
      }
      // Entrances, generic nodes and boarding areas have no boards.
      guard isUsed || timetable.locationType(of: root) < 2 else { continue }
      stations += 1
      if timetable.coordinate(of: root) == nil { stationsWithoutPlace.add(name) }
      if !isUsed {
        unusedStations.add(name)
      } else if !isSoon {
        restingStations.add(name)
      }
    }
    lines = timetable.routeCount
    for (route, run) in runs.enumerated() {
      let name = timetable.lineName(route)
      if !run.ever {
        unusedLines.add(name)
      } else if !run.soon {
        restingLines.add(name)
      }
      let texts = timetable.route(route)
      if texts.shortName.isEmpty, texts.longName.isEmpty { namelessLines.add(texts.id) }
    }
  }
}
