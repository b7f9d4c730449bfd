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
  let boards: CurrentBoards
  /// The key that signs receipts; `nil` if receipts are off.
  var receiptKey: ReceiptKey?

  /// A request, as far as it is understood.
  private struct Asked {
    let request: BoardRequest
    /// Its text; `nil` if it is too long.
    let text: RequestText?
    /// The version of timetables and realtime, read before everything else.
    let version: CurrentBoard.Version
    /// The board that the same request showed last.
    let known: CurrentBoard?
    let caller: BoardCaller
    let began: ContinuousClock.Instant
  }

  /// A wait for a change: what the client asked for, in seconds, and how long it was.
  private typealias Wait = (asked: Int64, time: Duration)

  /// Answers a request, entirely in memory unless the stop is given by name.
  ///
  /// - Throws: ``Problem`` as ``BoardRequest``; 503 `busy` when too many boards are being made at once, 503 `timeout`
  ///   when time ran out and no copy is available.
  func answer(_ request: Request) async throws -> Response {
    let began = ContinuousClock.now
    let version = version
    let text = RequestText(request)
    let known = text.flatMap { boards.board($0, version) }
    let understood =
      if let known { known.request } else {
        try await requests.request(request, text, feeds: try store.serving())
      }
    let asked = Asked(
      request: understood,
      text: text,
      version: version,
      known: known,
      caller: BoardCaller(request, key: receiptKey),
      began: began
    )
    let inFlight = renderer.enter(at: clock.now)
    defer { renderer.leave() }
    guard inFlight <= BoardBudget.overload else {
      renderer.metrics.count(.refused)
      faults.refused()
      throw Problem.tooManyBoards(inFlight)
    }
    let conditions = BoardConditions(asked.request, request.headers)
    let isBehind = isShared ? try await isBehind(asked.request, conditions) : false
    let plan = await BoardPlan(
      asked.request,
      inFlight: inFlight,
      began: asked.began,
      faults: faults
    )
    guard plan.isInTime, conditions.allowComparison(asked.request),
      let unchanged = unchanged(asked, plan, conditions)
    else { return try board(asked, plan, isBehind: isBehind) }
    // Without a place to wait, the answer comes at once: the preference is not honoured.
    guard let wait = conditions.wait, let permit = serving.limiter.enter() else {
      return response(unchanged, asked, isBehind: isBehind)
    }
    defer { withExtendedLifetime(permit) {} }
    let paused = ContinuousClock.now
    let longest = asked.began + .seconds(wait) - .now
    try await renderer.whileNotRendering {
      try await changes(asked.request, plan, conditions, request.body, atMost: longest)
    }
    let waited = (asked: wait, time: paused.duration(to: .now))
    if let still = conditions.unchanged(compared(asked.request, plan), plan, renderer) {
      return response(still, asked, waited: waited, isBehind: isBehind)
    }
    return try board(asked, plan, waited: waited, isBehind: isBehind)
  }

  private var version: CurrentBoard.Version {
    CurrentBoard.Version(timetables: store.version, realtime: renderer.realtime?.version ?? 0)
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
        guard conditions.unchanged(compared(asked, plan), plan, renderer) != nil else { return }
      }
    }
  }

  private func unchanged(
    _ asked: Asked,
    _ plan: BoardPlan,
    _ conditions: BoardConditions
  ) -> BoardConditions.Unchanged? {
    if let known = known(asked, plan, isForComparison: true, at: clock.now) {
      return conditions.unchanged(known, plan, renderer)
    }
    let board = compared(asked.request, plan)
    keep(board, asked, plan)
    return conditions.unchanged(board, plan, renderer)
  }

  /// The board that the same request showed last, if it is still right.
  private func known(
    _ asked: Asked,
    _ plan: BoardPlan,
    isForComparison: Bool,
    at now: Double
  ) -> CurrentBoard? {
    // Read again: the request may have waited, for a publication that another server has shown.
    guard let known = asked.known, plan.isInTime, known.phases == plan.phases,
      version == asked.version,
      renderer.isCurrent(known, at: now, isForComparison: isForComparison)
    else { return nil }
    return known
  }

  /// The current board, made to be compared with what a client has.
  private func compared(_ asked: BoardRequest, _ plan: BoardPlan) -> CurrentBoard {
    let snapshot = renderer.snapshot(of: asked.stop.feed)
    return board(
      asked,
      plan,
      snapshot,
      renderer.renderedBoard(
        asked,
        phases: plan.phases,
        at: clock.now,
        snapshot: snapshot,
        isForComparison: true
      )
    )
  }

  private func board(
    _ asked: BoardRequest,
    _ plan: BoardPlan,
    _ snapshot: RealtimeSnapshot,
    _ renderedBoard: RenderedBoard,
    isCopy: Bool = false
  ) -> CurrentBoard {
    CurrentBoard(
      asked,
      phases: plan.phases,
      snapshot: snapshot,
      renderedBoard: renderedBoard,
      entityTag: SharedTag.tag(
        plan.entityTag(of: renderedBoard, isCopy: isCopy),
        at: snapshot.position
      )
    )
  }

  /// Keeps a complete board of the present for the next such request.
  private func keep(_ board: CurrentBoard, _ asked: Asked, _ plan: BoardPlan) {
    guard let text = asked.text, plan.isInTime, plan.phases == plan.wanted,
      asked.request.instant == nil, !asked.request.isDebug
    else { return }
    boards.keep(board, text, asked.version) { version }
  }

  private func board(
    _ asked: Asked,
    _ plan: BoardPlan,
    waited: Wait? = nil,
    isBehind: Bool
  ) throws -> Response {
    let now = clock.now
    let (current, isCopy) = try current(asked, plan, isAfterWait: waited != nil, at: now)
    let renderedBoard = current.renderedBoard
    let elapsed = (ContinuousClock.now - asked.began).milliseconds
    let foretold = renderer.foretold(current.snapshot.trips, at: now)
    let age = current.snapshot.trips.age(at: now)
    let answer = BoardAnswer(
      request: asked.request,
      renderedBoard: renderedBoard,
      snapshot: current.snapshot,
      mode: plan.mode(of: renderedBoard, isCopy: isCopy),
      skipped: plan.skipped,
      requestId: asked.caller.requestId,
      now: now,
      elapsed: elapsed,
      entityTag: current.entityTag,
      foretold: foretold
    )
    var headers = fields(current, 200, current.entityTag, age, foretold, asked, elapsed, at: now)
    headers.append(HTTPField(name: .contentType, value: "application/json; charset=utf-8"))
    if isCopy {
      headers[.mdStale] = "1"
      headers[.mdStaleReason] = "stationboard_timeout"
    }
    if isBehind { headers[.mdRealtimeBehind] = "1" }
    if let waited { Self.note(waited.asked, &headers) }
    let body = boards.body(answer, of: current, isKnown: current === asked.known)
    // Otherwise Hummingbird searches the fields for the length and sets it.
    headers.append(HTTPField(name: .contentLength, value: String(body.readableBytes)))
    record(200, age, asked.began, waited?.time)
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  /// The board to show: the one that is known if it is still right, otherwise a new one; a recent copy if time ran out.
  private func current(
    _ asked: Asked,
    _ plan: BoardPlan,
    isAfterWait: Bool,
    at now: Double
  ) throws -> (board: CurrentBoard, isCopy: Bool) {
    if !isAfterWait, let known = known(asked, plan, isForComparison: false, at: now) {
      renderer.metrics.count(.reused)
      return (known, false)
    }
    // Read once: the realtime metadata of a response belongs to the realtime it shows.
    let newest = renderer.snapshot(of: asked.request.stop.feed)
    let copy = plan.isInTime ? nil : renderer.copy(asked.request, phases: plan.wanted, at: now)
    let snapshot = copy.map { newest.with(trips: $0.trips, alerts: $0.alerts) } ?? newest
    let renderedBoard =
      copy
      ?? renderer.renderedBoard(asked.request, phases: plan.phases, at: now, snapshot: snapshot)
    if !plan.isInTime, copy == nil, renderedBoard.rows.isEmpty {
      renderer.metrics.count(.refused)
      throw Problem.boardTimeout
    }
    let isMade = renderedBoard.madeAt == now
    renderer.metrics.count(
      copy != nil ? .staleCopy : !plan.isInTime ? .timetableOnly : isMade ? .made : .reused
    )
    let board = board(asked.request, plan, snapshot, renderedBoard, isCopy: copy != nil)
    if !isAfterWait { keep(board, asked, plan) }
    return (board, copy != nil)
  }

  /// An answer without a body: the client's copy is right.
  private func response(
    _ unchanged: BoardConditions.Unchanged,
    _ asked: Asked,
    waited: Wait? = nil,
    isBehind: Bool
  ) -> Response {
    let now = clock.now
    let board = unchanged.board
    let elapsed = (ContinuousClock.now - asked.began).milliseconds
    let foretold = renderer.foretold(board.snapshot.trips, at: now)
    let age = board.snapshot.trips.age(at: now)
    let (status, tag) = (unchanged.status.code, unchanged.tag)
    var headers = fields(board, status, tag, age, foretold, asked, elapsed, at: now)
    renderer.metrics.count(unchanged.status == .noContent ? .noContent : .notModified)
    if unchanged.status == .noContent {
      headers[.mdRealtimeApplied] = "0"
      headers[.mdRealtimeReason] = "unchanged_since_rt"
    }
    if isBehind { headers[.mdRealtimeBehind] = "1" }
    if let waited { Self.note(waited.asked, &headers) }
    record(status, age, asked.began, waited?.time)
    return Response(withoutContent: unchanged.status, headers)
  }

  private func record(
    _ status: Int,
    _ age: Double?,
    _ began: ContinuousClock.Instant,
    _ waited: Duration?
  ) {
    served.recordRead(status, total: began.duration(to: .now), waited: waited, age: age)
  }

  private func fields(
    _ board: CurrentBoard,
    _ status: Int,
    _ tag: String,
    _ age: Double?,
    _ foretold: ForetoldChange?,
    _ asked: Asked,
    _ elapsed: Double,
    at now: Double
  ) -> HTTPFields {
    var headers = board.fields
    headers.reserveCapacity(Self.mostFields)
    if tag != board.entityTag { headers[.eTag] = tag }
    // Appended: setting a field would search the existing ones.
    func add(_ name: HTTPField.Name, _ value: String?) {
      if let value { headers.append(HTTPField(name: name, value: value)) }
    }
    let place = foretold == nil ? 0 : Double.random(in: 0..<1)
    add(.cacheControl, Self.cacheControl(foretold, place: place, at: now))
    add(.mdRequestId, asked.caller.requestId)
    let lastPollAt = board.snapshot.trips.lastPollAt
    add(.mdRealtimeAge, age.map { String(Int($0 * 1_000)) } ?? "-1")
    add(.mdPollAge, lastPollAt.map { String(Int(max(now - $0, 0) * 1_000)) })
    add(.mdRealtimeNext, foretold.map { String(Int(($0.expectedAt - now) * 1_000)) })
    add(.mdRealtimeSpread, foretold.map { String(Int($0.spread * 1_000)) })
    add(.mdBackendTotal, Self.thousandths(elapsed))
    let receipt = asked.caller.receipt(
      status: status,
      entityTag: tag,
      realtime: board.renderedBoard.status.rawValue,
      sourceTime: board.snapshot.trips.sourceTime,
      at: now
    )
    add(.mdReceipt, receipt)
    return headers
  }

  /// Room for all fields of a response, so that they are moved once at most.
  private static let mostFields = 24

  /// A number that is not negative with three digits after the point: `Double` takes longer to write the fewest digits that
  /// distinguish it from all others.
  static func thousandths(_ number: Double) -> String {
    let count = Int(min(number * 1_000, 99_999_999_999_999).rounded())
    // Not longer than the texts that need no memory of their own.
    return String(unsafeUninitializedCapacity: 15) { text in
      var (rest, start) = (count, 15)
      repeat {
        if start == 12 {
          start -= 1
          text[start] = UInt8(ascii: ".")
        }
        start -= 1
        text[start] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0 || start > 10
      for place in start..<15 { text[place - start] = text[place] }
      return 15 - start
    }
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
