/// Every limit of a board request; the OpenAPI document has them too.
package enum BoardLimits {
  /// The departures unless asked otherwise, and the fewest and most that can be asked for.
  package static let usualLimit = 300
  /// See ``usualLimit``.
  package static let limits = 1...500
  /// The window in minutes unless asked otherwise, and the shortest and longest.
  package static let usualWindow = 210
  /// See ``usualWindow``.
  package static let windows = 30...720
  /// How long a departure stays on the board after its time, in seconds.
  package static let grace: Int64 = 45
  /// How long before its time a departure without realtime counts as one that could have it, in seconds.
  package static let realtimeHorizon: Double = 1_800
  /// The most stops that a departure names as left out by its trip.
  package static let skippedStops = 20
  /// The most trips that a departure names as those its vehicle runs next.
  package static let continuations = 4
  /// The most characters of an id.
  package static let longestId = 256
}
