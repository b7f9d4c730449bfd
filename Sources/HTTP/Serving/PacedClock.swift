/// A monotonic clock that runs faster than the machine's: the schedule beside a ``ServiceClock`` with a pace.
package struct PacedClock: Clock {
  /// The time since the clock was made, as it shows it.
  package struct Instant: InstantProtocol {
    private let offset: Swift.Duration

    init(offset: Swift.Duration) { self.offset = offset }

    /// Moves the instant.
    package func advanced(by duration: Swift.Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// Measures the time to another instant.
    package func duration(to other: Instant) -> Swift.Duration { other.offset - offset }

    /// Compares two instants.
    package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let pace: Double
  private let start = ContinuousClock.now

  /// Creates a clock that shows zero now.
  ///
  /// - Parameter pace: How many times as fast it runs; more than 0.
  package init(pace: Double) { self.pace = pace }

  /// The present instant.
  package var now: Instant { Instant(offset: (ContinuousClock.now - start) * pace) }

  /// The least step: a millisecond of the machine.
  package var minimumResolution: Swift.Duration { .milliseconds(1) * pace }

  /// Waits until an instant.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  package func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    let rest = now.duration(to: deadline) / pace
    try await Task.sleep(for: max(rest, .zero))
  }
}
