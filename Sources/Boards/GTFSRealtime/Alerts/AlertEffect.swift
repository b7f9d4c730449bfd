/// The effect of an alert on riders (`Alert.Effect`).
package enum AlertEffect: Hashable, Sendable {
  /// Nothing runs.
  case noService
  /// Less runs.
  case reducedService
  /// Delays that matter.
  case significantDelays
  /// Another way.
  case detour
  /// More runs.
  case additionalService
  /// Something runs differently.
  case modifiedService
  /// Something that the reference has no name for.
  case otherEffect
  /// Not said. The default.
  case unknownEffect
  /// A stop is elsewhere.
  case stopMoved
  /// Nothing changes for people who travel.
  case noEffect
  /// A lift or a ramp is out of use, or the like.
  case accessibilityIssue
  /// A number that the reference does not define.
  case unknown(Int32)

  /// The case of a number of the schema.
  package init(number: Int32) {
    self = Self.numbered.first { $0.number == number }?.effect ?? .unknown(number)
  }

  private static let numbered: [(number: Int32, effect: AlertEffect)] = [
    (1, .noService), (2, .reducedService), (3, .significantDelays), (4, .detour),
    (5, .additionalService), (6, .modifiedService), (7, .otherEffect), (8, .unknownEffect),
    (9, .stopMoved), (10, .noEffect), (11, .accessibilityIssue),
  ]
}
