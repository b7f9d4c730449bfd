/// What counts as realtime that does not fit its timetable, and how much is said of it.
package enum MatchLimits {
  /// The share of the trip updates that should match a trip and do, below which a feed is degraded, in percent.
  package static let usualLeastPercent = 80
  /// The fewest trip updates that should match a trip for their share to count.
  package static let fewestJudged = 10
  /// The most lines named in `/health` and by `freshet feeds check`.
  package static let mostLines = 20
  /// The most lines with a measurement of their own in `/metrics`.
  package static let mostMeasuredLines = 50
  /// The most examples of each kind in `/health` and by `freshet feeds check`.
  package static let mostExamples = 5
  /// The longest part of an id that is shown, in characters.
  package static let longestExample = 64
}
