import CompatibilityCheck
import ConditionalHTTP
import HTTPTypes
import StrictJSON
import Synchronization
import Testing

/// A server that answers from a function, and keeps what it was asked.
private final class ScriptedServer: HTTPExchange, HTTPSending, HTTPStreaming, WebSocketExchange {
  let asked = Mutex<[(HTTPRequest, [UInt8])]>([])
  let answer: @Sendable (HTTPRequest) -> (Int, String)

  init(_ answer: @escaping @Sendable (HTTPRequest) -> (Int, String)) { self.answer = answer }

  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    try await send(request, content: [], timeout: timeout)
  }

  func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    asked.withLock { $0.append((request, content)) }
    let (status, body) = answer(request)
    guard status > 0 else { throw HTTPExchangeError(.timedOut, "no answer in time") }
    return HTTPExchangeAnswer(
      head: HTTPResponse(status: .init(code: status), headerFields: [.contentType: "text/json"]),
      body: Array(body.utf8)
    )
  }

  func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError) {
    for part in ["a", "b", "c"] {
      guard case .more = await receive(.content(Array(part.utf8))) else { return }
    }
  }

  func withSocket(
    _ request: HTTPRequest,
    timeout: Duration,
    work: @Sendable (any WebSocket) async -> Void
  ) async throws(WebSocketError) {
    asked.withLock { $0.append((request, [])) }
    await work(ScriptedSocket())
  }
}

/// Says a message, then echoes; answers a ping with a message before the pong; a text "bye" ends it.
private final class ScriptedSocket: WebSocket {
  let head = HTTPResponse(status: .init(code: 101))
  private let arrivals: AsyncStream<WebSocketEvent>
  private let sink: AsyncStream<WebSocketEvent>.Continuation
  private let end = Mutex(WebSocketEvent.closed(WebSocketClose(code: 1_006)))

  init() {
    (arrivals, sink) = AsyncStream.makeStream()
    sink.yield(.message(.text("hello")))
  }

  func next() async -> WebSocketEvent {
    for await arrival in arrivals { return arrival }
    return end.withLock { $0 }
  }

  func send(_ message: WebSocketMessage) async throws(WebSocketError) {
    sink.yield(.message(message))
    if message == .text("bye") { await close(WebSocketClose(code: 1_000)) }
  }

  func ping(_ payload: [UInt8]) async throws(WebSocketError) {
    sink.yield(.message(.text("between")))
    sink.yield(.pong(payload))
  }

  func close(_ close: WebSocketClose) async {
    end.withLock { $0 = .closed(close) }
    sink.finish()
  }
}

@Suite("A run of a client", .timeLimit(.minutes(5)))
struct ClientRunTests {
  private func run(_ server: ScriptedServer) throws -> ClientRun {
    ClientRun(
      server: try HTTPAddress("http://example.org/base"),
      transport: server,
      sockets: server
    )
  }

  @Test("A request goes out as the client sends it: method, address, fields in order, content.")
  func requests() async throws {
    let server = ScriptedServer { _ in (200, "{}") }
    let run = try run(server)
    var fields = HTTPFields()
    for (name, value) in [("X-B", "1"), ("Accept", "application/json"), ("X-A", "2")] {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] {
      let content = method == .get ? nil : Array("body".utf8)
      _ = try await run.send(
        ClientRequest(
          method,
          "/a/b",
          query: [("q", "Zürich HB"), ("none", nil)],
          fields: fields,
          content: content
        )
      )
    }
    let asked = server.asked.withLock { $0 }
    #expect(asked.map(\.0.method.rawValue) == ["GET", "POST", "PUT", "PATCH", "DELETE"])
    #expect(asked.allSatisfy { $0.0.path == "/base/a/b?q=Z%C3%BCrich%20HB" })
    #expect(asked.allSatisfy { $0.0.headerFields.map(\.name.rawName) == ["X-B", "Accept", "X-A"] })
    #expect(
      asked.map { String(decoding: $0.1, as: UTF8.self) } == ["", "body", "body", "body", "body"]
    )
  }

  @Test("A step says what was asked and expected, and every fault; an error is a fault.")
  func steps() async throws {
    let server = ScriptedServer { request in
      request.path == "/base/lost" ? (0, "") : (404, #"{"id":3}"#)
    }
    let run = try run(server)
    await run.step("web", ClientRequest(.get, "/thing"), expects: "200 and a thing") {
      check,
      answer in
      check.status(200, of: answer)
      check.shape(.object(["id": .string, "name": .string]), of: answer)
      check.field("content-type", of: answer, is: "application/json") { $0.contains("application") }
      check.field("etag", of: answer, is: "there")
    }
    let lost = await run.step("web", ClientRequest(.get, "/lost"), expects: "an answer") { _, _ in }
    #expect(lost == nil)
    await run.step("iOS", ClientRequest(.get, "/thing"), expects: "404") { check, answer in
      check.status(404, of: answer)
    }
    let steps = run.steps
    #expect(steps.map(\.isPassed) == [false, false, true])
    #expect(steps[0].asked == "GET /thing")
    #expect(
      steps[0].faults == [
        #"status: expected 200, found 404 {"id":3}"#, "id: expected a string, found 3",
        "name: expected a string, found nothing",
        "content-type: expected application/json, found \"text/json\"",
        "etag: expected there, found nothing",
      ]
    )
    #expect(steps[1].faults == ["no answer in time"])
    let report = CompatibilityReport(app: "x", server: "y", latency: 40, steps: steps)
    #expect(!report.isPassed)
    #expect(report.summary == "2 of 3 steps fail")
    #expect(report.json["steps"]?.list?.count == 3)
    #expect(report.json["steps"]?.list?.first?["faults"]?.list?.count == 5)
    #expect(steps[2].lines.first?.hasPrefix("ok    iOS: GET /thing → 404") == true)
    #expect(!CompatibilityReport(app: "x", server: "y", latency: 0, steps: []).isPassed)
  }

  @Test("A body that is not JSON is one fault that says where.")
  func notJSON() async throws {
    let run = try run(ScriptedServer { _ in (200, "{\"a\":}") })
    await run.step("", ClientRequest(.get, "/x"), expects: "JSON") { check, answer in
      check.shape(.object([:]), of: answer)
    }
    #expect(run.steps[0].faults.count == 1)
    #expect(run.steps[0].faults[0].hasPrefix("the body is not JSON: line 1, column "))
  }

  @Test("A socket keeps messages that come before a pong, and gives the end last and again.")
  func sockets() async throws {
    let server = ScriptedServer { _ in (200, "") }
    let run = try run(server)
    let seen = try await run.withSocket(ClientRequest(.get, "/ws")) { socket in
      var seen: [ClientSocket.Event] = []
      #expect(try await socket.ping(within: .seconds(30)))
      try await socket.send("bye")
      for _ in 0..<5 { seen.append(await socket.next(within: .seconds(30))) }
      return seen
    }
    let close = ClientSocket.Event.closed(WebSocketClose(code: 1_000))
    #expect(seen == [.text("hello"), .text("between"), .text("bye"), close, close])
    #expect(server.asked.withLock { $0[0].0.scheme } == "ws")
  }

  @Test("A silent socket gives silence when the client's patience ends.")
  func silence() async throws {
    let run = try run(ScriptedServer { _ in (200, "") })
    let seen = try await run.withSocket(ClientRequest(.get, "/ws")) { socket in
      [
        await socket.next(within: .seconds(30)), await socket.next(within: .milliseconds(20)),
        await socket.next(within: .milliseconds(20)),
      ]
    }
    #expect(seen == [.text("hello"), .silence, .silence])
  }

  @Test("A stream is handed over while it comes, until the client has had enough.")
  func streams() async throws {
    let run = try run(ScriptedServer { _ in (200, "") })
    let seen = Mutex<[String]>([])
    try await run.stream(ClientRequest(.get, "/events")) { part in
      guard case .content(let bytes) = part else { return .more }
      return seen.withLock { seen in
        seen.append(String(decoding: bytes, as: UTF8.self))
        return seen.count < 2 ? .more : .enough
      }
    }
    #expect(seen.withLock { $0 } == ["a", "b"])
  }

  @Test("Every app has a name of its own.")
  func names() {
    #expect(Set(ClientScripts.all.map { $0.name }).count == ClientScripts.all.count)
    #expect(ClientScripts.names == "mesdeparts, catnip, bookstrack")
    #expect(ClientScripts.named("dutch") == nil)
  }
}
