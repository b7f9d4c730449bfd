/// Every limit of reading a realtime feed, in one place.
///
/// The Swiss TripUpdates feed (8 MB, 15,000 trips, 260,000 stop time updates) and a feed of 64,000
/// trips (27 MB) fit with room to spare.
package struct RealtimeLimits: Hashable, Sendable {
  /// The most bytes that a feed can have whatever the limits say: places in texts are 32-bit numbers.
  package static let mostFeedBytes = 1 << 31
  /// The most bytes of a feed, in either form.
  package var feedBytes = 64 << 20
  /// The most entities of a feed, of every kind.
  package var entities = 1_000_000
  /// The most stop time updates of one trip.
  package var stopTimeUpdatesPerTrip = 10_000
  /// The most carriages of one vehicle.
  package var carriagesPerVehicle = 64
  /// The most trips, and likewise start times and service dates, of one entity of trip modifications.
  package var modificationElements = 10_000
  /// The most modifications of one such entity.
  package var modificationsPerEntity = 64
  /// The most replacement stops of one modification.
  package var replacementStops = 256
  /// The most bytes of the polyline of one shape.
  package var polylineBytes = 64 << 10
  /// The most bytes of one identifier, date, time or headsign.
  package var textBytes = 4_096
  /// The most bytes of one text of an alert, and of an address in one.
  package var alertTextBytes = 64 << 10
  /// The most bytes of one alert entity.
  package var alertBytes = 4 << 20
  /// The most informed entities of one alert, and likewise periods, and likewise languages of a text.
  package var alertElements = 100_000
  /// How deep messages may nest when SwiftProtobuf decodes them; the schema needs 6.
  package var messageDepth = 16
  /// How many rejected entities are kept with place and reason; all are counted.
  package var keptRejections = 20

  /// Creates the limits with their standard values.
  package init() {}

  /// The limits with their standard values.
  package static let standard = RealtimeLimits()
}
