import Timetable

/// A trip on a service day.
struct RunKey: Hashable, Sendable {
  var trip: Timetable.Trip
  /// The service day, as days since 1970-01-01.
  var day: Int32
}

/// A set of places among the stops of a trip.
struct CallSet: Hashable, Sendable {
  private(set) var words: [UInt64]

  /// An empty set for a number of stops.
  init(count: Int) { words = [UInt64](repeating: 0, count: (count + 63) / 64) }

  /// A set as ``words`` has it.
  init(words: [UInt64]) { self.words = words }

  func contains(_ position: Int) -> Bool {
    let word = position >> 6
    return word < words.count && words[word] & (1 << UInt64(position & 63)) != 0
  }

  mutating func insert(_ position: Int) {
    let word = position >> 6
    if word < words.count { words[word] |= 1 << UInt64(position & 63) }
  }
}

/// A trip of which realtime said something, until all its departures are counted.
struct OpenRun: Hashable, Sendable {
  /// What is known of a departure that the feed no longer mentions.
  struct Last: Hashable, Sendable, Codable {
    var position: Int
    /// The departure as it was known, in seconds since 1970-01-01T00:00:00Z.
    var effective: Int64
    /// What was reported of it last.
    var report: Report

    private enum CodingKeys: String, CodingKey {
      case position, effective
      case report = "word"
    }
  }

  /// The last report about a departure.
  enum Report: Hashable, Sendable, Codable {
    /// It leaves this many seconds after the timetable.
    case delay(Int)
    case cancelled
    case skipped
  }

  /// The places of the stops where people board, as planned.
  var planned: CallSet
  /// The places of the departures that have been counted.
  var counted: CallSet
  /// The planned departure from the first stop, in seconds since 1970-01-01T00:00:00Z.
  var first: Int64
  /// The planned departure from the last stop but one, likewise.
  var end: Int64
  /// The number of the route.
  var route: Int
  /// The number of the source that reported it.
  var source: Int
  /// The outcome of the trip when the feed last mentioned it.
  var kind = RealtimeTrip.Kind.running
  /// What is known of departures that the feed no longer mentions.
  var last: [Last] = []
}

/// The trips of a service day in the order in which they end.
struct DayPlan: Sendable {
  /// The trips.
  var trips: [Timetable.Trip]
  /// The number of those that are over and counted, or followed in ``late``.
  var next = 0
  /// Trips whose end has come by the timetable and not by their realtime.
  var late: Set<Timetable.Trip> = []

  /// Whether everything is counted.
  var isOver: Bool { next == trips.count && late.isEmpty }
}
