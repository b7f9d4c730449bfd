import ConditionalHTTP
import EventFeed
import FreshResponses
import HTTPTypes
import Hummingbird
import Synchronization
import Testing

@testable import FreshnessServer

/// A log of numbers whose messages are numbers.
private struct NumberStream: StreamSource {
  typealias Message = Int64

  /// What all clients of the log share.
  final class Log: Sendable {
    let newest = Mutex<Int64>(0)
    let last: Int64
    let updates = UpdateBroadcaster()

    /// - Parameter last: The number of the final state.
    init(last: Int64 = .max) { self.last = last }

    func append(_ count: Int64 = 1) {
      newest.withLock { $0 += count }
      updates.send()
    }
  }

  let log: Log
  /// From which number on the log is gone.
  var goneAt = Int64.max
  /// The numbers of changes that the client does not see.
  var hidden: Set<Int64> = []
  var hasChanges: Bool { true }
  var hasReplicas: Bool { false }

  private func state(_ number: Int64) -> RepresentationState {
    var state = RepresentationState(version: EventNumber(number, epoch: "e"), changedAt: number)
    state.isFinal = number == log.last
    return state
  }

  mutating func state() async throws -> RepresentationState? {
    let newest = log.newest.withLock { $0 }
    guard newest < goneAt else { throw StreamResourceGone() }
    return newest > 0 ? state(newest) : nil
  }

  func updates() -> AsyncStream<Void> { log.updates.updates() }

  mutating func snapshot(afterReset isReset: Bool) async throws -> StreamPart<Int64>? {
    let newest = log.newest.withLock { $0 }
    return StreamPart([-newest], state(newest))
  }

  /// One change, and whether there are more.
  mutating func changes(since id: String) async throws -> StreamPart<Int64>? {
    guard let since = EventNumber(id: id)?.number else { return nil }
    let newest = log.newest.withLock { $0 }
    let messages = hidden.contains(since + 1) ? [] : [since + 1]
    return StreamPart(messages, state(since + 1), hasMore: since + 1 < newest)
  }

  mutating func heartbeat() async throws -> Int64? { nil }
}

/// A count from one to three.
private final class Countdown: ServedResource {
  let number = Mutex<Int64>(1)
  let broadcaster = UpdateBroadcaster()

  func next() {
    number.withLock { $0 = min($0 + 1, 3) }
    broadcaster.send()
  }

  func state() async throws -> RepresentationState? {
    let number = number.withLock { $0 }
    var state = RepresentationState(version: EventNumber(number, epoch: "e"))
    state.isFinal = number == 3
    return state
  }

  func representation() async throws -> Representation? {
    try await state().map { Representation(state: $0, body: Array("\($0.id)".utf8)) }
  }

  func updates() -> AsyncStream<Void> { broadcaster.updates() }
}

@Suite struct `A resource with an end` {
  @Test(.timeLimit(.minutes(1)))
  func `has a stream that ends with it, and nothing for who has that`() async throws {
    let countdown = Countdown()
    try await Stage.run(Stage.router { $0.serve(countdown, at: "countdown") }) { stage in
      let seen = Mutex<[String]>([])
      _ = try await stage.follow("/countdown/events") { item in
        guard case .event(let event) = item else { return false }
        seen.withLock { $0.append(event.data) }
        countdown.next()
        return false
      }
      #expect(seen.withLock { $0 } == ["e-1", "e-2", "e-3"], "the server ends the stream")
      let over = try await stage.send("/countdown/events", [.lastEventID: "e-3"])
      #expect(over.head.status == .noContent)
    }
  }
}

@Suite struct `A driven stream` {
  private let serving = ResourceServing(observesShutdown: false)

  @Test(.timeLimit(.minutes(1)))
  func `sends part after part, and ends with the final state`() async throws {
    let log = NumberStream.Log(last: 7)
    log.append(3)
    var sent: [Int64] = []
    var times: [Int64?] = []
    let ending = try await StreamDriver(NumberStream(log: log), serving: serving)
      .follow(from: "") { messages, state in
        sent += messages
        times.append(state?.changedAt)
        if messages == [-3] { log.append(2) }
        if messages == [5] { log.append(2) }
      }
    #expect(ending == .finished)
    #expect(sent == [-3, 4, 5, 6, 7], "a change without a wake is sent behind the one before")
    #expect(times == [nil, 4, 5, 6, 7], "the first messages are not news")
  }

  @Test(.timeLimit(.minutes(1)))
  func `goes on behind changes that the client does not see`() async throws {
    let log = NumberStream.Log(last: 5)
    log.append(4)
    var sent: [Int64] = []
    let ending = try await StreamDriver(NumberStream(log: log, hidden: [2, 5]), serving: serving)
      .follow(from: "e-1") { messages, _ in
        sent += messages
        if messages == [4] { log.append() }
      }
    #expect(ending == .finished)
    #expect(sent == [3, 4])
  }

  @Test(.timeLimit(.minutes(1)))
  func `ends at once for a client that has the final state`() async throws {
    let log = NumberStream.Log(last: 2)
    log.append(2)
    var sent: [Int64] = []
    let ending = try await StreamDriver(NumberStream(log: log), serving: serving)
      .follow(from: "e-2") { messages, _ in sent += messages }
    #expect(ending == .finished)
    #expect(sent.isEmpty)
  }

  @Test(.timeLimit(.minutes(1)))
  func `ends when the resource is gone, and when the server shuts down`() async throws {
    let log = NumberStream.Log()
    log.append()
    var sent: [Int64] = []
    let gone = try await StreamDriver(NumberStream(log: log, goneAt: 3), serving: serving)
      .follow(from: "e-0") { messages, _ in
        sent += messages
        log.append()
      }
    #expect(gone == .gone)
    #expect(sent == [1, 2])
    let closed = try await StreamDriver(NumberStream(log: log), serving: serving)
      .follow(from: "e-2") { messages, _ in
        sent += messages
        serving.close()
      }
    #expect(closed == .closed)
    #expect(sent == [1, 2, 3])
    #expect(serving.isClosed)
  }
}
