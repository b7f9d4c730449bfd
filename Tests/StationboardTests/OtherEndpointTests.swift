import ConditionalHTTP
import Foundation
import HTTPTypes
import Stationboard
import Testing

@testable import StationboardServer

/// Trips, search, nearby, health, pages.
@Suite struct OtherEndpointTests {
  private let probe: ServiceProbe

  init() throws { probe = ServiceProbe(store: try SampleFeed.store()) }

  private func departure(_ query: String) async throws -> Departure {
    let answer = try await probe.get("/api/stationboard?\(query)")
    let board = try JSONDecoder().decode(Board.self, from: Data(answer.body))
    return try #require(board.departures.first)
  }

  private func encoded(_ text: String?) throws -> String {
    let text = try #require(text)
    return try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
  }

  @Test func `the pass list of a departure has the departure in it`() async throws {
    let departure = try await departure("stop_id=Parent8501120&limit=1")
    let id = try encoded(departure.tripId)
    let answer = try await probe.get(
      "/api/trips/\(id)?service_date=\(departure.serviceDate ?? "")"
    )
    #expect(answer.status == 200)
    let stops = try #require(answer.json["stops"] as? [[String: Any]])
    #expect(stops.count > 1)
    #expect(
      stops.contains { stop in
        stop["stop_id"] as? String == departure.stopId
          && stop["scheduledDeparture"] as? String == departure.scheduledDeparture
      }
    )
    #expect(stops.first?["scheduledArrival"] is NSNull)
    #expect(stops.last?["scheduledDeparture"] is NSNull)
    #expect(stops.last?["pickup"] as? Bool == false)
    let trip = try #require(answer.json["trip"] as? [String: Any])
    #expect(trip["line"] as? String == departure.line)
  }

  @Test func `a run of a frequency is found by its start`() async throws {
    let departure = try await departure("stop_id=Parent8592050&limit=200")
    var run: Departure? = departure
    if departure.startTime == nil {
      let answer = try await probe.get("/api/stationboard?stop_id=Parent8592050&limit=200")
      run = try JSONDecoder().decode(Board.self, from: Data(answer.body)).departures
        .first { $0.startTime != nil }
    }
    let found = try #require(run)
    let start = try #require(found.startTime)
    let answer = try await probe.get(
      "/api/trips/\(try encoded(found.tripId))?service_date=\(found.serviceDate ?? "")"
        + "&start_time=\(start)"
    )
    #expect(answer.status == 200)
    let stops = try #require(answer.json["stops"] as? [[String: Any]])
    #expect(stops.contains { $0["scheduledDeparture"] as? String == found.scheduledDeparture })
    let wrong = try await probe.get(
      "/api/trips/\(try encoded(found.tripId))?start_time=03:33:33"
    )
    #expect(wrong.status == 404)
  }

  @Test(arguments: [
    ("/api/trips/nothing", 404, "trip_not_found"),
    ("/api/stops/search?q=", 400, "query_too_short"), ("/api/stops/search", 400, "query_too_short"),
    ("/api/stops/search?q=a", 400, "query_too_short"),
    ("/api/stops/search?q=%20%20", 400, "query_too_short"),
    ("/api/stops/search?q=lausanne&limit=x", 400, "invalid_parameter"),
    ("/api/stops/nearby", 400, "invalid_coordinates"),
    ("/api/stops/nearby?lat=91&lon=0", 400, "invalid_coordinates"),
    ("/api/stops/nearby?lat=x&lon=0", 400, "invalid_parameter"),
    ("/assets/nothing", 404, "not_found"), ("/assets/..%2F..%2Fetc%2Fpasswd", 404, "not_found"),
  ])
  func `bad requests are refused by name`(path: String, status: Int, error: String) async throws {
    let answer = try await probe.get(path)
    #expect(answer.status == status)
    #expect(answer.json["error"] as? String == error)
  }

  @Test func `a trip does not run on other days`() async throws {
    let departure = try await departure("stop_id=Parent8501120&limit=1")
    let answer = try await probe.get(
      "/api/trips/\(try encoded(departure.tripId))?service_date=2030-01-01"
    )
    #expect(answer.status == 404)
    #expect(answer.json["error"] as? String == "trip_not_running")
  }

  @Test func `q and query, spaces as plus, and limits are understood`() async throws {
    for query in ["q=bel+air+geneve", "query=bel%20air%20geneve"] {
      let answer = try await probe.get("/api/stops/search?\(query)&limit=1")
      let stops = try JSONDecoder().decode(StopMatches.self, from: Data(answer.body)).stops
      #expect(stops.map(\.name) == ["Genève, Bel-Air"])
    }
    let many = try await probe.get("/api/stops/search?q=lausanne&limit=9999")
    let found = try JSONDecoder().decode(StopMatches.self, from: Data(many.body)).stops
    #expect(found.count <= StopSearch.mostResults)
  }

  @Test func `pages carry a strong tag and a strict policy, and are not sent twice`() async throws {
    let page = try await probe.get("/")
    #expect(page.status == 200)
    let policy = try #require(page.headers[.contentSecurityPolicy])
    // The engine's module may run; nothing else may that is not a file of the page.
    #expect(!policy.replacing("'wasm-unsafe-eval'", with: "").contains("unsafe"))
    let tag = try #require(page.headers[.eTag])
    let again = try await probe.get("/", headers: [.ifNoneMatch: "\"other\", \(tag)"])
    #expect(again.status == 304)
    #expect(again.body.isEmpty)
  }

  /// The addresses of the files that the page names.
  private func namedFiles() async throws -> [String] {
    let page = String(decoding: try await probe.get("/").body, as: UTF8.self)
    return page.matches(of: /"(\/assets\/[^"]+)"/).map { String($0.1) }
  }

  @Test func `files have the hash of their content in their names and never change`() async throws {
    let files = try await namedFiles()
    #expect(files.count == 5)
    for file in files {
      let answer = try await probe.get(file)
      #expect(answer.status == 200)
      #expect(answer.headers[.cacheControl] == "public, max-age=31536000, immutable", "\(file)")
      let parts = file.split(separator: ".")
      let other = (parts.dropLast(2) + ["0123456789ab"] + parts.suffix(1)).joined(separator: ".")
      #expect(try await probe.get(other).status == 404, "\(other)")
      // Without the hash it is the present file, which may be another one tomorrow.
      let plain = try await probe.get((parts.dropLast(2) + parts.suffix(1)).joined(separator: "."))
      #expect(plain.body == answer.body)
      #expect(plain.headers[.cacheControl] == "no-cache")
    }
    #expect(try await probe.get("/").headers[.cacheControl] == "no-cache")
  }

  @Test(arguments: [
    ("br, gzip", "br"), ("gzip, deflate", "gzip"), ("gzip;q=1, br;q=0.5", "gzip"), ("*", "gzip"),
    ("br;q=0, gzip;q=0", nil), ("identity", nil), ("zstd", nil), (nil, nil),
  ])
  func `files come in the coding that the client prefers, each with its tag`(
    accepted: String?,
    coding: String?
  ) async throws {
    let style = try #require(try await namedFiles().first { $0.hasSuffix(".css") })
    let plain = try await probe.get(style)
    var headers: HTTPFields = [:]
    headers[.acceptEncoding] = accepted
    let answer = try await probe.get(style, headers: headers)
    #expect(answer.headers[.contentEncoding] == coding)
    #expect(answer.headers[.vary]?.contains("Accept-Encoding") == true)
    #expect((answer.body.count < plain.body.count / 3) == (coding != nil))
    let tag = try #require(answer.headers[.eTag])
    #expect((tag == plain.headers[.eTag]) == (coding == nil))
    headers[.ifNoneMatch] = tag
    let again = try await probe.get(style, headers: headers)
    #expect(again.status == 304)
    #expect(again.headers[.eTag] == tag)
    // The tag of one coding confirms no other one.
    let other = try await probe.get(
      style,
      headers: [.ifNoneMatch: tag, .acceptEncoding: coding == nil ? "br" : "identity"]
    )
    #expect(other.status == 200)
  }

  @Test func `pages of parts that are off are not there, and nothing leads to them`() async throws {
    for path in ["/workspaces", "/jobs", "/assets/workspaces.html", "/assets/jobs.html"] {
      #expect(try await probe.get(path).status == 404, "\(path)")
    }
    let page = String(decoding: try await probe.get("/").body, as: UTF8.self)
    #expect(page.contains("</html>"))
    #expect(!page.contains("data-service"))
  }

  @Test func `health names the feeds, version the contract`() async throws {
    let health = try await probe.get("/health")
    #expect(health.status == 200)
    #expect(health.json["ok"] as? Bool == true)
    #expect((health.json["feeds"] as? [[String: Any]])?.count == 1)
    #expect(try await probe.get("/version.json").json["apiVersion"] as? String == "1")
  }
}
