import ConditionalHTTP
import HTTPTypes
import NIOTransport
import Testing
import URLSessionTransport

/// The transports under test.
enum Transport: CaseIterable, CustomTestStringConvertible {
  case nio
  case urlSession

  var testDescription: String {
    switch self {
    case .nio: "NIOExchange"
    case .urlSession: "URLSessionExchange"
    }
  }

  /// Lends a transport of this kind.
  func lend<Value: Sendable>(
    _ work: @Sendable (any HTTPExchange & HTTPStreaming) async throws -> Value
  ) async throws -> Value {
    switch self {
    case .urlSession:
      return try await work(URLSessionExchange())
    case .nio:
      let exchange = try NIOExchange()
      let result: Result<Value, any Error>
      do { result = .success(try await work(exchange)) } catch { result = .failure(error) }
      await exchange.shutdown()
      return try result.get()
    }
  }

  /// Sends one request, whatever its authority, to a server that does what a test says.
  func ask(
    _ request: HTTPRequest = .get(""),
    timeout: Duration = .seconds(30),
    host: String = "127.0.0.1",
    serve: @escaping @Sendable (LoopbackConnection) async throws -> Void
  ) async throws -> HTTPExchangeAnswer {
    try await LoopbackServer.run(host: host, serve: serve) { server in
      var request = request
      request.authority = server.authority
      let asked = request
      return try await lend { try await $0.send(asked, timeout: timeout) }
    }
  }

  /// The error of such a request.
  func failure(
    _ request: HTTPRequest = .get(""),
    timeout: Duration = .seconds(30),
    serve: @escaping @Sendable (LoopbackConnection) async throws -> Void
  ) async throws -> HTTPExchangeError? {
    await #expect(throws: HTTPExchangeError.self) {
      _ = try await ask(request, timeout: timeout, serve: serve)
    }
  }
}

extension HTTPRequest {
  /// A GET.
  static func get(_ authority: String, _ path: String = "/", fields: HTTPFields = [:]) -> Self {
    HTTPRequest(
      method: .get,
      scheme: "http",
      authority: authority,
      path: path,
      headerFields: fields
    )
  }
}

extension HTTPField {
  /// The bytes of the value.
  var bytes: [UInt8] { withUnsafeBytesOfValue { Array($0) } }
}
