import ConditionalHTTP
import FreshResponses
import HTTPTypes
package import Hummingbird
import Synchronization

/// Counts the requests of each route and measures their durations: rate, errors and duration.
///
/// A stream is a request that ends with the head of its response, and a WebSocket one that ends with 101.
package final class RouteMetrics: Sendable {
  /// The most series of a measurement; requests of further ones are counted as those of no route.
  package static let mostSeries = 512

  struct Series: Hashable, Comparable {
    var route: String
    var method: String

    static func < (left: Self, right: Self) -> Bool {
      (left.route, left.method) < (right.route, right.method)
    }
  }

  private struct Counts {
    /// The responses by the hundred of their status.
    var responses: [Int: Int] = [:]
    var durations = Histogram()

    mutating func record(_ hundred: Int, seconds: Double?) {
      responses[hundred, default: 0] += 1
      if let seconds { durations.record(seconds) }
    }
  }

  /// The route of requests that no route answers.
  static let noRoute = "none"

  private let counts = Mutex<[Series: Counts]>([:])

  /// Starts at nothing.
  package init() {}

  /// Counts a response.
  ///
  /// - Parameters:
  ///   - route: The route with the names of its parameters; `nil` without one.
  ///   - method: The method of the request.
  ///   - status: The status; 0 if the client left before the response.
  ///   - seconds: The time to the head of the response; `nil` if the request asked to wait.
  func count(_ route: String?, _ method: String, _ status: Int, seconds: Double?) {
    var series = Series(route: route ?? Self.noRoute, method: Self.known(method))
    counts.withLock { counts in
      if counts.count >= Self.mostSeries, counts[series] == nil {
        series = Series(route: Self.noRoute, method: "other")
      }
      counts[series, default: Counts()].record(status / 100, seconds: seconds)
    }
  }

  private static func known(_ method: String) -> String {
    switch method {
    case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS": method
    default: "other"
    }
  }

  /// Counts a response whose request came at an instant.
  func count(
    _ route: String?,
    _ method: String,
    _ status: Int,
    since began: ContinuousClock.Instant
  ) {
    count(route, method, status, seconds: began.duration(to: .now) / .seconds(1))
  }

  /// Writes the measurements.
  package func write(to metrics: inout MetricsText) {
    let all = counts.withLock { $0 }.sorted { $0.key < $1.key }
    metrics.add(
      "freshet_http_requests_total",
      .counter,
      "Requests by route, method and the class of the status; left: the client left before the response",
      all.flatMap { series, counts in
        counts.responses.sorted { $0.key < $1.key }.map { hundred, count in
          (
            labels: Self.labels(series)
              + [("class", hundred == 0 ? "left" : "\(hundred)xx")],
            value: Double(count)
          )
        }
      }
    )
    metrics.addHistogram(
      "freshet_http_request_duration_seconds",
      "Time to the head of a response, by route and method; without requests that asked to wait for a change",
      all.filter { $0.value.durations.count > 0 }.map { series, counts in
        (labels: Self.labels(series), histogram: counts.durations)
      }
    )
  }

  private static func labels(_ series: Series) -> [(String, String)] {
    [("route", series.route), ("method", series.method)]
  }
}

extension RequestContext {
  /// The route of the request with the names of its parameters; `nil` if no route answers it.
  var route: String? { endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } }
}

/// Counts every response and measures its duration; outside of all middleware that creates responses.
package struct RouteMetricsMiddleware<Context: RequestContext>: RouterMiddleware {
  private let metrics: RouteMetrics

  /// Creates the middleware.
  package init(_ metrics: RouteMetrics) { self.metrics = metrics }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let began = ContinuousClock.now
    let waits = request.headers[.prefer]?.contains("wait") == true
    func record(_ status: Int) {
      let duration = began.duration(to: .now) / .seconds(1)
      metrics.count(
        context.route,
        request.method.rawValue,
        status,
        seconds: waits ? nil : duration
      )
    }
    do {
      let response = try await next(request, context)
      record(response.status.code)
      return response
    } catch {
      record(error is CancellationError ? 0 : 500)
      throw error
    }
  }
}
