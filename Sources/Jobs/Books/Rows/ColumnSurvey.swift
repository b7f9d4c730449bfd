/// How to read the columns of a file, judging by all its cells.
package struct ColumnSurvey: Hashable, Sendable {
  /// Which number of a date is the month, and which columns count seconds.
  package var dates = DateOrders()
  /// Out of how many ratings are.
  package var ratings = RatingScales()

  /// Nothing yet.
  package init() {}
}
