/// When realtime was in use that was not stale: periods in order, apart from each other.
struct LivePeriods: Hashable, Sendable, Codable {
  /// A period, in seconds since 1970-01-01T00:00:00Z; both ends belong to it.
  struct Period: Hashable, Sendable, Codable {
    var from: Double
    var until: Double
  }

  private(set) var periods: [Period] = []

  /// Adds a period that begins at the end of all known ones, or later.
  mutating func extend(from: Double, until: Double) {
    guard until > from else { return }
    if let last = periods.last, last.until >= from {
      periods[periods.count - 1].until = max(last.until, until)
    } else {
      periods.append(Period(from: from, until: until))
      if periods.count > HistoryLimits.livePeriods { periods.removeFirst() }
    }
  }

  /// Removes periods that ended before an instant.
  mutating func forget(before instant: Double) {
    guard let first = periods.first, first.until < instant else { return }
    periods.removeAll { $0.until < instant }
  }

  /// Whether realtime was in use at an instant.
  func contains(_ instant: Double) -> Bool {
    periods.contains { $0.from <= instant && instant <= $0.until }
  }

  /// Whether realtime was in use at any instant between two.
  func meets(from: Double, until: Double) -> Bool {
    periods.contains { $0.from <= until && from <= $0.until }
  }
}
