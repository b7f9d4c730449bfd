import GTFS
import GTFSRealtime
import Timetable

/// How a feed names a run of a trip.
struct TripName: Hashable, Sendable {
  /// trip_id.
  var id: String
  /// start_time, in seconds after 0:00.
  var start: Int32?
  /// start_date, as days since 1970-01-01.
  var day: Int?

  /// The name in an update; `nil` without trip_id.
  init?(_ update: TripUpdate, _ texts: TextTable) {
    guard let id = update.tripID else { return nil }
    self.id = texts[id]
    start = update.startTime
    day = update.startDate?.daysSinceEpoch
  }
}

/// The run that trip updates found for a name that does not say it by itself: one found on a higher rung of the ladder,
/// or the run whose place a vehicle of a headway takes.
struct ResolvedTrip: Hashable, Sendable {
  var trip: Timetable.Trip
  var day: Int32
  var rung: RealtimeCounters.Rung
}

extension RealtimeIndex {
  /// Whether positions of vehicles are of other trips with it than without it.
  var helpsPositions: Bool { !resolved.isEmpty || !extraTrips.isEmpty }
}
