import GTFSRealtime
import HTTPTypes
import NIOCore
import Synchronization
import Timetable

/// A rendered board: what people see of it, rendered once, and how long it is right.
///
/// Everything that changes with the clock alone (the server's time, ages, request ids) is not in here;
/// ``BoardAnswer`` writes it around.
final class RenderedBoard: Sendable {
  /// The status of realtime and of alerts.
  struct Statuses: Hashable, Sendable {
    var realtime: BoardRealtimeStatus
    var alerts: BoardRealtimeStatus
  }

  /// A departure of the rendered board, for finding what changed between two.
  struct Row: Sendable {
    /// Where the contract's `key`, as JSON without quotes, is in ``departures``.
    let key: Range<Int>
    /// Where its JSON is in ``departures``.
    let range: Range<Int>
  }

  /// The JSON of the departures, without the brackets of the list.
  let departures: [UInt8]
  /// The departures, in order.
  let rows: [Row]
  /// The members before the departures: `"station":…,"resolved":…`.
  let place: [UInt8]
  /// The number of bytes of a body up to the departures and behind them.
  var beginningLength: Int {
    [Self.opening, Self.middle, Self.closing].reduce(place.count + departures.count) {
      $0 + $1.utf8CodeUnitCount
    }
  }

  /// The JSON before ``place``, between it and the departures, and behind those.
  static let (opening, middle, closing): (StaticString, StaticString, StaticString) = (
    "{", ",\"departures\":[", "],"
  )
  /// The JSON of `banners`.
  let banners: [UInt8]
  /// The JSON of the member `onDemand`, with a comma; empty without offers.
  let onDemand: [UInt8]
  /// The JSON of `alerts.entities`.
  let entities: [UInt8]
  /// The JSON of `noService`.
  let noService: [UInt8]
  /// The JSON of `meta.timetable`.
  let timetable: [UInt8]
  /// The header fields that each response with it has; `ETag` is ``entityTag``.
  let fields: HTTPFields
  /// The entity tag, with its quotes: equal for rendered boards that look the same.
  let entityTag: String
  /// The instant until which the same realtime gives the same rendered board.
  let validUntil: Double
  /// When the board last changed visibly (bit pattern of a Double); 0 if unknown.
  private let sinceBits = Atomic<UInt64>(0)
  /// When the rendered board was made.
  let madeAt: Double
  /// The realtime it was made with.
  let tick: UInt64
  let stopVersion: UInt64
  let alertVersion: UInt64
  /// The version of the vehicles of the station.
  let vehicleVersion: UInt64
  /// Whether a vehicle was not shown because it was seen too long ago.
  let hidesVehicles: Bool
  /// Whether there were trip updates and alerts at all.
  let hasIndexes: [Bool]
  /// Whether no departure's realtime was ageing.
  let isFresh: Bool
  /// The status of the source of trip updates.
  let trips: SourceStatus
  /// The status of the source of alerts.
  let alerts: SourceStatus
  /// The status of realtime.
  let status: BoardRealtimeStatus
  /// The status of alerts.
  let alertsStatus: BoardRealtimeStatus
  /// Its content beyond the native contract.
  let additions: BoardAdditions
  /// How many departures come from where.
  let origins: [BoardRow.Origin: Int]
  /// The status of both by the sources alone.
  let given: Statuses
  /// Departures that realtime says something of.
  let appliedCount: Int
  /// How many departures carry realtime, of those that could; `nil` without realtime.
  let coverage: BoardCoverage?
  /// The bytes it takes in memory, roughly.
  var bytes: Int {
    departures.count + place.count + banners.count + onDemand.count + entities.count
      + timetable.count + 512
  }

  /// Renders a board.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - selection: Its alerts; `nil` if they are left out.
  ///   - snapshot: The realtime it was made with.
  ///   - statuses: The status of realtime and of alerts.
  ///   - additions: Its content beyond the native contract.
  ///   - before: The rendered board before it, if there is one.
  init(
    _ board: MergedBoard,
    selection: AlertSelection?,
    snapshot: RealtimeSnapshot,
    statuses: Statuses,
    additions: BoardAdditions,
    before: RenderedBoard?
  ) {
    let feed = board.request.stop.feed
    let language = board.request.language.flatMap { feed.timetable.language($0) }
    var json = JSONBytes(capacity: 1_024 + board.rows.count * 1_024)
    let writer = DepartureRows(
      feed: feed,
      language: language,
      realtime: board.realtime,
      vehicles: board.vehicles,
      alerts: selection,
      saysSources: additions.contains(.rowSources)
    )
    var rows: [Row] = []
    rows.reserveCapacity(board.rows.count)
    var sourceTimes: [Range<Int>] = []
    for (index, row) in board.rows.enumerated() {
      if index > 0 { json.raw(",") }
      let start = json.length
      let key = writer.write(row, at: index, &json, sourceTimes: &sourceTimes)
      if let place = writer.writeSource(row, &json) { sourceTimes.append(place) }
      rows.append(Row(key: key, range: start..<json.length))
    }
    departures = json.array
    self.rows = rows
    place = Self.place(board, language)
    banners = Self.rendered { selection?.writeBanners(&$0, prefix: feed.idPrefix) ?? $0.raw("[]") }
    entities = Self.rendered {
      selection?.writeEntities(&$0, prefix: feed.idPrefix) ?? $0.raw("[]")
    }
    let offers = board.offers
    onDemand = Self.rendered { offers.write(&$0) }
    noService = Self.rendered { Self.noService(board, &$0) }
    timetable = Self.rendered { Self.timetable(feed.timetable, &$0) }
    self.additions = additions
    given = statuses
    coverage = board.coverage
    status = statuses.realtime.refined(board.coverage, freshest: board.freshest)
    alertsStatus = statuses.alerts
    appliedCount = board.appliedCount
    var origins: [BoardRow.Origin: Int] = [:]
    for row in board.rows { origins[row.origin, default: 0] += 1 }
    self.origins = origins
    tick = snapshot.tick
    trips = snapshot.trips
    alerts = snapshot.alerts
    stopVersion = snapshot.index?.version(of: Int(board.request.stop.stop)) ?? 0
    alertVersion = snapshot.alertIndex?.version ?? 0
    vehicleVersion = Self.vehicleVersion(snapshot, board.request)
    hidesVehicles = board.hidesVehicles
    madeAt = board.now
    validUntil = min(
      board.nextChangeAt,
      selection?.nextChangeAt ?? .infinity,
      board.request.instant == nil ? offers.nextChangeAt : .infinity
    )
    hasIndexes = Self.indexes(snapshot)
    isFresh = board.worstFreshness.map { $0 == .fresh } ?? true
    var visible = VisibleContent()
    visible.add(departures, without: sourceTimes)
    for part in [place, banners, onDemand, entities] { visible.add(part) }
    visible.add(board.noService?.next)
    visible.add(board.noService?.reason.rawValue)
    for word in [status, alertsStatus] { visible.add(word.rawValue) }
    if let coverage = board.coverage {
      for count in [coverage.departures, coverage.live, coverage.old] { visible.add(Int64(count)) }
    }
    for flag in hasIndexes { visible.add(flag ? 1 : 0) }
    visible.add(board.request.language)
    visible.add(feed.timetable)
    entityTag = visible.entityTag
    fields = [
      .eTag: entityTag,
      .vary: "Origin, Accept-Encoding, Accept-Language",
      .mdRealtimeApplied: status == .applied ? "1" : "0",
      .mdRealtimeReason: status.reason,
      .mdRealtimeStatus: status.rawValue,
    ]
    if let before, before.entityTag == entityTag {
      since = before.since
    } else if let before, before.validUntil <= board.now, before.stopVersion == stopVersion,
      before.alertVersion == alertVersion, before.vehicleVersion == vehicleVersion,
      before.given == given, before.isFresh, isFresh
    {
      // Time alone changed it, at the instant that the previous board had named.
      since = before.validUntil
    }
  }

  /// The instant at which the board last changed visibly, if known.
  var since: Double? {
    get {
      let bits = sinceBits.load(ordering: .relaxed)
      return bits == 0 ? nil : Double(bitPattern: bits)
    }
    set { sinceBits.store(newValue?.bitPattern ?? 0, ordering: .relaxed) }
  }

  /// The version of the vehicles that rows of a board may show.
  static func vehicleVersion(_ snapshot: RealtimeSnapshot, _ request: BoardRequest) -> UInt64 {
    let stop = request.stop
    return snapshot.vehicleIndex?.version(ofStation: stop.feed.timetable.station(of: stop.stop))
      ?? 0
  }

  /// Which indexes there are.
  static func indexes(_ snapshot: RealtimeSnapshot) -> [Bool] {
    [snapshot.index != nil, snapshot.alertIndex != nil]
  }

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
      json.coordinate(of: stop.stop, in: timetable)
      json.raw("},\"resolved\":{\"canonicalId\":")
      json.string(stop.canonicalId)
      json.raw(",\"source\":\"")
      json.raw(Array(stop.source.rawValue.utf8))
      json.raw("\",\"childrenCount\":")
      json.integer(timetable.servedStops(of: stop.stop).count { $0 != stop.stop })
      json.raw("}")
    }
  }

  private static func timetable(_ timetable: Timetable, _ json: inout JSONBytes) {
    json.raw("{\"version\":")
    json.string(timetable.metadata.version)
    json.raw(",\"publisher\":")
    json.string(timetable.metadata.publisher)
    json.validity(of: timetable)
    json.raw("}")
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
