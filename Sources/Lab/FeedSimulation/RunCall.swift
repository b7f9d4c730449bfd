package import Timetable

/// One stop of a run, as the world has it at an instant.
package struct RunCall: Hashable, Sendable {
  /// Whether the run serves the stop, and whether anybody knows.
  package enum Status: Hashable, Sendable {
    /// Served, at the times given.
    case served
    /// Left out.
    case skipped
    /// Served or not: the producer has no data.
    case noData
  }

  /// The stop of the timetable.
  package let stop: Timetable.Stop
  /// stop_sequence.
  package let sequence: UInt32
  /// The place of the stop in the timetable's trip, from 0.
  package let position: Int
  /// When the run is to arrive, in seconds since 1970-01-01T00:00:00Z.
  package let scheduledArrival: Int64
  /// When the run is to depart, likewise.
  package let scheduledDeparture: Int64
  /// Seconds after ``scheduledArrival``, a multiple of 6; negative before it.
  package internal(set) var arrivalDelay: Int32 = 0
  /// Seconds after ``scheduledDeparture``, likewise.
  package internal(set) var departureDelay: Int32 = 0
  /// Whether the stop is served.
  package internal(set) var standing = Status.served
  /// The platform in place of ``stop``; a stop of the same station.
  package internal(set) var newPlatform: Timetable.Stop?

  /// When the run arrives or arrived, in seconds since 1970-01-01T00:00:00Z.
  package var arrival: Int64 { scheduledArrival + Int64(arrivalDelay) }
  /// When the run departs or departed, likewise.
  package var departure: Int64 { scheduledDeparture + Int64(departureDelay) }

  /// How long the run may stay shorter than planned, in steps: late trains make up for lost time here.
  var spareDwell: Int32 {
    let dwell = max(0, min(3_600, scheduledDeparture - scheduledArrival))
    return Int32(dwell) / DelayWalk.step * DelayWalk.step
  }
}
