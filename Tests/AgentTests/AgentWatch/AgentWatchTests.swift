import AgentSimulation
import AgentWatch
import Agents
import Foundation
import Synchronization
import Testing
import Workspaces

/// What a watch has told.
private actor Told {
  private(set) var readings: [AgentReading] = []
  private(set) var isOver = false

  func add(_ reading: AgentReading) { readings.append(reading) }

  func end() { isOver = true }

  var state: AgentActivity.State? { readings.last?.activity.state }
}

/// The whole driver with a real clock, real files and a real process.
@Suite(.timeLimit(.minutes(3)))
struct AgentWatchTests {
  /// Waits for a state to be reported.
  private func wait(for state: AgentActivity.State, _ told: Told) async throws -> AgentReading {
    while await told.state != state { try await Task.sleep(for: .milliseconds(10)) }
    return try #require(await told.readings.last)
  }

  @Test func `states come as they change, only what differs, and end with the stream`() async throws
  {
    let folder = try TemporaryFolder()
    let agent = try WaitingProcess("claude", in: folder)
    var claude = ClaudeWriter(.claude20, directory: folder.path, seed: 1)
    let watch = AgentWatch(AgentFolders(claude: folder.path + "/home", codex: nil, neutral: nil))
    let readings = watch.readings()
    let told = Told()
    let listener = Task {
      for await (_, reading) in readings { await told.add(reading) }
      await told.end()
    }
    await watch.follow([folder.path])
    let first = try await wait(for: .idle, told)
    #expect(first.activity.agents.first?.pid == Int(agent.number))

    func write(_ lines: [[UInt8]]) throws {
      try folder.append("home/" + claude.path, Array(lines.joined()))
    }
    try write(claude.prompt("Go", at: AgentWatch.systemClock()))
    #expect(try await wait(for: .working, told).latestPrompt == "Go")

    let end = claude.finish("Done.", at: AgentWatch.systemClock())
    try write([Array(end[0].dropLast(1))])
    try write([[UInt8(ascii: "\n")]])
    _ = try await wait(for: .doneUnseen, told)

    await watch.markSeen(folder.path)
    _ = try await wait(for: .idle, told)

    try write(claude.prompt("Again", at: AgentWatch.systemClock()))
    _ = try await wait(for: .working, told)
    agent.kill()
    let ended = try await wait(for: .ended, told)
    #expect(ended.activity.reason == "its process ended in the middle of a turn")

    let all = await told.readings
    for (one, next) in zip(all, all.dropFirst()) { #expect(one != next) }
    listener.cancel()
    await listener.value
    #expect(await told.isOver)
  }

  @Test func `what was looked at in another life stays seen, and each mark is remembered`()
    async throws
  {
    let folder = try TemporaryFolder()
    let agent = try WaitingProcess("claude", in: folder)
    defer { agent.kill() }
    var claude = ClaudeWriter(.claude20, directory: folder.path, seed: 1)
    let start = AgentWatch.systemClock()
    let lines = claude.prompt("Go", at: start) + claude.finish("Done.", at: start)
    try folder.append("home/" + claude.path, Array(lines.joined()))
    let later = WallTime(milliseconds: AgentWatch.systemClock().milliseconds + 1)
    let ahead = WallTime(milliseconds: later.milliseconds + 86_400_000)
    // A receipt that is ahead of the clock does not count.
    for (mark, state) in [
      (later, AgentActivity.State.idle), (ahead, .doneUnseen), (nil, .doneUnseen),
    ] {
      while AgentWatch.systemClock().milliseconds < later.milliseconds {
        try await Task.sleep(for: .milliseconds(1))
      }
      let kept = Mutex<NameTable<WallTime>>([:])
      let watch = AgentWatch(
        AgentFolders(claude: folder.path + "/home", codex: nil, neutral: nil),
        seenAt: mark.map { [folder.path: $0] } ?? [:]
      ) { seenAt in kept.withLock { $0 = seenAt } }
      let readings = watch.readings()
      let told = Told()
      let listener = Task { for await (_, reading) in readings { await told.add(reading) } }
      await watch.follow([folder.path])
      _ = try await wait(for: state, told)
      #expect(await !told.readings.contains { $0.activity.state != state })
      #expect(kept.withLock { $0.isEmpty })
      if mark == nil {
        await watch.markSeen(folder.path)
        _ = try await wait(for: .idle, told)
        #expect(kept.withLock { $0.keys } == [folder.path])
      }
      listener.cancel()
      await listener.value
    }
  }

  @Test func `of many marks the latest are kept`() {
    let most = AgentWatchLimits.mostReceipts
    let few: NameTable = ["a": WallTime(milliseconds: 1)]
    #expect(AgentWatch.latest(few) == few)
    let many = NameTable(
      (0..<most + 5).map { ("\($0)", WallTime(milliseconds: Int64($0))) }
    )
    let kept = AgentWatch.latest(many)
    #expect(kept.count == most)
    #expect(kept["4"] == nil)
    #expect(kept["5"] != nil)
  }

  @Test func `readings are told to one listener`() async {
    let watch = AgentWatch(AgentFolders(claude: nil, codex: nil, neutral: nil))
    let first = watch.readings()
    for await _ in watch.readings() { Issue.record("there is a listener already") }
    await watch.follow(["/nowhere"])
    for await (path, reading) in first {
      #expect(path == "/nowhere")
      #expect(reading == AgentReading())
      break
    }
  }
}
