import Timetable

/// The contract's `debug`, only for requests that ask for it.
struct BoardDebug {
  let request: BoardRequest
  let renderedBoard: RenderedBoard
  let snapshot: RealtimeSnapshot
  let now: Double
  let requestId: String
  /// The steps that were left out, in the contract's terms.
  let skipped: [StaticString]

  /// Writes the member with its leading comma.
  func write(_ json: inout JSONBytes) {
    let stop = request.stop
    let timetable = stop.feed.timetable
    let window = MergedBoard.window(request.instant ?? now, minutes: request.window)
    json.raw(",\"debug\":{\"requestId\":")
    json.string(requestId)
    json.raw(",\"stopResolution\":{\"stopId\":")
    json.string(timetable.id(of: stop.stop), prefix: stop.feed.idPrefix)
    json.raw(",\"canonicalId\":")
    json.string(stop.canonicalId)
    json.raw(",\"source\":")
    json.string(stop.source.rawValue)
    json.raw(",\"feed\":")
    json.string(stop.feed.entry.key)
    json.raw(",\"generation\":")
    json.string(stop.feed.entry.generation)
    json.raw(",\"children\":[")
    for (index, served) in timetable.servedStops(of: stop.stop).enumerated() {
      if index > 0 { json.raw(",") }
      json.string(timetable.id(of: served), prefix: stop.feed.idPrefix)
    }
    json.raw("]},\"timeWindow\":{\"from\":\"")
    json.instant(window.from)
    json.raw("\",\"to\":\"")
    json.instant(window.until)
    json.raw("\",\"minutes\":")
    json.integer(request.window)
    json.raw(",\"timeZone\":")
    json.string(timetable.metadata.timeZone)
    json.raw("},\"rowSources\":{")
    for (index, origin) in BoardRow.Origin.allCases.enumerated() {
      if index > 0 { json.raw(",") }
      json.string(origin.rawValue)
      json.raw(":")
      json.integer(renderedBoard.origins[origin] ?? 0)
    }
    json.raw("},\"stageCounts\":{\"scheduled\":")
    json.integer(renderedBoard.rows.count - (renderedBoard.origins[.added] ?? 0))
    json.raw(",\"returned\":")
    json.integer(renderedBoard.rows.count)
    json.raw("},\"langPrefs\":[")
    json.string(request.language ?? timetable.metadata.language ?? "und")
    json.raw("],\"flags\":[],\"warnings\":[],\"version\":{\"staticVersion\":")
    json.string(timetable.metadata.version)
    json.raw(",\"rtVersion\":")
    let version = snapshot.trips.feedVersion
    json.string(version)
    json.raw(",\"hasSkew\":")
    json.flag(version != nil && version != timetable.metadata.version)
    json.raw("},\"rt\":{\"tripUpdates\":")
    writeTripUpdates(&json)
    json.raw(",\"alerts\":")
    writeAlerts(&json)
    json.raw("},")
    json.raw("\"latencySafe\":{\"degradedMode\":")
    json.flag(!skipped.isEmpty)
    json.raw(",\"degradedReasons\":[")
    for (index, step) in skipped.enumerated() {
      json.raw(index > 0 ? ",\"" : "\"")
      json.raw(step)
      json.raw("\"")
    }
    json.raw("]}}")
  }

  private func writeTripUpdates(_ json: inout JSONBytes) {
    guard let counters = snapshot.index?.counters else { return json.raw("null") }
    json.raw("{\"applied\":")
    json.integer(counters.applied)
    json.raw(",\"added\":")
    json.integer(counters.added)
    json.raw(",\"cancelled\":")
    json.integer(counters.cancelled)
    json.raw(",\"kept\":")
    json.integer(counters.kept)
    json.raw(",\"unmatched\":")
    json.integer(counters.unmatched)
    json.raw(",\"discarded\":")
    json.integer(counters.discarded)
    json.raw("}")
  }

  private func writeAlerts(_ json: inout JSONBytes) {
    guard let counters = snapshot.alertIndex?.counters else { return json.raw("null") }
    json.raw("{\"alerts\":")
    json.integer(counters.alerts)
    json.raw(",\"withoutEffect\":")
    json.integer(counters.withoutEffect)
    json.raw(",\"unresolved\":")
    json.integer(counters.unresolvedTotal)
    json.raw("}")
  }
}
