/// Every threshold of the report about workspaces, in one place.
package enum WorkspaceReportLimits {
  // MARK: Seed 003

  /// The most bytes in an hour of active use.
  package static let mostActiveBytes: Int64 = 5_000_000
  /// The least share of "not modified" among idle answers without news, in tenths of a percent.
  ///
  /// The seed asks for more than 80 %, design/workspaces.md for 99.
  package static let leastUnchanged = 990
  /// The most time from a change of todos to the screen where it is polled, in milliseconds.
  package static let todosPolled: Int64 = 5_000
  /// The most time from a start or stop to the screen where it is polled, in milliseconds.
  package static let statesPolled: Int64 = 3_000
  /// The most time from any change to the screen where a stream brings it, in milliseconds.
  package static let pushed: Int64 = 1_000
  /// The percentile that these times bound.
  package static let percentile = 95
  /// The most bytes with "not modified" of those without, in percent: it saves nine tenths.
  package static let mostOfWhole = 10
  /// How far requests in an hour may be from the seed's, in percent: an interval of 1.5 s has noise.
  package static let rateSlack = 5

  // MARK: Evidence

  /// The least time in a state that shows its rate, in milliseconds.
  package static let leastTime: Int64 = 120_000
  /// The fewest idle answers of which the share of "not modified" can be told: half an hour.
  package static let fewestIdle = 180
  /// The fewest changes of which a percentile can be told.
  package static let fewestChanges = 20
  /// How much later than its change something is still waited for, in milliseconds.
  package static let patience: Int64 = 15_000
  /// How far the times of one exchange may be apart in two kinds of lines, in milliseconds.
  package static let sameMoment: Int64 = 50
  /// How long after its bytes something is shown at the latest, in milliseconds.
  package static let shownAfter: Int64 = 2_000

  // MARK: What is read

  /// The largest file of truth, in bytes.
  package static let mostTruth = 64 << 20
  /// The most lines of one kind beside the samples that are kept.
  package static let mostLines = 400_000
}
