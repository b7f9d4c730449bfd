/// Why there is an alert (`Alert.Cause`).
package enum AlertCause: Hashable, Sendable {
  /// Not said. The default.
  case unknownCause
  /// Something that the reference has no name for.
  case otherCause
  /// A technical problem.
  case technicalProblem
  /// A strike of staff.
  case strike
  /// People in the streets.
  case demonstration
  /// An accident.
  case accident
  /// A public holiday.
  case holiday
  /// The weather.
  case weather
  /// Maintenance work.
  case maintenance
  /// Work on something new.
  case construction
  /// An operation of the police.
  case policeActivity
  /// A medical emergency.
  case medicalEmergency
  /// An event that draws many people.
  case specialEvent
  /// A number that the reference does not define.
  case unknown(Int32)

  /// The case of a number of the schema.
  package init(number: Int32) {
    self = Self.numbered.first { $0.number == number }?.cause ?? .unknown(number)
  }

  private static let numbered: [(number: Int32, cause: AlertCause)] = [
    (1, .unknownCause), (2, .otherCause), (3, .technicalProblem), (4, .strike),
    (5, .demonstration), (6, .accident), (7, .holiday), (8, .weather), (9, .maintenance),
    (10, .construction), (11, .policeActivity), (12, .medicalEmergency), (13, .specialEvent),
  ]
}
