/// Out of how many the ratings of a column are, as the ratings of a file show it.
///
/// In a column with a rating above 5 all are out of 10; with one above 10, out of 100. The services whose exports are known
/// all give five stars, and so does a column that shows nothing.
package struct RatingScales: Hashable, Sendable {
  /// The largest number of each column, in hundredths.
  private var largest: [Int: Int] = [:]

  /// Nothing yet.
  package init() {}

  /// Examines a rating.
  ///
  /// - Parameters:
  ///   - cell: The rating as written in the file.
  ///   - column: The position of its column.
  package mutating func add(_ cell: String, column: Int) {
    guard let number = RatingCell.hundredths(CellText.withoutBrackets(cell)[...]) else { return }
    largest[column] = max(largest[column] ?? 0, number)
  }

  /// Out of how many a rating of a column is that does not say it itself.
  package func scale(of column: Int) -> Int {
    guard let most = largest[column] else { return RatingCell.stars }
    return [RatingCell.stars, 10, 100].first { most <= $0 * 100 } ?? RatingCell.stars
  }
}
