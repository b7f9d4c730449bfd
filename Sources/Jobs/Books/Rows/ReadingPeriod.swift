/// A time in which a book was read.
package struct ReadingPeriod: Hashable, Sendable, CustomStringConvertible {
  /// When it began; `nil` if that is not known.
  package var started: BookDate?
  /// When it ended; `nil` if it has not, or if unknown.
  package var finished: BookDate?

  /// Creates a period.
  package init(started: BookDate?, finished: BookDate?) {
    self.started = started
    self.finished = finished
  }

  /// Like `2023-01-02/2023-01-20` (ISO 8601); an end that is not known is left out.
  package var description: String {
    "\(started?.description ?? "")/\(finished?.description ?? "")"
  }

  /// Reads what ``description`` writes.
  package init?(_ text: String) {
    let ends = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard ends.count == 2 else { return nil }
    var dates: [BookDate?] = []
    for end in ends {
      switch BookDate.read(end) {
      case .empty: dates.append(nil)
      case .date(let date): dates.append(date)
      default: return nil
      }
    }
    guard dates.contains(where: { $0 != nil }) else { return nil }
    self.init(started: dates[0], finished: dates[1])
  }

  /// Several periods in one text.
  package static func text(_ periods: [ReadingPeriod]) -> String {
    periods.map(\.description).joined(separator: ", ")
  }

  /// Reads the format of ``text(_:)``; anything else is left out.
  package static func list(_ text: String) -> [ReadingPeriod] {
    CellText.list(text, separators: ",").compactMap { ReadingPeriod($0) }
  }
}
