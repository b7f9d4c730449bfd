package import ConditionalHTTP
import Foundation
import FreshResponses
package import FreshnessServer
package import Hummingbird
import Logging
package import Serving

/// The stationboard's part of a server: its endpoints, on any router.
package struct StationboardService: Sendable {
  /// The program's version.
  package static let version = "0.1.0"
  /// How the program identifies itself to producers of feeds; some refuse requests that say nothing (RFC 9110, section 10.1.5).
  static let userAgent = "freshet/\(version)"
  /// The version of the contract, in `X-MD-Api-Version`.
  package static let apiVersion = "1"

  private let store: FeedStore
  private let clock: ServiceClock
  private let port: ListeningPort
  private let realtime: RealtimeFeeds?
  private let faults: PhaseFaults
  private let receiptKey: ReceiptKey?
  private let responses: ResponseCounter?
  private let renderer: BoardRenderer
  private let boards = CurrentBoards()
  private let otherMetrics: @Sendable (inout MetricsText) async -> Void
  private let serving: ResourceServing
  private let alsoServed: [ServingMetrics]
  private let history: HistoryService?
  private let sharing: TimetableSharing?
  private let status: ServedValue<StatusReport>
  private let statusServing: ResourceServing

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - store: The feeds.
  ///   - clock: The service clock.
  ///   - port: The port the server listens on, for `/health`.
  ///   - realtime: The realtime sources; `nil` without any.
  ///   - faults: Deliberate delays.
  ///   - ease: How many boards a second the server renders easily; beyond that, clients are asked to spread.
  ///   - receiptKey: The key that signs receipts; `nil` for none.
  ///   - responses: Counts the responses of the server, for `/metrics`.
  ///   - additions: What boards contain and accept beyond the native contract.
  ///   - history: The history of punctuality; `nil` if it is turned off.
  ///   - sharing: The database that shares the timetables; `nil` for none.
  ///   - alsoServed: The histograms of other services, for `/metrics`.
  ///   - otherMetrics: Writes the measurements of other services to `/metrics`.
  package init(
    store: FeedStore,
    clock: ServiceClock,
    port: ListeningPort,
    realtime: RealtimeFeeds? = nil,
    faults: PhaseFaults = PhaseFaults(),
    ease: Int = ServerLimits().boardsPerSecond,
    receiptKey: ReceiptKey? = nil,
    responses: ResponseCounter? = nil,
    additions: BoardAdditions = [],
    history: HistoryService? = nil,
    sharing: TimetableSharing? = nil,
    alsoServed: [ServingMetrics] = [],
    otherMetrics: @escaping @Sendable (inout MetricsText) async -> Void = { _ in }
  ) {
    self.store = store
    self.clock = clock
    self.port = port
    self.realtime = realtime
    self.faults = faults
    self.receiptKey = receiptKey
    self.responses = responses
    self.otherMetrics = otherMetrics
    self.alsoServed = alsoServed
    self.history = history
    self.sharing = sharing
    status = .status
    // By the machine's clock, as what it serves.
    statusServing = ResourceServing(limits: .status, observesShutdown: false)
    serving = ResourceServing(limits: .boards, observesShutdown: false) {
      Int64(clock.now * 1_000)
    }
    renderer = BoardRenderer(realtime: realtime, clock: clock, ease: ease, additions: additions)
  }

  /// Ends all waits, so that the server can shut down: streams end, and waiting requests get the current board.
  package func close() {
    serving.close()
    statusServing.close()
  }

  /// Keeps the history and `/api/status`, and releases timetables and realtime that are replaced, until the task is
  /// cancelled.
  package func run() async {
    let reader = StatusReader(
      store: store,
      clock: clock,
      realtime: realtime,
      history: history,
      sharing: sharing
    )
    let imports = store.changes()
    await withTaskGroup { group in
      group.addTask { [boards] in for await _ in imports { boards.removeAll() } }
      if let ticks = realtime?.ticks() {
        group.addTask { [boards] in for await _ in ticks { boards.removeAll() } }
      }
      if let history {
        group.addTask { [serving] in await history.run { serving.metrics.ages } }
      }
      group.addTask { [status] in await status.follow(reader, pace: clock.pace) }
    }
  }

  /// Finds runs of trips, for views of them.
  package var passages: TripPassages {
    TripPassages(store: store, clock: clock, renderer: renderer)
  }

  /// Adds the endpoints.
  package func add(to router: Router<some RequestContext>) {
    let board = BoardEndpoint(
      store: store,
      clock: clock,
      renderer: renderer,
      faults: faults,
      serving: serving,
      served: serving.metrics.route("/api/stationboard"),
      requests: UnderstoodRequests(),
      boards: boards,
      receiptKey: receiptKey
    )
    let stream = BoardStreamEndpoint(
      store: store,
      clock: clock,
      renderer: renderer,
      faults: faults,
      serving: serving
    )
    let stops = StopEndpoints(store: store)
    let trips = TripEndpoint(store: store, clock: clock, renderer: renderer)
    let health = HealthEndpoint(store: store, clock: clock, port: port, realtime: realtime)
    router.get("api/stationboard") { request, _ in try await board.answer(request) }
    router.get("api/stationboard/stream") { request, _ in try await stream.answer(request) }
    router.get("api/stops/search") { request, context in
      try await stops.search(request, context)
    }
    router.get("api/stops/nearby") { request, _ in try await stops.nearby(request) }
    router.get("api/trips/:trip_id") { request, context in
      let raw = context.parameters.get("trip_id") ?? ""
      return try trips.answer(request, id: raw.removingPercentEncoding ?? raw)
    }
    router.serve(status, at: "api/status", with: statusServing)
    let counts = HistoryEndpoint(store: store, clock: clock, history: history)
    router.get("api/history/lines") { request, _ in try await counts.lines(request) }
    router.get("api/history/lines/:route_id") { request, context in
      let raw = context.parameters.get("route_id") ?? ""
      return try await counts.line(request, id: raw.removingPercentEncoding ?? raw)
    }
    router.get("api/history/points") { request, _ in try await counts.points(request) }
    router.get("health") { _, _ in health.health() }
    let metrics = MetricsEndpoint(
      store: store,
      clock: clock,
      renderer: renderer,
      serving: serving,
      alsoServed: [statusServing.metrics] + alsoServed,
      responses: responses,
      history: history,
      others: otherMetrics
    )
    router.get("metrics") { _, _ in await metrics.answer() }
    router.get("version.json") { _, _ in health.version() }
  }
}

extension StationboardService {
  /// The paths whose answers are of the present, whatever the service clock shows.
  package static let present = ["/api/status"]

  /// The prefixes of paths whose responses are computed for each request.
  package static let paths = ["/api/"]

  /// The header fields that scripts of other origins may read.
  package static let exposedFields = [
    "ETag", "Retry-After", "RateLimit", "RateLimit-Policy", "Preference-Applied",
    "x-md-rt-last-poll-at", "x-md-rt-poll-age-ms",
    "x-md-stale-reason", "x-md-request-id", "x-md-api-version", "x-md-rt-applied",
    "x-md-rt-reason", "x-md-rt-age-ms", "x-md-rt-fetched-at", "x-md-stale", "x-md-rt-status",
    "x-md-backend-total-ms", "x-md-rt-next-ms", "x-md-rt-spread-ms", "x-md-rt-behind",
    "x-md-receipt",
  ]
}

extension ServingLimits {
  /// What boards give to their clients.
  static let boards: ServingLimits = {
    var limits = ServingLimits()
    limits.waiters = BoardBudget.waiters
    limits.longestWait = BoardBudget.longestWait
    limits.heartbeatSeconds = BoardBudget.heartbeatSeconds
    limits.streamRetryMilliseconds = BoardBudget.streamRetry
    limits.retryAfterSeconds = Int64(BoardBudget.retryAfter)
    return limits
  }()
}
