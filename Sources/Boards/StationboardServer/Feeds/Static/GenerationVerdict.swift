package import Timetable

/// Whether a new generation serves, decided from facts alone.
package enum GenerationVerdict: Hashable, Sendable {
  /// It serves now.
  case serves
  /// It serves from its first day on.
  case waits
  /// It does not serve until a person accepts it.
  case held(FeedManifest.HoldReason)

  /// What is known of a new generation.
  package struct Facts: Hashable, Sendable {
    /// Today in the zone of the feed, as days since 1970-01-01.
    package var today: Int
    /// The first and the last day of the new generation.
    package var days: ClosedRange<Int>
    /// Whether it starts later than now: on a later day, or when the trips of the evening before have ended.
    package var startsLater: Bool
    /// The last day of the serving generation; `nil` if none serves.
    package var servingLastDay: Int?
    /// Whether the file is older than the one of the serving generation.
    package var isOlder: Bool
    /// What passengers lose; `nil` if nothing serves.
    package var changes: ServiceChanges?
    /// The share of departures that may be lost.
    package var maxLostShare: Double

    /// Creates facts.
    package init(
      today: Int,
      days: ClosedRange<Int>,
      startsLater: Bool,
      servingLastDay: Int?,
      isOlder: Bool,
      changes: ServiceChanges?,
      maxLostShare: Double
    ) {
      self.today = today
      self.days = days
      self.startsLater = startsLater
      self.servingLastDay = servingLastDay
      self.isOlder = isOlder
      self.changes = changes
      self.maxLostShare = maxLostShare
    }
  }

  /// Judges a new generation.
  ///
  /// Where nothing serves, anything is better. Where the serving timetable is over, nothing is lost by another one
  /// that is not: it need not wait for its first day, and the date of its file does not matter. But the trips of the evening
  /// before run until they end.
  package init(_ facts: Facts) {
    guard let servingLastDay = facts.servingLastDay else {
      self = .serves
      return
    }
    if facts.days.upperBound < facts.today {
      self = .held(.expired)
    } else if servingLastDay < facts.today {
      self = facts.startsLater && facts.days.lowerBound <= facts.today ? .waits : .serves
    } else if facts.isOlder {
      self = .held(.older)
    } else if let changes = facts.changes, changes.lostShare > facts.maxLostShare {
      self = .held(.losses)
    } else {
      self = facts.startsLater ? .waits : .serves
    }
  }
}
