/// What the feed says of a run at an instant.
package struct RunState: Hashable, Sendable {
  /// What the feed says of the run as a whole.
  package enum Phase: String, Hashable, Sendable {
    /// Nothing.
    case unreported
    /// It runs, or is about to: the calls say when.
    case running
    /// It does not run.
    case cancelled
    /// It does not run and is not to be shown.
    case deleted
    /// It runs with the calls given, and only those.
    case replaced
    /// It is not in the timetable, and runs with the calls given.
    case extra
  }

  /// What the feed says of the run as a whole.
  package internal(set) var phase = Phase.unreported
  /// The stops of the run, in order; none if it does not run or is not reported.
  package internal(set) var calls: [RunCall] = []
  /// The first of ``calls`` that the feed still speaks of.
  package internal(set) var firstReported = 0
}
