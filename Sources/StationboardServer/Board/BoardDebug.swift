import Timetable

/// The contract's `debug`, only for requests that ask for it.
struct BoardDebug {
  let board: ScheduledBoard
  let requestId: String

  /// Writes the member with its leading comma.
  func write(_ json: inout JSONBytes) {
    let stop = board.request.stop
    let timetable = stop.feed.timetable
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
    json.instant(board.window.from)
    json.raw("\",\"to\":\"")
    json.instant(board.window.until)
    json.raw("\",\"minutes\":")
    json.integer(board.request.window)
    json.raw(",\"timeZone\":")
    json.string(timetable.metadata.timeZone)
    json.raw("},\"rowSources\":{\"scheduled\":")
    json.integer(board.departures.count)
    json.raw(",\"tripupdate\":0,\"rt_added\":0},\"stageCounts\":{\"scheduled\":")
    json.integer(board.departures.count)
    json.raw(",\"returned\":")
    json.integer(board.departures.count)
    json.raw("},\"langPrefs\":[")
    json.string(board.request.language ?? timetable.metadata.language ?? "und")
    json.raw("],\"flags\":[],\"warnings\":[],\"version\":{\"staticVersion\":")
    json.string(timetable.metadata.version)
    json.raw(
      ",\"rtVersion\":null,\"hasSkew\":false},\"rt\":{\"tripUpdates\":null,\"alerts\":null},"
    )
    json.raw("\"latencySafe\":{\"degradedMode\":false,\"degradedReasons\":[]}}")
  }
}
