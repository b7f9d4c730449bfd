import GTFS

/// Everything read from a feed, in memory, before it becomes a timetable file.
struct FeedTables {
  /// All texts; number 0 is the empty text.
  var texts = ByteTable()
  var agencies: [AgencyRecord] = []
  var agencyIds = ByteTable()
  var timeZone = ""
  var agencyLanguage: String?
  var stops: [StopRecord] = []
  var stopIds = ByteTable()
  var routes: [RouteRecord] = []
  var routeIds = ByteTable()
  var serviceIds = ByteTable()
  var services: [ServiceDays] = []
  var trips = TripColumns()
  var patterns = PatternTable()
  var distances = DistanceTable()
  var frequencies: [UInt32: [FrequencyRow]] = [:]
  /// How many runs the rows of each trip give, those counted twice that two rows give.
  var frequencyRuns: [UInt32: Int] = [:]
  var translations: [TranslationRecord] = []
  var publisher: String?
  var version: String?
  var language: String?

  init() { _ = texts.intern("") }
}

/// The days of a service as calendar.txt and calendar_dates.txt give them.
struct ServiceDays {
  /// Weekdays (bit 0 Monday) between two dates, both included; one per row of calendar.txt.
  var weekdays: UInt8 = 0
  var first = ServiceDate(daysSinceEpoch: 0)
  var last = ServiceDate(daysSinceEpoch: -1)
  var added: [ServiceDate] = []
  var removed: [ServiceDate] = []
}

/// A row of frequencies.txt.
struct FrequencyRow {
  var start: Int32
  var end: Int32
  var headway: Int32
  var isExact: Bool
}

/// The trips of a feed as columns; a trip's number is its place.
struct TripColumns {
  var ids = ByteTable()
  var routes: [UInt32] = []
  var services: [UInt32] = []
  var headsigns: [UInt32] = []
  var shortNames: [UInt32] = []
  var directions: [UInt8] = []
  /// The trip's pattern once its stop times are read; ``noRecord`` before, and for trips left out.
  var patterns: [UInt32] = []
  var profiles: [UInt32] = []
  /// The number of the trip's list in ``FeedTables/distances``, or ``noRecord``.
  var distances: [UInt32] = []
  var starts: [Int32] = []
  var states: [State] = []

  enum State: UInt8 {
    /// No stop time has been read.
    case waiting
    /// Stop times were read, but the first or last one has no time.
    case open
    /// The trip has its pattern and profile.
    case complete
    /// The trip is left out, and its stop times with it.
    case rejected
  }
}
