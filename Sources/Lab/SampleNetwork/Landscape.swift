import Hashing

/// All stops of a network and their positions: the real ones first, then the invented ones.
struct Landscape: Sendable {
  private(set) var stops = Stop.known
  private(set) var regions: [Region] = []
  /// The place of a real stop in the list of stops, by its number.
  let known: [Int: Int]

  private var names: Set<String>
  private var towns: TownNames
  private var random: SplitMix64
  private var nextStation = 8_510_001
  private var nextLocal = 8_530_001

  /// Invents stops until there are as many as wanted, or leaves it at the real ones.
  init(stops wanted: Int, seed: UInt64) {
    let known = Stop.known
    self.known = .init(uniqueKeysWithValues: known.enumerated().map { ($1.number, $0) })
    self.names = Set(known.map(\.name))
    self.random = SplitMix64(seed: seed, purpose: 1)
    let taken = self.names.union(
      known.compactMap { $0.name.split(separator: ",").first.map(String.init) }
    )
    self.towns = TownNames(taken: taken, random: &self.random)
    let invented = max(0, wanted - known.count)
    for anchor in Anchor.all {
      guard let station = self.known[anchor.number] else { continue }
      let hub = anchor.city.flatMap { $0.hub }.flatMap { self.known[$0] } ?? station
      self.regions.append(Region(anchor: anchor, station: station, hub: hub))
    }
    self.addCities(invented * 3 / 10)
    self.addTowns(wanted - self.stops.count)
  }

  /// Adds local stops to the real cities, in proportion to their size.
  private mutating func addCities(_ count: Int) {
    let total = Anchor.all.reduce(0) { $0 + ($1.city?.weight ?? 0) }
    for index in self.regions.indices {
      guard let city = self.regions[index].anchor.city else { continue }
      let center = self.stops[self.regions[index].station]
      let places = PlaceNames.all(in: center.language)
      let start = self.random.below(places.count)
      let size = min(count * city.weight / total, places.count * 4 / 5)
      var added: [Int] = []
      if city.hub == nil, size > 0 {
        let place = PlaceNames.station(in: center.language)
        if let stop = self.addLocal(city.name, place, near: center, spread: 400, letters: 6) {
          self.regions[index].hub = stop
          added.append(stop)
        }
      }
      for step in 0..<places.count where added.count < size {
        let place = places[(start + step * 37) % places.count]
        if let stop = self.addLocal(city.name, place, near: center, spread: 24_000, letters: 2) {
          added.append(stop)
        }
      }
      self.regions[index].cityStops = added
    }
  }

  /// Adds towns to the regions until a number of stops is used up.
  private mutating func addTowns(_ count: Int) {
    let regions = min(self.regions.count, max(1, count / 25))
    var left = count
    var turn = 0
    while left > 0 {
      let index = turn % regions
      let before = self.stops.count
      let town = self.addTown(around: self.stops[self.regions[index].station], atMost: left)
      self.regions[index].towns.append(town)
      left -= self.stops.count - before
      turn += 1
    }
    for index in self.regions.indices {
      self.regions[index].towns.sort { Landscape.position($0) < Landscape.position($1) }
    }
  }

  private mutating func addTown(around center: Stop, atMost limit: Int) -> Region.Town {
    let language = center.language
    let name = self.towns.next(in: language)
    let latitude = center.latitude + self.random.within(-180_000...180_000)
    let longitude = center.longitude + self.random.within(-250_000...250_000)
    let middle = Stop(
      number: self.nextStation,
      name: name,
      latitude: latitude,
      longitude: longitude,
      shape: .station((1...self.random.within(2...4)).map { String($0) }),
      language: language
    )
    var station: Int?
    if limit > 2, self.random.chance(percent: 40) {
      self.nextStation += 1
      self.stops.append(middle)
      station = self.stops.count - 1
    }
    let size = min(self.townSize(), limit - (station == nil ? 0 : 1))
    let places = PlaceNames.all(in: language)
    let start = self.random.below(places.count)
    var locals: [Int] = []
    for step in 0..<places.count where locals.count < size {
      var place = places[(start + step * 41) % places.count]
      if locals.isEmpty {
        place =
          station == nil ? PlaceNames.centre(in: language) : PlaceNames.station(in: language)
      }
      if let stop = self.addLocal(name, place, near: middle, spread: 9000, letters: 2) {
        locals.append(stop)
      }
    }
    return Region.Town(station: station, locals: locals, latitude: latitude, longitude: longitude)
  }

  private mutating func townSize() -> Int {
    switch self.random.below(100) {
    case 0..<50: self.random.within(2...6)
    case 50..<85: self.random.within(5...14)
    default: self.random.within(12...36)
    }
  }

  /// Adds a local stop and returns its place in the list, or `nil` if its name is taken.
  private mutating func addLocal(
    _ town: String,
    _ place: String,
    near center: Stop,
    spread: Int,
    letters: Int
  ) -> Int? {
    let name = "\(town), \(place)"
    guard self.names.insert(name).inserted else { return nil }
    while self.known[self.nextLocal] != nil { self.nextLocal += 1 }
    let codes = "ABCDEF".prefix(letters).map { String($0) }
    let isPlain = letters == 2 && self.random.chance(percent: 35)
    self.stops.append(
      Stop(
        number: self.nextLocal,
        name: name,
        latitude: center.latitude + self.random.within(-spread...spread),
        longitude: center.longitude + self.random.within(-spread * 3 / 2...spread * 3 / 2),
        shape: isPlain ? .plain : .local(codes),
        language: center.language
      )
    )
    self.nextLocal += 1
    return self.stops.count - 1
  }

  /// Orders towns in bands from south to north, each band walked the other way round.
  private static func position(_ town: Region.Town) -> Int {
    let band = town.latitude / 40_000
    return band * 1_000_000_000 + (band.isMultiple(of: 2) ? town.longitude : -town.longitude)
  }
}
