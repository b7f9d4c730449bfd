/// How many departures of a board carry realtime, of those that could, and how much of the feed the
/// timetable knows.
///
/// The one source of what is said of it: `meta.rtCoverage`, `rtStatus`, and the labels of page and terminal.
struct BoardCoverage: Hashable, Sendable {
  /// The departures that could carry realtime: those that do, and those that leave within
  /// ``BoardLimits/realtimeHorizon``.
  private(set) var departures = 0
  /// Departures with realtime that is fresh or ageing.
  private(set) var live = 0
  /// Departures with stale realtime.
  private(set) var old = 0
  /// The trip updates of the feed.
  let received: Int
  /// The trip updates that match a trip of the timetable.
  let matched: Int
  /// The trip updates of trips that the timetable does not have, and need not have.
  let added: Int
  /// The trip updates without effect, by reason.
  let withoutEffect: [RealtimeCounters.Reason: Int]
  /// The trip updates whose trip was found without its id, by how.
  let byRung: [RealtimeCounters.Rung: Int]

  /// Counts the rows of a board.
  ///
  /// - Parameters:
  ///   - rows: The departures.
  ///   - counters: The counters of the trip updates.
  ///   - now: The service clock, in seconds since 1970-01-01T00:00:00Z.
  init(_ rows: [BoardRow], _ counters: RealtimeCounters, now: Double) {
    received = counters.received
    matched = counters.matched
    added = counters.added
    withoutEffect = counters.withoutEffect
    byRung = counters.byRung
    for row in rows {
      if row.hasRealtime {
        departures += 1
        if row.freshness == .stale { old += 1 } else { live += 1 }
      } else if Self.isDue(row, at: now) {
        departures += 1
      }
    }
  }

  /// Whether a departure without realtime is so near that realtime can be expected.
  private static func isDue(_ row: BoardRow, at now: Double) -> Bool {
    let wait = Double(row.effective) - now
    return wait >= -Double(BoardLimits.grace) && wait < BoardLimits.realtimeHorizon
  }

  /// Whether departures could carry realtime, and none carries any.
  var isEmpty: Bool { departures > 0 && live + old == 0 }

  /// Writes the JSON object.
  func write(_ json: inout JSONBytes) {
    json.raw("{\"departures\":")
    json.integer(departures)
    json.raw(",\"live\":")
    json.integer(live)
    json.raw(",\"old\":")
    json.integer(old)
    json.raw(",")
    Self.write(
      received: received,
      matched: matched,
      added: added,
      withoutEffect,
      byRung: byRung,
      &json
    )
    json.raw("}")
  }

  /// Writes the outcomes of the trip updates of a feed, as members of a JSON object: each is counted once.
  static func write(
    received: Int,
    matched: Int,
    added: Int,
    _ withoutEffect: [RealtimeCounters.Reason: Int],
    byRung: [RealtimeCounters.Rung: Int],
    _ json: inout JSONBytes
  ) {
    json.raw("\"tripUpdates\":")
    json.integer(received)
    json.raw(",\"matched\":")
    json.integer(matched)
    json.raw(",\"added\":")
    json.integer(added)
    json.raw(",\"withoutEffect\":{")
    let counts = withoutEffect.sorted { $0.key.rawValue < $1.key.rawValue }
    for (place, (reason, count)) in counts.enumerated() {
      if place > 0 { json.raw(",") }
      json.string(reason.rawValue)
      json.raw(":")
      json.integer(count)
    }
    json.raw("}")
    // Said only where ids have drifted.
    if let count = byRung[.affix], count > 0 {
      json.raw(",\"matchedByAffix\":")
      json.integer(count)
    }
    if let count = byRung[.start], count > 0 {
      json.raw(",\"matchedByStart\":")
      json.integer(count)
    }
  }
}
