import ConditionalHTTP
import Foundation
import GTFS
import HTTPTypes
import Serving
import Synchronization
import Testing

@testable import StationboardServer

/// How often the sources of timetables are asked, whatever else happens at the same time.
@Suite struct StaticCheckTests {
  private let folder = DataFolder(path: NSTemporaryDirectory() + "freshet-\(UUID().uuidString)")
  private let clock = ServiceClock(startingAt: 1_795_000_000)
  private let publisher = FilePublisher()

  private func source(_ number: Int) -> StaticSource {
    StaticSource(
      prefix: "p\(number)",
      request: HTTPRequest(
        method: .get,
        scheme: "https",
        authority: "example.org",
        path: "/\(number).zip"
      )
    )
  }

  /// Checks a source, and returns what became of it, or `nil` if a request is in flight or not due.
  private func check(_ number: Int) async throws(FeedError) -> StaticSchedule.Outcome? {
    let check = StaticCheck(
      folder: folder,
      source: source(number),
      exchange: publisher,
      clock: clock
    )
    do throws(FeedError) {
      return try await check.run(isForced: false, random: (0.5, 0.5))?.outcome
    } catch {
      guard error.code == .busy else { throw error }
      return nil
    }
  }

  @Test func `sources that are due together are each asked once, by however many checks`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let numbers = 0..<5
    // All of them wait for one import to end.
    var lock: FileLock? = try folder.lockForImport()
    async let outcomes = withThrowingTaskGroup(of: StaticSchedule.Outcome?.self) { group in
      for _ in 0..<4 { for number in numbers { group.addTask { try await check(number) } } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    await publisher.wait(for: numbers.count)
    withExtendedLifetime(lock) {}
    lock = nil
    // What the publisher has is not a timetable, so that each is handled, and none serves.
    #expect(try await outcomes.compactMap(\.self) == numbers.map { _ in .refused })
    for number in numbers { #expect(try await check(number) == nil) }
    #expect(
      publisher.requests
        == Dictionary(uniqueKeysWithValues: numbers.map { ("/\($0).zip", 1) })
    )
  }
}

/// Publishes a file at every path, and counts how often each is asked for.
private final class FilePublisher: HTTPStreaming {
  private struct State {
    var requests: [String: Int] = [:]
    var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())

  var requests: [String: Int] { state.withLock { $0.requests } }

  /// Waits until so many files have been asked for.
  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.requests.count < count { state.waiting = (count, continuation) }
        return state.requests.count >= count
      }
      if isOver { continuation.resume() }
    }
  }

  func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: nonisolated(nonsending) @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError) {
    let waiting = state.withLock { state in
      state.requests[request.path ?? "", default: 0] += 1
      guard let waiting = state.waiting, state.requests.count >= waiting.count else {
        return nil as CheckedContinuation<Void, Never>?
      }
      state.waiting = nil
      return waiting.continuation
    }
    waiting?.resume()
    let content = Array("no timetable".utf8)
    let fields: HTTPFields = [.contentLength: "\(content.count)", .eTag: "\"a\""]
    guard await receive(.head(HTTPResponse(status: .ok, headerFields: fields))) == .more else {
      return
    }
    _ = await receive(.content(content))
  }
}
