/// How much an alert matters (`Alert.SeverityLevel`).
package enum AlertSeverity: Hashable, Sendable {
  /// Not said. The default.
  case unknownSeverity
  /// Good to know.
  case info
  /// Worth a warning.
  case warning
  /// Worth everyone's attention.
  case severe
  /// A number that the reference does not define.
  case unknown(Int32)

  /// The case of a number of the schema.
  package init(number: Int32) {
    self =
      switch number {
      case 1: .unknownSeverity
      case 2: .info
      case 3: .warning
      case 4: .severe
      default: .unknown(number)
      }
  }
}
