/// A number that means "none" where a record refers to another record.
let noRecord = UInt32.max

/// An agency (agency.txt); texts by number.
struct AgencyRecord: BitwiseCopyable {
  var id: UInt32
  var name: UInt32
}

/// A stop, platform, station, entrance or boarding area (stops.txt); texts by number.
struct StopRecord: BitwiseCopyable {
  var id: UInt32
  var name: UInt32
  var platform: UInt32
  /// The stop's number of the parent station, or ``noRecord``.
  var parent: UInt32
  /// The top-most ancestor; the stop itself if it has no parent.
  var root: UInt32
  var zone: UInt32
  var code: UInt32
  var originalId: UInt32
  /// Degrees times 10⁷; `Int32.min` if the feed gives none.
  var latitude: Int32
  var longitude: Int32
  var locationType: UInt8
  var wheelchairBoarding: UInt8
  var reserved: UInt16 = 0
}

/// A Swiss station number (85…) and the stop that best answers for it.
struct StopNumberRecord: BitwiseCopyable {
  var number: UInt32
  var stop: UInt32
}

/// A route (routes.txt); texts by number.
struct RouteRecord: BitwiseCopyable {
  var id: UInt32
  var agency: UInt32
  var shortName: UInt32
  var longName: UInt32
  /// 0xRRGGBB, or ``noRecord``.
  var color: UInt32
  var textColor: UInt32
  var type: Int32
}

/// Where a pattern's stops lie in the pattern sections.
struct PatternRecord: BitwiseCopyable {
  var first: UInt32
  var count: UInt32
}

/// pickup_type in bits 0–1, drop_off_type in bits 2–3, bit 4 set when the time was interpolated, bit 5 when the feed
/// says that it is approximate (timepoint 0), bit 6 when the feed says that it is exact (timepoint 1).
struct StopTimeAttributes: BitwiseCopyable {
  /// The bit of an interpolated time.
  static let interpolated: UInt8 = 16
  /// The bit of a time that the feed calls approximate.
  static let approximate: UInt8 = 32
  /// The bit of a time that the feed calls exact.
  static let timepoint: UInt8 = 64

  var bits: UInt8

  var pickupType: UInt8 { bits & 3 }
  var dropOffType: UInt8 { bits >> 2 & 3 }
  var isInterpolated: Bool { bits & Self.interpolated != 0 }
  var isTimepoint: Bool { bits & Self.timepoint != 0 }
  /// Whether the time is only near the one of the vehicle.
  var isRough: Bool { bits & (Self.interpolated | Self.approximate) != 0 }
}

/// When a trip arrives at and leaves a stop, in seconds after its first departure.
struct ProfileTime: BitwiseCopyable, Hashable {
  var arrival: Int32
  var departure: Int32
}

/// A trip (trips.txt), or one run of a trip of frequencies.txt; texts by number.
struct TripRecord: BitwiseCopyable {
  var pattern: UInt32
  /// The first of the trip's times in the profile section; as many as the pattern has stops.
  var profile: UInt32
  /// The first departure, in seconds after 0:00 of the service day.
  var start: Int32
  var daySet: UInt32
  var route: UInt32
  var headsign: UInt32
  var shortName: UInt32
  /// direction_id, or 255.
  var direction: UInt8
  /// 0: a trip with fixed times; 1: exact_times 0; 2: exact_times 1.
  var frequency: UInt8
  var reserved: UInt16 = 0
}

/// A trip that the vehicle of another one may run next.
struct ContinuationRecord: BitwiseCopyable {
  /// What the record says of the two trips.
  struct Flags: OptionSet, BitwiseCopyable {
    var rawValue: UInt32

    /// Passengers may stay in the vehicle.
    static let inSeat = Flags(rawValue: 1)
    /// transfers.txt links the trips; else their block does.
    static let linked = Flags(rawValue: 2)
    /// The second trip is that of the service day after.
    static let nextDay = Flags(rawValue: 4)

    static let all: Flags = [.inSeat, .linked, .nextDay]
  }

  /// The trip that ends.
  var from: UInt32
  /// The trip that begins.
  var to: UInt32
  var flags: Flags
}

/// One departure of a stop: time, trip and position in the trip in one number, so that plain
/// integer order is the order of a board.
struct DepartureEntry: BitwiseCopyable {
  var key: UInt64

  init(time: Int32, trip: UInt32, position: Int) {
    key = UInt64(UInt32(time)) << 43 | UInt64(trip) << 16 | UInt64(position)
  }

  /// Seconds after 0:00 of the service day.
  var time: Int64 { Int64(key >> 43) }
  var trip: UInt32 { UInt32(truncatingIfNeeded: key >> 16) & 0x07FF_FFFF }
  var position: Int { Int(key & 0xFFFF) }
}

/// A text in another language (translations.txt).
struct TranslationRecord: BitwiseCopyable {
  /// The translated field: a ``TranslatedField``.
  var field: UInt32
  /// The text's number, or the record's number for fields given by record.
  var key: UInt32
  /// The language tag's text number.
  var language: UInt32
  var text: UInt32

  /// The order in the file.
  static func precedes(_ left: Self, _ right: Self) -> Bool {
    (left.field, left.key, left.language) < (right.field, right.key, right.language)
  }
}

/// The fields whose translations are kept.
package enum TranslatedField: UInt32, CaseIterable, Sendable {
  case stopName = 1
  case tripHeadsign = 2
  case stopHeadsign = 3
  case routeLongName = 4

  /// The same field, translated record by record (record_id) instead of value by value.
  var byRecord: UInt32 { rawValue + 16 }
}
