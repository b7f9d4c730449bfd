import AgentSimulation
import Agents
import Testing

struct ClaudeLogTests {
  private static let versions: [AgentDialect] = [.claude10, .claude20, .claude21]

  private func stamp(_ seconds: Double) -> String { second(seconds).text }

  @Test(arguments: versions)
  func `every version gives prompt, message, plan, tool and directory`(version: AgentDialect) {
    var writer = ClaudeWriter(version, directory: "/work/a.b/sub", seed: 3)
    var lines = Lines<ClaudeLog>()
    lines.read(writer.begin(isResumed: false, at: second(0)))
    lines.read(writer.prompt("Make it faster", at: second(1)))
    #expect(lines.session.turn == .open(since: second(1)))
    lines.read(writer.title("Faster import", at: second(2)))
    lines.read(writer.thought("Hm.", at: second(2)))
    lines.read(
      writer.plan(
        [
          SimulatedStep(content: "Read", status: "in_progress"),
          SimulatedStep(content: "Write", status: "pending"),
        ],
        at: second(3)
      )
    )
    lines.read(writer.remark("I look.", at: second(4)))
    lines.read(writer.call(.run("make"), id: "t1", at: second(5)))
    #expect(lines.session.toolCalls.map(\.name) == ["Bash"])
    #expect(lines.session.toolCalls.first?.detail == "make")
    #expect(lines.session.message?.text == "I look.")
    lines.read(writer.result(.run("make"), id: "t1", at: second(9)))
    #expect(lines.session.toolCalls.isEmpty)
    lines.read(writer.finish("Done.", at: second(10)))
    let session = lines.session
    #expect(session.id == writer.session)
    #expect(session.version == version.version)
    #expect(session.directory == "/work/a.b/sub")
    #expect(session.prompt?.text == "Make it faster")
    #expect(session.prompt?.at == second(1))
    #expect(session.message?.text == "Done.")
    #expect(session.thought?.text == "Hm.")
    #expect(session.titles.map(\.text) == ["Faster import"])
    #expect(session.todos.map(\.content) == ["Read", "Write"])
    #expect(session.todos.map(\.status) == [.inProgress, .pending])
    #expect(session.counts.unknown == 0)
    #expect(session.counts.invalid == 0)
    #expect(session.statistics.prompts == 1)
    #expect(session.tokens.output == Int64(session.statistics.answers) * 120)
    #expect(session.tokens.context == 20_304)
    if version == .claude10 {
      #expect(session.turn == .open(since: second(1)))
      #expect(session.mayBeOver)
    } else {
      #expect(session.turn == .over(at: second(10), .complete))
    }
  }

  @Test func `a question is asked until its answer comes`() {
    var writer = ClaudeWriter(.claude20, directory: "/w", seed: 3)
    var lines = Lines<ClaudeLog>()
    lines.read(writer.prompt("Go", at: second(0)))
    lines.read(writer.question("Which one?", id: "q", at: second(2)))
    #expect(lines.session.request?.kind == .question)
    #expect(lines.session.request?.detail == "Which one?")
    #expect(lines.session.request?.since == second(2))
    lines.read(writer.answer("q", at: second(8)))
    #expect(lines.session.request == nil)
  }

  @Test func `a plan is asked about until its answer comes`() {
    var lines = Lines<ClaudeLog>()
    lines.read(
      """
      {"type":"assistant","timestamp":"\(stamp(1))","message":{"id":"m","content":[{"type":\
      "tool_use","id":"p","name":"ExitPlanMode","input":{"plan":"1. Read"}}],"stop_reason":null}}
      """
    )
    #expect(lines.session.request?.kind == .plan)
    lines.log.handle(.oversized(bytes: 9 << 20))
    #expect(lines.session.request == nil, "what was not read may have been the answer")
    #expect(lines.session.counts.oversized == 1)
  }

  @Test func `words of programs are not prompts`() {
    var lines = Lines<ClaudeLog>()
    let texts = [
      "<command-name>/clear</command-name>", "<local-command-stdout>x</local-command-stdout>",
      "Caveat: The messages below", "Warmup", "<system-reminder>x", "  ", "<bash-input>ls",
      "Generate a git branch name that: is short",
    ]
    for text in texts {
      lines.read(
        """
        {"type":"user","timestamp":"\(stamp(1))","message":{"role":"user","content":"\(text)"}}
        """
      )
    }
    for mark in ["isMeta", "isCompactSummary", "isSidechain"] {
      lines.read(
        """
        {"type":"user","\(mark)":true,"timestamp":"\(stamp(1))","message":{"content":"Do it"}}
        """
      )
    }
    #expect(lines.session.prompt == nil)
    #expect(lines.session.turn == .none)
    #expect(lines.session.lastRecordAt == second(1))
  }

  @Test func `an interruption ends the turn and what was under way`() {
    var writer = ClaudeWriter(.claude10, directory: "/w", seed: 3)
    var lines = Lines<ClaudeLog>()
    lines.read(writer.prompt("Go", at: second(0)))
    lines.read(writer.call(.run("make"), id: "t", at: second(1)))
    lines.read(writer.interrupt(at: second(4)))
    #expect(lines.session.turn == .over(at: second(4), .interrupted))
    #expect(lines.session.toolCalls.isEmpty)
    lines.read(writer.result(.run("make"), id: "t", at: second(5)))
    #expect(lines.session.turn == .over(at: second(4), .interrupted), "it does not begin again")
  }

  @Test func `a failed answer ends the turn, an attempt that is repeated does not`() {
    var writer = ClaudeWriter(.claude21, directory: "/w", seed: 3)
    var lines = Lines<ClaudeLog>()
    lines.read(writer.prompt("Go", at: second(0)))
    lines.read(writer.retry("Overloaded", at: second(1)))
    #expect(lines.session.turn == .open(since: second(0)))
    #expect(lines.session.failure?.text == "Overloaded")
    lines.read(writer.fail("API Error: 500", at: second(2)))
    #expect(lines.session.turn == .over(at: second(2), .failed))
    #expect(lines.session.failure?.text == "API Error: 500")
    #expect(lines.session.message == nil)
    lines.read(writer.prompt("Again", at: second(3)))
    #expect(lines.session.failure == nil)
  }

  @Test func `records of tools and thoughts never replace the message`() {
    var writer = ClaudeWriter(.claude20, directory: "/w", seed: 3)
    var lines = Lines<ClaudeLog>()
    lines.read(writer.prompt("Go", at: second(0)))
    lines.read(writer.remark("I look.", at: second(1)))
    lines.read(writer.thought("Hm.", at: second(2)))
    lines.read(writer.call(.edit("a"), id: "t", at: second(3)))
    lines.read(writer.result(.edit("a"), id: "t", at: second(4)))
    #expect(lines.session.message?.text == "I look.")
  }

  @Test func `lines that are not records are counted, and the rest is read`() {
    var lines = Lines<ClaudeLog>()
    lines.read(
      "{\"type\":\"us{\"type\":\"user\"}",
      "[]",
      "\u{0}\u{0}",
      "{",
      "null",
      "{\"type\":\"weather-report\"}",
      "{}",
      "{\"type\":7}",
      """
      {"type":"user","timestamp":"\(stamp(1))","message":{"content":"Half \\ud83d of it, 1.5e3"},\
      "x":1.25,"x":123456789012345678901234567890}
      """
    )
    #expect(lines.session.counts.invalid == 5)
    #expect(lines.session.counts.unknown == 3)
    #expect(lines.session.counts.known == 1)
    #expect(lines.session.prompt?.text == "Half \u{FFFD} of it, 1.5e3")
  }

  @Test func `a title of the human wins over one of the agent, and that over a summary`() {
    var lines = Lines<ClaudeLog>()
    lines.read(
      "{\"type\":\"summary\",\"summary\":\"A\",\"timestamp\":\"\(stamp(1))\"}",
      "{\"type\":\"ai-title\",\"aiTitle\":\"B\"}",
      "{\"type\":\"summary\",\"summary\":\"C\"}",
      "{\"type\":\"custom-title\",\"customTitle\":\"D\"}",
      "{\"type\":\"ai-title\",\"aiTitle\":\"E\"}"
    )
    #expect(lines.session.titles.map(\.text) == ["A", "B", "D"])
  }

  @Test func `an empty plan clears the plan`() {
    var writer = ClaudeWriter(.claude20, directory: "/w", seed: 3)
    var lines = Lines<ClaudeLog>()
    lines.read(writer.plan([SimulatedStep(content: "A", status: "pending")], at: second(1)))
    #expect(lines.session.todos.count == 1)
    lines.read(writer.plan([], at: second(2)))
    #expect(lines.session.todos.isEmpty)
  }

  @Test func `tasks are created by the answer, changed, renamed and deleted`() {
    var lines = Lines<ClaudeLog>()
    func use(_ id: String, _ name: String, _ input: String) -> String {
      """
      {"type":"assistant","timestamp":"\(stamp(1))","message":{"content":[{"type":"tool_use",\
      "id":"\(id)","name":"\(name)","input":\(input)}]}}
      """
    }
    func answer(_ id: String, _ text: String, _ more: String = "") -> String {
      """
      {"type":"user","timestamp":"\(stamp(2))","message":{"content":[{"type":"tool_result",\
      "tool_use_id":"\(id)","content":"\(text)"}]}\(more)}
      """
    }
    lines.read(use("1", "TaskCreate", "{\"subject\":\"Read\"}"))
    #expect(lines.session.todos.isEmpty, "the answer gives the identity")
    lines.read(answer("1", "Task #4 created successfully: Read"))
    lines.read(use("2", "TaskCreate", "{\"subject\":\"Write\"}"))
    lines.read(answer("2", "created", ",\"toolUseResult\":{\"task\":{\"id\":5}}"))
    #expect(lines.session.todos.map(\.id) == ["4", "5"])
    lines.read(use("3", "TaskUpdate", "{\"taskId\":4,\"status\":\"completed\"}"))
    lines.read(use("4", "TaskUpdate", "{\"taskId\":\"5\",\"subject\":\"Write it\"}"))
    lines.read(use("5", "TaskUpdate", "{\"taskId\":\"9\",\"status\":\"completed\"}"))
    #expect(lines.session.todos.map(\.content) == ["Read", "Write it"])
    #expect(lines.session.todos.map(\.status) == [.completed, .pending])
    lines.read(use("6", "TaskUpdate", "{\"taskId\":\"4\",\"status\":\"deleted\"}"))
    #expect(lines.session.todos.map(\.id) == ["5"])
  }

  @Test func `tokens of one answer in several records count once`() {
    var lines = Lines<ClaudeLog>()
    for output in [10, 40] {
      lines.read(
        """
        {"type":"assistant","timestamp":"\(stamp(1))","message":{"id":"m1","content":[],\
        "usage":{"input_tokens":3,"output_tokens":\(output),"cache_read_input_tokens":100}}}
        """
      )
    }
    #expect(lines.session.tokens.output == 40)
    #expect(lines.session.tokens.input == 3)
    #expect(lines.session.statistics.answers == 1)
  }

  @Test func `long texts, many todos and many tools are bounded`() {
    var limits = AgentLimits()
    limits.longestText = 20
    limits.mostTodos = 3
    limits.mostToolCalls = 2
    var writer = ClaudeWriter(.claude20, directory: "/w", seed: 3)
    var lines = Lines<ClaudeLog>(limits: limits)
    lines.read(writer.prompt(String(repeating: "🚉", count: 100), at: second(0)))
    let prompt = lines.session.prompt?.text ?? ""
    #expect(prompt.utf8.count <= 20)
    #expect(prompt.hasPrefix("🚉") && prompt.hasSuffix("…"))
    let plan = (0..<9).map { SimulatedStep(content: "Step \($0)", status: "pending") }
    lines.read(writer.plan(plan, at: second(1)))
    #expect(lines.session.todos.count == 3)
    for id in ["a", "b", "c"] { lines.read(writer.call(.run(id), id: id, at: second(2))) }
    #expect(lines.session.toolCalls.map(\.id) == ["b", "c"])
  }

  @Test func `a file that begins again forgets its earlier content`() {
    var writer = ClaudeWriter(.claude20, directory: "/w", seed: 3)
    var lines = Lines<ClaudeLog>()
    lines.read(writer.prompt("Go", at: second(0)))
    lines.log.handle(.restarted(.truncated))
    #expect(lines.session.prompt == nil)
    #expect(lines.session.counts.restarts == 1)
    #expect(lines.session.counts.known == 1)
  }

  @Test func `folders are named as Claude Code names them`() {
    #expect(ClaudeFolder.name(of: "/home/me/my.app/a_b c~") == "-home-me-my-app-a-b-c-")
    #expect(ClaudeFolder.isSession("0a1b2c3d-0000-4000-8000-00000000000f.jsonl"))
    #expect(!ClaudeFolder.isSession("agent-0a1b2c3d.jsonl"))
    #expect(!ClaudeFolder.isSession("0a1b2c3d-0000-4000-8000-00000000000f.json"))
    #expect(!ClaudeFolder.isSession("0a1b2c3dx0000-4000-8000-00000000000f.jsonl"))
  }

  @Test func `an entry of the registry needs the start of its process`() throws {
    let text = """
      {"pid":7,"procStart":"99","sessionId":"s","cwd":"/w","status":"waiting",\
      "waitingFor":"permission prompt","statusUpdatedAt":1790000000000,"extra":[1.5]}
      """
    let entry = try #require(ClaudeRegistryEntry(Array(text.utf8)))
    #expect(entry.process == ProcessIdentity(number: 7, start: 99))
    #expect(entry.status == .waiting)
    #expect(entry.statusSince == second(0))
    for broken in [
      "{\"session_id\":\"s\",\"cwd\":\"/w\"}", "{\"pid\":7,\"sessionId\":\"s\"}", "{", "",
      "{\"pid\":-1,\"procStart\":\"1\",\"sessionId\":\"s\"}", "[]",
    ] {
      #expect(ClaudeRegistryEntry(Array(broken.utf8)) == nil)
    }
  }
}
