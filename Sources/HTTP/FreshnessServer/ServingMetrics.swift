public import CoreMetrics
package import FreshResponses
package import Serving
import Synchronization

/// A served request or event, as it is measured.
public struct ServingSample: Hashable, Sendable {
  /// What was served.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
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

  init(
    resource: String,
    kind: Kind,
    status: Int,
    latency: Double? = nil,
    wait: Double? = nil,
    age: Double? = nil,
    lag: Double? = nil
  ) {
    self.resource = resource
    self.kind = kind
    self.status = status
    self.latency = latency
    self.wait = wait
    self.age = age
    self.lag = lag
  }
}

/// The durations that are measured of a sample, by their names.
enum ServedMeasure: String, CaseIterable {
  case latency = "freshet_served_latency_seconds"
  case wait = "freshet_served_wait_seconds"
  case age = "freshet_served_age_seconds"
  case lag = "freshet_served_stream_lag_seconds"

  /// The name of the counter of samples.
  static let responses = "freshet_served_total"

  fileprivate var help: String {
    switch self {
    case .latency: "Time from a request to its response, without the wait"
    case .wait: "Time that reads waited for a change"
    case .age: "Age of data when it was sent"
    case .lag: "Time from the change of a resource to the event that says so"
    }
  }
}

/// The durations of one sample, in seconds; `nil` if they were not measured.
struct ServedDurations {
  var latency: Double?
  var wait: Double?
  var age: Double?
  var lag: Double?

  subscript(measure: ServedMeasure) -> Double? {
    switch measure {
    case .latency: latency
    case .wait: wait
    case .age: age
    case .lag: lag
    }
  }
}

/// Counters and histograms of served resources.
public final class ServingMetrics: Sendable {
  /// The route under which everything is counted that exceeds the limit.
  static let otherRoute = "other"

  private let routes = Mutex<[String: ResourceMetrics]>([:])
  private let most: Int
  /// The backend of swift-metrics; `nil` without one.
  private let backend: (any MetricsFactory)?

  /// Creates metrics without a sample.
  ///
  /// - Parameters:
  ///   - most: The most routes that are told apart.
  ///   - backend: The backend of swift-metrics that also receives each sample; by default that of the process, if it was
  ///     started before.
  public init(
    routes most: Int = ServingLimits().measuredRoutes,
    backend: any MetricsFactory = MetricsSystem.factory
  ) {
    self.most = most
    self.backend = backend is NOOPMetricsHandler ? nil : backend
  }

  /// Records a sample.
  public func record(_ sample: ServingSample) { route(sample.resource).record(sample) }

  /// Returns the metrics of one route, which can be kept: recording there looks nothing up.
  package func route(_ name: String) -> ResourceMetrics {
    routes.withLock { routes in
      if let found = routes[name] { return found }
      let name = routes.count < most ? name : Self.otherRoute
      if let found = routes[name] { return found }
      let route = ResourceMetrics(backend.map { ForwardedMetrics(name, to: $0) })
      routes[name] = route
      return route
    }
  }

  /// The ages of the data in all responses and events, of all routes together.
  package var ages: Histogram {
    let routes = routes.withLock { Array($0.values) }
    return routes.flatMap(\.series).reduce(into: Histogram()) { $0.add($1.age) }
  }

  /// The metrics in the text format that Prometheus reads, version 0.0.4.
  public var text: String {
    var metrics = MetricsText()
    Self.write([self], to: &metrics)
    return metrics.text
  }

  /// Writes the metrics of several services as one; their routes differ.
  package static func write(_ services: [ServingMetrics], to text: inout MetricsText) {
    var all: [(labels: [(String, String)], series: ResourceMetrics.Series)] = []
    for (name, route) in services.flatMap({ $0.routes.withLock { Array($0) } })
      .sorted(by: { $0.key < $1.key })
    {
      for (kind, series) in zip(ServingSample.Kind.allCases, route.series)
      where !series.statuses.isEmpty {
        all.append(([("resource", name), ("kind", kind.rawValue)], series))
      }
    }
    text.add(
      ServedMeasure.responses,
      .counter,
      "Responses and events of served resources",
      all.flatMap { labels, series in
        series.statuses.sorted { $0.key < $1.key }.map { status, count in
          (labels: labels + [("status", "\(status)")], value: Double(count))
        }
      }
    )
    for measure in ServedMeasure.allCases {
      let found = all.map { (labels: $0.labels, histogram: $0.series[measure]) }
      text.addHistogram(measure.rawValue, measure.help, found.filter { $0.histogram.count > 0 })
    }
  }
}

/// Counters and histograms of one route.
package final class ResourceMetrics: Sendable {
  struct Series {
    var statuses: [Int: UInt64] = [:]
    var latency = Histogram()
    var wait = Histogram()
    var age = Histogram()
    var lag = Histogram()

    subscript(measure: ServedMeasure) -> Histogram {
      switch measure {
      case .latency: latency
      case .wait: wait
      case .age: age
      case .lag: lag
      }
    }

    mutating func record(_ status: Int, _ durations: ServedDurations) {
      statuses[status, default: 0] += 1
      if let seconds = durations.latency { latency.record(seconds) }
      if let seconds = durations.wait { wait.record(seconds) }
      if let seconds = durations.age { age.record(seconds) }
      if let seconds = durations.lag { lag.record(seconds) }
    }

    mutating func add(_ other: Series) {
      statuses.merge(other.statuses, uniquingKeysWith: +)
      latency.add(other.latency)
      wait.add(other.wait)
      age.add(other.age)
      lag.add(other.lag)
    }
  }

  /// The samples of some threads.
  private final class Share: Sendable {
    /// The series in the order of the kinds; none before the first sample.
    let series = Mutex<[Series]>([])
    private let distance = ThreadNumber.distance
  }

  private let shares = (0..<ThreadNumber.count).map { _ in Share() }

  private static let noSeries = ServingSample.Kind.allCases.map { _ in Series() }

  private let forwarded: ForwardedMetrics?

  init(_ forwarded: ForwardedMetrics?) { self.forwarded = forwarded }

  /// The series, in the order of the kinds.
  var series: [Series] {
    shares.reduce(into: Self.noSeries) { sum, share in
      for (place, series) in share.series.withLock({ $0 }).enumerated() { sum[place].add(series) }
    }
  }

  /// Records a read that was answered.
  ///
  /// - Parameters:
  ///   - status: The status of the answer.
  ///   - total: The time from the request to the answer.
  ///   - waited: How much of it the request waited; `nil` if it did not.
  ///   - age: The age of the data, in seconds; `nil` if unknown.
  package func recordRead(_ status: Int, total: Duration, waited: Duration? = nil, age: Double?) {
    record(
      waited == nil ? .read : .wait,
      status,
      ServedDurations(
        latency: (total - (waited ?? .zero)).inSeconds,
        wait: waited?.inSeconds,
        age: age
      )
    )
  }

  func record(_ sample: ServingSample) {
    record(
      sample.kind,
      sample.status,
      ServedDurations(
        latency: sample.latency,
        wait: sample.wait,
        age: sample.age,
        lag: sample.lag
      )
    )
  }

  private func record(_ kind: ServingSample.Kind, _ status: Int, _ durations: ServedDurations) {
    shares[ThreadNumber.current].series.withLock { series in
      if series.isEmpty { series = Self.noSeries }
      series[kind.place].record(status, durations)
    }
    forwarded?.record(kind, status, durations)
  }
}

extension ServingSample.Kind {
  /// The place in the order of all kinds.
  fileprivate var place: Int {
    switch self {
    case .read: 0
    case .wait: 1
    case .write: 2
    case .stream: 3
    case .event: 4
    }
  }
}
