import ConditionalHTTP
import FeedRecording
import HTTPTypes
import Synchronization
import Testing

@Suite struct FeedReplayTests {
  @Test func `Each request gets the next recorded answer, at its instant, as it was`() async throws
  {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let replay = try ReplayStand(stand.path, from: 10_000)
    #expect(await replay.ask() == .answer(200, RecordingStand.body(1), arrival: 10_000))
    #expect(
      await replay.ask(tag: "\"10\"") == .answer(200, RecordingStand.body(1), arrival: 20_000)
    )
    #expect(replay.now == 20_000)
    #expect(await replay.ask(tag: "\"20\"") == .answer(304, [], arrival: 30_000))
    #expect(await replay.ask(tag: "\"20\"") == .answer(503, Array("busy".utf8), arrival: 40_000))
    #expect(await replay.ask(tag: "\"20\"") == .failure(.timedOut))
    #expect(replay.now == 45_000)
    #expect(
      await replay.ask(tag: "\"20\"") == .answer(200, RecordingStand.body(2), arrival: 50_000)
    )
    #expect(await replay.ask(.alerts) == .answer(200, RecordingStand.body(3), arrival: 55_000))
  }

  @Test func `Fields are given as they were recorded`() async throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let replay = try ReplayStand(stand.path, from: 10_000)
    let request = FeedReplay.request(.tripUpdates, of: stand.path)
    let answer = try await replay.replay.send(request, timeout: .seconds(1))
    #expect(answer.head.headerFields[.eTag] == "\"10\"")
    #expect(answer.head.headerFields[.date] == "now")
  }

  @Test func `A recorded 304 is the content it confirmed for a poller that has none`() async throws
  {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let replay = try ReplayStand(stand.path, from: 30_000 + FeedRecording.Limits.memory)
    // The content in force at the beginning of the memory is the one that the 304 confirms.
    #expect(await replay.ask() == .answer(200, RecordingStand.body(1), arrival: 30_000))
  }

  @Test func `A recorded 304 about a content that the poller never got brings that content`()
    async throws
  {
    let stand = try RecordingStand()
    defer { stand.remove() }
    do {
      let writer = try FeedRecording.Writer(path: stand.path)
      try writer.append(RecordingStand.answer(10), body: RecordingStand.body(1))
      var slow = RecordingStand.answer(40)
      slow.duration = 20_000
      try writer.append(slow, body: RecordingStand.body(2))
      try writer.append(RecordingStand.answer(50, status: 304), body: nil)
    }
    let replay = try ReplayStand(stand.path, from: 10_000)
    #expect(await replay.ask() == .answer(200, RecordingStand.body(1), arrival: 10_000))
    #expect(await replay.ask(tag: "\"10\"") == .failure(.timedOut))
    #expect(replay.now == 28_000)
    #expect(
      await replay.ask(tag: "\"10\"") == .answer(200, RecordingStand.body(2), arrival: 50_000)
    )
  }

  @Test func `An answer is not given before the content before it was taken`() async throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let replay = try ReplayStand(stand.path, from: 60_000)
    #expect(await replay.ask(takes: false) == .answer(200, RecordingStand.body(1), arrival: 10_000))
    let isTaken = Flag()
    let second = Task {
      let reply = await replay.ask(tag: "\"10\"")
      return (reply, isTaken.value.withLock { $0 })
    }
    // The second answer is due already, and waits for nothing but this.
    for _ in 0..<50 { await Task.yield() }
    isTaken.value.withLock { $0 = true }
    replay.replay.taken(.tripUpdates)
    let (reply, wasTaken) = await second.value
    #expect(reply == .answer(200, RecordingStand.body(1), arrival: 20_000))
    #expect(wasTaken)
  }

  @Test func `After the end a request is held until it is cancelled, and the end is told once`()
    async throws
  {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let replay = try ReplayStand(stand.path, from: 60_000)
    for _ in 0..<6 { _ = await replay.ask() }
    _ = await replay.ask(.alerts)
    #expect(replay.notices.isEmpty)
    for _ in 0..<2 {
      let tasks = FeedRecording.Feed.allCases.map { feed in Task { await replay.ask(feed) } }
      while replay.notices.isEmpty { await Task.yield() }
      for task in tasks {
        task.cancel()
        #expect(await task.value == .failure(.cancelled))
      }
    }
    #expect(replay.notices == [.ended])
  }

  @Test func `Requests that are not of a replay are handed on`() async throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    try stand.fill()
    let replay = try ReplayStand(stand.path, from: 0).replay
    for request in [
      HTTPRequest(method: .get, scheme: "https", authority: "trip-updates", path: stand.path),
      FeedReplay.request(.tripUpdates, of: "/another"),
    ] {
      #expect(try await replay.send(request, timeout: .seconds(1)).head.status.code == 418)
    }
  }

  @Test func `A body that is damaged leaves its answer out, and says so`() async throws {
    let stand = try RecordingStand()
    defer { stand.remove() }
    do {
      let writer = try FeedRecording.Writer(path: stand.path)
      try writer.append(RecordingStand.answer(1), body: RecordingStand.body(5, count: 400_000))
      try writer.append(RecordingStand.answer(2), body: RecordingStand.body(6))
    }
    var bytes = try stand.bytes
    bytes[200_000] ^= 4
    try stand.put(bytes)
    let replay = try ReplayStand(stand.path, from: 1_000, isLenient: true)
    #expect(await replay.ask() == .answer(200, RecordingStand.body(6), arrival: 2_000))
    guard case .damaged(let failure) = try #require(replay.notices.first) else {
      Issue.record("the damage was not told")
      return
    }
    #expect(failure.code == .damaged)
  }
}

/// Something that has happened, or not yet.
private final class Flag: Sendable {
  let value = Mutex(false)
}
