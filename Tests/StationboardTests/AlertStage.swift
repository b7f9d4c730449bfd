import Foundation
import GTFS
import GTFSRealtime
import NIOCore
import Testing
import Timetable

@testable import StationboardServer

/// A small Swiss feed for alerts: Lausanne with three platforms, and what departs there in February
/// 2026.
///
/// | trip | route | agency | type | direction | from | at |
/// |---|---|---|---|---|---|---|
/// | bus1 | route-1 | tl | 3 | 0 | 8501120:0:1 | 08:00 |
/// | bus2 | route-2 | tl | 700 | 0 | 8501120:0:2 | 08:10 |
/// | back1 | route-1 | tl | 3 | 1 | 8501120:0:2 | 08:20 |
/// | ic | ic-1 | sbb | 102 | none | 8501120:0:3 | 08:30 |
/// | shuttle | route-3 | tl | 3 | 0 | 8501120:0:1 | every hour from 08:40 |
/// | night | route-n | tl | 900 | 0 | 8501120:0:1 | 32:50 |
final class AlertStage: Sendable {
  let timetable: Timetable
  let directory: AlertDirectory
  private static let agencies = [
    "route-1": "tl", "route-2": "tl", "route-3": "tl", "route-n": "tl", "ic-1": "sbb",
  ]

  private static let files = [
    "agency.txt": """
    agency_id,agency_name,agency_url,agency_timezone
    tl,Transports,https://x.ch,Europe/Zurich
    sbb,Bahnen,https://x.ch,Europe/Zurich
    """,
    "stops.txt": """
    stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code,original_stop_id
    Parent8501120,Lausanne,46.5,6.6,1,,,
    8501120:0:1,Lausanne,46.5,6.6,,Parent8501120,1,
    8501120:0:2,Lausanne,46.5,6.6,,Parent8501120,2,
    8501120:0:3,Lausanne,46.5,6.6,,Parent8501120,3,ch:1:sloid:1120:9:93
    Parent8501576,Elsewhere,46.6,6.6,1,,,
    8501576:0:1,Elsewhere,46.6,6.6,,Parent8501576,1,
    Parent8576646,Gare,46.5,6.7,1,,,
    8576646:0:A,Gare,46.5,6.7,,Parent8576646,A,
    Parent8576391,Biel,47.1,7.2,1,,,
    8576391:0:C,Biel,47.1,7.2,,Parent8576391,C,
    """,
    "routes.txt": """
    route_id,agency_id,route_short_name,route_long_name,route_type
    route-1,tl,1,,3
    route-2,tl,2,,700
    route-3,tl,3,,3
    route-n,tl,N,,900
    ic-1,sbb,IC1,,102
    """,
    "calendar.txt": """
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260201,20260331
    """,
    "trips.txt": """
    route_id,service_id,trip_id,direction_id
    route-1,daily,bus1,0
    route-2,daily,bus2,0
    route-1,daily,back1,1
    ic-1,daily,ic,
    route-3,daily,shuttle,0
    route-n,daily,night,0
    """,
    "stop_times.txt": """
    trip_id,arrival_time,departure_time,stop_id,stop_sequence
    bus1,08:00:00,08:00:00,8501120:0:1,5
    bus1,09:00:00,09:00:00,8576391:0:C,6
    bus1,09:30:00,09:30:00,8576646:0:A,7
    bus2,08:10:00,08:10:00,8501120:0:2,7
    bus2,09:10:00,09:10:00,8576646:0:A,8
    back1,08:20:00,08:20:00,8501120:0:2,1
    back1,09:20:00,09:20:00,8501576:0:1,2
    ic,08:30:00,08:30:00,8501120:0:3,1
    ic,09:30:00,09:30:00,8501576:0:1,2
    shuttle,08:40:00,08:40:00,8501120:0:1,1
    shuttle,08:50:00,08:50:00,8576646:0:A,2
    night,32:50:00,32:50:00,8501120:0:1,1
    night,33:50:00,33:50:00,8576646:0:A,2
    """,
    "frequencies.txt": """
    trip_id,start_time,end_time,headway_secs
    shuttle,08:40:00,10:41:00,3600
    """,
  ]

  private static let opened = Result { try AlertStage() }

  /// The stage, imported once for all tests.
  static func open() throws -> AlertStage { try opened.get() }

  private init() throws {
    let folder = NSTemporaryDirectory() + "freshet-alerts-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in Self.files {
      try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
    }
    let target = folder + "/timetable"
    _ = try FeedImport.run(path: folder, prefix: nil, target: target, now: 0)
    let timetable = try Timetable(path: target)
    self.timetable = timetable
    directory = AlertDirectory(timetable) { Self.agencies[timetable.route($0).id] }
  }

  /// The number of a stop.
  func stop(_ id: String) throws -> Int {
    Int(try #require(timetable.stop(id: id), "no stop \(id)"))
  }

  /// The rows of a board between two instants.
  func rows(
    _ stop: String = "Parent8501120",
    _ from: String = "2026-02-24T06:50:00Z",
    _ until: String = "2026-02-24T07:45:00Z"
  ) throws -> [BoardRow] {
    timetable.departures(
      at: UInt32(try self.stop(stop)),
      from: Int64(try epochSeconds(from)),
      until: Int64(try epochSeconds(until)),
      limit: 500
    )
    .map { BoardRow($0) }
  }

  /// The trip id of a row.
  func trip(_ row: BoardRow) -> String {
    row.trip.map { String(decoding: timetable.tripId(of: $0), as: UTF8.self) } ?? "-"
  }

  /// The contents of a board: "banners" and the ids of trips, each with its alerts.
  func board(
    _ alerts: [Alert],
    stop: String = "Parent8501120",
    rows: [BoardRow]? = nil,
    realtime: RealtimeIndex? = nil,
    at instant: String = "2026-02-24T07:00:00Z"
  ) throws -> [String: [String]] {
    let rows = try rows ?? self.rows(stop)
    let index = AlertIndex(alerts, directory)
    let selection = AlertSelection(
      index: index,
      stop: try self.stop(stop),
      rows: rows,
      realtime: realtime,
      now: try epochSeconds(instant),
      language: nil
    )
    var board: [String: [String]] = [:]
    func ids(_ hits: some Sequence<AlertSelection.Hit>) -> [String] {
      hits.map { index.alerts[Int($0.alert)].id }
    }
    if !selection.banners.isEmpty { board["banners"] = ids(selection.banners) }
    for (place, row) in rows.enumerated() where !selection.rowAlerts(place).isEmpty {
      board[trip(row), default: []] += ids(selection.rowAlerts(place))
    }
    return board
  }

  /// What is unresolved in alerts about one thing, and whether a board shows them.
  func reason(_ selector: EntitySelector) throws -> AlertCounters.Reason? {
    let counters = AlertIndex([Alert("a", selector)], directory).counters
    #expect(counters.resolved + counters.unresolvedTotal == 1)
    return counters.examples.first?.reason
  }
}

/// An instant of RFC 3339 in seconds since 1970-01-01T00:00:00Z.
func epochSeconds(_ text: String) throws -> Double {
  try Date(text, strategy: .iso8601).timeIntervalSince1970
}

extension Alert {
  /// An alert with a German title.
  init(_ id: String, _ selectors: EntitySelector...) {
    self.init(entityID: id)
    informedEntities = selectors
    header = TranslatedText([.init(text: "Titel \(id)", language: "de")])
  }

  /// The same alert, changed.
  func with(_ change: (inout Alert) throws -> Void) rethrows -> Alert {
    var copy = self
    try change(&copy)
    return copy
  }

  /// The same alert in periods between instants; an empty text leaves a side open.
  func active(_ periods: (String, String)...) throws -> Alert {
    try with { alert in
      alert.activePeriods = try periods.map { start, end in
        ActivePeriod(
          start: start.isEmpty ? nil : UInt64(try epochSeconds(start)),
          end: end.isEmpty ? nil : UInt64(try epochSeconds(end))
        )
      }
    }
  }
}

/// JSON as written.
func json(_ write: (inout JSONBytes) -> Void) throws -> Any {
  var json = JSONBytes()
  write(&json)
  return try JSONSerialization.jsonObject(
    with: Data(json.buffer.readableBytesView),
    options: [.fragmentsAllowed]
  )
}
