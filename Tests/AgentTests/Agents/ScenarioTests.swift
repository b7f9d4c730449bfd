import AgentSimulation
import Agents
import Testing
import Workspaces

/// The scenarios of the seed system's study that have no test there and that concern activity, by the number of their
/// row.
struct ScenarioTests {
  private func writer(_ directory: String, _ seed: UInt64 = 1) -> ClaudeWriter {
    ClaudeWriter(.claude20, directory: directory, seed: seed)
  }

  @Test func `scenario 3: a prompt to an agent that rests is work at once`() {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude21, directory: "/w", seed: 1)
    stage.start(7, in: "/w", at: second(0))
    stage.register(7, session: claude.session, "idle", at: second(1))
    stage.write(claude.prompt("Go", at: second(2)), to: "a", at: second(2))
    stage.write(claude.finish("Done.", at: second(3)), to: "a", at: second(3))
    stage.scan(at: second(3))
    #expect(stage.activity("/w", at: second(3)).state == .doneUnseen)
    // Within half a minute of the last stop, which the seed system took for the whole half minute.
    stage.write(claude.prompt("More", at: second(5)), to: "a", at: second(5))
    stage.scan(at: second(5))
    #expect(stage.activity("/w", at: second(5)).state == .working)
  }

  @Test func `scenario 8: the stop of an agent changes the reading though nothing else does`() {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude21, directory: "/w", seed: 1)
    stage.start(7, in: "/w", at: second(0))
    stage.write(claude.prompt("Go", at: second(2)), to: "a", at: second(2))
    stage.register(7, session: claude.session, "busy", at: second(2))
    stage.scan(at: second(3))
    let before = stage.agentRegistry.readings(at: second(3))["/w"]
    stage.register(7, session: claude.session, "idle", at: second(4))
    stage.scan(at: second(4))
    let after = stage.agentRegistry.readings(at: second(4))["/w"]
    #expect(before?.activity.summary == .active)
    #expect(after?.activity.summary == .running)
    #expect(before != after)
    #expect(before?.session?.sessionInfo?.isActive == true)
    #expect(after?.session?.sessionInfo?.isActive == false)
  }

  @Test func `scenario 12: the same evidence in another order gives the same reading`() {
    func readings(_ order: [Int]) -> NameTable<AgentReading> {
      var stage = RegistryStage("/w", "/v")
      for number in order {
        var claude = writer(number < 3 ? "/w" : "/v", UInt64(number))
        stage.start(Int32(100 + number), in: number < 3 ? "/w" : "/v", at: second(0))
        stage.write(
          claude.prompt("Prompt \(number)", at: second(1)),
          to: "log \(number)",
          at: second(1)
        )
      }
      stage.scan(at: second(2))
      return stage.agentRegistry.readings(at: second(2))
    }
    let first = readings([0, 1, 2, 3, 4])
    for order in [[4, 3, 2, 1, 0], [2, 0, 4, 1, 3]] { #expect(readings(order) == first) }
  }

  @Test func `scenario 13: after a restart nothing is said before there is evidence`() {
    var stage = RegistryStage("/w")
    #expect(stage.activity("/w", at: second(0)) == .unknown)
    var claude = writer("/w")
    stage.write(claude.prompt("Go", at: second(-3_600)), to: "a", at: second(-3_600))
    // The log of an hour ago says that the agent works; no process was looked at yet.
    #expect(stage.activity("/w", at: second(0)).state == .unknown)
    stage.scan(at: second(0))
    #expect(stage.activity("/w", at: second(1)).state == .ended)
    #expect(stage.activity("/w", at: second(1)).since == second(-3_600).text)
  }

  @Test
  func `scenario 16: torn, giant, broken, cut and replaced logs change no more than they must`() {
    var stage = RegistryStage("/w")
    var claude = writer("/w")
    stage.start(7, in: "/w", at: second(0))
    stage.write(claude.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.agentRegistry.handle(
      [.line(Array("{\"type\":\"us{\"type\":\"user\"}".utf8)), .oversized(bytes: 99 << 20)],
      from: "a",
      .claude,
      writtenAt: second(2)
    )
    stage.scan(at: second(2))
    #expect(stage.activity("/w", at: second(2)).state == .working)
    #expect(stage.agentRegistry.session(of: "a")?.counts.invalid == 1)
    #expect(stage.agentRegistry.session(of: "a")?.counts.oversized == 1)
    stage.write(claude.finish("Done.", at: second(3)), to: "a", at: second(3))
    #expect(stage.activity("/w", at: second(3)).state == .doneUnseen)
    stage.agentRegistry.handle([.restarted(.truncated)], from: "a", .claude, writtenAt: second(4))
    stage.write(claude.prompt("Again", at: second(4)), to: "a", at: second(4))
    #expect(stage.activity("/w", at: second(4)).state == .working)
  }

  @Test func `scenario 17: an agent that is killed has ended, at the next scan`() {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude21, directory: "/w", seed: 1)
    stage.start(7, in: "/w", at: second(0))
    stage.write(claude.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.register(7, session: claude.session, "busy", at: second(1))
    stage.scan(at: second(2))
    #expect(stage.activity("/w", at: second(2)).state == .working)
    // Its entry in the registry is still there and still says that it is busy.
    stage.end(7)
    stage.scan(at: second(3))
    let shown = stage.activity("/w", at: second(3))
    #expect(shown.state == .ended)
    #expect(shown.summary == .inactive)
    #expect(shown.since == second(3).text)
  }

  @Test func `scenario 17: a number that another process got is not a sign of life`() {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude21, directory: "/w", seed: 1)
    stage.start(7, in: "/w", at: second(0))
    stage.write(claude.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.register(7, session: claude.session, "busy", at: second(1))
    stage.scan(at: second(2))
    stage.end(7)
    stage.start(7, .other("aider"), in: "/elsewhere", at: second(3))
    stage.scan(at: second(4))
    #expect(stage.activity("/w", at: second(4)).state == .ended)
  }

  @Test func `scenario 18: a permission that is asked for needs you, with its reason`() {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude21, directory: "/w", seed: 1)
    stage.start(7, in: "/w", at: second(0))
    stage.write(claude.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.write(claude.permission("make deploy", id: "p", at: second(2)), to: "a", at: second(2))
    stage.register(
      7,
      session: claude.session,
      "waiting",
      at: second(2),
      waitingFor: "permission prompt"
    )
    stage.scan(at: second(2))
    let shown = stage.activity("/w", at: second(2))
    #expect(shown.state == .needsYou)
    #expect(shown.reason == "permission prompt")
    #expect(shown.source == "claude_registry")
    #expect(shown.summary == .running)
  }

  @Test func `scenario 19: of two agents both are listed, and the one that needs you counts`() {
    var stage = RegistryStage("/w")
    var first = ClaudeWriter(.claude21, directory: "/w", seed: 1)
    var codex = CodexWriter(.codex90, directory: "/w", startedAt: second(0), seed: 2)
    stage.start(7, in: "/w", at: second(0))
    stage.start(8, .codex, in: "/w", at: second(0))
    stage.write(first.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.write(codex.begin(isResumed: false, at: second(1)), to: "b", .codex, at: second(1))
    stage.write(codex.prompt("Go", at: second(1)), to: "b", .codex, at: second(1))
    stage.scan(at: second(2))
    #expect(stage.activity("/w", at: second(2)).agents.map(\.state) == [.working, .working])
    stage.write(codex.question("Which?", id: "q", at: second(3)), to: "b", .codex, at: second(3))
    let asked = stage.activity("/w", at: second(3))
    #expect(asked.state == .needsYou)
    #expect(asked.source == "codex_log")
    #expect(asked.agents.map(\.agent) == ["codex", "claude-code"])
    #expect(asked.agents.map(\.pid) == [8, 7])
    stage.write(first.finish("Done.", at: second(4)), to: "a", at: second(4))
    stage.write(codex.answer("q", at: second(5)), to: "b", .codex, at: second(5))
    #expect(stage.activity("/w", at: second(5)).agents.map(\.state) == [.working, .doneUnseen])
  }

  @Test func `scenario 22: what is looked at again without a change is the same reading`() {
    var stage = RegistryStage("/w")
    var claude = ClaudeWriter(.claude21, directory: "/w", seed: 1)
    stage.start(7, in: "/w", at: second(0))
    stage.write(claude.prompt("Go", at: second(1)), to: "a", at: second(1))
    stage.write(claude.call(.run("make"), id: "t", at: second(2)), to: "a", at: second(2))
    stage.scan(at: second(2))
    let first = stage.agentRegistry.readings(at: second(2))
    for later in 3..<600 {
      stage.scan(at: second(Double(later)))
      #expect(stage.agentRegistry.readings(at: second(Double(later))) == first)
    }
  }
}
