import Timetable

/// An alert's selector in numbers of the timetable: everything that all given fields match.
struct ResolvedSelector: Hashable, Sendable {
  /// Means a field that is not given.
  static let none = UInt32.max
  /// Means any service day.
  static let anyDay = Int32.min
  /// Means any first departure.
  static let anyStart = Int32.min

  /// The alert, by its place in the order.
  var alert: UInt32 = 0
  /// The stop; it means all stops below it.
  var stop = none
  /// The route.
  var route = none
  /// The agency and route type (``AlertDirectory/scopes``); only without route and trip.
  var scope = none
  /// The first run of the trip.
  var firstTrip = none
  /// How many runs of the trip there are.
  var tripCount: UInt32 = 0
  /// Whether it is about a trip, of the timetable or not.
  var hasTrip = false
  /// direction_id, or 255.
  var direction: UInt8 = 255
  /// The service day, as days since 1970-01-01.
  var day = anyDay
  /// The first departure in seconds after 0:00 of the service day.
  var start = anyStart

  /// Whether it is about a stop and nothing that runs there in particular.
  var isStopOnly: Bool { stop != Self.none && route == Self.none && scope == Self.none && !hasTrip }
  /// Whether it is about an agency or a route type as a whole.
  var isWide: Bool { stop == Self.none && scope != Self.none && !hasTrip }
}
