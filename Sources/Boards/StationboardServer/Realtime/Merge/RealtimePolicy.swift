/// The limits and choices of the realtime merge, in one place (Documentation/realtime-semantics.md).
package struct RealtimePolicy: Hashable, Sendable {
  /// A time and a delay of one event that are further apart than this disagree, and the delay is
  /// believed; in seconds.
  package var disagreement: Int64 = 240 * 60
  /// A prediction further away from the timetable than this is not used; in seconds.
  package var mostDeviation: Int64 = 24 * 3_600
  /// An update without a date is about no day on which its trip is further away from the feed's timestamp
  /// than this, in seconds.
  package var farthestDay: Int64 = 24 * 3_600
  /// How many runs of a frequency without exact times are tried for a vehicle that starts at none of them.
  package var triedRuns = 8
  /// A vehicle starts at most so long before the first and after the last of these runs, in seconds.
  package var headwaySlack: Int32 = 3_600
  /// For how many publications a trip that the feed does not have any more is kept.
  package var keptPublications = 1
  /// A trip is kept only across a gap between publications of at most so many times the gap before.
  package var keptGaps: Double = 2
  /// A trip is not kept across a gap longer than this, in seconds.
  package var longestKeptGap: Int64 = 300

  /// Creates the policy with its standard values.
  package init() {}

  /// The policy with its standard values.
  package static let standard = RealtimePolicy()
}
