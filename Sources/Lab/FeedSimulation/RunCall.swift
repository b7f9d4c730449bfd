package import Timetable

/// One stop of a run, as known at an instant.
package struct RunCall: Hashable, Sendable {
  /// Whether the run serves the stop, as far as known.
  package enum Status: Hashable, Sendable {
    /// Served, at the times given.
    case served
    /// Skipped.
    case skipped
    /// Not known: the producer has no data.
    case noData
  }

  /// The stop of the timetable.
  package let stop: Timetable.Stop
  /// stop_sequence.
  package let sequence: UInt32
  /// The position of the stop in the timetable's trip, from 0.
  package let position: Int
  /// The scheduled arrival, in seconds since 1970-01-01T00:00:00Z.
  package let scheduledArrival: Int64
  /// The scheduled departure, likewise.
  package let scheduledDeparture: Int64
  /// Seconds after ``scheduledArrival``, a multiple of 6; negative before it.
  package internal(set) var arrivalDelay: Int32 = 0
  /// Seconds after ``scheduledDeparture``, likewise.
  package internal(set) var departureDelay: Int32 = 0
  /// Whether the stop is served.
  package internal(set) var status = Status.served
  /// The platform instead of ``stop``; a stop of the same station.
  package internal(set) var newPlatform: Timetable.Stop?

  /// When the run arrives or arrived, in seconds since 1970-01-01T00:00:00Z.
  package var arrival: Int64 { scheduledArrival + Int64(arrivalDelay) }
  /// When the run departs or departed, likewise.
  package var departure: Int64 { scheduledDeparture + Int64(departureDelay) }

  /// How much the dwell time may be reduced, in steps: late trains make up time here.
  var spareDwell: Int32 {
    let dwell = max(0, min(3_600, scheduledDeparture - scheduledArrival))
    return Int32(dwell) / DelayWalk.step * DelayWalk.step
  }
}
