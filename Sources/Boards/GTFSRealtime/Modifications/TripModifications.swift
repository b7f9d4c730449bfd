package import GTFS

/// A change to the stops of some trips on some days, such as a detour (`TripModifications`, experimental in the
/// reference).
package struct TripModifications: Hashable, Sendable {
  /// One stop of a trip, by its number, its id, or both.
  package struct StopSelector: Hashable, Sendable {
    /// `stop_sequence` of the timetable.
    package var sequence: UInt32?
    /// `stop_id`.
    package var stopID: String?

    /// Creates a selector of nothing.
    package init() {}
  }

  /// A stop that trips serve instead of others, or beside them.
  package struct ReplacementStop: Hashable, Sendable {
    /// `stop_id` of the timetable or of a ``RealtimeStop``.
    package var stopID: String?
    /// Seconds after the arrival at the stop before the modification.
    package var travelTime: Int32?

    /// Creates a stop without a value.
    package init() {}
  }

  /// A span of stops that is replaced.
  package struct Modification: Hashable, Sendable {
    /// The first stop that is replaced; without ``end`` the one before which stops are inserted.
    package var start: StopSelector?
    /// The last stop that is replaced; `nil` if none is.
    package var end: StopSelector?
    /// By how many seconds all times after the modification shift.
    package var propagatedDelay: Int32 = 0
    /// The stops that are served instead, in order.
    package var replacements: [ReplacementStop] = []

    /// Creates a modification of nothing.
    package init() {}
  }

  /// The id of the entity, by which trip updates refer to it.
  package var entityID = ""
  /// The trips of the timetable that change.
  package var tripIDs: [String] = []
  /// The `shape_id` along which trips run instead, by trip id; of trips without one, the feed does not say.
  package var tripShapes: [String: String] = [:]
  /// Of trips of frequencies.txt, the starts of the runs that change, in seconds after 0:00 of the service day; all runs if
  /// the list is empty.
  package var startTimes: [Int32] = []
  /// The service days on which they change.
  package var serviceDates: [ServiceDate] = []
  /// The changes.
  package var modifications: [Modification] = []

  /// Creates modifications of nothing.
  package init() {}
}

/// A stop that the timetable may lack (`Stop`, experimental in the reference).
package struct RealtimeStop: Hashable, Sendable {
  /// `stop_id`.
  package var id = ""
  /// `stop_name`, the first of its languages.
  package var name: String?
  /// `parent_station`: a stop of the timetable.
  package var parent: String?
  /// `platform_code`, the first of its languages.
  package var platform: String?

  /// Creates a stop without an id.
  package init() {}
}
