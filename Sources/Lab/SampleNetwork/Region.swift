/// The country around one real station: its city, and the towns near it.
struct Region: Sendable {
  /// A town with invented stops.
  struct Town: Sendable {
    /// The railway station, as a place in the list of stops.
    let station: Int?
    /// The local stops, at least one: the one at the station or in the middle comes first.
    let locals: [Int]
    let latitude: Int
    let longitude: Int
  }

  let anchor: Anchor
  /// The real station, as a place in the list of stops.
  let station: Int
  /// The stop where buses from the country end.
  var hub: Int
  /// The invented stops of the city.
  var cityStops: [Int] = []
  /// The towns, neighbors next to each other.
  var towns: [Town] = []
}

/// A real station around which towns are invented, and its operators.
struct Anchor: Sendable {
  /// The city at a station.
  struct City: Sendable {
    let name: String
    /// The size relative to other cities.
    let weight: Int
    /// The real stop in front of the station, where there is one.
    let hub: Int?
    let agency: Agency
  }

  let number: Int
  let trains: Agency
  let buses: Agency
  let city: City?

  init(_ number: Int, trains: Agency, buses: Agency = .postAuto, city: City? = nil) {
    self.number = number
    self.trains = trains
    self.buses = buses
    self.city = city
  }

  static let all: [Anchor] = [
    Anchor(8_501_120, trains: .sbb, city: City(name: "Lausanne", 5, hub: 8_592_050, .tl)),
    Anchor(8_507_000, trains: .bls, city: City(name: "Bern", 5, hub: 8_571_396, .bernmobil)),
    Anchor(8_503_000, trains: .sbb, city: City(name: "Zürich", 7, hub: 8_587_349, .vbz)),
    Anchor(8_505_300, trains: .sbb, city: City(name: "Lugano", 3, hub: nil, .tpl)),
    Anchor(
      8_501_008,
      trains: .sbb,
      buses: .tpg,
      city: City(name: "Genève", 5, hub: 8_587_907, .tpg)
    ),
    Anchor(8_500_010, trains: .sbb, city: City(name: "Basel", 5, hub: nil, .bvb)),
    Anchor(8_506_302, trains: .thurbo, city: City(name: "St. Gallen", 3, hub: 8_574_095, .vbsg)),
    Anchor(
      8_504_100,
      trains: .sbb,
      buses: .tpf,
      city: City(name: "Fribourg", 2, hub: nil, .tpf)
    ),
    Anchor(8_505_000, trains: .bls, city: City(name: "Luzern", 3, hub: nil, .vbl)),
    Anchor(8_501_506, trains: .sbb, city: City(name: "Sion", 1, hub: nil, .postAuto)),
    Anchor(8_509_000, trains: .rhb, city: City(name: "Chur", 1, hub: nil, .postAuto)),
    Anchor(
      8_504_221,
      trains: .sbb,
      buses: .transN,
      city: City(name: "Neuchâtel", 2, hub: nil, .transN)
    ),
    Anchor(8_506_000, trains: .thurbo, city: City(name: "Winterthur", 3, hub: nil, .postAuto)),
    Anchor(8_504_200, trains: .sbb, buses: .travys),
    Anchor(8_505_213, trains: .sbb),
    Anchor(8_507_100, trains: .bls, city: City(name: "Thun", 1, hub: nil, .postAuto)),
    Anchor(8_504_300, trains: .bls, city: City(name: "Biel/Bienne", 3, hub: 8_576_391, .vbBiel)),
    Anchor(8_500_218, trains: .sbb),
    Anchor(8_501_609, trains: .bls),
    Anchor(8_502_204, trains: .sbb),
    Anchor(8_501_200, trains: .sbb, buses: .vmcv),
    Anchor(8_507_492, trains: .bls),
  ]
}

extension Anchor.City {
  init(name: String, _ weight: Int, hub: Int?, _ agency: Agency) {
    self.init(name: name, weight: weight, hub: hub, agency: agency)
  }
}
