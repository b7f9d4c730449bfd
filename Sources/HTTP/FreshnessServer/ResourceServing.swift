import Foundation
public import FreshResponses
import ServiceLifecycle
import Serving

/// What served resources share: limits, places to wait, metrics, and the end of all waits at shutdown.
public final class ResourceServing: Sendable {
  /// The limits.
  public let limits: ServingLimits
  /// Counters and histograms of everything that was served.
  public let metrics: ServingMetrics
  let limiter: LongPollLimiter
  /// Milliseconds since 1970.
  let clock: @Sendable () -> Int64
  private let observer: (@Sendable (ServingSample) -> Void)?

  /// Creates what served resources share.
  ///
  /// - Parameters:
  ///   - limits: The limits.
  ///   - clock: The time in milliseconds since 1970; `nil` for the machine's clock.
  ///   - observer: Receives each sample, after it is counted.
  public init(
    limits: ServingLimits = ServingLimits(),
    clock: (@Sendable () -> Int64)? = nil,
    observer: (@Sendable (ServingSample) -> Void)? = nil
  ) {
    self.limits = limits
    self.clock = clock ?? Self.machineClock
    self.observer = observer
    metrics = ServingMetrics()
    limiter = LongPollLimiter(most: limits.waiters)
  }

  /// The number of long polls and event streams.
  public var waiters: Int { limiter.waiting }

  /// The metrics and the number of waiters in the text format that Prometheus reads, version 0.0.4.
  public var metricsText: String {
    let name = "freshet_served_waiting"
    return metrics.text + "# HELP \(name) Long polls and event streams that are open\n"
      + "# TYPE \(name) gauge\n\(name) \(waiters)\n"
  }

  /// Ends all long polls and event streams, and rejects new ones.
  ///
  /// The graceful shutdown of the application does the same.
  public func close() { limiter.close() }

  /// Waits until ``close()`` or the graceful shutdown of the application, which closes too.
  func untilClosed() async {
    await withGracefulShutdownHandler {
      for await _ in limiter.closing() {}
    } onGracefulShutdown: {
      self.limiter.close()
    }
  }

  func record(_ sample: ServingSample) {
    metrics.record(sample)
    observer?(sample)
  }

  static let machineClock: @Sendable () -> Int64 = {
    Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down))
  }
}
