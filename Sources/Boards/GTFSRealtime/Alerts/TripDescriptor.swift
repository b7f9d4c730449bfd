package import GTFS

/// A trip, or a run of a route, that an alert is about (`TripDescriptor`).
///
/// Trip updates hold the same fields in ``TripUpdate``, with texts by number.
package struct TripDescriptor: Hashable, Sendable {
  /// `trip_id`; `nil` if the feed does not say, or says an empty text; so with every text here.
  package var tripID: String?
  /// `route_id`.
  package var routeID: String?
  /// `direction_id`.
  package var directionID: UInt32?
  /// `start_date`: the service day of the trip.
  package var startDate: ServiceDate?
  /// `start_time` in seconds after 0:00 of the service day.
  package var startTime: Int32?
  /// How the trip relates to the timetable.
  package var relationship: TripScheduleRelationship
  /// `original_trip_id` (field 8), the Swiss journey id.
  package var originalTripID: String?

  /// Creates a descriptor.
  package init(
    tripID: String? = nil,
    routeID: String? = nil,
    directionID: UInt32? = nil,
    startDate: ServiceDate? = nil,
    startTime: Int32? = nil,
    relationship: TripScheduleRelationship = .scheduled,
    originalTripID: String? = nil
  ) {
    self.tripID = tripID
    self.routeID = routeID
    self.directionID = directionID
    self.startDate = startDate
    self.startTime = startTime
    self.relationship = relationship
    self.originalTripID = originalTripID
  }
}
