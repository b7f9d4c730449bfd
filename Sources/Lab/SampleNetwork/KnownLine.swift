/// A line between real stops, from the lists of the network.
struct KnownLine: Sendable {
  let label: String
  let agency: Agency
  let kind: RouteKind
  /// The numbers of the stops, with the minutes of travel between them.
  let path: [Int]
  /// The departures wanted in one direction on a working day.
  let perDay: Double
  var mix: ServiceMix = .daily
  var features: Line.Features = []
  /// The color of the line and of text on it, as in `FFFFFF/000000`.
  var colours = ""
  /// The city whose invented stops the line serves after its last real stop.
  var beyond: String?
  /// The maximum number of invented stops served.
  var reach = 6

  init(
    _ label: String,
    _ agency: Agency,
    _ kind: RouteKind,
    _ perDay: Double,
    _ path: [Int]
  ) {
    self.label = label
    self.agency = agency
    self.kind = kind
    self.perDay = perDay
    self.path = path
  }

  func mixed(_ mix: ServiceMix) -> KnownLine {
    var line = self
    line.mix = mix
    return line
  }

  func with(_ features: Line.Features) -> KnownLine {
    var line = self
    line.features = features
    return line
  }

  func coloured(_ colours: String) -> KnownLine {
    var line = self
    line.colours = colours
    return line
  }

  func beyond(_ city: String, reach: Int = 6) -> KnownLine {
    var line = self
    line.beyond = city
    line.reach = reach
    return line
  }

  /// All lines between real stops.
  static let all: [KnownLine] = trains + lausanne + geneva + cities + country
}
