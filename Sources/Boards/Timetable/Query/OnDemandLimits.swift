/// How much of the services on demand is kept.
package enum OnDemandLimits {
  /// The most services, and likewise rules.
  package static let services = 4_096
  /// The most stops of all areas together.
  package static let stops = 262_144
  /// The most bytes of locations.geojson.
  package static let zoneBytes = 32 << 20
  /// The most comparisons of a stop with an edge of a zone.
  package static let comparisons = 1 << 29
  /// The most runs of days of a service.
  package static let runs = 1_024
  /// How many days before and after the import count.
  package static let days = 3_653
  /// The most characters of a message.
  package static let message = 500
  /// The most services that a board names.
  package static let named = 8
  /// How many days ahead a board looks for one that can be booked.
  package static let ahead = 14
  /// The most bytes of the file.
  package static let fileBytes = 64 << 20
}
