/// The kinds of routes, with the numbers of the extended GTFS route types.
enum RouteKind: Sendable {
  case intercity
  case interregional
  case regionalExpress
  case regional
  case suburban
  case tram
  case metro
  case bus
  case boat
  case funicular

  var type: Int {
    switch self {
    case .intercity: 102
    case .interregional: 103
    case .regionalExpress, .regional: 106
    case .suburban: 109
    case .tram: 900
    case .metro: 401
    case .bus: 700
    case .boat: 1000
    case .funicular: 1400
    }
  }

  var description: String {
    switch self {
    case .intercity: "IC"
    case .interregional: "IR"
    case .regionalExpress: "RE"
    case .regional: "R"
    case .suburban: "S"
    case .tram: "T"
    case .metro: "M"
    case .bus: "B"
    case .boat: "BAT"
    case .funicular: "FUN"
    }
  }

  var isTrain: Bool {
    switch self {
    case .intercity, .interregional, .regionalExpress, .regional, .suburban: true
    case .tram, .metro, .bus, .boat, .funicular: false
    }
  }

  /// The dwell time at an intermediate stop, in seconds.
  var dwell: Int {
    switch self {
    case .intercity: 180
    case .interregional: 120
    case .regionalExpress, .regional, .suburban: 60
    case .boat: 180
    case .tram, .metro, .bus, .funicular: 0
    }
  }
}
