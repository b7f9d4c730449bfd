import CoreMetrics
import Synchronization

/// Forwards the samples of one route to a backend of swift-metrics, with the names and labels of ``ServingMetrics/text``.
final class ForwardedMetrics: Sendable {
  private struct CounterKey: Hashable {
    let kind: ServingSample.Kind
    let status: Int
  }

  private struct TimerKey: Hashable {
    let kind: ServingSample.Kind
    let measure: ServedMeasure
  }

  private struct Instruments {
    var counters: [CounterKey: Counter] = [:]
    var timers: [TimerKey: CoreMetrics.Timer] = [:]
  }

  private let resource: String
  private let backend: any MetricsFactory
  private let instruments = Mutex(Instruments())

  init(_ resource: String, to backend: any MetricsFactory) {
    self.resource = resource
    self.backend = backend
  }

  /// Forwards a sample.
  ///
  /// - Parameters:
  ///   - kind: The kind of the sample.
  ///   - status: The status of the response.
  ///   - durations: What was measured, in seconds.
  func record(_ kind: ServingSample.Kind, _ status: Int, _ durations: ServedDurations) {
    counter(CounterKey(kind: kind, status: status)).increment()
    for measure in ServedMeasure.allCases {
      guard let seconds = durations[measure] else { continue }
      timer(TimerKey(kind: kind, measure: measure)).recordNanoseconds(Self.nanoseconds(seconds))
    }
  }

  // Instruments are made outside of the lock, because the code of the backend is not ours.

  private func counter(_ key: CounterKey) -> Counter {
    if let found = instruments.withLock({ $0.counters[key] }) { return found }
    let made = Counter(
      label: ServedMeasure.responses,
      dimensions: labels(key.kind) + [("status", "\(key.status)")],
      factory: backend
    )
    return instruments.withLock { instruments in
      let kept = instruments.counters[key] ?? made
      instruments.counters[key] = kept
      return kept
    }
  }

  private func timer(_ key: TimerKey) -> CoreMetrics.Timer {
    if let found = instruments.withLock({ $0.timers[key] }) { return found }
    let made = CoreMetrics.Timer(
      label: key.measure.rawValue,
      dimensions: labels(key.kind),
      factory: backend
    )
    return instruments.withLock { instruments in
      let kept = instruments.timers[key] ?? made
      instruments.timers[key] = kept
      return kept
    }
  }

  private func labels(_ kind: ServingSample.Kind) -> [(String, String)] {
    [("resource", resource), ("kind", kind.rawValue)]
  }

  /// Returns a duration as swift-metrics counts it: 64 bits of nanoseconds, not negative.
  private static func nanoseconds(_ seconds: Double) -> Int64 {
    seconds > 0 ? Int64(exactly: (seconds * 1e9).rounded()) ?? .max : 0
  }
}
