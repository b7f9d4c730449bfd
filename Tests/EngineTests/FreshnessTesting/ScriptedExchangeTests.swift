import ConditionalHTTP
import FreshnessTesting
import HTTPTypes
import Testing

@Suite("The scripted transport", .timeLimit(.minutes(10)))
struct ScriptedExchangeTests {
  private static func request(_ path: String = "/board") -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: path)
  }

  private static func answer(_ status: HTTPResponse.Status, _ text: String) -> HTTPExchangeAnswer {
    HTTPExchangeAnswer(head: HTTPResponse(status: status), body: Array(text.utf8))
  }

  @Test
  func `replies come in order, and every request is kept`() async throws {
    let exchange = ScriptedExchange([
      .answer(Self.answer(.ok, "one")), .failure(HTTPExchangeError(.timedOut, "too slow")),
    ])
    exchange.add(.answer(Self.answer(.notModified, "")))
    let first = try await exchange.send(Self.request("/1"), timeout: .seconds(12))
    #expect(first.head.status == .ok && first.body == Array("one".utf8))
    await #expect(throws: HTTPExchangeError(.timedOut, "too slow")) {
      try await exchange.send(Self.request("/2"), timeout: .seconds(3))
    }
    let third = try await exchange.send(Self.request("/3"), timeout: .seconds(12))
    #expect(third.head.status == .notModified)
    #expect(exchange.sent.map(\.request.path) == ["/1", "/2", "/3"])
    #expect(exchange.sent.map(\.timeout) == [.seconds(12), .seconds(3), .seconds(12)])
    #expect(exchange.sent.map(\.number) == [1, 2, 3])
  }

  @Test
  func `a script that has ended says so`() async {
    let exchange = ScriptedExchange()
    let text = "the script has no reply left for request 1, GET /board"
    await #expect(throws: HTTPExchangeError(.unreachable, text)) {
      try await exchange.send(Self.request(), timeout: .seconds(1))
    }
  }

  @Test
  func `a reply may be worked out from the request`() async throws {
    let exchange = ScriptedExchange { sent in
      .answer(Self.answer(.ok, "\(sent.number) \(sent.request.path ?? "")"))
    }
    exchange.add(.answer(Self.answer(.ok, "from the script")))
    for expected in ["from the script", "2 /board", "3 /board"] {
      let answer = try await exchange.send(Self.request(), timeout: .seconds(1))
      #expect(String(decoding: answer.body, as: UTF8.self) == expected)
    }
  }

  @Test
  func `a request can be held and settled by hand, in any order`() async throws {
    let exchange = ScriptedExchange { _ in .held }
    let first = Task { try await exchange.send(Self.request(), timeout: .seconds(1)) }
    try await exchange.waitForRequests(atLeast: 1)
    let second = Task { try await exchange.send(Self.request(), timeout: .seconds(1)) }
    try await exchange.waitForRequests(atLeast: 2)
    #expect(exchange.held == [1, 2])
    #expect(exchange.finish(2, with: .answer(Self.answer(.ok, "second"))))
    #expect(try await second.value.body == Array("second".utf8))
    #expect(exchange.held == [1])
    #expect(exchange.finish(1, with: .held))
    #expect(exchange.finish(1, with: .failure(HTTPExchangeError(.unreachable, "cut"))))
    await #expect(throws: HTTPExchangeError(.unreachable, "cut")) { try await first.value }
    #expect(!exchange.finish(1, with: .answer(Self.answer(.ok, "late"))))
    #expect(!exchange.finish(3, with: .held))
  }

  @Test
  func `a request can be settled before it has begun to wait`() async throws {
    for _ in 1...200 {
      let exchange = ScriptedExchange([.held])
      let task = Task { try await exchange.send(Self.request(), timeout: .seconds(1)) }
      try await exchange.waitForRequests(atLeast: 1)
      #expect(exchange.finish(1, with: .answer(Self.answer(.ok, "early"))))
      #expect(try await task.value.body == Array("early".utf8))
    }
  }

  @Test
  func `a held request that is cancelled ends at once`() async throws {
    let exchange = ScriptedExchange([.held])
    let task = Task { try await exchange.send(Self.request(), timeout: .seconds(1)) }
    try await exchange.waitForRequests(atLeast: 1)
    task.cancel()
    await #expect(throws: HTTPExchangeError(.cancelled, "request 1 was cancelled")) {
      try await task.value
    }
    #expect(exchange.held.isEmpty && !exchange.finish(1, with: .held))
  }

  @Test
  func `a task that was cancelled before gets no answer`() async {
    let exchange = ScriptedExchange([.answer(Self.answer(.ok, "one"))])
    let latch = Latch()
    let task = Task {
      await latch.wait()
      return try await exchange.send(Self.request(), timeout: .seconds(1))
    }
    task.cancel()
    await latch.open()
    await #expect(throws: HTTPExchangeError(.cancelled, "request 1 was cancelled")) {
      try await task.value
    }
  }

  @Test
  func `waiting for requests can be cancelled`() async {
    let exchange = ScriptedExchange()
    let task = Task { try await exchange.waitForRequests(atLeast: 1) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
