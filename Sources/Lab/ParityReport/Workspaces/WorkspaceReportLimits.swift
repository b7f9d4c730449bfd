/// The thresholds of the report about workspaces.
package enum WorkspaceReportLimits {
  // MARK: Seed 003

  /// The maximum number of bytes per hour of active use.
  package static let mostActiveBytes: Int64 = 5_000_000
  /// The minimum share of "not modified" among idle responses without changes, in tenths of a
  /// percent.
  ///
  /// The seed asks for more than 80 %, design/workspaces.md for 99.
  package static let leastUnchanged = 990
  /// The maximum time from a change of todos to the screen with polling, in milliseconds.
  package static let todosPolled: Int64 = 5_000
  /// The maximum time from a start or stop to the screen with polling, in milliseconds.
  package static let statesPolled: Int64 = 3_000
  /// The maximum time from any change to the screen with a stream, in milliseconds.
  package static let pushed: Int64 = 1_000
  /// The percentile to which these times apply.
  package static let percentile = 95
  /// The maximum bytes with "not modified" relative to those without, in percent: it saves nine
  /// tenths.
  package static let mostOfWhole = 10
  /// How far requests in an hour may be from the seed's, in percent: an interval of 1.5 s has noise.
  package static let rateSlack = 5

  // MARK: Evidence

  /// The minimum time in a state to show its rate, in milliseconds.
  package static let leastTime: Int64 = 120_000
  /// The minimum number of idle responses to determine the share of "not modified": half an hour.
  package static let fewestIdle = 180
  /// The minimum number of changes to determine a percentile.
  package static let fewestChanges = 20
  /// How long after its change something is still waited for, in milliseconds.
  package static let patience: Int64 = 15_000
  /// The maximum difference of the times of one exchange in two kinds of lines, in milliseconds.
  package static let sameMoment: Int64 = 50
  /// The maximum time from the arrival of bytes to the screen, in milliseconds.
  package static let shownAfter: Int64 = 2_000

  // MARK: What is read

  /// The maximum size of a ground truth file, in bytes.
  package static let mostTruth = 64 << 20
  /// The maximum number of lines of one kind, besides the samples, that are kept.
  package static let mostLines = 400_000
}
