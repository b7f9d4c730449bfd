/// Which number of a date is the month, as the dates of a file show it.
///
/// `3/15/2024` shows that the month comes first. If some dates of a column show it and none shows the opposite, the
/// others are read the same way; a column that shows nothing follows the other columns. A column in which every filled
/// cell is a number of nine, ten or thirteen digits counts seconds or milliseconds since 1970.
package struct DateOrders: Hashable, Sendable {
  private struct Counts: Hashable, Sendable {
    var dayFirst = 0
    var monthFirst = 0

    var order: BookDate.Order? {
      if dayFirst > 0, monthFirst == 0 { return .dayFirst }
      return monthFirst > 0 && dayFirst == 0 ? .monthFirst : nil
    }
  }

  /// How many cells of a column are an instant in seconds, and how many are something else.
  private struct Instants: Hashable, Sendable {
    var seconds = 0
    var others = 0
  }

  private var columns: [Int: Counts] = [:]
  private var instants: [Int: Instants] = [:]
  private var all = Counts()

  /// Nothing yet.
  package init() {}

  /// Examines a date.
  ///
  /// - Parameters:
  ///   - cell: The date as written in the file.
  ///   - column: The position of its column.
  package mutating func add(_ cell: String, column: Int) {
    if BookDate.isEpoch(cell) {
      instants[column, default: Instants()].seconds += 1
    } else if !CellText.withoutBrackets(cell).isEmpty {
      instants[column, default: Instants()].others += 1
    }
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

  /// Whether the numbers of a column are seconds since 1970, or milliseconds.
  package func countsSeconds(_ column: Int) -> Bool {
    instants[column].map { $0.seconds > 0 && $0.others == 0 } ?? false
  }

  /// How the dates of a column are to be read; `nil` if nothing shows it, or dates contradict each other.
  package func order(of column: Int) -> BookDate.Order? {
    guard let counts = columns[column] else { return all.order }
    return counts.order
  }
}
