package import GTFS
package import Timetable

/// A trip on one service day: what a trip update is about.
package struct TripRun: Hashable, Sendable {
  /// The trip, or one run of a frequency.
  package let trip: Timetable.Trip
  /// The service day.
  package let day: ServiceDate

  /// Names a run; whether the trip runs on that day is not looked at.
  package init(trip: Timetable.Trip, day: ServiceDate) {
    self.trip = trip
    self.day = day
  }
}
