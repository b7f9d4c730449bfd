/// What runs on a route, from its route_type, basic or extended (GTFS reference, Google's extension).
enum TransportMode {
  case rail
  case metro
  case tram
  case bus
  case boat
  case cableTram
  case aerialLift
  case funicular
  case other

  /// - Parameter routeType: route_type of routes.txt.
  init(routeType: Int) {
    self =
      switch routeType {
      case 0, 900...999: .tram
      case 1, 12, 400...499, 500...599, 600...699: .metro
      case 2, 100...199, 300...399: .rail
      case 3, 11, 200...299, 700...799, 800...899: .bus
      case 4, 1000...1099, 1200...1299: .boat
      case 5: .cableTram
      case 6, 1300...1399: .aerialLift
      case 7, 1400...1499: .funicular
      default: .other
      }
  }

  /// The code that the contract's `category` has for everything but trains.
  var category: String {
    switch self {
    case .rail: "R"
    case .metro: "M"
    case .tram: "T"
    case .bus, .other: "B"
    case .boat: "BAT"
    case .cableTram: "CC"
    case .aerialLift: "GB"
    case .funicular: "FUN"
    }
  }
}
