import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import HTTPTypes
import Jobs
import JobsClient
import NIOTransport
import StrictJSON
import Testing
import TolerantDecoding

@testable import freshet

/// What `freshet serve` puts together, asked over HTTP: the code that makes the server is the one of the program.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServeTests {
  @Test func `boards are served from the data folder, with realtime from the sources`() async throws
  {
    let stage = try ServerStage()
    try stage.importNetwork()
    try await stage.run([
      "--trip-updates", "https://feed.example/trips.pb", "--now", "2026-11-24T08:00:00Z",
    ]) { server in
      let board = try await server.json("/api/stationboard?stop_id=Parent8501120&limit=3")
      #expect(board["departures"]?.list?.isEmpty == false)
      var asked = stage.outside.asked.makeAsyncIterator()
      #expect(await asked.next() == "https://feed.example/trips.pb")
      #expect(try await server.json("/health/live")["ok"] == .bool(true))
      let metrics = try await server.get("/metrics").text
      #expect(metrics.contains("freshet_boards_total{answer=\"made\"} 1\n"))
      #expect(
        metrics.contains(
          "freshet_http_requests_total{route=\"/api/stationboard\",method=\"GET\",class=\"2xx\"} 1\n"
        )
      )
      #expect(metrics.contains("freshet_connections 1\n"))
      // What it was not asked to serve says how it would.
      for (path, option) in [("/v1/git/worktrees", "--workspaces"), ("/v1/capabilities", "--jobs")]
      {
        let answer = try await server.get(path)
        #expect(answer.head.status == .notFound)
        #expect(answer.text.contains(option))
      }
      let page = try await server.get("/", [.accept: "text/html"])
      #expect(page.head.status == .ok)
      #expect(page.text.contains("<html"))
    }
  }

  @Test func `worktrees are served from their folders, behind the token`() async throws {
    let stage = try ServerStage()
    let source = stage.folder.path + "/src"
    let token = stage.folder.path + "/token"
    try FileManager.default.createDirectory(
      atPath: source + "/project",
      withIntermediateDirectories: true
    )
    try git("init", "-q", "-b", "main", in: source + "/project")
    try "0123456789abcdef0123456789abcdef\n".write(toFile: token, atomically: true, encoding: .utf8)
    try await stage.run(["--workspaces", source, "--token-file", token]) { server in
      #expect(try await server.get("/v1/git/worktrees").head.status == .unauthorized)
      var fields: HTTPFields = [.authorization: "Bearer 0123456789abcdef0123456789abcdef"]
      var answer = try await server.get("/v1/git/worktrees", fields)
      while !answer.text.contains("/project") {
        // The repository is found after the start: the answer waits for it.
        fields[.ifNoneMatch] = answer.head.headerFields[.eTag]
        fields[.prefer] = "wait=30"
        answer = try await server.get("/v1/git/worktrees", fields)
        #expect([.ok, .notModified].contains(answer.head.status))
      }
      #expect(answer.head.status == .ok)
      #expect(try await server.get("/metrics").text.contains("freshet_http_requests_total"))
    }
  }

  @Test func `a job is started, followed to its end, and counted`() async throws {
    let stage = try ServerStage()
    try await stage.run(["--jobs", stage.folder.path + "/jobs"]) { server in
      let client = JobClient(
        server: server.server,
        transport: server.transport,
        sockets: try NIOWebSocketExchange()
      )
      let job = try await client.start(
        .csvImport,
        content: Array("Title,Author,ISBN13\nEmma,Jane Austen,9780141439587\n".utf8),
        type: "text/csv"
      )
      var ending: JobCompletion?
      for await update in client.follow(job) {
        if case .finished(.ended(let completion)) = update { ending = completion }
      }
      #expect(ending?.ending == .known(.succeeded))
      let metrics = try await server.get("/metrics").text
      #expect(metrics.contains("freshet_job_starts_total{outcome=\"started\"} 1\n"))
      #expect(metrics.contains("freshet_job_endings_total{ending=\"succeeded\"} 1\n"))
    }
    // The program's own file is there, and closed: another server opens it.
    try await stage.run(["--jobs", stage.folder.path + "/jobs"]) { server in
      let answer = try await server.get("/v1/capabilities")
      #expect(answer.head.status == .ok)
    }
  }

  @Test func `an option wins over the file, and the file over the default`() async throws {
    let stage = try ServerStage()
    let file = """
      {"logLevel": "error", "allowedOrigins": ["https://file.example"], "historyDays": 0,
       "jobs": {"folder": "\(stage.folder.path)/of-file"}}
      """
    try await stage.run(["--allow-origin", "https://option.example"], file: file) { server in
      let answer = try await server.get("/health", [.origin: "https://option.example"])
      #expect(answer.head.headerFields[.accessControlAllowOrigin] == "https://option.example")
      let other = try await server.get("/health", [.origin: "https://file.example"])
      #expect(other.head.headerFields[.accessControlAllowOrigin] != "https://file.example")
      #expect(try await server.get("/v1/capabilities").head.status == .ok)
      #expect(try await !server.get("/metrics").text.contains("freshet_history_failing"))
    }
    #expect(FileManager.default.fileExists(atPath: stage.folder.path + "/of-file"))
  }

  @Test func `the end of the server ends its streams`() async throws {
    let stage = try ServerStage()
    try stage.importNetwork()
    try await stage.run([]) { server in
      let request = server.server.request(
        "/api/stationboard/stream",
        query: [("stop_id", "Parent8501120")]
      )
      let bytes = Received()
      try await server.transport.stream(request, timeout: .seconds(60)) { part in
        // The first event is the board; the stream is open, and only the server can end it.
        if case .content = part, await bytes.isFirst() { await server.stop() }
        return .more
      }
      #expect(await !bytes.isFirst())
    }
  }

  @Test func `settings that cannot be served are refused before anything listens`() async throws {
    let stage = try ServerStage()
    await #expect(throws: ValidationError.self) {
      try await stage.run(["--host", "0.0.0.0", "--workspaces", stage.folder.path]) { _ in
        Issue.record("the server runs")
      }
    }
    await #expect(throws: CommandFailure.self) {
      try await stage.run([], file: #"{"hots": "::1"}"#) { _ in Issue.record("the server runs") }
    }
    try await stage.run(["--jobs", stage.folder.path + "/jobs"]) { server in
      let failure = await #expect(throws: CommandFailure.self) {
        try await stage.run(["--port", "\(server.port)", "--jobs", stage.data + "/jobs"]) {
          _ in Issue.record("the port is free")
        }
      }
      #expect(failure.map { "\($0)" }?.contains("127.0.0.1:\(server.port)") == true)
    }
  }

  private func git(_ arguments: String..., in folder: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder] + arguments
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}

/// Whether content came.
private actor Received {
  private var isAny = false

  /// Whether this is the first call.
  func isFirst() -> Bool {
    defer { isAny = true }
    return !isAny
  }
}

extension HTTPExchangeAnswer {
  /// The content as text.
  fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
