import ConditionalHTTP
import ContractSchema
import Foundation
import GTFS
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import StrictJSON
import Testing
import Timetable

@testable import Serving
@testable import StationboardServer

extension BoardContract {
  private static let problem = "application/problem+json"

  mutating func compareService() async throws {
    let probe = ServiceProbe(store: try SampleFeed.store())
    let folder = DataFolder(path: NSTemporaryDirectory() + "freshet-contract-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let other = ServiceProbe(store: try Self.store(folder))
    for (operation, path) in [
      ("GET /version.json", "/version.json"), ("GET /openapi.json", "/openapi.json"),
      ("GET /api/stops/search", "/api/stops/search?q=lausanne&limit=50"),
      ("GET /api/stops/search", "/api/stops/search?q=market&limit=50"),
      ("GET /api/stops/nearby", "/api/stops/nearby?lat=46.5&lon=6.6&limit=50"),
      ("GET /health", "/health"),
    ] {
      for probe in [probe, other] {
        let answer = try await probe.get(path)
        try #require(answer.status == 200, "\(path)")
        comparison.compare(try ContractDocument.value(of: answer.body), answering: operation)
      }
    }
    let nothing = DataFolder(path: folder.path + "/empty")
    try FileManager.default.createDirectory(
      atPath: nothing.path,
      withIntermediateDirectories: true
    )
    let empty = ServiceProbe(
      store: try FeedStore(folder: nothing, mayBeEmpty: true, logger: Logger(label: "test"))
    )
    let health = try await empty.get("/health")
    comparison.compare(
      try ContractDocument.value(of: health.body),
      answering: "GET /health",
      "503"
    )
    try await compareProblems(probe, empty)
    comparison.compare(.object([:]), with: "BoardReset")
  }

  /// A folder with a feed without version, of which an import is held back and another waits, and a feed that is gone.
  private static func store(_ folder: DataFolder) throws -> FeedStore {
    let source = folder.path + "/source"
    try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
    let trip = RealtimeStage.Trip("t", ["1 a 10:00:00", "2 b 10:10:00"])
    var tables = RealtimeStage.tables([trip], [:], [:], "Europe/Zurich")
    tables["stops.txt"] = "stop_id,stop_name,stop_lat,stop_lon\na,Old Market,,\nb,B,46.5,6.6\n"
    tables["aliases.csv"] = "alias,stop_id\nNew Market,a\n"
    for (name, text) in tables {
      try Data(text.utf8).write(to: URL(filePath: source + "/" + name))
    }
    try SampleFeed.importFeed(
      from: source,
      into: folder,
      prefix: "x",
      aliases: source + "/aliases.csv"
    )
    var manifest = try folder.manifest()
    let next = FeedManifest.Generation(name: "next")
    manifest.feeds[0].held = FeedManifest.Held(generation: next, reason: .losses)
    manifest.feeds[0].waiting = next
    var gone = manifest.feeds[0]
    gone.key = "gone"
    gone.prefix = "gone"
    gone.generation = "gone"
    manifest.feeds.append(gone)
    try folder.replace(manifest: manifest)
    return try SampleFeed.store(folder)
  }

  // MARK: Problems

  /// Every answer about what is wrong: by a request that gets it.
  private mutating func compareProblems(_ probe: ServiceProbe, _ empty: ServiceProbe) async throws {
    let (board, stream) = ("/api/stationboard", "/api/stationboard/stream")
    let stop = "stop_id=Parent8501120"
    let (search, nearby, trip) = (
      "/api/stops/search", "/api/stops/nearby", "/api/trips/{trip_id}"
    )
    let lines = "/api/history/lines"
    var requests: [(String, String, Int)] = [
      (search, "\(search)?q=a", 400), (search, "\(search)?q=abc&limit=x", 400),
      (nearby, nearby, 400),
      (nearby, "\(nearby)?lat=x&lon=1", 400), (trip, "/api/trips/none?service_date=x", 400),
      (trip, "/api/trips/none", 404), (trip, "/api/trips/\(try await Self.trip(probe))", 404),
      (trip, "/api/trips/none/none", 404), ("/api/status", "/api/status", 503), (lines, lines, 404),
      (lines, "\(lines)?from=x", 400), (lines + "/{route_id}", "\(lines)/none", 404),
      ("/api/history/points", "/api/history/points?step=1", 400),
    ]
    for path in [board, stream] {
      requests += [
        (path, path, 400), (path, "\(path)?stop_id=none", 404),
        (path, "\(path)?\(stop)&station_id=Parent8501000", 400),
        (path, "\(path)?\(stop)&limit=x", 400), (path, "\(path)?\(stop)&since_rt=x", 400),
        (path, "\(path)?stationName=none", 400),
      ]
    }
    for (path, target, status) in requests {
      let answer = try await probe.get(target)
      #expect(answer.status == status, "\(target)")
      compare(try ContractDocument.value(of: answer.body), path, status)
    }
    for (path, target) in [
      (board, "\(board)?\(stop)"), (stream, "\(stream)?\(stop)"), (search, "\(search)?q=abc"),
      (nearby, "\(nearby)?lat=1&lon=1"), (trip, "/api/trips/none"),
    ] {
      let answer = try await empty.get(target)
      #expect(answer.status == 503, "\(target)")
      compare(try ContractDocument.value(of: answer.body), path, 503)
    }
    let unknown = Problem.unknownLine("none", from: "2026-11-28", to: "2026-11-29")
    for (path, problem) in [
      (board, Problem.tooManyBoards(9)), (board, .boardTimeout), (stream, .tooManyStreams),
      (lines + "/{route_id}", unknown), (lines, .historyNotReady), (search, .tooManyRequests()),
    ] { compare(try Self.value(of: problem), path, problem.details.status) }
    for path in [search, lines, "/api/status", "/version.json"] {
      compare(try Self.value(of: .full(retryAfter: 1)), path, 503)
    }
    for (target, method, status) in [
      ("/bad", HTTPRequest.Method.get, 415), ("/failing", .get, 500), ("/bad", .post, 405),
    ] {
      let answer = try await Self.ask(target, method)
      #expect(answer.status == status, "\(target)")
      let value = try ContractDocument.value(of: answer.body)
      let name = status == 415 ? "default" : "\(status)"
      comparison.compare(value, answering: "GET \(search)", name, Self.problem)
    }
  }

  private mutating func compare(_ value: JSONValue, _ path: String, _ status: Int) {
    comparison.compare(value, answering: "GET \(path)", "\(status)", Self.problem)
  }

  /// A trip on a day on which it does not run.
  private static func trip(_ probe: ServiceProbe) async throws -> String {
    let board = try await probe.get("/api/stationboard?stop_id=Parent8501120&limit=1")
    let departures = try ContractDocument.value(of: board.body)["departures"]?.list
    let id = try #require(departures?.first?["trip_id"]?.string)
    let name = try #require(id.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    return "\(name)?service_date=1999-01-01"
  }

  private static func value(of problem: Problem) throws -> JSONValue {
    try ContractDocument.value(of: Array(problem.content.readableBytesView))
  }

  /// An answer of a router whose routes fail.
  private static func ask(
    _ path: String,
    _ method: HTTPRequest.Method
  ) async throws -> ServiceProbe.Answer {
    struct Failure: Error {}
    let router = Router(context: BasicRequestContext.self)
    let routes = RouteMethods()
    router.add(middleware: ProblemMiddleware(routes: routes))
    router.get("bad") { _, _ -> Response in throw HTTPError(.unsupportedMediaType) }
    router.get("failing") { _, _ -> Response in throw Failure() }
    routes.learn(from: router)
    return try await ServiceProbe(router.buildResponder()).get(path, method: method)
  }
}
