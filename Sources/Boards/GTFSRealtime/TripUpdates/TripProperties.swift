package import GTFS

/// The changes of a trip update to the trip itself (`TripProperties`).
package struct TripProperties: Hashable, Sendable {
  /// The id of the new trip, for duplicated trips.
  package var tripID: TextID?
  /// The service day of the new trip, for duplicated trips.
  package var startDate: ServiceDate?
  /// The start of the new trip in seconds after 0:00 of its service day, for duplicated trips.
  package var startTime: Int32?
  /// The course of the trip on a map.
  package var shapeID: TextID?
  /// The headsign.
  package var headsign: TextID?
  /// The name or number of the trip that people know.
  package var shortName: TextID?

  /// Creates properties without a value.
  package init() {}
}
