import Hashing

/// All lines of a network: those between real stops, then the invented ones.
///
/// The invented lines come in rounds. The first round passes every stop once; the others pass most
/// of them again, on other ways.
struct LinePlan: Sendable {
  private(set) var lines: [Line] = []
  private let landscape: Landscape
  private var identifiers: RouteIdentifiers
  private var random: SplitMix64
  private var labels: [Int: Int] = [:]

  init(landscape: Landscape, day: SampleDay, seed: UInt64) {
    self.landscape = landscape
    self.identifiers = RouteIdentifiers(day: day)
    self.random = SplitMix64(seed: seed, purpose: 2)
    for line in KnownLine.all { self.add(known: line) }
    for index in landscape.regions.indices {
      self.addTrains(region: index)
      self.addCityLines(region: index)
      self.addCountryLines(region: index)
    }
  }

  // MARK: Lines between real stops

  private mutating func add(known line: KnownLine) {
    var calls: [Line.Call] = []
    for index in stride(from: 0, to: line.path.count, by: 2) {
      guard let stop = self.landscape.known[line.path[index]] else { continue }
      calls.append(Line.Call(stop: stop, minutes: index == 0 ? 0 : line.path[index - 1]))
    }
    if let beyond = line.beyond {
      let region = self.landscape.regions.first { $0.anchor.city?.name == beyond }
      for stop in (region?.cityStops ?? []).prefix(line.reach) {
        calls.append(Line.Call(stop: stop, minutes: self.random.within(1...3)))
      }
    }
    guard calls.count > 1 else { return }
    var planned = Line(
      label: line.features.contains(.unnamed) ? "" : line.label,
      agency: line.agency,
      kind: line.kind,
      calls: calls,
      perDay: line.perDay,
      mix: line.mix,
      features: line.features,
      tier: .known,
      region: self.lines.count % 4
    )
    planned.identifier =
      line.features.contains(.unnamed)
      ? self.identifiers.fixed(agency: line.agency, label: line.label, letter: "D")
      : self.identifiers.next(agency: line.agency, label: line.label)
    let colours = line.colours.split(separator: "/").map { String($0) }
    if colours.count == 2 {
      planned.colour = colours[0]
      planned.textColour = colours[1]
    }
    self.lines.append(planned)
  }

  // MARK: Invented lines

  private mutating func addTrains(region index: Int) {
    let region = self.landscape.regions[index]
    let stations = region.towns.compactMap { $0.station }
    let isFrench = self.landscape.stops[region.station].language == .french
    for (round, length) in [(0, 9), (1, 14)] where round == 0 || stations.count > length {
      for start in stride(from: 0, to: stations.count, by: length) {
        let part = stations[start..<min(start + length, stations.count)]
        var calls = [Line.Call(stop: region.station, minutes: 0)]
        for stop in part {
          calls.append(Line.Call(stop: stop, minutes: self.random.within(4...9)))
        }
        let isSuburban = !isFrench || self.random.chance(percent: 40)
        self.add(
          label: (isSuburban ? "S" : "R") + String(20 + start / length + round * 40),
          agency: region.anchor.trains,
          kind: isSuburban ? .suburban : .regional,
          calls: calls,
          perDay: Double(self.random.within(17...36)),
          mix: .weekly,
          tier: round == 0 ? .cover : .more,
          region: index
        )
      }
    }
  }

  private mutating func addCityLines(region index: Int) {
    let region = self.landscape.regions[index]
    guard let city = region.anchor.city else { return }
    if region.cityStops == [region.hub] {
      self.addCityLine(from: region.station, to: [region.hub], city, "30", .cover, index)
    }
    for (round, length) in [(0, 22), (1, 17), (2, 19)] {
      var stops = region.cityStops.filter { $0 != region.hub }
      guard round == 0 || stops.count > length else { continue }
      self.sortByDirection(&stops, from: region.station, turned: round)
      for start in stride(from: 0, to: stops.count, by: length) {
        let end = min(start + length, stops.count)
        self.addCityLine(
          from: region.hub,
          to: self.outward(stops[start..<end], from: region.station),
          city,
          String(30 + start / length + round * 20),
          round == 0 ? .cover : .more,
          index
        )
      }
    }
  }

  private mutating func addCityLine(
    from hub: Int,
    to stops: [Int],
    _ city: Anchor.City,
    _ label: String,
    _ tier: Line.Tier,
    _ region: Int
  ) {
    var calls = [Line.Call(stop: hub, minutes: 0)]
    for stop in stops { calls.append(Line.Call(stop: stop, minutes: self.random.within(1...2))) }
    self.add(
      label: label,
      agency: city.agency,
      kind: .bus,
      calls: calls,
      perDay: Double(self.random.within(50...110)),
      mix: .weekly,
      tier: tier,
      region: region
    )
  }

  private mutating func addCountryLines(region index: Int) {
    let region = self.landscape.regions[index]
    let towns = region.towns
    for (round, distance) in [(0, 1), (1, 2), (2, 3), (3, 5)]
    where round == 0 || towns.count > 2 * distance {
      var open = Set(towns.indices)
      for first in towns.indices.dropFirst(round) where open.contains(first) {
        var path: [Int] = []
        for step in 0..<3 where open.contains(first + step * distance) {
          open.remove(first + step * distance)
          let stops = self.selection(of: towns[first + step * distance].locals, round: round)
          path += step == 1 ? stops.reversed() : stops
        }
        if round == 0, open.isEmpty { path.insert(region.hub, at: 0) }
        self.addCountryLine(along: path, hub: region.hub, round: round, region: index)
      }
    }
  }

  /// Adds a bus line, or several that begin at the same stop if the way is long.
  private mutating func addCountryLine(along path: [Int], hub: Int, round: Int, region: Int) {
    guard path.count > 1 else { return }
    let parts = (path.count + 35) / 36
    let length = (path.count + parts - 1) / parts
    let reach = [3, 4, 6, 8, 12, 16, 18, 24, 34, 40]
    for start in stride(from: 0, to: path.count, by: length) {
      var stops = Array(path[start..<min(start + length, path.count)])
      if start > 0 { stops.insert(path[0], at: 0) }
      var calls: [Line.Call] = []
      for stop in stops {
        let isFromHub = calls.count == 1 && stops[0] == hub
        let minutes = calls.isEmpty ? 0 : isFromHub ? 12 : self.random.within(1...3)
        calls.append(Line.Call(stop: stop, minutes: minutes))
      }
      let mixes: [ServiceMix] = [.rural, .rural, .weekly, .rural, .split, .rural, .weekly, .rural]
      let mix: ServiceMix =
        round == 3
        ? [.school, .dates, .peaks, .nights][self.random.below(4)]
        : mixes[self.random.below(mixes.count)]
      self.labels[region, default: 0] += 1
      self.add(
        label: String(region % 9 * 100 + 110 + self.labels[region, default: 0]),
        agency: self.landscape.regions[region].anchor.buses,
        kind: .bus,
        calls: calls,
        perDay: Double(reach[self.random.below(reach.count)]),
        mix: mix,
        tier: round == 0 ? .cover : .more,
        region: region
      )
    }
  }

  private mutating func add(
    label: String,
    agency: Agency,
    kind: RouteKind,
    calls: [Line.Call],
    perDay: Double,
    mix: ServiceMix,
    tier: Line.Tier,
    region: Int
  ) {
    var line = Line(
      label: label,
      agency: agency,
      kind: kind,
      calls: calls,
      perDay: perDay,
      mix: mix,
      tier: tier,
      region: self.random.below(8) * self.landscape.regions.count + region
    )
    line.identifier = self.identifiers.next(agency: agency, label: label)
    switch agency {
    case .postAuto: (line.colour, line.textColour) = ("FFDE00", "000000")
    case .tl, .tpg, .vbz, .bernmobil:
      let palette = ["E30613", "009640", "0069B4", "A6228E", "6F4E37", "00796B"]
      (line.colour, line.textColour) = (palette[self.random.below(palette.count)], "FFFFFF")
    default: break
    }
    self.lines.append(line)
  }

  // MARK: Ways through stops

  private mutating func selection(of stops: [Int], round: Int) -> [Int] {
    guard round > 0 else { return stops }
    return stops.filter { _ in self.random.chance(percent: round == 3 ? 60 : 85) }
  }

  /// Sorts stops by the direction in which they lie, without trigonometry, whose last digits
  /// differ between platforms.
  private func sortByDirection(_ stops: inout [Int], from center: Int, turned round: Int) {
    let middle = self.landscape.stops[center]
    let angles = stops.map { index -> (angle: Double, stop: Int) in
      let north = Double(self.landscape.stops[index].latitude - middle.latitude)
      let east = Double(self.landscape.stops[index].longitude - middle.longitude)
      let length = abs(north) + abs(east)
      guard length > 0 else { return (0, index) }
      let angle = east >= 0 ? 1 - north / length : 3 + north / length
      return ((angle + Double(round)).truncatingRemainder(dividingBy: 4), index)
    }
    stops = angles.sorted { ($0.angle, $0.stop) < ($1.angle, $1.stop) }.map(\.stop)
  }

  private func outward(_ stops: ArraySlice<Int>, from center: Int) -> [Int] {
    let middle = self.landscape.stops[center]
    func distance(_ index: Int) -> Int {
      abs(self.landscape.stops[index].latitude - middle.latitude)
        + abs(self.landscape.stops[index].longitude - middle.longitude)
    }
    return stops.sorted { (distance($0), $0) < (distance($1), $1) }
  }
}
