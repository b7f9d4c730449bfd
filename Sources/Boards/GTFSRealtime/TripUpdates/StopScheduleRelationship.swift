/// How a stop time relates to the timetable (`StopTimeUpdate.ScheduleRelationship`).
package enum StopScheduleRelationship: Hashable, Sendable {
  /// Served, at the times given. The default.
  case scheduled
  /// Not served; the delay before it carries over to the stops after it.
  case skipped
  /// Nothing is known from here on; this is not "on time".
  case noData
  /// Served by a trip without times of its own (frequencies.txt with exact_times 0).
  case unscheduled
  /// A number that the reference does not define.
  case unknown(Int32)

  /// The case of a number of the schema.
  @inlinable package init(number: Int32) {
    self =
      switch number {
      case 0: .scheduled
      case 1: .skipped
      case 2: .noData
      case 3: .unscheduled
      default: .unknown(number)
      }
  }
}
