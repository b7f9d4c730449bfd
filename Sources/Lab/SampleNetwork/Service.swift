/// A set of days on which trips run.
struct Service: Sendable {
  /// The kinds of services.
  enum Kind: Int, CaseIterable, Sendable {
    case daily
    case nights
    case weekday
    case saturday
    case sunday
    case school
    case firstPart
    case secondPart
    case dates
  }

  let identifier: String
  /// The days of the week, the lowest bit for Monday; none if the dates are listed one by one.
  var weekdays: UInt8
  /// The first and the last day, as days since 1 January 1970.
  var validity: ClosedRange<Int>
  /// The days added to the week, as days since 1 January 1970.
  var added: Set<Int> = []
  /// The days taken from the week, as days since 1 January 1970.
  var removed: Set<Int> = []

  init(number: Int, weekdays: UInt8, validity: ClosedRange<Int>) {
    let digits = String(number, radix: 16)
    self.identifier = "TA+" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    self.weekdays = weekdays
    self.validity = validity
  }

  /// Returns whether the service runs on a day by its week alone.
  func hasInWeek(_ ordinal: Int) -> Bool {
    self.validity.contains(ordinal)
      && self.weekdays >> UInt8(SampleDay.weekday(ofOrdinal: ordinal)) & 1 == 1
  }

  /// Removes a day, if it is part of the week.
  mutating func remove(_ ordinal: Int) {
    if self.hasInWeek(ordinal) { self.removed.insert(ordinal) }
  }

  /// Adds a day, if it is not part of the week.
  mutating func add(_ ordinal: Int) {
    if !self.hasInWeek(ordinal) { self.added.insert(ordinal) }
  }
}
