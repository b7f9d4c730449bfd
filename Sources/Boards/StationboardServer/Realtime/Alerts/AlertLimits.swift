/// Every limit of alerts on boards, in one place.
package enum AlertLimits {
  /// The most Unicode scalars of a title; a longer one is cut at a word and ends with an ellipsis.
  package static let header = 500
  /// The most Unicode scalars of a text, likewise.
  package static let description = 4_000
  /// The most Unicode scalars of a cause or an effect in the agency's words, and of an image in words, likewise.
  package static let detail = 500
  /// The most bytes of an address; a longer one is left out.
  package static let url = 2_000
  /// The most alerts above the rows of one board; the last in order are left out and counted.
  package static let banners = 100
  /// The most alerts of one row, likewise.
  package static let rowAlerts = 20
  /// The most periods of an alert that an answer lists.
  package static let shownPeriods = 32
  /// How many selectors without effect are kept as examples; all are counted.
  package static let examples = 20
}
