/// Which number of a date is the month, as the dates of a file show it.
///
/// `3/15/2024` shows that the month comes first. If some dates of a column show it and none shows the opposite, the
/// others are read the same way; a column that shows nothing follows the other columns.
package struct DateOrders: Hashable, Sendable {
  private struct Counts: Hashable, Sendable {
    var dayFirst = 0
    var monthFirst = 0

    var order: BookDate.Order? {
      if dayFirst > 0, monthFirst == 0 { return .dayFirst }
      return monthFirst > 0 && dayFirst == 0 ? .monthFirst : nil
    }
  }

  private var columns: [Int: Counts] = [:]
  private var all = Counts()

  /// Nothing yet.
  package init() {}

  /// Looks at a date.
  ///
  /// - Parameters:
  ///   - cell: The date as it stands in the file.
  ///   - column: The position of its column.
  package mutating func add(_ cell: String, column: Int) {
    switch BookDate.shownOrder(of: cell) {
    case .dayFirst:
      columns[column, default: Counts()].dayFirst += 1
      all.dayFirst += 1
    case .monthFirst:
      columns[column, default: Counts()].monthFirst += 1
      all.monthFirst += 1
    case nil: break
    }
  }

  /// How the dates of a column are to be read; `nil` if nothing shows it, or dates contradict each other.
  package func order(of column: Int) -> BookDate.Order? {
    guard let counts = columns[column] else { return all.order }
    return counts.order
  }
}
