/// A line: a route, its stops, and its demand for service.
struct Line: Sendable {
  /// A call of the line in direction 0.
  struct Call: Sendable {
    /// The place in the list of stops.
    let stop: Int
    /// The minutes from the call before.
    let minutes: Int
  }

  /// Features of some lines.
  struct Features: OptionSet, Sendable {
    let rawValue: Int

    /// One trip represents many, at intervals without fixed times.
    static let frequency = Features(rawValue: 1 << 0)
    /// One trip represents many, at fixed times.
    static let exactFrequency = Features(rawValue: 1 << 1)
    /// Only the first, every third and the last call have times.
    static let untimed = Features(rawValue: 1 << 2)
    /// The line ends where it begins and runs one way; the headsign changes on the way.
    static let loop = Features(rawValue: 1 << 3)
    /// Vehicles are named, so that riders may stay seated from trip to trip.
    static let blocks = Features(rawValue: 1 << 4)
    /// Calls on the way are for alighting only.
    static let alightOnly = Features(rawValue: 1 << 5)
    /// The label is part of the identifier only.
    static let unnamed = Features(rawValue: 1 << 6)
    /// Some trips run only on their own dates.
    static let extras = Features(rawValue: 1 << 7)
  }

  /// The order in which lines get a trip when there are few stop times.
  enum Tier: Int, Sendable {
    case known
    case cover
    case more
  }

  /// The identifier in `routes.txt`.
  var identifier = ""
  let label: String
  let agency: Agency
  let kind: RouteKind
  /// The colors in GTFS format, empty without a color.
  var colour = ""
  var textColour = ""
  let calls: [Call]
  /// The departures wanted in one direction on a working day.
  let perDay: Double
  let mix: ServiceMix
  var features: Features = []
  let tier: Tier
  /// The calendar region, see ``ServiceCalendar``.
  let region: Int

  var runsBothWays: Bool { !self.features.contains(.loop) }
  var isFrequency: Bool { !self.features.isDisjoint(with: [.frequency, .exactFrequency]) }
}
