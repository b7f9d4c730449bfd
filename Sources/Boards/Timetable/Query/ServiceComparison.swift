package import GTFS

extension ServiceChanges {
  /// Compares two timetables by their departures, line by line, at each station on each day.
  ///
  /// Lines are the same if they have the same name. Stations are the same if they have the same id, or else
  /// the same name, and lie within ``sameStationMeters``. Work and memory grow with the departures of both
  /// timetables and with the number of lines, not with the length of their calendars.
  ///
  /// Where a line has as many departures at a station on a day as before, the mean of their instants is compared too: all
  /// of them are lost if it differs by ``movedSeconds`` or more.
  ///
  /// - Parameters:
  ///   - before: The timetable that serves.
  ///   - after: The timetable to replace it.
  ///   - day: The first day to compare; ``comparedDays`` days are compared.
  package init(from before: Timetable, to after: Timetable, on day: ServiceDate) {
    self = ServiceComparison(before: before, after: after, firstDay: day.daysSinceEpoch).changes()
  }
}

/// A comparison under way.
private struct ServiceComparison {
  private static let days = ServiceChanges.comparedDays

  private let before: Timetable
  private let after: Timetable
  private let firstDay: Int
  private let lineNames: [String]
  private let beforeLines: [Int]
  private let afterLines: [Int]
  private let beforeMasks: [UInt32]
  private let afterMasks: [UInt32]
  private let beforeOffsets: [Int64]
  private let afterOffsets: [Int64]

  init(before: Timetable, after: Timetable, firstDay: Int) {
    self.before = before
    self.after = after
    self.firstDay = firstDay
    var numbers: [String: Int] = [:]
    var names: [String] = []
    func lines(of timetable: Timetable) -> [Int] {
      (0..<timetable.routeCount).map { route in
        let name = timetable.lineName(route)
        if let number = numbers[name] { return number }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
      }
    }
    beforeLines = lines(of: before)
    afterLines = lines(of: after)
    lineNames = names
    beforeMasks = before.dayMasks(from: firstDay, count: Self.days)
    afterMasks = after.dayMasks(from: firstDay, count: Self.days)
    beforeOffsets = before.dayOffsets(from: firstDay, count: Self.days)
    afterOffsets = after.dayOffsets(from: firstDay, count: Self.days)
  }

  func changes() -> ServiceChanges {
    var changes = ServiceChanges(firstDay: firstDay)
    let days = Self.days
    let size = lineNames.count * days
    var old = DepartureCounts(size: size)
    var new = DepartureCounts(size: size)
    // Departures of each line on each day, everywhere.
    var linesBefore = [Int](repeating: 0, count: size)
    var linesAfter = [Int](repeating: 0, count: size)
    var linesLost = [Int](repeating: 0, count: lineNames.count)
    var stations: [ServiceChanges.Station] = []
    func compare(_ oldRoots: [Timetable.Stop], _ newRoot: Timetable.Stop?) {
      old.clear()
      new.clear()
      for root in oldRoots {
        before.count(
          at: root,
          lines: beforeLines,
          masks: beforeMasks,
          offsets: beforeOffsets,
          into: &old
        )
      }
      if let newRoot {
        after.count(
          at: newRoot,
          lines: afterLines,
          masks: afterMasks,
          offsets: afterOffsets,
          into: &new
        )
      }
      var total = 0
      var lost = 0
      for cell in old.touched {
        let (earlier, later) = (old.cells[cell], new.cells[cell])
        let isMoved = later.isMoved(from: earlier)
        let loss = isMoved ? earlier.count : max(0, earlier.count - later.count)
        if isMoved { changes.moved = (changes.moved ?? 0) + loss }
        total += earlier.count
        lost += loss
        linesBefore[cell] += earlier.count
        linesLost[cell / days] += loss
      }
      for cell in new.touched {
        linesAfter[cell] += new.cells[cell].count
        changes.after += new.cells[cell].count
      }
      changes.before += total
      changes.lost += lost
      guard lost > 0, let first = oldRoots.first else { return }
      changes.losingStations += 1
      stations.append(
        ServiceChanges.Station(
          name: String(decoding: before.name(of: first), as: UTF8.self),
          before: total,
          lost: lost,
          isGone: newRoot == nil
        )
      )
      // Sorted only when it has become long, so that the named ones cost little.
      if stations.count > 50 * ServiceChanges.mostNamed { Self.keepMost(&stations) }
    }
    let matches = stationMatches()
    for root in before.stationRoots where matches.target[Int(root)] == noRecord {
      compare([root], nil)
    }
    for root in after.stationRoots { compare(matches.sources[root] ?? [], root) }
    Self.keepMost(&stations)
    changes.stations = stations
    var lines: [ServiceChanges.Line] = []
    for (line, lost) in linesLost.enumerated() where lost > 0 {
      let cells = line * days..<(line + 1) * days
      let ran = cells.filter { linesBefore[$0] > 0 }
      lines.append(
        ServiceChanges.Line(
          name: lineNames[line],
          before: cells.reduce(0) { $0 + linesBefore[$1] },
          lost: lost,
          ranOn: ran.map { firstDay + $0 - cells.lowerBound },
          goneOn: ran.filter { linesAfter[$0] == 0 }.map { firstDay + $0 - cells.lowerBound }
        )
      )
    }
    changes.losingLines = lines.count
    lines.sort {
      ($0.goneOn.isEmpty ? 1 : 0, -$0.lost, $0.name) < (
        $1.goneOn.isEmpty ? 1 : 0, -$1.lost, $1.name
      )
    }
    changes.lines = Array(lines.prefix(ServiceChanges.mostNamed))
    return changes
  }

  private static func keepMost(_ stations: inout [ServiceChanges.Station]) {
    stations.sort {
      ($0.isGone ? 0 : 1, -$0.lost, $0.name) < ($1.isGone ? 0 : 1, -$1.lost, $1.name)
    }
    stations = Array(stations.prefix(ServiceChanges.mostNamed))
  }

  /// The station of the new timetable for each stop of the old one, and the other way around.
  private func stationMatches() -> (target: [UInt32], sources: [UInt32: [Timetable.Stop]]) {
    var target = [UInt32](repeating: noRecord, count: before.stopCount)
    var sources: [UInt32: [Timetable.Stop]] = [:]
    var namesakes = Namesakes()
    for root in after.stationRoots {
      namesakes.add(
        root,
        String(decoding: after.name(of: root), as: UTF8.self),
        at: after.coordinate(of: root)
      )
    }
    for root in before.stationRoots {
      let id = String(decoding: before.id(of: root), as: UTF8.self)
      let name = String(decoding: before.name(of: root), as: UTF8.self)
      let place = before.coordinate(of: root)
      var match = after.stop(id: id).map { after.station(of: $0) }
      if let found = match, !isNear(place, found, orNamed: name) { match = nil }
      match = match ?? namesakes.first(name, near: place) { isNear(place, $0, orNamed: name) }
      guard let match else { continue }
      target[Int(root)] = match
      sources[match, default: []].append(root)
    }
    return (target, sources)
  }

  /// Whether a station of the new timetable is at a place; without coordinates the names decide.
  private func isNear(
    _ place: (latitude: Double, longitude: Double)?,
    _ other: Timetable.Stop,
    orNamed name: String
  ) -> Bool {
    guard let place, let there = after.coordinate(of: other) else {
      return String(decoding: after.name(of: other), as: UTF8.self) == name
    }
    let metersPerDegree = ServiceChanges.metersPerDegree
    let north = (place.latitude - there.latitude) * metersPerDegree
    // Near enough for a few kilometers anywhere: a degree of longitude is never longer.
    let east = (place.longitude - there.longitude) * metersPerDegree
    return north * north + east * east
      <= ServiceChanges.sameStationMeters * ServiceChanges.sameStationMeters
  }
}

/// Stations by name and place, so that each is found among a few, however many have the same name.
private struct Namesakes {
  private struct Cell: Hashable {
    var name: String
    /// In units of ``ServiceChanges/sameStationMeters``; `nil` without coordinates.
    var north: Int?
    var east: Int?
  }

  /// The most stations of a cell.
  private static let most = ServiceChanges.mostNamesakes

  private var cells: [Cell: [Timetable.Stop]] = [:]
  /// The first stations of each name, wherever they lie.
  private var anywhere: [String: [Timetable.Stop]] = [:]

  mutating func add(
    _ stop: Timetable.Stop,
    _ name: String,
    at place: (latitude: Double, longitude: Double)?
  ) {
    let cell = Self.cell(name, place)
    if cells[cell, default: []].count < Self.most { cells[cell, default: []].append(stop) }
    if anywhere[name, default: []].count < Self.most { anywhere[name, default: []].append(stop) }
  }

  /// The first station of a name near a place that fits; without a place, the first of the name that fits.
  func first(
    _ name: String,
    near place: (latitude: Double, longitude: Double)?,
    where fits: (Timetable.Stop) -> Bool
  ) -> Timetable.Stop? {
    let center = Self.cell(name, place)
    guard let north = center.north, let east = center.east else {
      return anywhere[name]?.first(where: fits)
    }
    var found: [Timetable.Stop] = cells[Cell(name: name)]?.filter(fits) ?? []
    for row in north - 1...north + 1 {
      for column in east - 1...east + 1 {
        let near = cells[Cell(name: name, north: row, east: column)]
        if let stop = near?.first(where: fits) { found.append(stop) }
      }
    }
    return found.min()
  }

  private static func cell(
    _ name: String,
    _ place: (latitude: Double, longitude: Double)?
  ) -> Cell {
    guard let place else { return Cell(name: name) }
    let size = ServiceChanges.sameStationMeters / ServiceChanges.metersPerDegree
    return Cell(
      name: name,
      north: Int((place.latitude / size).rounded(.down)),
      east: Int((place.longitude / size).rounded(.down))
    )
  }
}

/// Departures by line and day at one station.
private struct DepartureCounts {
  /// The departures of one line on one day.
  ///
  /// Count and sum lie side by side, because each departure changes both.
  struct Cell {
    var count = 0
    /// The sum of their instants, each in seconds after 0:00 UTC of the day.
    var sum: Int64 = 0

    /// Whether these are as many departures as others, and at another time of the day.
    func isMoved(from other: Cell) -> Bool {
      count == other.count && abs(sum - other.sum) >= Int64(count) * ServiceChanges.movedSeconds
    }
  }

  /// By line and then by day.
  var cells: [Cell]
  /// The cells with departures.
  var touched: [Int] = []

  init(size: Int) { cells = [Cell](repeating: Cell(), count: size) }

  mutating func add(_ cell: Int, at instant: Int64) {
    if cells[cell].count == 0 { touched.append(cell) }
    cells[cell].count += 1
    cells[cell].sum += instant
  }

  mutating func clear() {
    for cell in touched { cells[cell] = Cell() }
    touched.removeAll(keepingCapacity: true)
  }
}

extension Timetable {
  /// The stations, and the stops without one.
  var stationRoots: [Stop] {
    (0..<UInt32(stopCount)).filter { station(of: $0) == $0 }
  }

  /// The name of a line as passengers know it.
  func lineName(_ route: Int) -> String {
    let record = image.routes[route]
    for text in [record.shortName, record.longName, record.id] {
      let bytes = image.text(text)
      if !bytes.isEmpty { return String(decoding: bytes, as: UTF8.self) }
    }
    return ""
  }

  /// For each set of days, which of some days it has, as bits.
  func dayMasks(from first: Int, count: Int) -> [UInt32] {
    let sets = image.daySetStride == 0 ? 0 : image.daySets.count / image.daySetStride
    return (0..<UInt32(sets)).map { set in
      (0..<count).reduce(0) { mask, day in
        image.daySet(set, contains: first + day - metadata.firstDay) ? mask | 1 << day : mask
      }
    }
  }

  /// For each time zone, when each of some days begins in it, in seconds after 0:00 UTC of that day; 0 for days without
  /// service.
  fileprivate func dayOffsets(from first: Int, count: Int) -> [Int64] {
    let begin = metadata.firstDay
    var offsets: [Int64] = []
    for starts in zones.dayStarts {
      for day in first..<first + count {
        let isServed = starts.indices.contains(day - begin)
        offsets.append(isServed ? starts[day - begin] - Int64(day) * 86_400 : 0)
      }
    }
    return offsets
  }

  /// Counts the departures of a station by line and day.
  fileprivate func count(
    at root: Stop,
    lines: [Int],
    masks: [UInt32],
    offsets: [Int64],
    into counts: inout DepartureCounts
  ) {
    let days = ServiceChanges.comparedDays
    let zones = self.zones.routes
    for served in servedStops(of: root) {
      let slice = places(of: served)
      for place in slice {
        let departure = image.departures[place]
        let trip = image.trips[Int(departure.trip)]
        var mask = masks[Int(trip.daySet)]
        let cell = lines[Int(trip.route)] * days
        let zone = zones.isEmpty ? 0 : Int(zones[Int(trip.route)]) * days
        let isNight = departure.time < ServiceChanges.nightSeconds
        let time = isNight ? departure.time + 86_400 : departure.time
        while mask != 0 {
          let day = mask.trailingZeroBitCount
          counts.add(cell + day, at: time + offsets[zone + day])
          mask &= mask - 1
        }
      }
    }
  }
}
