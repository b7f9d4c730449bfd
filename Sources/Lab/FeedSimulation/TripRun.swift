package import GTFS
package import Timetable

/// A trip on one service day: the subject of a trip update.
package struct TripRun: Hashable, Sendable {
  /// The trip, or one run of a frequency.
  package let trip: Timetable.Trip
  /// The service day.
  package let day: ServiceDate

  /// Creates a run, without checking whether the trip runs on that day.
  package init(trip: Timetable.Trip, day: ServiceDate) {
    self.trip = trip
    self.day = day
  }
}
