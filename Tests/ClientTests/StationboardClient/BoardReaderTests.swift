import Foundation
import Stationboard
import StationboardClient
import StrictJSON
import Testing
import TolerantDecoding

@Suite("Boards of any server of the contract")
struct BoardReaderTests {
  private static let departure = #"""
    {"key":"k","trip_id":"t","route_id":"r","stop_id":"8501120:0:1","stop_sequence":5,"line":"R3",
    "category":"R","number":"3","destination":"Vallorbe","operator":"SBB",
    "scheduledDeparture":"2026-02-18T07:49:00.000Z","realtimeDeparture":"2026-02-18T07:50:00.000Z",
    "certainty":"exact","headwaySec":600,"skippedStops":["Renens"],"endsAt":"Cossonay",
    "delayMin":1,"platform":"3","platformChanged":true,"previousPlatform":"2","cancelled":false,
    "status":"DELAYED","realtimeAt":"2026-02-18T07:48:00Z","realtimeFreshness":"fresh",
    "alerts":[{"id":"a","severity":"WARNING","effect":"DETOUR","cause":"STRIKE","header":"h",
    "description":"d","url":"https://example.org"}],"flags":["RT_CONFIRMED"],
    "serviceDate":"2026-02-18","startTime":"07:00:00","routeType":109,"routeColor":"EB0000",
    "routeTextColor":"FFFFFF"}
    """#

  private static let board = #"""
    {"station":{"id":"Parent8501120","name":"Lausanne","timezone":"Europe/Zurich"},
    "departures":[\#(departure),\#(departure)],"banners":[{"id":"b","header":"h"}],
    "noService":{"reason":"no_service_in_time_window","nextDeparture":"2026-02-19T05:00:00Z"},
    "meta":{"serverTime":"2026-02-18T07:47:00Z","responseMode":"full","rtStatus":"applied",
    "rtFetchedAt":"2026-02-18T07:46:50Z","rtCacheAgeMs":10000,"rtAppliedCount":2,
    "rtCoverage":{"departures":2,"live":2,"old":0,"tripUpdates":9,"matched":8},
    "nextExpectedAt":"2026-02-18T07:47:05Z","nextExpectedQuantile":0.9,"nextExpectedSpreadMs":2000,
    "requestId":"x","timetable":{"version":"1","publisher":"SBB","importedAt":"2026-02-01T00:00:00Z",
    "validFrom":"2026-01-01","validUntil":"2026-12-31"}}}
    """#

  private func read(_ text: String, counts: Bool = false) throws -> Decoded<Board> {
    try BoardReader(decoder: TolerantDecoder(countsUnread: counts)).board(Array(text.utf8))
  }

  /// All places of a value, as changes that put something else there; nothing takes a member away.
  private func changes(
    _ value: JSONValue,
    _ other: JSONValue?,
    _ path: String = ""
  ) -> [(path: String, value: JSONValue)] {
    switch value {
    case .object(let members):
      return members.keys.sorted().flatMap { name -> [(path: String, value: JSONValue)] in
        var changed = members
        changed[name] = other
        guard let member = members[name] else { return [] }
        let inner = changes(member, other, "\(path).\(name)").map { change in
          var outer = members
          outer[name] = change.value
          return (change.path, JSONValue.object(outer))
        }
        return [("\(path).\(name)", .object(changed))] + inner
      }
    case .list(let elements):
      return elements.indices.flatMap { index -> [(path: String, value: JSONValue)] in
        let inner = changes(elements[index], other, "\(path)[\(index)]").map { change in
          var outer = elements
          outer[index] = change.value
          return (change.path, JSONValue.list(outer))
        }
        guard let other else { return inner }
        var changed = elements
        changed[index] = other
        return [("\(path)[\(index)]", .list(changed))] + inner
      }
    default: return []
    }
  }

  private func value(_ text: String) throws -> JSONValue {
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    return try JSONReader.value(of: Array(text.utf8), rules: rules)
  }

  @Test func `trips that a vehicle runs next are read, those without an id left out`() throws {
    let bytes = Array(
      #"""
      {"departures":[{"scheduledDeparture":"2026-02-16T09:00:00Z","cancelled":false,
      "continuesAs":[{"trip_id":"U","line":"S1","destination":"Deep"},{"line":"lost"},7]}],"meta":{}}
      """#.utf8
    )
    let departure = try #require(try BoardReader().board(bytes).model.departures.first)
    #expect(departure.continuesAs?.map(\.tripId) == ["U"])
    #expect(departure.continuesAs?.first?.line == "S1")
    #expect(departure.continuesAs?.first?.destination == "Deep")
  }

  @Test("What Codable reads is read alike, without an issue.")
  func likeCodable() throws {
    let whole = try value(Self.board)
    let decoded = try read(Self.board)
    #expect(decoded.model == (try JSONDecoder().decode(Board.self, from: Data(whole.bytes))))
    #expect(decoded.issues.isEmpty)
    var count = 0
    for (path, changed) in changes(whole, nil) + changes(whole, .null) {
      guard let codable = try? JSONDecoder().decode(Board.self, from: Data(changed.bytes)) else {
        continue
      }
      let reading = try BoardReader().board(changed.bytes)
      // An alert without an id is named by its text in both.
      #expect(reading.model == codable, "\(path)")
      #expect(!reading.issues.contains { $0.severity == .loss }, "\(path): \(reading.issues)")
      count += 1
    }
    #expect(count > 100)
  }

  @Test("Any value in one place costs one departure or one alert at most.")
  func anything() throws {
    let whole = try value(Self.board)
    let others: [JSONValue] = [
      .null, .bool(true), .whole(7), .decimal("1.5"), .string("x"), .list([.whole(1)]),
      .object([:]),
    ]
    for other in others {
      for (path, changed) in changes(whole, other) where path != ".departures" {
        let reading = try BoardReader().board(changed.bytes)
        #expect(reading.model.departures.count >= 1, "\(path): \(other)")
        let alerts = reading.model.departures.compactMap(\.alerts).joined().count
        let lost = 2 - reading.model.departures.count
        #expect(alerts + lost >= 1, "\(path): \(other)")
        // What is lost is said.
        let isWhole = reading.model.departures.count == 2 && alerts == 2
        let isAlert = path.hasSuffix(".alerts") && other == .null
        #expect(
          isWhole || isAlert || !reading.issues.isEmpty,
          "\(path): \(other): \(reading.issues)"
        )
      }
    }
  }

  @Test("A banner without an id is shown by its text; one without any text costs itself.")
  func banners() throws {
    let text = #"""
      {"station":{"id":"Parent8501120","name":"Lausanne"},"banners":[
      {"severity":"warning","header":"Rail traffic disruption","description":"Allow for delays.",
      "affected":{"stop_id":"8501120:0:1"}},{"severity":"info"},"closed",{"id":null,"description":"d"}],
      "departures":[{"scheduledDeparture":"2026-02-18T07:49:00Z","cancelled":true}]}
      """#
    let decoded = try read(text, counts: true)
    #expect(decoded.model.banners?.map(\.id) == ["Rail traffic disruption", "d"])
    #expect(decoded.model.departures.count == 1)
    // Older answers have no meta: that is said, and costs the label only.
    #expect(decoded.model.meta.rtStatus == "")
    let losses = decoded.issues.filter { $0.severity == .loss }.map(\.path)
    #expect(Set(losses) == ["banners[1]", "banners[1].id", "banners[2]", "meta"])
    #expect(decoded.unread == ["banners[0].affected", "banners[1].severity"])
    #expect(decoded.unreadCount == 2)
  }

  @Test("Members that our models lack are named, each once.")
  func unread() throws {
    let text = #"""
      {"departures":[{"scheduledDeparture":"2026-02-25T23:26:00.000Z","cancelled":false,
      "rawDelaySec":174,"displayedDelayMin":3,"stopEvent":null,
      "debug":{"source":"tripupdate","flags":["delay:from_rt_delay_field"]}}],
      "resolved":{"canonicalId":"Parent8501120","source":"direct","childrenCount":12},
      "rt":{"applied":true,"reason":"fresh","fetchedAt":"2026-02-25T23:26:51.478Z","cacheAgeMs":23304,
      "instance":{"id":"6834d51cd701e8","pid":669}},
      "meta":{"serverTime":"2026-02-25T23:27:14.948Z","responseMode":"full","skippedSteps":[],
      "rtFetchedAt":"2026-02-25T23:26:51.478Z","rtCacheAgeMs":23304}}
      """#
    let decoded = try read(text, counts: true)
    #expect(
      decoded.unread == [
        "departures[0].rawDelaySec", "departures[0].displayedDelayMin", "departures[0].debug",
        "resolved", "rt.reason", "rt.fetchedAt", "rt.cacheAgeMs", "rt.instance",
        "meta.skippedSteps",
      ]
    )
    #expect(decoded.unreadCount == 9)
    #expect(decoded.model.meta.rtStatus == "applied")
    #expect(try read(text).unread.isEmpty)
  }

  @Test("Without meta, rt says what became of realtime.")
  func withoutMeta() throws {
    let words = [
      ("true", "fresh", "applied"), ("false", "stale", "stale_cache"),
      ("false", "missing", "missing_cache"), ("false", "guarded", "guarded_error"),
      ("false", "disabled", "disabled"),
    ]
    for (applied, reason, status) in words {
      let text = #"""
        {"departures":[],"rt":{"applied":\#(applied),"reason":"\#(reason)","cacheAgeMs":5,
        "fetchedAt":"2026-02-25T23:26:51.478Z"}}
        """#
      let meta = try read(text).model.meta
      #expect(meta.rtStatus == status)
      #expect(meta.rtFetchedAt == "2026-02-25T23:26:51.478Z")
      #expect(meta.rtCacheAgeMs == 5)
    }
  }

  @Test("Texts of numbers are numbers, fractions of minutes are rounded, and both are said.")
  func otherKinds() throws {
    let text = #"""
      {"departures":[{"scheduledDeparture":"2026-02-18T07:49:00Z","cancelled":"false","delayMin":"3",
      "stop_sequence":4.6,"platform":7,"tripId":"t"},{"realtimeDeparture":"2026-02-18T07:50:00Z",
      "status":"CANCELLED"},{"cancelled":false}],"meta":{"serverTime":"x","responseMode":"full"}}
      """#
    let decoded = try read(text)
    let rows = decoded.model.departures
    #expect(rows.count == 2)
    #expect(rows[0].delayMin == 3)
    #expect(rows[0].stopSequence == 5)
    #expect(rows[0].platform == "7")
    #expect(rows[0].tripId == "t")
    #expect(!rows[0].cancelled)
    #expect(rows[1].scheduledDeparture == "2026-02-18T07:50:00Z")
    #expect(rows[1].cancelled)
    let kinds = decoded.issues.map { "\($0.path) \($0.kind)" }
    for expected in [
      "departures[0].delayMin converted", "departures[0].stop_sequence rounded",
      "departures[0].platform converted", "departures[0].tripId alias",
      "departures[0].cancelled converted", "departures[1].cancelled missing",
      "departures[2] droppedElement",
    ] {
      #expect(kinds.contains(expected), "\(expected): \(kinds)")
    }
  }

  @Test("What is not a board is refused.", arguments: ["", "[]", "{}", #"{"departures":{}}"#, "x"])
  func refused(text: String) {
    #expect(throws: DecodeFailure.self) { try read(text) }
  }

  @Test("A search keeps the stops that have an id.")
  func stops() throws {
    let text = #"""
      {"stops":[{"id":"1","name":"Genf","stop_name":"Genève","nb_stop_times":8147,"distance_m":"12",
      "aliasesMatched":["Genf"]},{"stationId":"2"},{"name":"nowhere"},7]}
      """#
    let decoded = try BoardReader().stops(Array(text.utf8))
    #expect(decoded.model.stops.map(\.id) == ["1", "2"])
    #expect(decoded.model.stops.map(\.name) == ["Genf", "2"])
    #expect(decoded.model.stops[0].feedName == "Genève")
    #expect(decoded.model.stops[0].distance == 12)
    #expect(decoded.model.stops[0].aliases == ["Genf"])
    #expect(throws: DecodeFailure.self) { try BoardReader().stops(Array(#"{"stop":[]}"#.utf8)) }
  }
}
