import AgentSimulation
import Agents
import Testing

struct CodexLogTests {
  private static let versions: [AgentDialect] = [.codex20, .codex46, .codex90]

  @Test(arguments: versions)
  func `every version gives prompt, message, plan, tool and directory`(version: AgentDialect) {
    var writer = CodexWriter(version, directory: "/work/a", startedAt: second(0), seed: 3)
    var lines = Lines<CodexLog>()
    lines.read(writer.begin(isResumed: false, at: second(0)))
    #expect(lines.session.prompt == nil, "the surroundings are no prompt")
    lines.read(writer.prompt("Make it faster", at: second(1)))
    lines.read(writer.thought("Hm.", at: second(2)))
    let plan = [
      SimulatedStep(content: "Read", status: "in_progress"),
      SimulatedStep(content: "Write", status: "pending"),
    ]
    lines.read(writer.plan(plan, at: second(3)))
    lines.read(writer.call(.run("make"), id: "t1", at: second(5)))
    #expect(lines.session.toolCalls.map(\.name) == ["shell"])
    #expect(lines.session.toolCalls.first?.detail == "bash -lc make")
    #expect(lines.session.toolCalls.first?.asksFirst == false)
    lines.read(writer.result(.run("make"), id: "t1", at: second(9)))
    #expect(lines.session.toolCalls.isEmpty)
    lines.read(writer.finish("Done.", at: second(10)))
    let session = lines.session
    #expect(session.id == writer.session)
    #expect(session.directory == "/work/a")
    #expect(session.prompt?.text == "Make it faster")
    #expect(session.statistics.prompts == 1, "it is in the log twice")
    #expect(session.message?.text == "Done.")
    #expect(session.todos.map(\.content) == ["Read", "Write"])
    #expect(session.todos.map(\.status) == [.inProgress, .pending])
    #expect(session.counts.unknown == 0)
    #expect(session.counts.invalid == 0)
    if version == .codex90 {
      #expect(session.turn == .over(at: second(10), .complete))
      #expect(session.version == "0.98.0")
    } else if case .open = session.turn {
      #expect(session.mayBeOver)
    } else {
      Issue.record("the end of the turn is not marked")
    }
    if version != .codex20 {
      #expect(session.tokens.input == 1_000)
      #expect(session.tokens.cacheRead == 8_000)
      #expect(session.tokens.context == 9_400)
    }
  }

  @Test func `a command with more rights is asked about, unless no approval is needed`() {
    var writer = CodexWriter(.codex90, directory: "/w", startedAt: second(0), seed: 3)
    var lines = Lines<CodexLog>()
    lines.read(writer.begin(isResumed: false, at: second(0)))
    lines.read(writer.prompt("Go", at: second(1)))
    lines.read(writer.permission("make deploy", id: "p", at: second(2)))
    #expect(lines.session.toolCalls.first?.asksFirst == true)
    #expect(lines.session.toolCalls.first?.detail == "make deploy")
    lines.read(writer.answer("p", at: second(4)))
    #expect(lines.session.toolCalls.isEmpty)
    lines.read(
      """
      {"timestamp":"\(second(5).text)","type":"turn_context","payload":{"cwd":"/w",\
      "approval_policy":"never"}}
      """
    )
    lines.read(writer.permission("make deploy", id: "q", at: second(6)))
    #expect(lines.session.toolCalls.first?.asksFirst == false)
  }

  @Test func `the older way to ask for more rights is understood`() {
    var lines = Lines<CodexLog>()
    lines.read(
      """
      {"timestamp":"\(second(1).text)","type":"response_item","payload":{"type":"function_call",\
      "name":"shell","call_id":"c","arguments":"{\\"command\\":[\\"git\\",\\"push\\"],\
      \\"with_escalated_permissions\\":true}"}}
      """
    )
    #expect(lines.session.toolCalls.first?.asksFirst == true)
    #expect(lines.session.toolCalls.first?.detail == "git push")
  }

  @Test func `a question is asked until its answer comes`() {
    var writer = CodexWriter(.codex90, directory: "/w", startedAt: second(0), seed: 3)
    var lines = Lines<CodexLog>()
    lines.read(writer.prompt("Go", at: second(1)))
    lines.read(writer.question("Which one?", id: "q", at: second(2)))
    #expect(lines.session.request?.detail == "Which one?")
    lines.read(writer.answer("q", at: second(4)))
    #expect(lines.session.request == nil)
  }

  @Test func `turns are interrupted and fail`() {
    var writer = CodexWriter(.codex90, directory: "/w", startedAt: second(0), seed: 3)
    var lines = Lines<CodexLog>()
    lines.read(writer.prompt("Go", at: second(1)))
    lines.read(writer.interrupt(at: second(2)))
    #expect(lines.session.turn == .over(at: second(2), .interrupted))
    lines.read(writer.prompt("Again", at: second(3)))
    #expect(lines.session.turn == .open(since: second(3)))
    lines.read(writer.fail("no model", at: second(4)))
    #expect(lines.session.turn == .over(at: second(4), .failed))
    #expect(lines.session.failure?.text == "no model")
  }

  @Test func `unknown and broken lines are counted, and the rest is read`() {
    var writer = CodexWriter(.codex90, directory: "/w", startedAt: second(0), seed: 3)
    var lines = Lines<CodexLog>()
    lines.read(writer.riddle(at: second(1)))
    lines.read("{\"timestamp\":\"x\",\"type\":\"new\",\"payload\":{}}", "{\"x\":1}", "{\"type\"")
    lines.read(
      """
      {"timestamp":"\(second(1).text)","type":"response_item","payload":{"type":"function_call",\
      "name":"update_plan","call_id":"c","arguments":"{\\"plan\\":[{"}}
      """
    )
    lines.read(writer.prompt("Go", at: second(2)))
    #expect(lines.session.counts.unknown == 3)
    #expect(lines.session.counts.invalid == 1)
    #expect(lines.session.todos.isEmpty)
    #expect(lines.session.prompt?.text == "Go")
  }
}
