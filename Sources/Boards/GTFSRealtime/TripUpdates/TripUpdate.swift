package import GTFS

/// The update of one trip on one day (`TripUpdate` with its `TripDescriptor`).
///
/// Texts are in ``TripUpdateFeed/texts``, stop time updates in ``TripUpdateFeed/stopTimeUpdates``.
package struct TripUpdate: Hashable, Sendable {
  /// The id of the entity.
  package var entityID: TextID
  /// The number of the entity in the feed, counted from 0 over entities of every kind.
  package var entityIndex: Int32

  /// `trip_id`; `nil` if the feed does not say, or says an empty text.
  package var tripID: TextID?
  /// `route_id`, likewise.
  package var routeID: TextID?
  /// `original_trip_id` (field 8), the Swiss journey id: an addition of the Swiss feed that the
  /// GTFS-Realtime reference does not have.
  package var originalTripID: TextID?
  /// `direction_id`.
  package var directionID: UInt32?
  /// `start_date`: the service day of the trip.
  package var startDate: ServiceDate?
  /// `start_time` in seconds after 0:00 of the service day; `nil` also if the string is not a valid
  /// time (``EntityCounters/invalidStartTimes``).
  package var startTime: Int32?
  /// How the trip relates to the timetable.
  package var relationship: TripScheduleRelationship
  /// The trip of the timetable that trip modifications change.
  package var modifiedTrip: ModifiedTrip?

  /// When the vehicle was last measured, in seconds since 1970-01-01T00:00:00Z; `nil` if the feed does
  /// not say or says 0.
  package var timestamp: UInt64?
  /// Seconds after the timetable where no stop time update says more, negative before it.
  package var delay: Int32?
  /// The changes of the update to the trip itself.
  package var properties: TripProperties?

  /// Where the stop time updates of the trip are in ``TripUpdateFeed/stopTimeUpdates``, in the order
  /// of the feed.
  package var stopTimeUpdates: Range<Int>

  /// Puts the ids of another table in the place of all ids.
  mutating func renumber(_ number: (TextID) -> TextID) {
    entityID = number(entityID)
    tripID = tripID.map(number)
    routeID = routeID.map(number)
    originalTripID = originalTripID.map(number)
    if var modified = modifiedTrip {
      modified.modificationsID = modified.modificationsID.map(number)
      modified.affectedTripID = modified.affectedTripID.map(number)
      modifiedTrip = modified
    }
    if var own = properties {
      own.tripID = own.tripID.map(number)
      own.shapeID = own.shapeID.map(number)
      own.headsign = own.headsign.map(number)
      own.shortName = own.shortName.map(number)
      properties = own
    }
  }
}
