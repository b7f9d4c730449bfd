import GTFS

/// Everything read from a feed, in memory, before it becomes a timetable file.
struct FeedTables {
  /// All texts; number 0 is the empty text.
  var texts = ByteTable()
  var agencies: [AgencyRecord] = []
  var agencyIds = ByteTable()
  /// The time zones of the agencies, in the order of the first agency with each.
  var timeZones: [String] = []
  /// For each agency the place of its zone; 0 for one whose zone is not valid.
  var agencyZones: [UInt8] = []
  /// The zone of the feed: the first one.
  var timeZone: String { timeZones.first ?? "" }
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
  /// Rows of transfers.txt that link two trips.
  var links: [TripLink] = []
  var blockIds = ByteTable()
  var publisher: String?
  var version: String?
  var language: String?

  /// How many runs the rows of all trips give.
  var runCount = 0
  /// How many rows frequencies.txt has, and calendar_dates.txt.
  var frequencyRowCount = 0
  var exceptionCount = 0

  init() { _ = texts.intern("") }

  /// The bytes that all of it takes, as near as counting records gets.
  var keptBytes: Int {
    func bytes<Record>(_ records: [Record]) -> Int {
      records.count * MemoryLayout<Record>.stride
    }
    let ids =
      texts.keptBytes + agencyIds.keptBytes + stopIds.keptBytes + routeIds.keptBytes
      + serviceIds.keptBytes + trips.ids.keptBytes + blockIds.keptBytes
    let records =
      bytes(agencies) + bytes(stops) + bytes(routes) + bytes(translations) + bytes(links)
    // An array, and an entry in a dictionary, have some bytes beside their contents.
    let calendar = bytes(services) + 64 * services.count + 16 * exceptionCount
    let runs = 160 * frequencies.count + 24 * frequencyRowCount + Self.leastRunBytes * runCount
    return ids + records + calendar + runs + trips.keptBytes + patterns.keptBytes
      + distances.keptBytes
  }

  /// The least that a run of a trip takes: its record, its id's place, and one departure.
  static let leastRunBytes =
    MemoryLayout<TripRecord>.stride + MemoryLayout<UInt32>.stride
    + MemoryLayout<DepartureEntry>.stride + TimetableBuilder.bytesOfRun
}

/// The days of a service as calendar.txt and calendar_dates.txt give them.
struct ServiceDays {
  /// Weekdays (bit 0 Monday) between two dates, both included; one per row of calendar.txt.
  var weekdays: UInt8 = 0
  var first = ServiceDate(daysSinceEpoch: 0)
  var last = ServiceDate(daysSinceEpoch: -1)
  var added: [ServiceDate] = []
  var removed: [ServiceDate] = []
  /// Where the feed names it first.
  var file = FeedFile.calendar
  var line = 0

  /// The service without the days before and after some days, which are days since 1 January 1970.
  func within(_ days: ClosedRange<Int>) -> ServiceDays {
    var service = self
    service.first = max(first, ServiceDate(daysSinceEpoch: days.lowerBound))
    service.last = min(last, ServiceDate(daysSinceEpoch: days.upperBound))
    service.added = added.filter { days.contains($0.daysSinceEpoch) }
    return service
  }
}

/// A row of transfers.txt whose transfer_type is 4 or 5: trips of one vehicle, by number.
struct TripLink: Hashable {
  var from: UInt32
  var to: UInt32
  /// Whether passengers may stay in the vehicle.
  var isInSeat: Bool
}

/// A row of frequencies.txt.
struct FrequencyRow {
  var start: Int32
  var end: Int32
  var headway: Int32
  var isExact: Bool
  var line = 0
}

/// The trips of a feed as columns; a trip's number is its place.
struct TripColumns {
  var ids = ByteTable()
  var routes: [UInt32] = []
  var services: [UInt32] = []
  var headsigns: [UInt32] = []
  var shortNames: [UInt32] = []
  var directions: [UInt8] = []
  /// The number of the block_id, or ``noRecord``.
  var blocks: [UInt32] = []
  /// The trip's pattern once its stop times are read; ``noRecord`` before, and for trips left out.
  var patterns: [UInt32] = []
  var profiles: [UInt32] = []
  /// The number of the trip's list in ``FeedTables/distances``, or ``noRecord``.
  var distances: [UInt32] = []
  var starts: [Int32] = []
  var states: [State] = []

  /// The bytes that all columns but the ids take.
  var keptBytes: Int { 38 * states.count }

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
