public import CoreMetrics
import Foundation
public import FreshResponses
package import HTTPTypes
import ServiceLifecycle
package import Serving

/// What served resources share: limits, places to wait, metrics, and the end of all waits at shutdown.
public final class ResourceServing: Sendable {
  /// The limits.
  public let limits: ServingLimits
  /// Counters and histograms of everything that was served.
  public let metrics: ServingMetrics
  /// Counts long polls and event streams.
  package let limiter: LongPollLimiter
  /// Milliseconds since 1970.
  let clock: @Sendable () -> Int64
  private let observesShutdown: Bool
  private let observer: (@Sendable (ServingSample) -> Void)?

  /// Creates what served resources share.
  ///
  /// - Parameters:
  ///   - limits: The limits.
  ///   - observesShutdown: Whether the graceful shutdown of the application closes too, and not only ``close()``.
  ///   - clock: The time in milliseconds since 1970; `nil` for the machine's clock.
  ///   - backend: The backend of swift-metrics that also receives the metrics; by default that of the process, if it was
  ///     started before.
  ///   - observer: Receives each sample, after it is counted.
  public init(
    limits: ServingLimits = ServingLimits(),
    observesShutdown: Bool = true,
    clock: (@Sendable () -> Int64)? = nil,
    backend: any MetricsFactory = MetricsSystem.factory,
    observer: (@Sendable (ServingSample) -> Void)? = nil
  ) {
    self.limits = limits
    self.clock = clock ?? Self.machineClock
    self.observer = observer
    self.observesShutdown = observesShutdown
    metrics = ServingMetrics(routes: limits.measuredRoutes, backend: backend)
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

  /// Whether the server shuts down.
  package var isClosed: Bool { limiter.isClosed }

  /// Waits until ``close()`` or the graceful shutdown of the application, which closes too.
  package func untilClosed() async {
    guard observesShutdown else {
      for await _ in limiter.closing() {}
      return
    }
    await withGracefulShutdownHandler {
      for await _ in limiter.closing() {}
    } onGracefulShutdown: {
      self.limiter.close()
    }
  }

  /// Records that a stream was opened, or refused.
  ///
  /// - Parameters:
  ///   - name: The route.
  ///   - status: The status of the answer.
  ///   - began: When the request came.
  package func recordStream(
    _ name: String,
    _ status: HTTPResponse.Status,
    since began: ContinuousClock.Instant
  ) {
    record(
      ServingSample(
        resource: name,
        kind: .stream,
        status: status.code,
        latency: began.duration(to: .now).inSeconds
      )
    )
  }

  /// Records an event of a stream.
  ///
  /// - Parameters:
  ///   - name: The route.
  ///   - age: The age of the data in milliseconds; `nil` if unknown.
  ///   - changedAt: When this server learned of what the event says, in milliseconds since 1970; `nil` if that is
  ///     unknown or the event says nothing new.
  package func recordEvent(_ name: String, age: Int64? = nil, changedAt: Int64?) {
    record(
      ServingSample(
        resource: name,
        kind: .event,
        status: 200,
        age: age.map { Double($0) / 1_000 },
        lag: changedAt.map { Double(max(0, clock() - $0)) / 1_000 }
      )
    )
  }

  func record(_ sample: ServingSample) {
    metrics.record(sample)
    observer?(sample)
  }

  static let machineClock: @Sendable () -> Int64 = {
    Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down))
  }
}
