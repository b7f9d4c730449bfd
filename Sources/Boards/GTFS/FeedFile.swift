/// The files of a GTFS feed that are read (GTFS reference, "Dataset files").
package enum FeedFile: String, CaseIterable, Hashable, Sendable {
  case agency = "agency.txt"
  case stops = "stops.txt"
  case routes = "routes.txt"
  case trips = "trips.txt"
  case stopTimes = "stop_times.txt"
  case calendar = "calendar.txt"
  case calendarDates = "calendar_dates.txt"
  case frequencies = "frequencies.txt"
  case transfers = "transfers.txt"
  case feedInfo = "feed_info.txt"
  case translations = "translations.txt"
  case bookingRules = "booking_rules.txt"
  case locationGroupStops = "location_group_stops.txt"
  case locations = "locations.geojson"

  /// Whether boards are right without this file: nothing in it can refuse an import.
  package var isInformative: Bool {
    switch self {
    case .feedInfo, .translations, .transfers, .bookingRules, .locationGroupStops, .locations: true
    default: false
    }
  }

  /// Whether a feed without this file cannot be imported.
  ///
  /// Of calendar.txt and calendar_dates.txt one is required; the importer checks that.
  package var isRequired: Bool {
    switch self {
    case .agency, .stops, .routes, .trips, .stopTimes: true
    default: false
    }
  }
}
