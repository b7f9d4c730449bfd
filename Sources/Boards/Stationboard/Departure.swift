/// A departure on a board (seed 002, `departures[]`).
///
/// Members that a server may leave out, or that an older server does not have, are optional; unknown
/// members are ignored.
public struct Departure: Codable, Hashable, Sendable {
  /// Names the departure among all of its board: trip, stop and scheduled instant.
  public var key: String?
  /// trip_id of GTFS.
  public var tripId: String?
  /// route_id of GTFS.
  public var routeId: String?
  /// stop_id of the stop it leaves from; of a station, the platform.
  public var stopId: String?
  /// stop_sequence of GTFS.
  public var stopSequence: Int?
  /// The line, such as `IC1` or `9`.
  public var line: String?
  /// `IC`, `S`, `T`, `B`…: the kind of service.
  public var category: String?
  /// What follows the category.
  public var number: String?
  /// Where it goes.
  public var destination: String?
  /// The agency's name.
  public var `operator`: String?
  /// The scheduled departure, RFC 3339.
  public var scheduledDeparture: String
  /// The expected departure, RFC 3339; `nil` without realtime data.
  public var realtimeDeparture: String?
  /// How exact the scheduled departure is: `exact`; `timepoint`, before which vehicles do not leave; `interpolated`
  /// between stops with times; `headway` for frequency-based service; `on_demand` where it has to be arranged; `nil`
  /// if no schedule covers it, or if it is not known.
  public var certainty: String?
  /// The most seconds by which the scheduled departure may be off, where it is approximate and that is known.
  public var uncertaintySec: Int?
  /// How boarding is arranged, where it has to be: `phone_agency` or `ask_driver`.
  public var boarding: String?
  /// How it is booked, if the feed says so.
  public var booking: Board.Booking?
  /// The number of the train (trip_short_name of GTFS).
  public var tripShortName: String?
  /// Seconds between vehicles, where that is all the timetable says.
  public var headwaySec: Int?
  /// The names of later stops that the trip leaves out.
  public var skippedStops: [String]?
  /// Where the trip ends instead of its last stop.
  public var endsAt: String?
  /// The trips that the vehicle runs next, so that passengers may stay in; several if it is divided.
  public var continuesAs: [Continuation]?
  /// The delay in minutes, negative when early; `nil` if it is not known.
  public var delayMin: Int?
  /// The platform it leaves from.
  public var platform: String?
  /// Whether that is not the platform of the timetable.
  public var platformChanged: Bool?
  /// The platform of the timetable, when it changed.
  public var previousPlatform: String?
  /// Whether it does not run.
  public var cancelled: Bool
  /// `UNKNOWN`, `ON_TIME`, `DELAYED`, `EARLY`, `CANCELLED` or `SKIPPED_STOP`.
  public var status: String?
  /// When its realtime was known at the source, RFC 3339; `nil` without realtime.
  public var realtimeAt: String?
  /// The freshness of the row's realtime data: `fresh`, `ageing` or `stale`; `nil` without any.
  public var realtimeFreshness: String?
  /// By how many seconds the prediction may be off; `nil` if that is not known.
  public var predictionUncertaintySec: Int?
  /// How full the vehicle leaves here by prediction, as a value of ``Vehicle/occupancy``; `nil` without data.
  public var occupancy: String?
  /// Disruptions of this departure.
  public var alerts: [ServiceAlert]?
  /// `TRIP_CANCELLED`, `EXTRA_SERVICE` and the like.
  public var flags: [String]?
  /// The vehicle that comes; `nil` if nothing recent is known of it.
  public var vehicle: Vehicle?
  /// The service day, `YYYY-MM-DD`.
  public var serviceDate: String?
  /// The start of the run, `HH:MM:SS`, for trips of frequencies.txt.
  public var startTime: String?
  /// route_type of GTFS.
  public var routeType: Int?
  /// route_color and route_text_color of GTFS, `RRGGBB`.
  public var routeColor: String?
  /// See ``routeColor``.
  public var routeTextColor: String?

  /// A trip that the vehicle of another one runs next.
  public struct Continuation: Codable, Hashable, Sendable {
    /// trip_id of GTFS.
    public var tripId: String
    /// Its service day, `YYYY-MM-DD`.
    public var serviceDate: String?
    /// Its line.
    public var line: String?
    /// Where it goes.
    public var destination: String?
    /// When it leaves its first stop as scheduled, RFC 3339.
    public var scheduledDeparture: String?

    /// Creates a continuation.
    public init(tripId: String) { self.tripId = tripId }

    private enum CodingKeys: String, CodingKey {
      case tripId = "trip_id"
      case serviceDate, line, destination, scheduledDeparture
    }
  }

  /// Where the vehicle of a departure is, and how full.
  public struct Vehicle: Codable, Hashable, Sendable {
    /// `INCOMING_AT`, `STOPPED_AT` or `IN_TRANSIT_TO` its current stop; `nil` if that is not known.
    public var status: String?
    /// The name of its current stop.
    public var stopName: String?
    /// How many stops it has to go; 0 where the departure is at its current stop, `nil` if that is not known.
    public var stopsAway: Int?
    /// `EMPTY`, `MANY_SEATS_AVAILABLE`, `FEW_SEATS_AVAILABLE`, `STANDING_ROOM_ONLY`, `CRUSHED_STANDING_ROOM_ONLY`,
    /// `FULL`, `NOT_ACCEPTING_PASSENGERS` or `NOT_BOARDABLE`; `nil` without data.
    public var occupancy: String?
    /// How full it is in percent; `nil` without data.
    public var occupancyPercent: Int?
    /// Whether wheelchairs can board; `nil` if the feed does not say.
    public var wheelchair: Bool?
    /// When it was seen, RFC 3339.
    public var seenAt: String?

    /// Creates a vehicle of which nothing is known.
    public init() {}
  }

  private enum CodingKeys: String, CodingKey {
    case key
    case tripId = "trip_id"
    case routeId = "route_id"
    case stopId = "stop_id"
    case stopSequence = "stop_sequence"
    case line, category, number, destination
    case `operator`
    case scheduledDeparture, certainty, uncertaintySec, boarding, booking, tripShortName, headwaySec
    case skippedStops, endsAt, continuesAs
    case realtimeDeparture, delayMin, platform, platformChanged
    case previousPlatform, cancelled, status, realtimeAt, realtimeFreshness, alerts, flags, vehicle
    case predictionUncertaintySec, occupancy
    case serviceDate, startTime
    case routeType, routeColor, routeTextColor
  }
}
