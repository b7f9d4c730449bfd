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
    // What was rendered before is copied once: it is most of the body.
    var body = ByteBufferAllocator()
      .buffer(
        capacity: renderedBoard.place.count + renderedBoard.departures.count + json.length + 32
      )
    body.writeStaticString("{")
    body.writeBytes(renderedBoard.place)
    body.writeStaticString(",\"departures\":[")
    body.writeBytes(renderedBoard.departures)
    body.writeStaticString("],")
    json.write(to: &body)
    return body
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
    let age = trips.age(at: now)
    member(",\"cacheAgeMs\":", milliseconds: age, &json)
    member(",\"ageMs\":", milliseconds: age, &json)
    member(",\"ageSeconds\":", seconds: age, &json)
    member(",\"lastPollAt\":", text: trips.lastPollText, &json)
    member(",\"lastSuccessfulPollAt\":", instant: trips.lastSuccessAt, &json)
    let pollAge = trips.lastPollAt.map { max(now - $0, 0) }
    member(",\"pollAgeMs\":", milliseconds: pollAge, &json)
    member(",\"pollAgeSeconds\":", seconds: pollAge, &json)
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
    member(",\"cacheAgeMs\":", milliseconds: alerts.age(at: now), &json)
    member(",\"ageSeconds\":", seconds: alerts.age(at: now), &json)
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
    json.raw("{\"serverTime\":")
    json.instant(fractional: now)
    json.raw(",\"responseMode\":")
    json.string(mode.rawValue)
    json.raw(",\"requestId\":")
    json.string(requestId)
    json.raw(",\"totalBackendMs\":")
    json.decimal(elapsed)
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
    member(",\"rtCacheAgeMs\":", milliseconds: trips.age(at: now), &json)
    member(",\"rtPollAgeMs\":", milliseconds: trips.lastPollAt.map { max(now - $0, 0) }, &json)
    json.raw(",\"alertsStatus\":")
    json.string(request.includeAlerts ? renderedBoard.alertsStatus.rawValue : "disabled")
    json.raw(",\"alertsSource\":")
    json.raw(snapshot.alertIndex == nil ? "null" : "\"parsed\"")
    member(",\"alertsFetchedAt\":", text: alerts.sourceText, &json)
    member(",\"alertsCacheAgeMs\":", milliseconds: alerts.age(at: now), &json)
    member(",\"nextExpectedAt\":", instant: foretold?.expectedAt, &json)
    json.raw(",\"nextExpectedQuantile\":")
    if let foretold { json.decimal(foretold.quantile) } else { json.raw("null") }
    member(",\"nextExpectedSpreadMs\":", milliseconds: foretold?.spread, &json)
    json.raw(",\"entityTag\":")
    json.string(entityTag)
    json.raw(",\"timetable\":")
    json.raw(renderedBoard.timetable)
    json.raw("}")
  }

  private func member(_ name: StaticString, instant: Double?, _ json: inout JSONBytes) {
    json.raw(name)
    if let instant { json.instant(fractional: instant) } else { json.raw("null") }
  }

  private func member(_ name: StaticString, text: String?, _ json: inout JSONBytes) {
    json.raw(name)
    json.string(text)
  }

  private func member(_ name: StaticString, milliseconds: Double?, _ json: inout JSONBytes) {
    json.raw(name)
    if let milliseconds { json.integer(Int(milliseconds * 1_000)) } else { json.raw("null") }
  }

  private func member(_ name: StaticString, seconds: Double?, _ json: inout JSONBytes) {
    json.raw(name)
    if let seconds { json.integer(Int(seconds)) } else { json.raw("null") }
  }
}
