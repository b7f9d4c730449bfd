import Foundation

/// What time the service thinks it is: the machine's clock, or that clock moved.
///
/// A replay or a test starts the clock at a chosen instant and lets it run.
package struct ServiceClock: Sendable {
  private let offset: Double

  /// The machine's clock.
  package init() { offset = 0 }

  /// A clock that shows an instant now.
  ///
  /// - Parameter start: Seconds since 1970-01-01T00:00:00Z.
  package init(startingAt start: Double) { offset = start - Date().timeIntervalSince1970 }

  /// Seconds since 1970-01-01T00:00:00Z, with fractions.
  package var now: Double { Date().timeIntervalSince1970 + offset }
}
