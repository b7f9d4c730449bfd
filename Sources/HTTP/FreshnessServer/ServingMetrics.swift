import FreshResponses
import Synchronization

/// A served request or event, as it is measured.
public struct ServingSample: Hashable, Sendable {
  /// What was served.
  public enum Kind: String, Hashable, Sendable {
    /// A response to a read, at once.
    case read
    /// A response to a read that waited for a change.
    case wait
    /// A response to a write.
    case write
    /// A stream was opened.
    case stream
    /// An event of a stream.
    case event
  }

  /// The path of the resource as it was registered.
  public var resource: String
  /// What was served.
  public var kind: Kind
  /// The status of the response; 200 for events.
  public var status: Int
  /// From the request to the response without the wait, in seconds; `nil` for events.
  public var latency: Double?
  /// The wait, in seconds; `nil` without one.
  public var wait: Double?
  /// The age of the data when it was sent, in seconds; `nil` if unknown.
  public var age: Double?
  /// From the moment at which the server learned of a state to its event, in seconds; `nil` if unknown.
  public var lag: Double?
}

/// Counters and histograms of served resources.
public final class ServingMetrics: Sendable {
  private struct Series: Hashable {
    var resource: String
    var kind: ServingSample.Kind
  }

  private struct State {
    var responses: [String: [ServingSample.Kind: [Int: UInt64]]] = [:]
    var latency: [Series: Histogram] = [:]
    var wait: [Series: Histogram] = [:]
    var age: [Series: Histogram] = [:]
    var lag: [Series: Histogram] = [:]
  }

  private let state = Mutex(State())

  /// Creates metrics without a sample.
  public init() {}

  /// Records a sample.
  public func record(_ sample: ServingSample) {
    let series = Series(resource: sample.resource, kind: sample.kind)
    state.withLock { state in
      state.responses[sample.resource, default: [:]][sample.kind, default: [:]][
        sample.status,
        default: 0
      ] += 1
      if let latency = sample.latency { state.latency[series, default: .init()].record(latency) }
      if let wait = sample.wait { state.wait[series, default: .init()].record(wait) }
      if let age = sample.age { state.age[series, default: .init()].record(age) }
      if let lag = sample.lag { state.lag[series, default: .init()].record(lag) }
    }
  }

  /// The metrics in the text format that Prometheus reads, version 0.0.4.
  public var text: String {
    let state = state.withLock { $0 }
    var text = Self.head(
      "freshet_served_total",
      "counter",
      "Responses and events of served resources"
    )
    for (resource, kinds) in state.responses.sorted(by: { $0.key < $1.key }) {
      for (kind, statuses) in kinds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
          let labels = Self.labels(Series(resource: resource, kind: kind), ("status", "\(status)"))
          text += "freshet_served_total{\(labels)} \(count)\n"
        }
      }
    }
    text += Self.histograms(
      "freshet_served_latency_seconds",
      "Time from a request to its response, without the wait",
      state.latency
    )
    text += Self.histograms(
      "freshet_served_wait_seconds",
      "Time that reads waited for a change",
      state.wait
    )
    text += Self.histograms("freshet_served_age_seconds", "Age of data when it was sent", state.age)
    text += Self.histograms(
      "freshet_served_stream_lag_seconds",
      "Time from the change of a resource to the event that says so",
      state.lag
    )
    return text
  }

  private static func head(_ name: String, _ type: String, _ help: String) -> String {
    "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private static func histograms(
    _ name: String,
    _ help: String,
    _ found: [Series: Histogram]
  ) -> String {
    guard !found.isEmpty else { return "" }
    var text = head(name, "histogram", help)
    let sorted = found.sorted {
      ($0.key.resource, $0.key.kind.rawValue) < ($1.key.resource, $1.key.kind.rawValue)
    }
    for (series, histogram) in sorted {
      var count: UInt64 = 0
      for (bound, added) in zip(Histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
        count += added
        text += "\(name)_bucket{\(labels(series, ("le", bound)))} \(count)\n"
      }
      text += "\(name)_sum{\(labels(series))} \(histogram.sum)\n"
      text += "\(name)_count{\(labels(series))} \(histogram.count)\n"
    }
    return text
  }

  private static func labels(_ series: Series, _ last: (String, String)? = nil) -> String {
    let resource = series.resource.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n")
    let all = [("resource", resource), ("kind", series.kind.rawValue)] + (last.map { [$0] } ?? [])
    return all.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
  }
}
