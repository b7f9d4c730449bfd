import Foundation

/// What time the service thinks it is: the machine's clock, or that clock moved, or made to run faster.
///
/// A replay or a test starts the clock at a chosen instant and lets it run.
package struct ServiceClock: Sendable {
  /// How many times as fast as the machine's clock it may run.
  package static let paces: ClosedRange<Double> = 1...1_000

  /// How many seconds it shows later after one second of the machine.
  package let pace: Double
  /// The instant it showed when the machine's clock showed `origin`.
  private let start: Double
  private let origin: Double

  /// The machine's clock.
  package init() {
    pace = 1
    start = 0
    origin = 0
  }

  /// A clock that shows an instant now.
  ///
  /// - Parameters:
  ///   - start: Seconds since 1970-01-01T00:00:00Z; `nil` for the machine's time.
  ///   - pace: How many times as fast it runs, within ``paces``; others become the nearest one.
  package init(startingAt start: Double?, pace: Double = 1) {
    origin = Date().timeIntervalSince1970
    self.start = start ?? origin
    self.pace = min(max(pace, Self.paces.lowerBound), Self.paces.upperBound)
  }

  /// Seconds since 1970-01-01T00:00:00Z, with fractions.
  package var now: Double { start + (Date().timeIntervalSince1970 - origin) * pace }

  /// Waits until the clock shows an instant, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  package func sleep(until instant: Double) async throws {
    while true {
      let rest = (instant - now) / pace
      guard rest > 0 else { return try Task.checkCancellation() }
      // In steps, so that a machine's clock that is set is noticed.
      try await Task.sleep(for: .seconds(min(max(rest, 0.001), 60)))
    }
  }

  /// Waits as long as the clock takes for some seconds.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  package func sleep(for seconds: Double) async throws { try await sleep(until: now + seconds) }
}
