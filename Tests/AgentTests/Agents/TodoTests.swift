import AgentSimulation
import Agents
import Testing

struct TodoTests {
  /// The identities after each of several plans, as an agent that gives none writes them.
  private func identities(_ plans: [[String]]) -> [[String]] {
    var writer = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    var lines = Lines<ClaudeLog>()
    return plans.enumerated().map { index, plan in
      let steps = plan.map { SimulatedStep(content: $0, status: "pending") }
      lines.read(writer.plan(steps, at: second(Double(index))))
      return lines.session.todos.map(\.id)
    }
  }

  @Test func `a step keeps its identity in another place`() {
    let ids = identities([["A", "B", "C"], ["C", "A", "B"], ["B"], ["B", "X"]])
    #expect(ids[0] == ["todo-1", "todo-2", "todo-3"])
    #expect(ids[1] == ["todo-3", "todo-1", "todo-2"])
    #expect(ids[2] == ["todo-2"])
    #expect(ids[3] == ["todo-2", "todo-4"])
  }

  @Test func `a step whose words change in its place keeps its identity`() {
    let ids = identities([["A", "B", "C"], ["A", "B it", "C"]])
    #expect(ids[1] == ids[0])
  }

  @Test func `equal steps have different identities, and keep them`() {
    let ids = identities([["A", "A"], ["A", "A", "A"]])
    #expect(Set(ids[1]).count == 3)
    #expect(ids[1].prefix(2) == ids[0][...])
  }

  @Test func `a log that is read again gives the same identities`() {
    let plans = [["A", "B"], ["B", "C"], [], ["C", "A"]]
    #expect(identities(plans) == identities(plans))
  }

  @Test func `identities that agents give twice become different`() {
    var lines = Lines<NeutralLog>()
    lines.read(
      """
      {"event":"todos","todos":[{"id":"1","content":"A"},{"id":"1","content":"B"}]}
      """
    )
    #expect(Set(lines.session.todos.map(\.id)).count == 2)
    #expect(lines.session.todos.first?.id == "1")
  }
}
