import Foundation

/// What time the service thinks it is: the machine's clock, or that clock moved.
///
/// A replay starts the clock at a chosen instant and lets it run; a test moves it by hand.
package struct ServiceClock: Sendable {
  private let offset: Double
  /// What the clock goes by, in seconds.
  private let base: @Sendable () -> Double

  /// The machine's clock.
  package init() { self.init(offset: 0, base: Self.machine) }

  /// A clock that shows an instant now.
  ///
  /// - Parameter start: Seconds since 1970-01-01T00:00:00Z.
  package init(startingAt start: Double) {
    self.init(offset: start - Self.machine(), base: Self.machine)
  }

  /// A clock that shows an instant now and goes on as another clock does.
  ///
  /// - Parameters:
  ///   - start: Seconds since 1970-01-01T00:00:00Z.
  ///   - clock: What it goes by; one that is moved by hand moves this one.
  package init<C: Clock>(startingAt start: Double, on clock: C) where C.Duration == Duration {
    let origin = clock.now
    self.init(offset: start) {
      let passed = origin.duration(to: clock.now).components
      return Double(passed.seconds) + Double(passed.attoseconds) / 1e18
    }
  }

  private init(offset: Double, base: @escaping @Sendable () -> Double) {
    self.offset = offset
    self.base = base
  }

  private static let machine: @Sendable () -> Double = { Date().timeIntervalSince1970 }

  /// Seconds since 1970-01-01T00:00:00Z, with fractions.
  package var now: Double { base() + offset }
}
