/// The content of the feed for a run at an instant.
package struct RunState: Hashable, Sendable {
  /// The state of the run as a whole.
  package enum Phase: String, Hashable, Sendable {
    /// Not reported.
    case unreported
    /// It runs, or is about to, at the times in the calls.
    case running
    /// It does not run.
    case cancelled
    /// It does not run and should not be shown.
    case deleted
    /// It runs with the given calls only.
    case replaced
    /// It is not in the timetable, and runs with the given calls.
    case extra
  }

  /// The state of the run as a whole.
  package internal(set) var phase = Phase.unreported
  /// The stops of the run, in order; none if it does not run or is not reported.
  package internal(set) var calls: [RunCall] = []
  /// The first of ``calls`` that the feed still reports.
  package internal(set) var firstReported = 0
}
