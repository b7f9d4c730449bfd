import Foundation

/// What time the service thinks it is: the machine's clock, or that clock moved, or made to run faster or slower.
///
/// A replay starts the clock at a chosen instant and lets it run; a test moves it by hand.
package struct ServiceClock: Sendable {
  /// How many times as fast as the machine's clock it may run.
  package static let paces: ClosedRange<Double> = 0.05...1_000

  /// How many seconds it shows later after one second of what it goes by.
  package let pace: Double
  /// Whether it is the machine's clock, and nothing else.
  package let isMachine: Bool
  /// The instant it showed when what it goes by showed `origin`.
  private let start: Double
  private let origin: Double
  /// The underlying clock, in seconds.
  private let base: @Sendable () -> Double

  /// The machine's clock.
  package init() { self.init(start: 0, origin: 0, pace: 1, isMachine: true, base: Self.machine) }

  /// A clock that shows an instant now.
  ///
  /// - Parameters:
  ///   - start: Seconds since 1970-01-01T00:00:00Z; `nil` for the machine's time.
  ///   - pace: How many times as fast it runs, within ``paces``; others become the nearest one.
  package init(startingAt start: Double?, pace: Double = 1) {
    let origin = Self.machine()
    self.init(
      start: start ?? origin,
      origin: origin,
      pace: min(max(pace, Self.paces.lowerBound), Self.paces.upperBound),
      base: Self.machine
    )
  }

  /// Creates a clock that starts at an instant and advances like another clock.
  ///
  /// - Parameters:
  ///   - start: Seconds since 1970-01-01T00:00:00Z.
  ///   - clock: The underlying clock; moving a manual one moves this one.
  package init<C: Clock>(startingAt start: Double, on clock: C) where C.Duration == Duration {
    let begin = clock.now
    self.init(start: start, origin: 0, pace: 1) {
      let passed = begin.duration(to: clock.now).components
      return Double(passed.seconds) + Double(passed.attoseconds) / 1e18
    }
  }

  private init(
    start: Double,
    origin: Double,
    pace: Double,
    isMachine: Bool = false,
    base: @escaping @Sendable () -> Double
  ) {
    self.isMachine = isMachine
    self.start = start
    self.origin = origin
    self.pace = pace
    self.base = base
  }

  private static let machine: @Sendable () -> Double = { Date().timeIntervalSince1970 }

  /// Seconds since 1970-01-01T00:00:00Z, with fractions.
  package var now: Double { start + (base() - origin) * pace }

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

  /// Waits for some seconds of this clock.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  package func sleep(for seconds: Double) async throws { try await sleep(until: now + seconds) }
}
