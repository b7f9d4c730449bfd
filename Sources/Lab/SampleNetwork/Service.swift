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

  /// Tells whether the week alone has the service on a day.
  func hasInWeek(_ ordinal: Int) -> Bool {
    self.validity.contains(ordinal)
      && self.weekdays >> UInt8(SampleDay.weekday(ofOrdinal: ordinal)) & 1 == 1
  }

  /// Takes a day away, if the week has it.
  mutating func remove(_ ordinal: Int) {
    if self.hasInWeek(ordinal) { self.removed.insert(ordinal) }
  }

  /// Adds a day, if the week does not have it.
  mutating func add(_ ordinal: Int) {
    if !self.hasInWeek(ordinal) { self.added.insert(ordinal) }
  }
}
