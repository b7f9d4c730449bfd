/// Something that disturbs a line for two hours: its trips suffer, and an alert says why.
struct Incident: Hashable, Sendable {
  /// How long an incident lasts, in seconds; incidents begin at multiples of it.
  static let duration: Int64 = 7_200
  /// How long before its beginning an incident is announced, in seconds.
  static let notice: Int64 = 600
  /// How much more often trips of the line are cancelled or cut short.
  static let severity = 3

  /// The number of the route.
  let route: Int
  /// The number of the two hours since 1970-01-01T00:00:00Z.
  let block: Int64
  /// The draws of the incident.
  let chance: RandomSource

  /// The first second, since 1970-01-01T00:00:00Z.
  var start: Int64 { block * Self.duration }
  /// The first second after it.
  var end: Int64 { start + Self.duration }

  /// The two hours an instant is in.
  static func block(of instant: Int64) -> Int64 {
    (instant - (instant % duration + duration) % duration) / duration
  }
}
