/// The answer of `GET /api/stationboard` (seed 002).
public struct Board: Codable, Hashable, Sendable {
  /// The stop the board is of.
  public struct Station: Codable, Hashable, Sendable {
    /// stop_id.
    public var id: String
    /// The name, in the language asked for if the feed has it.
    public var name: String
    /// The stop's time zone, such as `Europe/Zurich`.
    public var timezone: String?
  }

  /// Why the board is empty.
  public struct NoService: Codable, Hashable, Sendable {
    /// The cause, such as `no_service_in_time_window` or `outside_feed_validity`.
    public var reason: String
    /// The next departure that the timetable has, RFC 3339.
    public var nextDeparture: String?
  }

  /// The metadata of the response ("Model A").
  public struct Meta: Codable, Hashable, Sendable {
    /// When the server answered, RFC 3339.
    public var serverTime: String
    /// `full`, `degraded_static`, `stale_cache_fallback` or `static_timeout_fallback`.
    public var responseMode: String
    /// `applied`, `stale_cache`, `skipped_budget`, `disabled`, `missing_cache` or `guarded_error`.
    public var rtStatus: String
    /// When the server got the realtime, RFC 3339.
    public var rtFetchedAt: String?
    /// How old the realtime is, in milliseconds.
    public var rtCacheAgeMs: Double?
    /// How many departures carry realtime.
    public var rtAppliedCount: Int?
    /// How many departures carry realtime, of those that could; `nil` without realtime, and from older
    /// servers.
    public var rtCoverage: Coverage?
    /// When the next realtime is expected, RFC 3339.
    public var nextExpectedAt: String?
    /// Which part of the last publications would have been there by such an instant, 0 to 1; `nil` from older
    /// servers.
    public var nextExpectedQuantile: Double?
    /// The window after that instant over which the server asks its clients to spread, in milliseconds; `nil`
    /// from older servers.
    public var nextExpectedSpreadMs: Double?
    /// The id of the request in the server's log.
    public var requestId: String?
    /// The timetable the board was made from.
    public var timetable: Timetable?
  }

  /// How many departures of a board carry realtime.
  public struct Coverage: Codable, Hashable, Sendable {
    /// The departures that could: those that do, and those that leave within half an hour.
    public var departures: Int
    /// Those whose realtime is fresh or ageing.
    public var live: Int
    /// Those whose realtime is stale.
    public var old: Int
    /// The trip updates of the feed.
    public var tripUpdates: Int?
    /// The trip updates that match a trip of the timetable and are used.
    public var matched: Int?
    /// The trip updates of trips that the timetable does not have and need not have.
    public var added: Int?
    /// The other trip updates, by the reason why they have no effect, such as `unknown_trip`.
    public var withoutEffect: [String: Int]?

    /// Whether no trip update fits the timetable, and some should.
    public var matchesNothing: Bool {
      matched == 0 && (added ?? 0) == 0 && tripUpdates ?? 0 > 0
        && (withoutEffect?["says_nothing"] ?? 0) == 0
    }
  }

  /// The timetable a board was made from.
  public struct Timetable: Codable, Hashable, Sendable {
    /// feed_version of GTFS.
    public var version: String?
    /// feed_publisher_name of GTFS.
    public var publisher: String?
    /// When it was imported, RFC 3339.
    public var importedAt: String?
    /// The first and last day of service, `YYYY-MM-DD`.
    public var validFrom: String?
    /// See ``validFrom``.
    public var validUntil: String?
  }

  /// A service at the stop that runs only for passengers who book it.
  public struct OnDemandService: Codable, Hashable, Sendable {
    /// The line.
    public var line: String?
    /// The agency's name.
    public var `operator`: String?
    /// The next window for which it can be booked, RFC 3339.
    public var opensAt: String?
    /// See ``opensAt``.
    public var closesAt: String?
    /// How to book it.
    public var booking = Booking()

    /// Creates a service of which nothing is known.
    public init() {}
  }

  /// How and until when a ride is booked.
  public struct Booking: Codable, Hashable, Sendable {
    /// Until when, RFC 3339; `nil` if nothing fixes an instant.
    public var bookBy: String?
    /// The least minutes between the booking and the ride.
    public var noticeMinutes: Int?
    /// The number to call.
    public var phone: String?
    /// What the agency says of it.
    public var message: String?
    /// A page about it, and one on which it can be booked.
    public var infoUrl: String?
    /// See ``infoUrl``.
    public var bookingUrl: String?

    /// Creates a booking of which nothing is known.
    public init() {}
  }

  /// The stop; `nil` from servers that leave it out.
  public var station: Station?
  /// The departures, ordered by the instant they leave.
  public var departures: [Departure]
  /// Disruptions of the whole stop.
  public var banners: [ServiceAlert]?
  /// What runs here for those who book it; `nil` if nothing does.
  public var onDemand: [OnDemandService]?
  /// Why the list is empty.
  public var noService: NoService?
  /// The metadata of the response.
  public var meta: Meta
}
