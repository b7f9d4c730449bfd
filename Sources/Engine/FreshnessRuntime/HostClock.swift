import Foundation
public import Freshness

/// The clocks of a client.
///
/// Waits use one monotonic clock. The wall clock is read only to measure its skew against the
/// server's and to date exported samples; it does not influence waits (R27).
public struct HostClock: Sendable {
  /// The current instant.
  public let now: @Sendable () -> Instant
  /// Waits until an instant, or until the task is canceled.
  public let sleep: nonisolated(nonsending) @Sendable (Instant) async -> Void
  /// The wall clock.
  public let wall: @Sendable () -> WallTime
  /// The wall time at which the run began.
  public let origin: WallTime
  /// How long the device has slept since the clock was created (R14).
  public let slept: @Sendable () -> Instant.Duration

  /// Creates a clock from any clock of the platform; the run begins now.
  ///
  /// - Parameters:
  ///   - clock: A monotonic clock that includes the time that the device sleeps.
  ///   - wall: The wall clock.
  ///   - slept: How long the device has slept.
  public init<C: Clock>(
    _ clock: C,
    wall: @escaping @Sendable () -> WallTime = HostClock.wallTime,
    slept: @escaping @Sendable () -> Instant.Duration = { .zero }
  ) where C.Duration == Duration {
    let start = clock.now
    now = { Instant(milliseconds: start.duration(to: clock.now).wholeMilliseconds) }
    sleep = { instant in
      let deadline = start.advanced(by: .milliseconds(instant.milliseconds))
      try? await clock.sleep(until: deadline, tolerance: nil)
    }
    self.wall = wall
    origin = wall()
    self.slept = slept
  }

  /// Creates a clock from the clocks of the device.
  public static func device() -> HostClock {
    let continuous = ContinuousClock()
    let suspending = SuspendingClock()
    let start = (continuous.now, suspending.now)
    return HostClock(
      continuous,
      slept: {
        let all = start.0.duration(to: continuous.now)
        let awake = start.1.duration(to: suspending.now)
        return .milliseconds(max((all - awake).wholeMilliseconds, 0))
      }
    )
  }

  /// Returns the wall time of the device.
  public static func wallTime() -> WallTime {
    WallTime(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
  }
}

extension Duration {
  /// The length in whole milliseconds, rounded down.
  var wholeMilliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension Instant.Duration {
  /// The length as a `Duration`.
  public var duration: Duration { .milliseconds(milliseconds) }
}
