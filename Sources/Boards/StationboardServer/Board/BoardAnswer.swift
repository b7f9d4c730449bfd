import Foundation
import GTFS
import NIOCore
import Serving
import Timetable

/// Writes a rendered form of a board as a body of the contract (seed 002), with what the clock says.
struct BoardAnswer {
  let request: BoardRequest
  let renderedBoard: RenderedBoard
  let snapshot: RealtimeSnapshot
  let mode: ResponseMode
  /// The steps that were left out, in the contract's terms.
  let skipped: [StaticString]
  let requestId: String
  /// When the request came, on the service clock.
  let now: Double
  /// Milliseconds spent so far.
  let elapsed: Double

  /// The entity tag, with its quotes.
  let entityTag: String

  /// The announcement of the next publication.
  let foretold: ForetoldChange?

  /// The age of the trip updates, and of the alerts, in seconds; `nil` without any.
  private let (age, alertsAge): (Double?, Double?)
  /// The seconds since the source of the trip updates was last polled.
  private let pollAge: Double?
  /// Collects the values that are left out; `nil` if they are written.
  private var gaps: Gaps?

  /// The values that were left out.
  private final class Gaps {
    var values: [(place: Int, value: BoardTemplate.Value)] = []
  }

  init(
    request: BoardRequest,
    renderedBoard: RenderedBoard,
    snapshot: RealtimeSnapshot,
    mode: ResponseMode,
    skipped: [StaticString],
    requestId: String,
    now: Double,
    elapsed: Double,
    entityTag: String,
    foretold: ForetoldChange?
  ) {
    self.request = request
    self.renderedBoard = renderedBoard
    self.snapshot = snapshot
    self.mode = mode
    self.skipped = skipped
    self.requestId = requestId
    self.now = now
    self.elapsed = elapsed
    self.entityTag = entityTag
    self.foretold = foretold
    (age, alertsAge) = (snapshot.trips.age(at: now), snapshot.alerts.age(at: now))
    pollAge = snapshot.trips.lastPollAt.map { max(now - $0, 0) }
  }

  /// The kind of response (seed 001, `meta.responseMode`).
  enum ResponseMode: String, CaseIterable {
    /// Complete and fresh.
    case full
    /// The departures are complete; realtime or alerts are missing or not fresh.
    case degradedStatic = "degraded_static"
    /// A recent copy: time ran out before a new board was made.
    case staleCacheFallback = "stale_cache_fallback"
    /// The timetable alone: time ran out, and no copy was available.
    case staticTimeoutFallback = "static_timeout_fallback"
  }

  /// The body.
  func body() -> ByteBuffer {
    let end = end()
    var body = Self.beginning(of: renderedBoard, capacity: end.length)
    end.write(to: &body)
    return body
  }

  /// The beginning of each body with a rendered board: what was rendered before, which is most of it.
  ///
  /// - Parameters:
  ///   - renderedBoard: The rendered board.
  ///   - more: The bytes that will follow.
  /// - Returns: The beginning, with room for them.
  static func beginning(of renderedBoard: RenderedBoard, capacity more: Int) -> ByteBuffer {
    var body = ByteBufferAllocator().buffer(capacity: renderedBoard.beginningLength + more)
    body.writeStaticString(RenderedBoard.opening)
    body.writeBytes(renderedBoard.place)
    body.writeStaticString(RenderedBoard.middle)
    body.writeBytes(renderedBoard.departures)
    body.writeStaticString(RenderedBoard.closing)
    return body
  }

  /// The end of the body, which depends on the clock.
  func end() -> JSONBytes {
    var json = JSONBytes(capacity: 4_096)
    writeRest(&json)
    if request.isDebug {
      BoardDebug(
        request: request,
        renderedBoard: renderedBoard,
        snapshot: snapshot,
        now: now,
        requestId: requestId,
        skipped: skipped
      )
      .write(&json)
    }
    json.raw("}")
    return json
  }

  /// The end of the body without the values that differ between responses with the same board.
  func template() -> BoardTemplate {
    var answer = self
    let gaps = Gaps()
    answer.gaps = gaps
    return BoardTemplate(json: answer.end().array, values: gaps.values)
  }

  /// The end of the body, from the template of an earlier response with the same board.
  func end(_ template: BoardTemplate) -> JSONBytes {
    var json = JSONBytes(capacity: template.json.count + template.values.count * 32)
    template.json.withUnsafeBytes { text in
      var start = 0
      for (place, value) in template.values {
        json.raw(UnsafeRawBufferPointer(rebasing: text[start..<place]))
        write(value, &json)
        start = place
      }
      json.raw(UnsafeRawBufferPointer(rebasing: text[start...]))
    }
    return json
  }

  /// The difference from a version that a client has: removed departures, new or visibly changed ones, the order of all
  /// by their keys, and everything after the departures.
  func change(from shown: RenderedBoard) -> ByteBuffer {
    var json = JSONBytes(capacity: 4_096)
    BoardChange(from: shown, to: renderedBoard).write(&json)
    // Clients keep the members that a change lacks.
    if renderedBoard.onDemand.isEmpty, !shown.onDemand.isEmpty, !isClosed {
      json.raw("\"onDemand\":[],")
    }
    writeRest(&json)
    json.raw("}")
    return json.buffer
  }

  /// The members that change while the board looks the same: `rt`, `alerts` and `meta`.
  func verification() -> ByteBuffer {
    var json = JSONBytes(capacity: 2_048)
    json.raw("{\"rt\":")
    writeRealtime(snapshot.trips, &json)
    json.raw(",\"alerts\":")
    writeAlerts(snapshot.alerts, &json)
    json.raw(",\"meta\":")
    writeMeta(snapshot.trips, snapshot.alerts, &json)
    json.raw("}")
    return json.buffer
  }

  /// Writes everything behind the departures.
  private func writeRest(_ json: inout JSONBytes) {
    json.raw("\"banners\":")
    json.raw(renderedBoard.banners)
    json.raw(",")
    if !isClosed { json.raw(renderedBoard.onDemand) }
    json.raw("\"rt\":")
    writeRealtime(snapshot.trips, &json)
    json.raw(",\"alerts\":")
    writeAlerts(snapshot.alerts, &json)
    json.raw(",\"noService\":")
    json.raw(renderedBoard.noService)
    json.raw(",\"meta\":")
    writeMeta(snapshot.trips, snapshot.alerts, &json)
  }

  private func writeRealtime(_ trips: borrowing SourceStatus, _ json: inout JSONBytes) {
    json.raw("{\"available\":")
    json.flag(snapshot.index != nil)
    json.raw(",\"applied\":")
    json.flag(renderedBoard.status == .applied)
    json.raw(",\"reason\":")
    json.string(isClosed ? renderedBoard.status.closedReason : renderedBoard.status.reason)
    json.raw(",\"feedKey\":")
    json.string(trips.isConfigured ? "trip_updates" : "none")
    member(",\"fetchedAt\":", text: trips.sourceText, &json)
    member(",\"cacheFetchedAt\":", text: trips.fetchedText, &json)
    member(",\"cacheAgeMs\":", .age, &json)
    member(",\"ageMs\":", .age, &json)
    member(",\"ageSeconds\":", .ageSeconds, &json)
    member(",\"lastPollAt\":", text: trips.lastPollText, &json)
    member(",\"lastSuccessfulPollAt\":", instant: trips.lastSuccessAt, &json)
    member(",\"pollAgeMs\":", .pollAge, &json)
    member(",\"pollAgeSeconds\":", .pollAgeSeconds, &json)
    json.raw(",\"freshnessThresholdMs\":45000,\"freshnessMaxAgeSeconds\":45,\"cacheStatus\":")
    json.string(cacheStatus)
    json.raw(",\"status\":null,\"lastStatus\":null,\"lastError\":")
    json.string(trips.lastError.map { String($0.prefix(200)) })
    json.raw(",\"payloadBytes\":")
    if let bytes = trips.payloadBytes { json.integer(bytes) } else { json.raw("null") }
    json.raw(",\"rtSource\":")
    json.raw(snapshot.index == nil ? "null" : "\"parsed\"")
    json.raw(",\"instance\":{\"id\":\"freshet\",\"allocId\":null,\"host\":")
    guard isClosed else { return json.raw("null,\"pid\":null,\"build\":null}}") }
    json.raw("\"freshet\",\"pid\":")
    json.integer(Int(ProcessInfo.processInfo.processIdentifier))
    json.raw(",\"build\":")
    json.string(StationboardService.version)
    json.raw("}}")
  }

  /// Whether members have the types of the contract's schema only.
  private var isClosed: Bool { renderedBoard.additions.contains(.closedTypes) }

  private var cacheStatus: String {
    switch renderedBoard.status {
    case .applied, .partial: "FRESH"
    case .staleCache, .guardedError: "STALE"
    case .missingCache: "MISSING"
    case .skippedBudget: "SKIPPED"
    case .disabled: "DISABLED"
    }
  }

  private func writeAlerts(_ alerts: borrowing SourceStatus, _ json: inout JSONBytes) {
    json.raw("{\"available\":")
    json.flag(snapshot.alertIndex != nil)
    json.raw(",\"applied\":")
    let isApplied = renderedBoard.alertsStatus == .applied && request.includeAlerts
    json.flag(isApplied)
    json.raw(",\"reason\":")
    json.string(request.includeAlerts ? renderedBoard.alertsStatus.reason : "disabled")
    member(",\"fetchedAt\":", text: alerts.sourceText, &json)
    member(",\"cacheFetchedAt\":", text: alerts.fetchedText, &json)
    member(",\"cacheAgeMs\":", .alertsAge, &json)
    member(",\"ageSeconds\":", .alertsAgeSeconds, &json)
    json.raw(",\"includeRequested\":")
    json.flag(request.includeAlerts)
    json.raw(",\"includeApplied\":")
    json.flag(isApplied)
    json.raw(",\"status\":null,\"lastStatus\":null,\"lastError\":")
    json.string(alerts.lastError.map { String($0.prefix(200)) })
    json.raw(",\"alertsSource\":")
    json.raw(snapshot.alertIndex == nil ? "null" : "\"parsed\"")
    json.raw(",\"entities\":")
    json.raw(renderedBoard.entities)
    json.raw("}")
  }

  private func writeMeta(
    _ trips: borrowing SourceStatus,
    _ alerts: borrowing SourceStatus,
    _ json: inout JSONBytes
  ) {
    member("{\"serverTime\":", .serverTime, &json)
    json.raw(",\"responseMode\":")
    json.string(mode.rawValue)
    member(",\"requestId\":", .requestId, &json)
    member(",\"totalBackendMs\":", .elapsed, &json)
    json.raw(",\"skippedSteps\":[")
    for (index, step) in skipped.enumerated() {
      json.raw(index > 0 ? ",\"" : "\"")
      json.raw(step)
      json.raw("\"")
    }
    json.raw("],\"rtStatus\":")
    json.string(renderedBoard.status.rawValue)
    json.raw(",\"rtAppliedCount\":")
    json.integer(renderedBoard.appliedCount)
    json.raw(",\"rtCoverage\":")
    if let coverage = renderedBoard.coverage { coverage.write(&json) } else { json.raw("null") }
    json.raw(",\"rtSource\":")
    json.raw(snapshot.index == nil ? "null" : "\"parsed\"")
    member(",\"rtFetchedAt\":", text: trips.sourceText, &json)
    member(",\"rtLastPollAt\":", text: trips.lastPollText, &json)
    member(",\"rtCacheAgeMs\":", .age, &json)
    member(",\"rtPollAgeMs\":", .pollAge, &json)
    json.raw(",\"alertsStatus\":")
    json.string(request.includeAlerts ? renderedBoard.alertsStatus.rawValue : "disabled")
    json.raw(",\"alertsSource\":")
    json.raw(snapshot.alertIndex == nil ? "null" : "\"parsed\"")
    member(",\"alertsFetchedAt\":", text: alerts.sourceText, &json)
    member(",\"alertsCacheAgeMs\":", .alertsAge, &json)
    member(",\"nextExpectedAt\":", .nextExpectedAt, &json)
    member(",\"nextExpectedQuantile\":", .nextExpectedQuantile, &json)
    member(",\"nextExpectedSpreadMs\":", .nextExpectedSpread, &json)
    json.raw(",\"entityTag\":")
    json.string(entityTag)
    json.raw(",\"timetable\":")
    json.raw(renderedBoard.timetable)
    json.raw("}")
  }

  /// Writes a member whose value differs between responses, or notes its place.
  private func member(_ name: StaticString, _ value: BoardTemplate.Value, _ json: inout JSONBytes) {
    json.raw(name)
    if let gaps { gaps.values.append((json.length, value)) } else { write(value, &json) }
  }

  private func write(_ value: BoardTemplate.Value, _ json: inout JSONBytes) {
    switch value {
    case .age: json.milliseconds(age)
    case .ageSeconds: json.seconds(age)
    case .pollAge: json.milliseconds(pollAge)
    case .pollAgeSeconds: json.seconds(pollAge)
    case .alertsAge: json.milliseconds(alertsAge)
    case .alertsAgeSeconds: json.seconds(alertsAge)
    case .serverTime: json.instant(fractional: now)
    case .requestId: json.string(requestId)
    case .elapsed: json.decimal(elapsed)
    case .nextExpectedAt: json.instant(foretold?.expectedAt)
    case .nextExpectedQuantile:
      if let foretold { json.decimal(foretold.quantile) } else { json.raw("null") }
    case .nextExpectedSpread: json.milliseconds(foretold?.spread)
    }
  }

  private func member(_ name: StaticString, instant: Double?, _ json: inout JSONBytes) {
    json.raw(name)
    json.instant(instant)
  }

  private func member(_ name: StaticString, text: String?, _ json: inout JSONBytes) {
    json.raw(name)
    json.string(text)
  }
}

extension JSONBytes {
  /// Seconds, as whole milliseconds; or `null`.
  fileprivate mutating func milliseconds(_ seconds: Double?) {
    if let seconds { integer(Int(seconds * 1_000)) } else { raw("null") }
  }

  /// Whole seconds, or `null`.
  fileprivate mutating func seconds(_ seconds: Double?) {
    if let seconds { integer(Int(seconds)) } else { raw("null") }
  }

  /// An instant, or `null`.
  fileprivate mutating func instant(_ seconds: Double?) {
    if let seconds { instant(fractional: seconds) } else { raw("null") }
  }
}
