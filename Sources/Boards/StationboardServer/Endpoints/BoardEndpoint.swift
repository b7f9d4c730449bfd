import ConditionalHTTP
import Foundation
import FreshnessServer
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import Timetable

/// `GET /api/stationboard`.
struct BoardEndpoint {
  let store: FeedStore
  let clock: ServiceClock
  let renderer: BoardRenderer
  let faults: PhaseFaults
  let serving: ResourceServing
  let served: ResourceMetrics
  let requests: UnderstoodRequests
  /// The key that signs receipts; `nil` if receipts are off.
  var receiptKey: ReceiptKey?

  /// Answers a request, entirely in memory unless the stop is given by name.
  ///
  /// - Throws: ``Problem`` as ``BoardRequest``; 503 `busy` when too many boards are being made at once, 503 `timeout`
  ///   when time ran out and no copy is available.
  func answer(_ request: Request) async throws -> Response {
    let began = ContinuousClock.now
    let caller = BoardCaller(request, key: receiptKey)
    let asked = try await requests.request(request, feeds: try store.serving())
    renderer.note(at: clock.now)
    let inFlight = renderer.enter()
    defer { renderer.leave() }
    guard inFlight <= BoardBudget.overload else {
      renderer.metrics.count(.refused)
      faults.refused()
      throw Problem.tooManyBoards(inFlight)
    }
    let conditions = BoardConditions(asked, request.headers)
    let isBehind = isShared ? try await isBehind(asked, conditions) : false
    let plan = await BoardPlan(asked, inFlight: inFlight, began: began, faults: faults)
    if plan.isInTime, let unchanged = conditions.unchanged(asked, plan, renderer, at: clock.now) {
      // Without a place to wait, the answer comes at once: the preference is not honoured.
      guard let wait = conditions.wait, let permit = serving.limiter.enter() else {
        return response(unchanged, asked, plan, caller, began, isBehind: isBehind)
      }
      defer { withExtendedLifetime(permit) {} }
      let paused = ContinuousClock.now
      let longest = began + .seconds(wait) - .now
      try await renderer.whileNotRendering {
        try await changes(asked, plan, conditions, request.body, atMost: longest)
      }
      let waited = (asked: wait, time: paused.duration(to: .now))
      if let still = conditions.unchanged(asked, plan, renderer, at: clock.now) {
        return response(still, asked, plan, caller, began, waited: waited, isBehind: isBehind)
      }
      return try board(asked, plan, caller, began, waited: waited, isBehind: isBehind)
    }
    return try board(asked, plan, caller, began, isBehind: isBehind)
  }

  /// Whether several servers share their realtime.
  private var isShared: Bool { renderer.realtime?.sharing != nil }

  /// Waits a moment for what the client has seen at another server, if this one does not have it yet (SR8).
  ///
  /// - Returns: Whether this server still does not have it.
  private func isBehind(_ asked: BoardRequest, _ conditions: BoardConditions) async throws -> Bool {
    let seen = conditions.seen
    guard !seen.isHere(renderer, asked.stop.feed) else { return false }
    return try await renderer.whileNotRendering {
      try await seen.isMissing(renderer, asked.stop.feed, serving)
    }
  }

  /// Waits until the client's copy is no longer current, the time is over, or the client is gone.
  private func changes(
    _ asked: BoardRequest,
    _ plan: BoardPlan,
    _ conditions: BoardConditions,
    _ body: RequestBody,
    atMost longest: Duration
  ) async throws {
    let closing: @concurrent @Sendable () async -> Void = { await serving.untilClosed() }
    try await Waiting.hold(body, atMost: longest, closing: closing) {
      for await _ in renderer.changes(asked, plan.phases) {
        let turn = try? await AdmissionPermit.turn()
        defer { turn?.end() }
        guard conditions.unchanged(asked, plan, renderer, at: clock.now) != nil else { return }
      }
    }
  }

  private func board(
    _ asked: BoardRequest,
    _ plan: BoardPlan,
    _ caller: BoardCaller,
    _ began: ContinuousClock.Instant,
    waited: (asked: Int64, time: Duration)? = nil,
    isBehind: Bool
  ) throws -> Response {
    let now = clock.now
    // Read once: the realtime metadata of a response belongs to the realtime it shows.
    let newest = renderer.snapshot(of: asked.stop.feed)
    let copy = plan.isInTime ? nil : renderer.copy(asked, phases: plan.wanted, at: now)
    let snapshot = copy.map { newest.with(trips: $0.trips, alerts: $0.alerts) } ?? newest
    let renderedBoard =
      copy ?? renderer.renderedBoard(asked, phases: plan.phases, at: now, snapshot: snapshot)
    if !plan.isInTime, copy == nil, renderedBoard.rows.isEmpty {
      renderer.metrics.count(.refused)
      throw Problem.boardTimeout
    }
    let isMade = renderedBoard.madeAt == now
    renderer.metrics.count(
      copy != nil ? .staleCopy : !plan.isInTime ? .timetableOnly : isMade ? .made : .reused
    )
    let elapsed = (ContinuousClock.now - began).milliseconds
    let answer = BoardAnswer(
      request: asked,
      renderedBoard: renderedBoard,
      snapshot: snapshot,
      mode: plan.mode(of: renderedBoard, isCopy: copy != nil),
      skipped: plan.skipped,
      requestId: caller.requestId,
      now: now,
      elapsed: elapsed,
      entityTag: SharedTag.tag(
        plan.entityTag(of: renderedBoard, isCopy: copy != nil),
        at: snapshot.position
      ),
      foretold: renderer.foretold(snapshot.trips, at: now)
    )
    var headers = fields(
      renderedBoard,
      answer.entityTag,
      snapshot,
      answer.foretold,
      caller.requestId,
      elapsed,
      at: now
    )
    let receipt = caller.receipt(
      status: 200,
      entityTag: answer.entityTag,
      realtime: renderedBoard.status.rawValue,
      sourceTime: snapshot.trips.sourceTime,
      at: now
    )
    if let receipt { headers.append(HTTPField(name: .mdReceipt, value: receipt)) }
    headers.append(HTTPField(name: .contentType, value: "application/json; charset=utf-8"))
    if copy != nil {
      headers[.mdStale] = "1"
      headers[.mdStaleReason] = "stationboard_timeout"
    }
    if isBehind { headers[.mdRealtimeBehind] = "1" }
    if let waited { Self.note(waited.asked, &headers) }
    let response = Response(
      status: .ok,
      headers: headers,
      body: ResponseBody(byteBuffer: answer.body())
    )
    record(200, snapshot, began, waited?.time, at: now)
    return response
  }

  /// An answer without a body: the client's copy is right.
  private func response(
    _ unchanged: BoardConditions.Unchanged,
    _ asked: BoardRequest,
    _ plan: BoardPlan,
    _ caller: BoardCaller,
    _ began: ContinuousClock.Instant,
    waited: (asked: Int64, time: Duration)? = nil,
    isBehind: Bool
  ) -> Response {
    let now = clock.now
    let snapshot = unchanged.snapshot
    let elapsed = (ContinuousClock.now - began).milliseconds
    // A cache updates the response with the tag that it has.
    let tag =
      unchanged.tag
      ?? SharedTag.tag(
        plan.entityTag(of: unchanged.renderedBoard, isCopy: false),
        at: snapshot.position
      )
    let foretold = renderer.foretold(snapshot.trips, at: now)
    let renderedBoard = unchanged.renderedBoard
    var headers = fields(renderedBoard, tag, snapshot, foretold, caller.requestId, elapsed, at: now)
    let receipt = caller.receipt(
      status: unchanged.status.code,
      entityTag: tag,
      realtime: renderedBoard.status.rawValue,
      sourceTime: snapshot.trips.sourceTime,
      at: now
    )
    if let receipt { headers.append(HTTPField(name: .mdReceipt, value: receipt)) }
    renderer.metrics.count(unchanged.status == .noContent ? .noContent : .notModified)
    if unchanged.status == .noContent {
      headers[.mdRealtimeApplied] = "0"
      headers[.mdRealtimeReason] = "unchanged_since_rt"
    }
    if isBehind { headers[.mdRealtimeBehind] = "1" }
    if let waited { Self.note(waited.asked, &headers) }
    record(unchanged.status.code, snapshot, began, waited?.time, at: now)
    return Response(status: unchanged.status, headers: headers)
  }

  private func record(
    _ status: Int,
    _ snapshot: RealtimeSnapshot,
    _ began: ContinuousClock.Instant,
    _ waited: Duration?,
    at now: Double
  ) {
    served.recordRead(
      status,
      total: began.duration(to: .now),
      waited: waited,
      age: snapshot.trips.age(at: now)
    )
  }

  private func fields(
    _ renderedBoard: RenderedBoard,
    _ tag: String,
    _ snapshot: RealtimeSnapshot,
    _ foretold: ForetoldChange?,
    _ requestId: String,
    _ elapsed: Double,
    at now: Double
  ) -> HTTPFields {
    var headers = renderedBoard.fields
    headers.reserveCapacity(Self.mostFields)
    // Appended: setting a field would search the existing ones.
    func add(_ name: HTTPField.Name, _ value: String?) {
      if let value { headers.append(HTTPField(name: name, value: value)) }
    }
    let place = foretold == nil ? 0 : Double.random(in: 0..<1)
    add(.cacheControl, Self.cacheControl(foretold, place: place, at: now))
    if tag != renderedBoard.entityTag { headers[.eTag] = tag }
    add(.mdRequestId, requestId)
    let age = snapshot.trips.age(at: now)
    add(.mdRealtimeAge, age.map { String(Int($0 * 1_000)) } ?? "-1")
    add(.mdRealtimeFetchedAt, snapshot.trips.sourceText)
    add(.mdLastPollAt, snapshot.trips.lastPollText)
    add(.mdPollAge, snapshot.trips.lastPollAt.map { String(Int(max(now - $0, 0) * 1_000)) })
    add(.mdRealtimeNext, foretold.map { String(Int(($0.expectedAt - now) * 1_000)) })
    add(.mdRealtimeSpread, foretold.map { String(Int($0.spread * 1_000)) })
    add(.mdBackendTotal, Self.thousandths(elapsed))
    return headers
  }

  /// Room for all fields of a response, so that they are moved once at most.
  private static let mostFields = 24

  /// A number that is not negative with three digits after the point: `Double` takes longer to write the fewest digits that
  /// distinguish it from all others.
  static func thousandths(_ number: Double) -> String {
    let count = Int((number * 1_000).rounded())
    let digits = String(count % 1_000)
    return "\(count / 1_000).\(String(repeating: "0", count: 3 - digits.utf8.count))\(digits)"
  }

  /// Says that an answer was held back, and that its connection ends with it.
  private static func note(_ waited: Int64, _ headers: inout HTTPFields) {
    headers[.preferenceApplied] = "wait=\(waited)"
    headers[.connection] = "close"
  }

  /// How long the answer may be used: until the next publication is expected, and up to its place in the
  /// window over which clients are asked to spread (R31).
  static func cacheControl(_ foretold: ForetoldChange?, place: Double, at now: Double) -> String {
    let seconds = foretold?.maxAge(place: place, at: now) ?? 0
    return seconds > 0 ? "private, max-age=\(seconds), must-revalidate" : "private, no-cache"
  }
}

extension Duration {
  /// The length in seconds, with fractions.
  var seconds: Double { milliseconds / 1_000 }

  /// The length in milliseconds, with fractions.
  var milliseconds: Double {
    Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
  }
}
