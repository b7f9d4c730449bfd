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
  /// For how many publications a trip that the feed no longer has is kept.
  package var keptPublications = 1
  /// A trip is kept only across a gap between publications of at most this many times the gap before.
  package var keptGaps: Double = 2
  /// A trip is not kept across a gap longer than this, in seconds.
  package var longestKeptGap: Int64 = 300

  /// Trip modifications hold on service days from this many days before that of the feed to as many after it.
  package var modifiedDaysBefore = 2
  /// See ``modifiedDaysBefore``.
  package var modifiedDaysAfter = 8
  /// The most trips that the trip modifications of a feed change, each run of a frequency and each day counted.
  package var mostModifiedTrips = 100_000
  /// The most stops of all these trips together, those counted that their modifications select or add.
  package var mostModifiedStops = 1_000_000

  /// The most trip ids from which it is learned how the ids of a feed differ from those of the timetable.
  package var sampledIDs = 256
  /// The fewest ids that must differ in the same way before it is learned.
  package var fewestRenamed = 10
  /// The share of the unknown ids that must differ in the same way, in percent.
  package var leastRenamedPercent = 30
  /// The share of the ids found this way whose stops and times must fit, in percent.
  package var leastFittingPercent = 90
  /// The share of them that may fit the trip of another one as well, in percent.
  package var mostChancePercent = 20
  /// The most ways of differing that are learned of one feed.
  package var mostRenamings = 4
  /// The most ways of differing that are tried to learn one.
  package var triedRenamings = 8
  /// The most trips of the timetable that may have the same rest of an id for it to say something.
  package var mostNamesakes = 4
  /// The longest id that a renaming is learned from or applied to, in bytes.
  package var longestRenamedID = 128
  /// The most parts (runs of digits, runs of letters, single other bytes) of such an id.
  package var mostIDParts = 24
  /// The most of these parts that a prefix or suffix has.
  package var mostAffixParts = 6
  /// The most publications without another attempt after nothing could be learned.
  package var longestLearningPause = 32
  /// A time of an update that is further away from the timetable than this does not fit a trip that has another
  /// id; in seconds.
  package var mostFittingDeviation: Int64 = 3 * 3_600
  /// A time that is further ahead of the timetable than this does not fit either, in seconds: vehicles are late by hours, but
  /// wait when they are early, so that it is of an earlier trip of the line.
  package var mostFittingEarliness: Int64 = 600
  /// A time less its delay that is further away from the timetable than this does not fit either; in seconds.
  package var mostPlannedDeviation: Int64 = 600

  /// Creates the policy with its standard values.
  package init() {}

  /// The policy with its standard values.
  package static let standard = RealtimePolicy()
}
