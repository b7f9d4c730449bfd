import AgentSimulation
import Agents
import Testing

struct NeutralLogTests {
  @Test func `every event of the format is understood`() {
    var lines = Lines<NeutralLog>()
    lines.read(
      """
      {"at":"\(second(0).text)","event":"start","agent":"aider","session":7,"cwd":"/work/a",\
      "pid":4711}
      """,
      "{\"at\":\"\(second(1).text)\",\"event\":\"prompt\",\"text\":\"Go\"}",
      "{\"at\":\(second(2).milliseconds),\"event\":\"title\",\"text\":\"Going\"}",
      "{\"event\":\"tool\",\"id\":\"1\",\"name\":\"run\",\"text\":\"make\"}",
      "{\"event\":\"todos\",\"todos\":[{\"content\":\"A\"},{\"id\":4,\"content\":\"B\",\"status\":\"x\"}]}"
    )
    var session = lines.session
    #expect(session.kind == .other("aider"))
    #expect(session.id == "7")
    #expect(session.process == 4_711)
    #expect(session.directory == "/work/a")
    #expect(session.turn == .open(since: second(1)))
    #expect(session.toolCalls.map(\.name) == ["run"])
    #expect(session.toolCalls.first?.since == second(2), "a record without a time has the last one")
    #expect(session.todos.map(\.id) == ["todo-1", "4"])
    #expect(session.todos.map(\.status) == [.pending, .other("x")])
    lines.read("{\"at\":\"\(second(3).text)\",\"event\":\"permission\",\"text\":\"rm?\"}")
    #expect(lines.session.request?.kind == .permission)
    lines.read(
      "{\"at\":\"\(second(4).text)\",\"event\":\"resolved\"}",
      "{\"event\":\"tool-end\",\"id\":1}"
    )
    session = lines.session
    #expect(session.request == nil)
    #expect(session.toolCalls.isEmpty)
    lines.read("{\"at\":\"\(second(5).text)\",\"event\":\"stop\",\"text\":\"Done.\"}")
    #expect(lines.session.turn == .over(at: second(5), .complete))
    #expect(lines.session.message?.text == "Done.")
    lines.read("{\"at\":\"\(second(6).text)\",\"event\":\"end\"}")
    #expect(lines.session.isClosed)
    lines.read("{\"at\":\"\(second(7).text)\",\"event\":\"prompt\",\"text\":\"More\"}")
    #expect(!lines.session.isClosed)
    lines.read("{\"at\":\"\(second(8).text)\",\"event\":\"error\",\"text\":\"no model\"}")
    #expect(lines.session.turn == .over(at: second(8), .failed))
    #expect(lines.session.counts.unknown == 0)
  }

  @Test func `unknown events are counted and ignored`() {
    var writer = NeutralWriter(agent: "aider", directory: "/w", seed: 1)
    var lines = Lines<NeutralLog>()
    lines.read(writer.begin(isResumed: false, at: second(0)))
    lines.read(writer.riddle(at: second(1)))
    lines.read("{}", "{\"event\":\"tool\"}")
    #expect(lines.session.counts.unknown == 3)
    #expect(lines.session.turn == .none)
  }
}
