package import GTFS
package import Timetable

/// The content of the feed for one run at one stop.
package struct StopGroundTruth: Hashable, Sendable {
  /// The state of the run at the stop.
  package enum Status: String, Hashable, Sendable {
    /// The feed has no entry.
    case unreported
    /// The feed reports the stop as NO_DATA.
    case noData
    /// The run serves the stop at the times given.
    case served
    /// The run skips the stop.
    case skipped
    /// The run does not run.
    case cancelled
    /// The run does not run and should not be shown.
    case deleted
  }

  /// The state of the run at the stop.
  package let status: Status
  /// When it arrives, in seconds since 1970-01-01T00:00:00Z; `nil` unless served.
  package let arrival: Int64?
  /// When it departs, likewise.
  package let departure: Int64?
  /// Seconds after the arrival of the timetable or, for a replacement, of the producer's plan.
  package let arrivalDelay: Int32?
  /// Seconds after the departure, likewise.
  package let departureDelay: Int32?
  /// The platform instead of the timetable's.
  package let newPlatform: Timetable.Stop?

  init(_ status: Status, _ call: RunCall? = nil) {
    self.status = status
    arrival = call?.arrival
    departure = call?.departure
    arrivalDelay = call?.arrivalDelay
    departureDelay = call?.departureDelay
    newPlatform = call?.newPlatform
  }

  init(_ call: RunCall) {
    switch call.status {
    case .skipped: self.init(.skipped)
    case .noData: self.init(.noData)
    case .served: self.init(.served, call)
    }
  }
}

extension FeedWorld {
  /// Returns the content of a publication with a source time for a run at one of its stops.
  ///
  /// - Parameters:
  ///   - trip: The trip, or one run of a frequency.
  ///   - day: Its service day.
  ///   - stopIndex: The place of the stop in the trip, from 0.
  ///   - instant: The source time, in seconds since 1970-01-01T00:00:00Z.
  /// - Returns: The ground truth; also `unreported` for a stop that is not part of the trip.
  package func truth(
    _ trip: Timetable.Trip,
    _ day: ServiceDate,
    stopIndex: Int,
    at instant: Int64
  ) -> StopGroundTruth {
    Self.truth(of: state(of: TripRun(trip: trip, day: day), at: instant), position: stopIndex)
  }

  /// Returns the content of a state for the stop at a position of the timetable's trip.
  static func truth(of state: RunState, position: Int) -> StopGroundTruth {
    switch state.phase {
    case .unreported: return StopGroundTruth(.unreported)
    case .cancelled: return StopGroundTruth(.cancelled)
    case .deleted: return StopGroundTruth(.deleted)
    case .replaced, .running, .extra: break
    }
    guard let index = state.calls.firstIndex(where: { $0.position == position }) else {
      // A replacement has only the stops it names.
      return StopGroundTruth(state.phase == .replaced ? .skipped : .unreported)
    }
    return index < state.firstReported
      ? StopGroundTruth(.unreported) : StopGroundTruth(state.calls[index])
  }
}
