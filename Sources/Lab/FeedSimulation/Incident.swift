/// A disruption of a line for two hours: its trips are affected, and an alert gives the reason.
struct Incident: Hashable, Sendable {
  /// How long an incident lasts, in seconds; incidents begin at multiples of it.
  static let duration: Int64 = 7_200
  /// How long before its beginning an incident is announced, in seconds.
  static let notice: Int64 = 600
  /// How much more often trips of the line are canceled or cut short.
  static let severity = 3

  /// The number of the route.
  let route: Int
  /// The number of the two hours since 1970-01-01T00:00:00Z.
  let block: Int64
  /// The random source of the incident.
  let random: RandomSource

  /// The first second, since 1970-01-01T00:00:00Z.
  var start: Int64 { block * Self.duration }
  /// The first second after it.
  var end: Int64 { start + Self.duration }

  /// Returns the number of the two hours that contain an instant.
  static func block(of instant: Int64) -> Int64 {
    (instant - (instant % duration + duration) % duration) / duration
  }
}
