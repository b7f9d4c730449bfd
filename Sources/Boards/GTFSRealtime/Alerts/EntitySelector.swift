/// Selects entities for an alert (`EntitySelector`): everything that all given fields match.
///
/// Fields of one selector are joined by "and", selectors of one alert by "or".
package struct EntitySelector: Hashable, Sendable {
  /// `agency_id`; `nil` if the feed does not say, or says an empty text; so with every text here.
  package var agencyID: String?
  /// `route_id`.
  package var routeID: String?
  /// `route_type`, as in routes.txt.
  package var routeType: Int32?
  /// `direction_id`; only together with a route.
  package var directionID: UInt32?
  /// The trip.
  package var trip: TripDescriptor?
  /// `stop_id`: a platform, a station, or in the Swiss feed a SLOID.
  package var stopID: String?

  /// Creates a selector.
  package init(
    agencyID: String? = nil,
    routeID: String? = nil,
    routeType: Int32? = nil,
    directionID: UInt32? = nil,
    trip: TripDescriptor? = nil,
    stopID: String? = nil
  ) {
    self.agencyID = agencyID
    self.routeID = routeID
    self.routeType = routeType
    self.directionID = directionID
    self.trip = trip
    self.stopID = stopID
  }

  /// Whether no field is given: the selector then says nothing about what is affected.
  package var isEmpty: Bool { self == EntitySelector() }
}
