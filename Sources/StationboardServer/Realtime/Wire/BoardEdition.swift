import GTFSRealtime
import NIOCore
import Timetable

/// One edition of a board: what people see of it, rendered once, and how long it is right.
///
/// Everything that changes with the clock alone (the server's time, ages, request ids) is not in here;
/// ``BoardAnswer`` writes it around.
final class BoardEdition: Sendable {
  /// What became of realtime and of alerts.
  struct Words: Hashable, Sendable {
    var realtime: RealtimeStatusWord
    var alerts: RealtimeStatusWord
  }

  /// A departure of the edition, for telling what changed between two.
  struct Row: Sendable {
    /// The contract's `key`.
    let key: String
    /// Where its JSON is in ``departures``.
    let range: Range<Int>
  }

  /// The JSON of the departures, without the brackets of the list.
  let departures: [UInt8]
  /// The departures, in order.
  let rows: [Row]
  /// The members before the departures: `"station":…,"resolved":…`.
  let place: [UInt8]
  /// The JSON of `banners`.
  let banners: [UInt8]
  /// The JSON of `alerts.entities`.
  let entities: [UInt8]
  /// The JSON of `noService`.
  let noService: [UInt8]
  /// The entity tag, with its quotes: equal for editions that look the same.
  let entityTag: String
  /// The instant until which the same realtime gives the same edition.
  let validUntil: Double
  /// The instant since when a board has looked like this, if whatever a publication of trip updates says
  /// was known from its source time on; never earlier than is certain.
  let since: Double
  /// When the edition was made.
  let madeAt: Double
  /// The realtime it was made with.
  let tick: UInt64
  let stopVersion: UInt64
  let alertVersion: UInt64
  /// Whether there were trip updates and alerts at all.
  let hasIndexes: [Bool]
  /// Whether no departure's realtime was ageing.
  let isFresh: Bool
  /// What became of realtime.
  let status: RealtimeStatusWord
  /// What became of alerts.
  let alertsStatus: RealtimeStatusWord
  /// Departures that realtime says something of.
  let appliedCount: Int
  /// The bytes it takes in memory, roughly.
  var bytes: Int { departures.count + place.count + banners.count + entities.count + 512 }

  /// Renders a board.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - selection: Its alerts; nothing if they are left out.
  ///   - snapshot: The realtime it was made with.
  ///   - words: What became of realtime and of alerts.
  ///   - earlier: What would have been said of them at the source time of the trip updates, had all that
  ///     is known been known; nothing if there are none.
  ///   - before: The edition before it, if there is one.
  init(
    _ board: MergedBoard,
    selection: AlertSelection?,
    snapshot: RealtimeSnapshot,
    words: Words,
    earlier: Words?,
    before: BoardEdition?
  ) {
    let feed = board.request.stop.feed
    let language = board.request.language.flatMap { feed.timetable.language($0) }
    var json = JSONBytes(capacity: 1_024 + board.rows.count * 1_024)
    let writer = DepartureRows(
      feed: feed,
      language: language,
      realtime: board.realtime,
      alerts: selection
    )
    var rows: [Row] = []
    rows.reserveCapacity(board.rows.count)
    var sourceTimes: [Range<Int>] = []
    for (index, row) in board.rows.enumerated() {
      if index > 0 { json.raw(",") }
      let start = json.length
      if let place = writer.write(row, at: index, &json) { sourceTimes.append(place) }
      rows.append(Row(key: writer.key(of: row), range: start..<json.length))
    }
    departures = json.array
    self.rows = rows
    place = Self.place(board, language)
    let prefix = feed.idPrefix
    banners = Self.rendered { selection?.writeBanners(&$0, prefix: prefix) ?? $0.raw("[]") }
    entities = Self.rendered { selection?.writeEntities(&$0, prefix: prefix) ?? $0.raw("[]") }
    noService = Self.rendered { Self.noService(board, &$0) }
    status = words.realtime
    alertsStatus = words.alerts
    appliedCount = board.appliedCount
    tick = snapshot.tick
    stopVersion = snapshot.index?.version(of: Int(board.request.stop.stop)) ?? 0
    alertVersion = snapshot.alertIndex?.version ?? 0
    madeAt = board.now
    validUntil = min(board.nextChangeAt, selection?.nextChangeAt ?? .infinity)
    hasIndexes = Self.indexes(snapshot)
    isFresh = board.worstFreshness.map { $0 == .fresh } ?? true
    var visible = VisibleContent()
    visible.add(departures, without: sourceTimes)
    for part in [place, banners, entities] { visible.add(part) }
    visible.add(board.noService?.next)
    visible.add(board.noService?.reason.rawValue)
    for word in [words.realtime, words.alerts] { visible.add(word.rawValue) }
    for flag in hasIndexes { visible.add(flag ? 1 : 0) }
    visible.add(board.request.language)
    visible.add(feed.timetable)
    entityTag = visible.entityTag
    if let before, before.entityTag == entityTag {
      since = before.since
    } else {
      let isCertain = earlier.map { $0 == words } ?? false
      since = isCertain ? Self.since(board, selection, snapshot) : board.now
    }
  }

  /// Which indexes there are.
  static func indexes(_ snapshot: RealtimeSnapshot) -> [Bool] {
    [snapshot.index != nil, snapshot.alertIndex != nil]
  }

  /// The source time of the trip updates if a board of then, with all that is known now, would have
  /// looked like this ever since; else now.
  private static func since(
    _ board: MergedBoard,
    _ selection: AlertSelection?,
    _ snapshot: RealtimeSnapshot
  ) -> Double {
    guard board.request.instant == nil, let source = snapshot.trips.sourceTime,
      source < board.now, board.now - source < longestLook, snapshot.changedAt <= source
    else { return board.now }
    // One clock: what came with a publication is as old as the publication.
    let then = MergedBoard(
      request: board.request,
      now: source,
      realtime: snapshot.index,
      decay: board.decay
    )
    guard then.nextChangeAt >= board.now else { return board.now }
    guard let selection else { return source }
    let alerts = AlertSelection(
      index: selection.index,
      stop: Int(board.request.stop.stop),
      rows: then.rows,
      realtime: then.realtime,
      now: source,
      language: selection.language
    )
    return (alerts.nextChangeAt ?? .infinity) > board.now ? source : board.now
  }

  /// How far back a board is looked at, in seconds.
  private static let longestLook: Double = 120

  private static func rendered(_ write: (inout JSONBytes) -> Void) -> [UInt8] {
    var json = JSONBytes(capacity: 256)
    write(&json)
    return json.array
  }

  private static func place(_ board: MergedBoard, _ language: UInt32?) -> [UInt8] {
    let stop = board.request.stop
    let timetable = stop.feed.timetable
    return rendered { json in
      json.raw("\"station\":{\"id\":")
      json.string(timetable.id(of: stop.stop), prefix: stop.feed.idPrefix)
      json.raw(",\"name\":")
      json.string(timetable.name(of: stop.stop, language: language))
      json.raw(",\"timezone\":")
      let zone = timetable.zoneName(of: stop.stop)
      if zone.count > 0 { json.string(zone) } else { json.string(timetable.metadata.timeZone) }
      if let place = timetable.coordinate(of: stop.stop) {
        json.raw(",\"lat\":")
        json.degrees(place.latitude)
        json.raw(",\"lon\":")
        json.degrees(place.longitude)
      } else {
        json.raw(",\"lat\":null,\"lon\":null")
      }
      json.raw("},\"resolved\":{\"canonicalId\":")
      json.string(stop.canonicalId)
      json.raw(",\"source\":\"")
      json.raw(Array(stop.source.rawValue.utf8))
      json.raw("\",\"childrenCount\":")
      json.integer(timetable.servedStops(of: stop.stop).count { $0 != stop.stop })
      json.raw("}")
    }
  }

  private static func noService(_ board: MergedBoard, _ json: inout JSONBytes) {
    guard let noService = board.noService else { return json.raw("null") }
    json.raw("{\"reason\":")
    json.string(noService.reason.rawValue)
    json.raw(",\"window\":{\"from\":\"")
    json.instant(board.window.from)
    json.raw("\",\"to\":\"")
    json.instant(board.window.until)
    json.raw("\",\"minutes\":")
    json.integer(board.request.window)
    json.raw("},\"nextDeparture\":")
    if let next = noService.next {
      json.raw("\"")
      json.instant(next)
      json.raw("\"}")
    } else {
      json.raw("null}")
    }
  }
}
