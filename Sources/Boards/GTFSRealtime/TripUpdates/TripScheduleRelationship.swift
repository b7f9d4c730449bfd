/// How a trip relates to the timetable (`TripDescriptor.ScheduleRelationship`).
package enum TripScheduleRelationship: Hashable, Sendable {
  /// Runs as the timetable says, or close to it. The default.
  case scheduled
  /// An extra trip; deprecated by the reference in favour of ``new`` and ``duplicated``.
  case added
  /// Runs without times of its own (frequencies.txt with exact_times 0).
  case unscheduled
  /// Does not run; people see it as cancelled.
  case canceled
  /// Replaces the timetable's trip of that day: its stop time updates are all its stops.
  case replacement
  /// A copy of a trip of the timetable at another date or time (``TripProperties``).
  case duplicated
  /// Does not run, and people are not to see it.
  case deleted
  /// An extra trip that the timetable does not know.
  case new
  /// A number that the reference does not define.
  case unknown(Int32)

  /// The case of a number of the schema.
  package init(number: Int32) {
    self =
      switch number {
      case 0: .scheduled
      case 1: .added
      case 2: .unscheduled
      case 3: .canceled
      case 5: .replacement
      case 6: .duplicated
      case 7: .deleted
      case 8: .new
      default: .unknown(number)
      }
  }

  /// The number of the schema.
  package var number: Int32 {
    switch self {
    case .scheduled: 0
    case .added: 1
    case .unscheduled: 2
    case .canceled: 3
    case .replacement: 5
    case .duplicated: 6
    case .deleted: 7
    case .new: 8
    case .unknown(let number): number
    }
  }
}
