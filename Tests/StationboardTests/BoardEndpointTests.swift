import ConditionalHTTP
import Foundation
import HTTPTypes
import NIOCore
import Stationboard
import Testing

@testable import StationboardServer

/// `GET /api/stationboard` on the sample network at 2026-11-24T07:00:00Z (seed 002, research §2).
@Suite struct BoardEndpointTests {
  private let probe: ServiceProbe

  init() throws { probe = ServiceProbe(store: try SampleFeed.store()) }

  private func board(_ query: String) async throws -> Board {
    let answer = try await probe.get("/api/stationboard?\(query)")
    #expect(answer.status == 200)
    return try JSONDecoder().decode(Board.self, from: Data(answer.body))
  }

  @Test(arguments: [
    "stop_id=Parent8501120&limit=8&include_alerts=1",
    "stop_id=Parent8501000&limit=8&include_alerts=0",
  ])
  func `the requests of the contract are answered`(query: String) async throws {
    let board = try await board(query)
    #expect((1...8).contains(board.departures.count))
    #expect(board.meta.responseMode == "full")
    #expect(board.meta.rtStatus == "disabled")
    #expect(board.noService == nil)
    #expect(board.departures.allSatisfy { !$0.cancelled && $0.status == "UNKNOWN" })
  }

  @Test func `every field of the contract is there`() async throws {
    let answer = try await probe.get("/api/stationboard?stop_id=Parent8501120&limit=1&debug=1")
    let json = answer.json
    let top = [
      "station", "resolved", "departures", "banners", "rt", "alerts", "noService", "debug", "meta",
    ]
    for name in top { #expect(json[name] != nil, "\(name)") }
    let departure = try #require((json["departures"] as? [[String: Any]])?.first)
    for name in [
      "key", "trip_id", "route_id", "stop_id", "stop_sequence", "line", "category", "number",
      "destination", "operator", "scheduledDeparture", "realtimeDeparture", "delayMin", "platform",
      "platformChanged", "previousPlatform", "cancelled", "cancelReasonCode", "replacementType",
      "alerts", "status", "flags", "stopEvent", "rawDelaySec", "rawDelayMin", "displayedDelayMin",
    ] { #expect(departure[name] != nil, "\(name)") }
    let meta = try #require(json["meta"] as? [String: Any])
    for name in [
      "serverTime", "responseMode", "requestId", "totalBackendMs", "skippedSteps", "rtStatus",
      "rtAppliedCount", "rtSource", "rtFetchedAt", "rtLastPollAt", "rtCacheAgeMs", "rtPollAgeMs",
      "alertsStatus", "alertsSource", "alertsFetchedAt", "alertsCacheAgeMs",
    ] { #expect(meta[name] != nil, "\(name)") }
    let alerts = try #require(json["alerts"] as? [String: Any])
    #expect(alerts["entities"] as? [String] == [])
    #expect(json["banners"] as? [String] == [])
  }

  @Test func `the fast writer and the decoder agree, whatever is in the names`() throws {
    let nasty = "a\"b\\c\nd\te\u{1}f\u{2028}g – ü 🚋"
    var json = JSONBytes(capacity: 1)
    json.raw("[")
    json.string(nasty)
    for value in [0, -1, 9, 10, 99, 100, -1_234_567_890, Int.max] {
      json.raw(",")
      json.integer(value)
    }
    json.raw(",")
    json.decimal(-12.3456)
    json.raw(",")
    json.degrees(-0.000_001)
    json.raw(",\"")
    json.instant(1_795_503_600)
    json.raw("\",\"")
    json.instant(-1)
    json.raw("\",")
    json.instant(fractional: 1_795_503_600.999_9)
    json.raw(",")
    // The nearest number that a double has is less.
    json.instant(fractional: 1_795_503_637.395)
    json.raw("]")
    let read = try JSONSerialization.jsonObject(with: Data(json.buffer.readableBytesView))
    let list = try #require(read as? [Any])
    #expect(list[0] as? String == nasty)
    #expect(list[1...8].compactMap { $0 as? Int } == [0, -1, 9, 10, 99, 100, -1_234_567_890, .max])
    #expect(list[9] as? Double == -12.346)
    #expect(list[10] as? Double == -0.000_001)
    #expect(list[11] as? String == "2026-11-24T07:00:00Z")
    #expect(list[12] as? String == "1969-12-31T23:59:59Z")
    #expect(list[13] as? String == "2026-11-24T07:00:00.999Z")
    #expect(list[14] as? String == "2026-11-24T07:00:37.395Z")
  }

  @Test func `departures are in order, in the window, and within the limit`() async throws {
    let board = try await board("stop_id=Parent8503000&limit=500&window_minutes=60")
    let times = board.departures.map(\.scheduledDeparture)
    #expect(times == times.sorted())
    let few = try await self.board("stop_id=Parent8503000&limit=7&window_minutes=60")
    #expect(few.departures.map(\.key) == board.departures.prefix(7).map(\.key))
    #expect(try #require(times.first) >= "2026-11-24T06:59:15Z")
    #expect(try #require(times.last) < "2026-11-24T08:00:02Z")
    #expect(Set(board.departures.compactMap(\.key)).count == times.count)
  }

  @Test(arguments: [("0", 1), ("-5", 1), ("9999", 500)])
  func `limits out of range are bounded`(limit: String, most: Int) async throws {
    let board = try await board("stop_id=Parent8503000&limit=\(limit)&window_minutes=720")
    #expect(board.departures.count <= most)
    #expect(!board.departures.isEmpty)
  }

  @Test(arguments: [
    ("", 400, "missing_stop_id"),
    ("stop_id=", 400, "missing_stop_id"),
    ("stop_id=Parent8501120&stationId=Parent8501000", 400, "conflicting_stop_id"),
    ("stop_id=Parent9999999", 404, "stop_not_found"),
    ("stop_id=nowhere", 404, "stop_not_found"),
    ("stationName=nowhere", 400, "unknown_stop"),
    ("stop_id=Parent8501120&limit=ten", 400, "invalid_parameter"),
    ("stop_id=Parent8501120&window_minutes=x", 400, "invalid_parameter"),
    ("stop_id=Parent8501120&include_alerts=maybe", 400, "invalid_parameter"),
    ("stop_id=Parent8501120&since_rt=yesterday", 400, "invalid_since_rt"),
    ("stop_id=Parent8501120&datetime=now", 400, "invalid_parameter"),
  ])
  func `bad requests are refused by name`(query: String, status: Int, error: String) async throws {
    let answer = try await probe.get("/api/stationboard?\(query)")
    #expect(answer.status == status)
    #expect(answer.headers[.contentType] == "application/problem+json")
    let problem = try JSONDecoder().decode(ProblemDetails.self, from: Data(answer.body))
    #expect(problem.error == error)
    #expect(problem.status == status)
    #expect(!problem.detail.isEmpty)
  }

  @Test(arguments: [
    "stop_id=Parent8501120&stationId=8501120:0:4", "stop_id=Parent8501120&station_id=nowhere",
    "stationId=Parent8501120", "station_id=8501120", "stationName=Lausanne", "stop_id=8501120P",
    "stop_id=ch:1:sloid:1120", "stop_id=%20Parent8501120%20",
    "stop_id=Parent8501120&since_rt=2026-11-24T06:59:00Z&if_board=1",
    "stop_id=Parent8501120&since_rt=1795503600000&if_board=1",
  ])
  func `ids of one place do not conflict, and every spelling finds it`(query: String) async throws {
    #expect(try await board(query + "&limit=3").station?.id.contains("8501120") == true)
  }

  @Test func `precedence is stop_id, stationId, station_id`() async throws {
    let board = try await board("station_id=8501120:0:5&stationId=8501120:0:4&limit=5")
    #expect(board.station?.id == "8501120:0:4")
  }

  @Test func `a platform's board is the platform's, a station's is all platforms'`() async throws {
    let station = try await board("stop_id=Parent8501120&limit=500")
    let platform = try await board("stop_id=8501120:0:4&limit=500")
    #expect(platform.departures.allSatisfy { $0.stopId == "8501120:0:4" && $0.platform == "4" })
    #expect(Set(platform.departures).isSubset(of: Set(station.departures)))
    #expect(Set(station.departures.compactMap(\.stopId)).count > 2)
  }

  @Test func `names come in the language asked for, whichever way it is asked`() async throws {
    let german = try await board("stop_id=Parent8501008&lang=de&limit=1")
    #expect(german.station?.name == "Genf")
    let answer = try await probe.get(
      "/api/stationboard?stop_id=Parent8501008&limit=1",
      headers: [.acceptLanguage: "es;q=1, it-CH;q=0.8, en;q=0.7"]
    )
    let italian = try JSONDecoder().decode(Board.self, from: Data(answer.body))
    #expect(italian.station?.name == "Ginevra")
    #expect(answer.headers[.vary]?.contains("Accept-Language") == true)
    let both = try await probe.get(
      "/api/stationboard?stop_id=Parent8501008&limit=1&lang=en",
      headers: [.acceptLanguage: "de"]
    )
    #expect(
      try JSONDecoder().decode(Board.self, from: Data(both.body)).station?.name == "Geneva"
    )
  }

  @Test func `an empty board says why`() async throws {
    let outside = try await board("stop_id=Parent8501120&datetime=2035-01-01T12:00:00Z")
    #expect(outside.departures.isEmpty)
    #expect(outside.noService?.reason == "outside_feed_validity")
    #expect(outside.noService?.nextDeparture == nil)
    let before = try await board("stop_id=Parent8501120&datetime=2020-01-01T12:00:00Z")
    #expect(before.noService?.reason == "outside_feed_validity")
    #expect(before.noService?.nextDeparture != nil)
    let night = try await board(
      "stop_id=Parent8501073&datetime=2026-11-24T01:00:00Z&window_minutes=30"
    )
    #expect(night.noService?.reason == "no_service_in_time_window")
    #expect(night.noService?.nextDeparture != nil)
  }

  @Test func `the request id is echoed, or made`() async throws {
    let name = try #require(HTTPField.Name("x-md-request-id"))
    let echoed = try await probe.get(
      "/api/stationboard?stop_id=Parent8501120&limit=1",
      headers: [name: "abc-123"]
    )
    #expect(echoed.headers[name] == "abc-123")
    #expect((echoed.json["meta"] as? [String: Any])?["requestId"] as? String == "abc-123")
    let made = try await probe.get("/api/stationboard?stop_id=Parent8501120&limit=1")
    #expect(made.headers[name]?.hasPrefix("sb-") == true)
    let long = String(repeating: "x", count: 500)
    let refused = try await probe.get(
      "/api/stationboard?stop_id=Parent8501120&limit=1",
      headers: [name: long]
    )
    #expect(refused.headers[name] != long)
  }

  @Test func `the answer names the contract's version and may be read from any page`() async throws
  {
    let answer = try await probe.get("/api/stationboard?stop_id=Parent8501120&limit=1")
    #expect(answer.headers[try #require(HTTPField.Name("x-md-api-version"))] == "1")
    #expect(answer.headers[.accessControlAllowOrigin] == "*")
    #expect(answer.headers[.cacheControl]?.hasPrefix("private") == true)
  }

  @Test func `other methods are refused, HEAD has no body, OPTIONS answers the preflight`()
    async throws
  {
    let post = try await probe.get("/api/stationboard", method: .post)
    #expect(post.status == 405)
    #expect(post.headers[.allow] == "GET, HEAD, OPTIONS")
    let head = try await probe.get("/api/stationboard?stop_id=Parent8501120", method: .head)
    #expect(head.status == 200)
    #expect(head.body.isEmpty)
    let options = try await probe.get(
      "/api/stationboard",
      method: .options,
      headers: [.accessControlRequestMethod: "GET", .origin: "https://example.org"]
    )
    #expect(options.status == 204)
    #expect(options.headers[.accessControlAllowMethods] == "GET, HEAD")
  }

  @Test func `paths that do not exist are problems too`() async throws {
    let answer = try await probe.get("/api/nothing")
    #expect(answer.status == 404)
    #expect(answer.json["error"] as? String == "not_found")
  }

  @Test func `without a timetable the board says how to get one`() async throws {
    let empty = DataFolder(path: NSTemporaryDirectory() + "freshet-empty-\(UUID().uuidString)")
    let probe = ServiceProbe(store: try SampleFeed.store(empty))
    let answer = try await probe.get("/api/stationboard?stop_id=Parent8501120")
    #expect(answer.status == 503)
    #expect(answer.headers[.retryAfter] != nil)
    #expect(answer.json["error"] as? String == "no_timetable")
    #expect(try await probe.get("/health").status == 503)
  }
}
