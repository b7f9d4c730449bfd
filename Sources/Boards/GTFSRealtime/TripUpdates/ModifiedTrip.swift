package import GTFS

/// The trip of a trip update that follows a `TripModifications` entity (`ModifiedTripSelector`).
package struct ModifiedTrip: Hashable, Sendable {
  /// The id of the entity with the modifications.
  package var modificationsID: TextID?
  /// The trip of the timetable that they change.
  package var affectedTripID: TextID?
  /// The start of that trip in seconds after 0:00 of its service day, for trips of frequencies.txt.
  package var startTime: Int32?
  /// The service day of that trip.
  package var startDate: ServiceDate?

  /// Creates a selector without a value.
  package init() {}
}
