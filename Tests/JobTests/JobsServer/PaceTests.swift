import Jobs
import NIOCore
import Serving
import Synchronization
import Testing

@testable import JobsServer

@Suite struct `The pace of an upload` {
  private let start = ContinuousClock.now
  private var limits: JobLimits {
    var limits = JobLimits()
    limits.uploadBytesPerSecond = 1_000
    limits.uploadSlackSeconds = 30
    limits.uploadSeconds = 300
    return limits
  }

  /// Sends so many bytes every so many seconds; when it was ended, in seconds.
  private func ended(_ bytes: Int, every seconds: Double, after first: Int = 0) -> Double? {
    var pace = UploadPace(limits, now: start)
    if first > 0, !pace.record(first, now: start) { return 0 }
    for step in 1..<1_000 {
      let instant = Double(step) * seconds
      if instant >= 299 { return nil }
      if !pace.record(bytes, now: start + .seconds(instant)) { return instant }
    }
    return nil
  }

  @Test func `a slow one that keeps the least rate passes, in whatever pieces`() {
    #expect(ended(1_000, every: 1) == nil)
    #expect(ended(20_000, every: 20) == nil)
    #expect(ended(10, every: 0.01) == nil)
  }

  @Test func `one that dribbles ends when its slack is used up`() throws {
    #expect(try #require(ended(1, every: 1)) == 31)
    #expect(try #require(ended(500, every: 1)) <= 62)
  }

  @Test func `what was sent at once buys no more than the slack`() throws {
    #expect(try #require(ended(1, every: 1, after: 10_000_000)) == 31)
  }

  @Test func `a pause is made up for`() {
    var pace = UploadPace(limits, now: start)
    // Nearly all slack is used up; what comes then gives it back, and the next pause may be as long.
    let instants = [(25, 1_000), (30, 20_000), (50, 1), (60, 1)]
    let inTime = instants.map { instant, bytes in
      pace.record(bytes, now: start + .seconds(instant))
    }
    #expect(inTime == [true, true, true, false])
  }

  @Test func `the longest time ends every one`() {
    var pace = UploadPace(limits, now: start)
    let inTime = (1...301).map { second in pace.record(100_000, now: start + .seconds(second)) }
    #expect(inTime == Array(repeating: true, count: 300) + [false])
  }
}

@Suite struct `Who listens` {
  @Test func `a listener that is let go leaves its place to another one`() throws {
    var limits = JobLimits()
    limits.listenersOfJob = 2
    limits.listeners = 3
    let limiter = LongPollLimiter(most: limits.listeners)
    let broadcaster = JobEventBroadcaster(limits: limits, limiter: limiter)
    for _ in 0..<10 {
      let first = try #require(broadcaster.listen(to: "a"))
      let second = try #require(broadcaster.listen(to: "a"))
      #expect(broadcaster.listen(to: "a") == nil)
      let third = try #require(broadcaster.listen(to: "b"))
      #expect(broadcaster.listen(to: "c") == nil)
      #expect(limiter.waiting == 3)
      withExtendedLifetime((first, second, third)) {}
    }
    #expect(limiter.waiting == 0)
    let event = JobEvent(
      position: EventPosition(epoch: 1, seq: 1),
      at: 0,
      body: .started(phases: [], total: nil)
    )
    broadcaster.publish(event, of: "a")
    let late = try #require(broadcaster.listen(to: "a"))
    broadcaster.publish(event, of: "a")
    #expect(late.next()?.event == event)
    #expect(late.next() == nil)
  }
}

@Suite struct `Messages that many get` {
  @Test func `one is made once for all who ask at the same time`() async throws {
    let recent = RecentMessages(most: 4)
    let made = Made()
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 {
        group.addTask {
          let buffer = try await recent.message("job", 1, .v1) {
            try await Task.sleep(for: .milliseconds(20))
            made.count.withLock { $0 += 1 }
            return ByteBuffer(string: "message")
          }
          return String(buffer: buffer)
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(texts == ["message"])
    #expect(made.count.withLock { $0 } == 1)
  }

  @Test func `jobs, numbers and versions are told apart, and old ones are made again`() async throws
  {
    let recent = RecentMessages(most: 2)
    func ask(
      _ job: String,
      _ seq: Int64,
      _ version: WireVersion,
      _ text: String
    ) async throws -> String {
      String(buffer: try await recent.message(job, seq, version) { ByteBuffer(string: text) })
    }
    #expect(try await ask("a", 1, .v1, "first") == "first")
    #expect(try await ask("a", 1, .v2, "second") == "second")
    #expect(try await ask("a", 1, .v1, "other") == "first")
    #expect(try await ask("b", 1, .v1, "third") == "third")
    #expect(try await ask("a", 1, .v1, "again") == "again")
  }

  @Test func `one that cannot be made is tried again`() async throws {
    struct Broken: Error {}
    let recent = RecentMessages(most: 2)
    await #expect(throws: Broken.self) {
      _ = try await recent.message("a", 1, .v1) { throw Broken() }
    }
    let buffer = try await recent.message("a", 1, .v1) { ByteBuffer(string: "now") }
    #expect(String(buffer: buffer) == "now")
  }
}

/// How many messages were made.
private final class Made: Sendable {
  let count = Mutex(0)
}
