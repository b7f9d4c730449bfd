import Timetable

/// One trip on one service day that the feed says something of.
struct RealtimeTrip: Hashable, Sendable {
  /// The state of the trip.
  enum Kind: UInt8, Hashable, Sendable {
    /// It runs.
    case running
    /// It is cancelled; its rows stay.
    case cancelled
    /// It is not to be shown; it has no rows.
    case deleted
    /// Another trip took its place; it has no rows of its own.
    case replaced
    /// A trip that the timetable does not have (``ExtraTrip``).
    case extra
  }

  /// How trip modifications change a trip of the timetable, which then is ``Kind/replaced``.
  enum Modification: UInt8, Hashable, Sendable {
    /// Not at all.
    case none
    /// By the timetable, without a trip update.
    case planned
    /// With a trip update.
    case updated
    /// Its trip update skips every stop that is left.
    case cancelled
  }

  /// The state of the trip.
  var kind: Kind
  /// How trip modifications change it.
  var modification = Modification.none
  /// The trip of the timetable; of an extra trip its template, or ``TimetableDirectory/none``.
  var trip: UInt32
  /// The service day, as days since 1970-01-01.
  var day: Int32
  /// Its number among the extra trips; −1 for trips of the timetable.
  var extra: Int32 = -1
  /// For how many publications the feed has been without it.
  var missed: UInt8 = 0
  /// When this was known, in seconds since 1970-01-01T00:00:00Z.
  var sourceTime: Int64
  /// Where its calls are in ``RealtimeIndex/calls``.
  var firstCall: UInt32 = 0
  /// How many calls it has.
  var callCount: UInt32 = 0
  /// Where its arrivals are in ``RealtimeIndex/arrivals``.
  var firstArrival: UInt32 = 0
  /// How many arrivals it has.
  var arrivalCount: UInt32 = 0
  /// Where the places of the stops it leaves out are in ``RealtimeIndex/skips``.
  var firstSkip: UInt32 = 0
  /// How many stops it leaves out.
  var skipCount: UInt32 = 0
  /// The index in ``RealtimeIndex/closed`` of the first stop where boarding is no longer possible.
  var firstClosed: UInt32 = 0
  /// How many such stops it has.
  var closedCount: UInt32 = 0
  /// The number of the headsign's text; ``RealtimeCall/usualPlatform`` for the headsign of the timetable.
  var headsign: UInt32 = RealtimeCall.usualPlatform
}

/// The predicted arrival of a ``RealtimeTrip`` at a stop without boarding: not a departure of a board, but part of the
/// trip.
struct RealtimeArrival: Hashable, Sendable {
  /// When it arrives, in seconds after ``RealtimeIndex/base``.
  var effective: Int32
  /// The place among the stops of the trip.
  var position: UInt16
}

/// One departure of a ``RealtimeTrip``, packed into 28 bytes.
struct RealtimeCall: Hashable, Sendable {
  /// Means no schedule.
  static let unscheduled = Int32.min
  /// Means the platform of the timetable.
  static let usualPlatform = UInt32.max
  /// From here on, platforms are numbers of texts.
  static let firstText: UInt32 = 1 << 31

  /// The departure as far as it is known, in seconds after ``RealtimeIndex/base``.
  var effective: Int32
  /// The departure as scheduled, likewise, or ``unscheduled``.
  var scheduled: Int32
  /// The number of the trip in ``RealtimeIndex/trips``.
  var trip: UInt32
  /// The stop as scheduled.
  var stop: UInt32
  /// The stop where it departs instead, a text from ``firstText`` on, or ``usualPlatform``.
  var platform: UInt32
  /// The place among the stops of the trip.
  var position: UInt16
  /// What realtime says.
  var flags: BoardRow.RealtimeFlags
  /// By how many seconds the prediction may be off; ``unknownUncertainty`` if that is not known.
  var uncertainty: UInt16 = Self.unknownUncertainty
  /// How full the vehicle leaves, as the number of the schema; ``unknownOccupancy`` if that is not known.
  var occupancy: UInt8 = Self.unknownOccupancy

  /// Means no uncertainty that is known; longer ones are the one before it.
  static let unknownUncertainty = UInt16.max
  /// Means no occupancy.
  static let unknownOccupancy = UInt8.max
}

/// A trip that the timetable does not have as it runs: new, added, duplicated, or a replacement.
struct ExtraTrip: Hashable, Sendable {
  /// How it came to be.
  enum Kind: UInt8, Hashable, Sendable {
    /// Unrelated to any trip of the timetable (NEW, ADDED).
    case new
    /// A copy of a trip at another date or time.
    case duplicated
    /// In the place of a trip of the timetable.
    case replacement
  }

  /// A stop of a new or replacement trip.
  struct Stop: Hashable, Sendable {
    /// The stop of the timetable.
    var stop: UInt32
    /// stop_sequence as the feed gives it, else the place in the feed.
    var sequence: UInt32
    /// Whether the feed gives ``sequence``.
    var isNumbered: Bool
    /// The headsign at this stop.
    var headsign: String?
    /// Of a replacement, how far it has come here along the trip that it replaces: a place there, −1 before the first.
    var reached: Int32 = -1
    /// Of a trip with modifications, its schedule here.
    var plan: Plan?
  }

  /// The schedule of a stop of a trip with modifications.
  struct Plan: Hashable, Sendable {
    /// The arrival, in seconds after 0:00 of the service day.
    var arrival: Int32
    /// The departure, likewise.
    var departure: Int32
    /// The place of the stop in the trip of the timetable; −1 for a replacement stop.
    var origin: Int32
    /// Whether its times differ from those of the timetable.
    var isMoved: Bool
    /// Whether people may get on.
    var allowsPickup: Bool
    /// Whether people may get off.
    var allowsDropOff: Bool
  }

  /// How it came to be.
  var kind: Kind
  /// Its id; `nil` if the feed gives none.
  var tripID: String?
  /// The id of its entity.
  var entityID = ""
  /// route_id as the feed gives it.
  var routeID: String?
  /// The number of the route; `nil` if the timetable does not have it.
  var route: Int?
  /// The headsign.
  var headsign: String?
  /// The first departure in seconds after 0:00 of the service day, of duplicated trips.
  var start: Int32?
  /// Its stops, of new and replacement trips.
  var stops: [Stop] = []
  /// Whether it ends, as a replacement, where the trip that it replaces does not stop.
  var isDiverted = false
  /// Whether it is a trip of the timetable with modifications.
  var isModification = false
  /// The encoded polyline of the path that it takes; `nil` if the feed gives none.
  var shape: String?
  /// The places of the stops of the trip that it replaces which it does not list.
  var leftOut: [UInt16] = []

  /// Adds everything that is known of the trip to a hash.
  func add(to hash: inout ContentHash) {
    hash.add(UInt64(kind.rawValue))
    hash.add(tripID)
    hash.add(routeID)
    hash.add(UInt64(truncatingIfNeeded: route ?? -1))
    hash.add(headsign)
    hash.add(UInt64(truncatingIfNeeded: start ?? -1))
    hash.add(isDiverted ? 1 : 0)
    hash.add(shape)
    hash.add(UInt64(leftOut.count))
    for place in leftOut { hash.add(UInt64(place)) }
    hash.add(UInt64(stops.count))
    for stop in stops {
      hash.add(UInt64(stop.stop) << 32 | UInt64(stop.sequence))
      hash.add(stop.isNumbered ? 1 : 0)
      hash.add(stop.headsign)
      guard let plan = stop.plan else { continue }
      hash.add(UInt64(UInt32(bitPattern: plan.origin)) << 1 | (plan.isMoved ? 1 : 0))
    }
  }

  /// Identifies an extra trip of a day, across feeds.
  struct Identity: Hashable {
    var kind: Kind
    var tripID: String?
    var template: UInt32
    var day: Int32
    var start: Int32?
  }
}
