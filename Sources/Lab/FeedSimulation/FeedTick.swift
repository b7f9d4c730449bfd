/// One publication of a feed.
package struct FeedTick: Hashable, Sendable {
  /// The number of the publication, one more for each.
  package let number: Int64
  /// When it appears, in milliseconds since 1970-01-01T00:00:00Z.
  package let instant: Int64
  /// When the next one appears, likewise.
  package let nextInstant: Int64

  /// The instant that the content describes, and the timestamp of its header: ``instant`` in whole
  /// seconds since 1970-01-01T00:00:00Z.
  package var sourceTime: Int64 { instant / 1_000 }
}

/// One of the feeds of a world.
package enum FeedStream: String, Hashable, Sendable, CaseIterable {
  /// Trip updates, once per period.
  case tripUpdates = "trip-updates"
  /// Service alerts, once per ``FeedWorld/alertPeriods`` periods.
  case alerts
  /// Vehicle positions, once per period.
  case vehiclePositions = "vehicle-positions"
}
