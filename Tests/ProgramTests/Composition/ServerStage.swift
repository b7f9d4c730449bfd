import ArgumentParser
import ConditionalHTTP
import Foundation
import HTTPTypes
import NIOTransport
import SampleNetwork
import ServiceLifecycle
import StationboardServer
import StrictJSON
import Synchronization
import Testing

@testable import freshet

/// `freshet serve` in this process: its command line, its composition, and a port of its own.
struct ServerStage {
  /// A folder that is gone after the test.
  final class Folder: Sendable {
    let path: String

    init() throws {
      path = NSTemporaryDirectory() + "freshet-composition-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  let folder: Folder
  let outside = SourcesOutside()

  init() throws { folder = try Folder() }

  /// Imports a small network into the data folder of the server.
  func importNetwork() throws {
    let day = try #require(SampleDay("2026-11-24"))
    let files = folder.path + "/feed"
    _ = try SampleNetwork(options: .init(stops: 40, stopTimes: 2_000, day: day))
      .write(to: files) { _, _ in }
    _ = try FeedImporter(folder: DataFolder(path: data)).run(
      source: files,
      prefix: nil,
      aliases: nil,
      now: 1_795_000_000,
      progress: { _ in }
    )
  }

  var data: String { folder.path + "/data" }

  /// Starts a server with options, lets a test ask it, and ends it.
  ///
  /// - Parameters:
  ///   - options: The options of `freshet serve`, besides port and data folder.
  ///   - file: The text of the configuration file, if any.
  ///   - work: Asks the server.
  /// - Throws: What is wrong with the settings, or why the server cannot listen.
  func run(
    _ options: [String],
    file: String? = nil,
    _ work: @escaping @Sendable (ServerProbe) async throws -> Void
  ) async throws {
    var arguments = ["--port", "0", "--data", data] + options
    if let file {
      let path = folder.path + "/freshet.json"
      try file.write(toFile: path, atomically: true, encoding: .utf8)
      arguments += ["--config", path]
    }
    let command = try ServeCommand.parse(arguments)
    let ended = Mutex(0)
    let composition = try await ServerComposition(
      command,
      try command.config.map { try ConfigurationFile(path: $0) },
      ServerEdges(
        exchange: outside,
        signals: [],
        endProcess: { ended.withLock { $0 += 1 } }
      )
    )
    let (ports, opened) = AsyncStream.makeStream(of: Int.self)
    let group = ServiceGroup(
      services: [Whole(composition: composition, opened: opened)],
      logger: composition.server.logger
    )
    let transport = try NIOExchange()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        defer { opened.finish() }
        try await group.run()
      }
      for await port in ports {
        let probe = ServerProbe(
          port: port,
          server: try HTTPAddress("http://127.0.0.1:\(port)"),
          transport: transport,
          stop: { await group.triggerGracefulShutdown() }
        )
        do { try await work(probe) } catch { Issue.record(error) }
        await group.triggerGracefulShutdown()
      }
      try await tasks.waitForAll()
    }
    await transport.shutdown()
    // The server ended by itself, not because its time was up.
    #expect(ended.withLock { $0 } == 0)
  }
}

/// The composition as a service, so that tests can end it.
private struct Whole: Service {
  let composition: ServerComposition
  let opened: AsyncStream<Int>.Continuation

  func run() async throws { try await composition.run { [opened] in opened.yield($0) } }
}

/// Asks a running server.
struct ServerProbe: Sendable {
  let port: Int
  let server: HTTPAddress
  let transport: NIOExchange
  /// Begins the end of the server.
  let stop: @Sendable () async -> Void

  func get(_ path: String, _ fields: HTTPFields = [:]) async throws -> HTTPExchangeAnswer {
    let (path, query) = Self.parts(path)
    let request = server.request(path, query: query, fields: fields)
    return try await transport.send(request, timeout: .seconds(60))
  }

  func json(_ path: String, status: Int = 200) async throws -> JSONValue {
    let answer = try await get(path)
    #expect(answer.head.status.code == status, "\(path)")
    return try JSONReader.value(of: answer.body, rules: .lenient)
  }

  private static func parts(_ path: String) -> (String, [(String, String?)]) {
    let parts = path.split(separator: "?", maxSplits: 1)
    let query = parts.dropFirst().joined().split(separator: "&").map { pair in
      let sides = pair.split(separator: "=", maxSplits: 1)
      return (String(sides[0]), sides.count > 1 ? String(sides[1]) : nil)
    }
    return (String(parts[0]), query)
  }
}

/// What the server asks other servers, in place of the network: an empty feed of realtime at every address.
final class SourcesOutside: HTTPExchange, HTTPSending, HTTPStreaming {
  /// The addresses as they are asked for.
  let asked: AsyncStream<String>
  private let note: AsyncStream<String>.Continuation

  init() { (asked, note) = AsyncStream.makeStream(of: String.self) }

  /// A message with a header alone: version 2.0, and the time of 2026-11-24T08:00:00Z.
  private static let feed: [UInt8] = [
    0x0A, 0x0D, 0x0A, 0x03, 0x32, 0x2E, 0x30, 0x10, 0x00, 0x18, 0x80, 0x88, 0x95, 0xD8, 0x06,
  ]

  private func answer(_ request: HTTPRequest) -> HTTPExchangeAnswer {
    note.yield("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
    var head = HTTPResponse(status: .ok)
    head.headerFields[.contentType] = "application/x-protobuf"
    return HTTPExchangeAnswer(head: head, body: Self.feed)
  }

  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer { answer(request) }

  func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer { answer(request) }

  func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: nonisolated(nonsending) @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError) {
    let answer = answer(request)
    if await receive(.head(answer.head)) == .more { _ = await receive(.content(answer.body)) }
  }
}
