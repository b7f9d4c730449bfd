import AgentSimulation
import Agents
import Testing
import Workspaces

struct ScheduleTests {
  private func stage(_ directory: String, _ worktrees: String...) -> AgentRegistry {
    var agentRegistry = AgentRegistry(worktrees: worktrees)
    var claude = ClaudeWriter(.claude20, directory: directory, seed: 1)
    let findings = claude.prompt("Go", at: second(1)).map { LogTail.Finding.line($0) }
    agentRegistry.handle(findings, from: "a", .claude, writtenAt: second(1))
    return agentRegistry
  }

  private func places(_ agentRegistry: AgentRegistry) -> [String] {
    var agentRegistry = agentRegistry
    return agentRegistry.readings(at: second(2)).filter { $0.value.latestPrompt != nil }.map(\.key)
  }

  @Test func `a session belongs to the innermost worktree, and never to a namesake's`() {
    #expect(places(stage("/w/a/sub/deep", "/w/a", "/w")) == ["/w/a"])
    #expect(places(stage("/w/ab", "/w/a")) == [])
    #expect(places(stage("/w/a", "/w/a/")) == ["/w/a"])
    #expect(places(stage("/x", "/w")) == [])
  }

  @Test func `an agent that goes elsewhere stays where it began, or goes to the other worktree`() {
    var agentRegistry = stage("/w/a", "/w/a", "/w/b")
    func go(_ directory: String) {
      let line = "{\"type\":\"mode\",\"cwd\":\"\(directory)\"}"
      agentRegistry.handle([.line(Array(line.utf8))], from: "a", .claude, writtenAt: nil)
    }
    go("/tmp")
    #expect(places(agentRegistry) == ["/w/a"])
    go("/w/b/sub")
    #expect(places(agentRegistry) == ["/w/b"])
  }

  @Test func `folders whose names are written with other bytes are two`() {
    let (composed, decomposed) = ("/w/caf\u{E9}", "/w/cafe\u{301}")
    #expect(composed == decomposed)
    for path in [composed, decomposed] {
      let found = places(stage(path, composed, decomposed))
      #expect(found.map { Array($0.utf8) } == [Array(path.utf8)])
    }
    #expect(places(stage(composed, decomposed)) == [])
    // A mark behind a slash belongs to the name behind it.
    #expect(places(stage("/w/\u{301}a", "/w")) == ["/w"])
    var agentRegistry = RegistryStage(composed, decomposed)
    agentRegistry.start(7, in: decomposed, at: second(0))
    agentRegistry.scan(at: second(1))
    #expect(agentRegistry.activity(composed, at: second(1)).agents.isEmpty)
    #expect(agentRegistry.activity(decomposed, at: second(1)).agents.map(\.pid) == [7])
  }

  @Test func `a process without a log is an agent that was asked nothing`() {
    var stage = RegistryStage("/w")
    stage.start(7, in: "/w/sub", at: second(0))
    stage.start(8, in: "/w/sub", at: second(0), parent: 7)
    stage.start(9, .other("aider"), in: "/w", at: second(0))
    stage.scan(at: second(1))
    let agents = stage.activity("/w", at: second(1)).agents
    #expect(
      agents.map(\.agent) == ["aider", "claude-code"],
      "what an agent starts is a part of it"
    )
    #expect(agents.map(\.state) == [.unknown, .idle])
  }

  @Test func `a session is not alive because a process started after it`() {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    stage.write(claude.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.start(7, in: "/w", at: second(60))
    stage.scan(at: second(61))
    #expect(stage.activity("/w", at: second(62)).agents.map(\.state) == [.idle, .ended])
  }

  @Test func `of two agents in one directory each keeps its process, also after a restart`() {
    func stage() -> RegistryStage {
      var stage = RegistryStage("/w")
      var first = ClaudeWriter(.claude20, directory: "/w", seed: 1)
      var next = ClaudeWriter(.claude20, directory: "/w", seed: 2)
      stage.start(7, in: "/w", at: second(0))
      stage.start(8, in: "/w", at: second(100))
      stage.write(first.prompt("Go", at: second(10)), to: "a", at: second(10))
      stage.write(next.prompt("Go", at: second(110)), to: "b", at: second(110))
      // The first one writes last.
      stage.write(first.remark("I look.", at: second(120)), to: "a", at: second(120))
      stage.scan(at: second(121))
      return stage
    }
    for (killed, session) in [(7, "a"), (8, "b")] as [(Int32, String)] {
      var stage = stage()
      let id = stage.agentRegistry.session(of: session)?.id
      stage.end(killed)
      stage.scan(at: second(122))
      let ended = stage.activity("/w", at: second(122)).agents.filter { $0.state == .ended }
      #expect(ended.map(\.sessionId) == [id])
    }
  }

  @Test func `another session in the same process takes it over from the one before`() {
    var stage = RegistryStage("/w")
    var first = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    var next = ClaudeWriter(.claude20, directory: "/w", seed: 2)
    stage.start(7, in: "/w", at: second(0))
    stage.write(first.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.write(first.finish("Done.", at: second(2)), to: "a", at: second(2))
    stage.scan(at: second(3))
    stage.write(next.prompt("Go", at: second(10)), to: "b", at: second(10))
    let agents = stage.activity("/w", at: second(11)).agents
    #expect(agents.map(\.state) == [.working, .ended], "who begins another one has seen the first")
    #expect(agents.map(\.pid) == [7, nil])
  }

  @Test func `a second log does not take the process of an agent that works or waits`() {
    let ask: [(inout ClaudeWriter) -> [[UInt8]]] = [
      { $0.call(.run("make"), id: "t", at: second(2)) },
      { $0.question("Which?", id: "t", at: second(2)) },
      { $0.thought("Hm", at: second(2)) },
    ]
    for (number, ask) in ask.enumerated() {
      for isLate in [false, true] {
        var stage = RegistryStage("/w")
        var first = ClaudeWriter(.claude20, directory: "/w", seed: 1)
        var other = ClaudeWriter(.claude20, directory: "/w", seed: 2)
        stage.start(7, in: "/w", at: second(0))
        stage.write(first.prompt("Go", at: second(1)), to: "a", at: second(1))
        stage.write(ask(&first), to: "a", at: second(2))
        if !isLate { stage.scan(at: second(3)) }
        stage.write(other.prompt("Say hi", at: second(10)), to: "b", at: second(10))
        stage.write(other.finish("Hi.", at: second(11)), to: "b", at: second(11))
        stage.scan(at: second(12))
        stage.scan(at: second(20))
        let agents = stage.activity("/w", at: second(21)).agents
        let mine = agents.first { $0.sessionId == first.session }
        #expect(mine?.pid == 7, "case \(number), found late: \(isLate)")
        #expect(mine?.state == (number == 1 ? .needsYou : .working))
        #expect(agents.first { $0.sessionId == other.session }?.pid == nil)
      }
    }
  }

  @Test
  func
    `a session that works takes no process of one that works, none that is over of one that rests`()
  {
    for isOver in [false, true] {
      var stage = RegistryStage("/w")
      var first = ClaudeWriter(.claude20, directory: "/w", seed: 1)
      var other = ClaudeWriter(.claude20, directory: "/w", seed: 2)
      stage.start(7, in: "/w", at: second(0))
      stage.write(first.prompt("Go", at: second(1)), to: "a", at: second(1))
      if isOver { stage.write(first.finish("Done.", at: second(2)), to: "a", at: second(2)) }
      stage.scan(at: second(3))
      stage.write(other.prompt("Say hi", at: second(10)), to: "b", at: second(10))
      if isOver { stage.write(other.finish("Hi.", at: second(11)), to: "b", at: second(11)) }
      stage.scan(at: second(12))
      stage.scan(at: second(13))
      let agents = stage.activity("/w", at: second(14)).agents
      #expect(agents.first { $0.sessionId == first.session }?.pid == 7)
      #expect(agents.first { $0.sessionId == other.session }?.pid == nil)
    }
  }

  @Test func `a session that had a process of its own takes no other one`() {
    var stage = RegistryStage("/w")
    var first = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    var other = ClaudeWriter(.claude20, directory: "/w", seed: 2)
    stage.start(7, in: "/w", at: second(0))
    stage.write(first.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.write(first.finish("Done.", at: second(2)), to: "a", at: second(2))
    stage.scan(at: second(3))
    // The user runs another agent in parallel, which is killed in the middle of its turn.
    stage.start(8, in: "/w", at: second(10))
    stage.scan(at: second(10))
    stage.write(other.prompt("Go", at: second(11)), to: "b", at: second(11))
    stage.scan(at: second(12))
    stage.end(8)
    stage.scan(at: second(13))
    stage.scan(at: second(20))
    let agents = stage.activity("/w", at: second(21)).agents
    #expect(agents.map(\.pid) == [7, nil])
    #expect(agents.map(\.state) == [.doneUnseen, .ended])
  }

  @Test func `what a dead session left waits behind an agent that is there`() {
    var stage = RegistryStage("/w")
    var first = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    var other = ClaudeWriter(.claude20, directory: "/w", seed: 2)
    stage.start(7, in: "/w", at: second(0))
    stage.write(first.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.write(first.finish("Done.", at: second(2)), to: "a", at: second(2))
    stage.scan(at: second(3))
    stage.end(7)
    stage.scan(at: second(4))
    // Alone it is what the worktree is about.
    #expect(stage.activity("/w", at: second(5)).state == .doneUnseen)
    stage.start(8, in: "/w", at: second(10))
    stage.scan(at: second(11))
    let idle = stage.activity("/w", at: second(12))
    #expect(idle.state == .idle)
    #expect(idle.agents.map(\.pid) == [8, nil])
    #expect(idle.agents.map(\.state) == [.idle, .doneUnseen])
    stage.write(other.prompt("On", at: second(13)), to: "b", at: second(13))
    stage.scan(at: second(14))
    #expect(stage.activity("/w", at: second(14)).agents.map(\.pid) == [8, nil])
  }

  @Test func `a process that could not be read once is the session's again`() {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    stage.start(7, in: "/w", at: second(0))
    stage.write(claude.prompt("Go", at: second(60)), to: "a", at: second(60))
    stage.scan(at: second(61))
    stage.end(7)
    stage.scan(at: second(62))
    stage.start(7, in: "/w", at: second(0))
    stage.scan(at: second(63))
    #expect(stage.activity("/w", at: second(63)).agents.map(\.pid) == [7])
    #expect(stage.activity("/w", at: second(63)).state == .working)
  }

  @Test func `a session that lost its process does not get one that was there all the time`() {
    var stage = RegistryStage("/w")
    var other = ClaudeWriter(.claude20, directory: "/w", seed: 2)
    stage.start(8, in: "/w", at: second(10))
    stage.write(other.prompt("Go", at: second(11)), to: "b", at: second(11))
    stage.scan(at: second(11))
    stage.start(7, in: "/w", at: second(5))
    stage.scan(at: second(12))
    stage.end(8)
    stage.scan(at: second(13))
    #expect(stage.activity("/w", at: second(14)).agents.map(\.state) == [.idle, .ended])
    // Taken up again in it, it does.
    stage.write(other.prompt("More", at: second(20)), to: "b", at: second(20))
    stage.scan(at: second(20))
    #expect(stage.activity("/w", at: second(21)).agents.map(\.pid) == [7])
  }

  @Test func `what an agent runs in a shell is a part of it, and takes nothing from it`() {
    var stage = RegistryStage("/w", "/v")
    var first = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    var inner = ClaudeWriter(.claude20, directory: "/w", seed: 2)
    stage.start(7, in: "/w", at: second(0))
    stage.write(first.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.write(first.finish("It runs behind.", at: second(2)), to: "a", at: second(2))
    stage.scan(at: second(3))
    stage.start(20, in: "/w/sub", at: second(4), parent: 19, above: [7])
    stage.start(21, in: "/v", at: second(4), parent: 19, above: [7])
    stage.scan(at: second(5))
    #expect(stage.activity("/w", at: second(5)).agents.map(\.pid) == [7])
    #expect(stage.activity("/v", at: second(5)).agents.map(\.pid) == [21], "it works elsewhere")
    stage.write(inner.prompt("Go", at: second(6)), to: "b", at: second(6))
    stage.scan(at: second(6))
    stage.scan(at: second(7))
    let agents = stage.activity("/w", at: second(7)).agents
    #expect(agents.first { $0.sessionId == first.session }?.pid == 7)
    #expect(agents.first { $0.sessionId == inner.session }?.pid == nil)
  }

  @Test func `times of a clock that is ahead are those of the file`() throws {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    let ahead = 600.0
    stage.start(7, in: "/w", at: second(0))
    stage.write(
      claude.prompt("Go", at: second(1 + ahead)),
      to: "a",
      at: second(1),
      readAt: second(1.1)
    )
    stage.scan(at: second(2))
    #expect(stage.activity("/w", at: second(2)).since == second(1).text)
    stage.write(
      claude.finish("Done.", at: second(3 + ahead)),
      to: "a",
      at: second(3),
      readAt: second(3.1)
    )
    #expect(stage.activity("/w", at: second(4)).state == .doneUnseen)
    #expect(stage.activity("/w", at: second(4)).since == second(3).text)
    stage.agentRegistry.markSeen("/w", at: second(4))
    #expect(stage.activity("/w", at: second(5)).state == .idle)
    #expect(stage.agentRegistry.session(of: "a")?.lastRecordAt == second(3))
    // Read again after the clock has passed the times, as after a restart, they are the same.
    var later = RegistryStage("/w")
    let lines = claude.finish("Done.", at: second(3 + ahead))
    later.write(lines, to: "a", at: second(3), readAt: second(10_000))
    #expect(later.agentRegistry.session(of: "a")?.lastRecordAt == second(3))
    // A file time that was set by hand says nothing about its records.
    later.write(
      claude.finish("Done.", at: second(3)),
      to: "c",
      at: WallTime(milliseconds: 0),
      readAt: second(5)
    )
    #expect(later.agentRegistry.session(of: "c")?.lastRecordAt == second(3))
    for far in [WallTime(milliseconds: 0), WallTime(milliseconds: .max)] {
      later.write(
        [Array("{\"event\":\"prompt\",\"text\":\"Go\"}\n".utf8)],
        to: "\(far)",
        .neutral,
        at: far,
        readAt: second(5)
      )
      guard case .open(let since)? = later.agentRegistry.session(of: "\(far)")?.turn else {
        Issue.record("a prompt opens the turn")
        continue
      }
      #expect(since == second(5))
    }
    // A file that is ahead too is read now.
    later.write(lines, to: "b", at: second(3 + ahead), readAt: second(5))
    #expect(later.agentRegistry.session(of: "b")?.lastRecordAt == second(5))
  }

  @Test func `an entry of the registry that is ahead has its file's time`() throws {
    let bytes = RegistryText.bytes(
      process: ProcessIdentity(number: 7, start: 1),
      session: "s",
      directory: "/w",
      status: "idle",
      waitingFor: nil,
      at: second(600)
    )
    let entry = try #require(
      ClaudeRegistryEntry(bytes, writtenAt: second(1), readAt: second(2))
    )
    #expect(entry.statusSince == second(1))
  }

  @Test func `a log is held while its process is there, or it works or waits`() {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    var gone = ClaudeWriter(.claude20, directory: "/w", seed: 2)
    var away = ClaudeWriter(.claude20, directory: "/x", seed: 3)
    stage.start(7, in: "/w", at: second(0))
    stage.write(claude.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.write(claude.finish("Done.", at: second(2)), to: "a", at: second(2))
    stage.write(gone.prompt("Go", at: second(-99)), to: "b", at: second(-99))
    stage.write(away.prompt("Go", at: second(1)), to: "c", at: second(1))
    #expect(
      stage.agentRegistry.isHeld("b", at: second(-98)),
      "processes were not scanned: it works"
    )
    stage.scan(at: second(3))
    #expect(stage.agentRegistry.isHeld("a", at: second(4)))
    #expect(!stage.agentRegistry.isHeld("b", at: second(4)), "its process is gone")
    #expect(!stage.agentRegistry.isHeld("c", at: second(4)), "it is in no worktree")
    #expect(!stage.agentRegistry.isHeld("d", at: second(4)))
    stage.end(7)
    stage.scan(at: second(5))
    #expect(!stage.agentRegistry.isHeld("a", at: second(6)))
  }

  @Test func `an agent in a container is known by its log`() {
    var stage = RegistryStage("/w")
    stage.scan(at: second(0))
    var claude = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    for number in 1...10 {
      let lines =
        number == 1
        ? claude.prompt("Go", at: second(1)) : claude.remark("I look.", at: second(Double(number)))
      stage.write(lines, to: "a", at: second(Double(number)))
      stage.scan(at: second(Double(number)))
    }
    #expect(stage.activity("/w", at: second(11)).state == .working)
    let unknown = second(10).advanced(by: ActivityThresholds().silenceUnseen)
    #expect(stage.activity("/w", at: unknown).state == .unknown)
  }

  @Test func `a scan that did not see everything proves no end`() {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    stage.start(7, in: "/w", at: second(0))
    stage.write(claude.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.scan(at: second(1))
    stage.end(7)
    stage.scan(at: second(2), isComplete: false)
    #expect(stage.activity("/w", at: second(2)).state == .working)
    stage.scan(at: second(3))
    #expect(stage.activity("/w", at: second(3)).state == .ended)
  }

  @Test func `a mark of having looked counts for what was there, in that worktree`() {
    var stage = RegistryStage("/w", "/v")
    for (path, directory) in [("a", "/w"), ("b", "/v")] {
      var claude = ClaudeWriter(.claude20, directory: directory, seed: 1)
      stage.start(path == "a" ? 7 : 8, in: directory, at: second(0))
      stage.write(claude.prompt("Go", at: second(1)), to: path, at: second(1))
      stage.write(claude.finish("Done.", at: second(2)), to: path, at: second(2))
    }
    stage.scan(at: second(3))
    stage.agentRegistry.markSeen("/w", at: second(3))
    stage.agentRegistry.markSeen("/nowhere", at: second(3))
    #expect(stage.activity("/w", at: second(4)).state == .idle)
    #expect(stage.activity("/v", at: second(4)).state == .doneUnseen)
  }

  @Test func `a reading carries plan, titles, prompt, message, session and counts`() throws {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude21, directory: "/w", seed: 1)
    stage.start(7, in: "/w", at: second(0))
    stage.write(claude.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.write(claude.title("First", at: second(2)), to: "a", at: second(2))
    stage.write(claude.title("Second", at: second(3)), to: "a", at: second(3))
    let plan = [SimulatedStep(content: "Read", status: "in_progress")]
    stage.write(claude.plan(plan, at: second(4)), to: "a", at: second(4))
    stage.write(claude.call(.run("make"), id: "t", at: second(5)), to: "a", at: second(5))
    stage.write(claude.remark("I look.", at: second(6)), to: "a", at: second(6))
    stage.scan(at: second(6))
    let reading = try #require(stage.agentRegistry.readings(at: second(6))["/w"])
    #expect(reading.todos == [Todo(id: "1", content: "Read", status: .inProgress)])
    #expect(reading.title?.title == "Second")
    #expect(reading.titleHistory.map(\.title) == ["First", "Second"])
    #expect(reading.latestPrompt == "Go")
    #expect(reading.latestMessage == "I look.")
    #expect(reading.latestMessageType == "assistant")
    let session = try #require(reading.session)
    #expect(session.sessionInfo?.currentSessionId == claude.session)
    #expect(session.sessionInfo?.turnCount == 1)
    #expect(session.sessionInfo?.header == "Second")
    #expect(session.stats?.activeToolNames == ["Bash"])
    #expect(session.stats?.sessionDurationSeconds == 5)
    #expect(session.activity == reading.activity)
    #expect(reading.activity.agents.first?.tool == "Bash")
  }

  @Test func `a log that is forgotten is gone`() {
    var agentRegistry = stage("/w", "/w")
    agentRegistry.forget("a")
    #expect(places(agentRegistry) == [])
    #expect(agentRegistry.session(of: "a") == nil)
  }

  @Test func `commands are known by their names, and by what a runner runs`() {
    #expect(AgentCommand.kind(name: "claude", arguments: []) == .claudeCode)
    #expect(AgentCommand.kind(name: "MainThread", arguments: ["/opt/x/claude"]) == .claudeCode)
    #expect(
      AgentCommand.kind(name: "node", arguments: ["node", "--no-warnings", "/usr/bin/codex"])
        == .codex
    )
    #expect(
      AgentCommand.kind(name: "python3", arguments: ["python3", "/x/aider.py"]) == .other("aider")
    )
    #expect(AgentCommand.kind(name: "node", arguments: ["node", "server.js", "codex"]) == nil)
    #expect(AgentCommand.kind(name: "vim", arguments: ["vim", "claude"]) == nil)
    #expect(AgentCommand.kind(name: "bash", arguments: []) == nil)
  }
}
