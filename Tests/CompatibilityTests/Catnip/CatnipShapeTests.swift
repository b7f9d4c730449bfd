import CompatibilityCheck
import StrictJSON
import Testing

@Suite struct CatnipShapeTests {
  /// A response, the client's type, and the first thing it cannot read; `nil` if it reads all of it.
  private struct Vector: Sendable, CustomTestStringConvertible {
    var name: String
    var shape: JSONShape
    var answer: String
    var fault: String?

    init(_ name: String, _ shape: JSONShape, _ answer: String, _ fault: String? = nil) {
      (self.name, self.shape, self.answer, self.fault) = (name, shape, answer, fault)
    }

    var testDescription: String { name }
  }

  private static let five = #""id":"1","name":"a/b","branch":"main","repo_id":"o/a","path":"/b""#

  private static let vectors: [Vector] = [
    Vector("five members are enough", CatnipShapes.workspaces, "[{\(five)}]"),
    Vector(
      "one without a branch costs the list",
      CatnipShapes.workspaces,
      #"[{\#(five)},{"id":"2","name":"a/c","repo_id":"o/a","path":"/c"}]"#,
      "[1].branch"
    ),
    Vector(
      "any word for the agent's state",
      CatnipShapes.workspace,
      "{\(five),\"claude_activity_state\":\"busy\"}"
    ),
    Vector("no null list", CatnipShapes.workspaces, "null", ""),
    Vector(
      "a status of the set",
      CatnipShapes.todo,
      #"{"id":"1","content":"x","status":"in_progress","priority":"","activeForm":null}"#
    ),
    Vector(
      "another status costs the list",
      CatnipShapes.workspaces,
      #"[{\#(five),"todos":[{"content":"x","status":"cancelled"}]}]"#,
      "[0].todos[0].status"
    ),
    Vector(
      "whole seconds",
      CatnipShapes.workspace,
      #"{\#(five),"last_accessed":"2026-11-23T08:30:31Z","created_at":null}"#
    ),
    Vector(
      "a blank label",
      CatnipShapes.workspace,
      #"{\#(five),"last_accessed":"2026-11-23T08:30:31.531Z"}"#,
      "last_accessed"
    ),
    Vector("a session of nothing", CatnipShapes.session, "{}"),
    Vector(
      "a session in its types",
      CatnipShapes.session,
      #"{"sessionInfo":{"lastDuration":33,"lastCost":0.25},"stats":{"activeToolNames":{"Bash":2},"sessionDurationSeconds":3}}"#
    ),
    Vector(
      "a duration with a fraction",
      CatnipShapes.session,
      #"{"sessionInfo":{"lastDuration":33.423}}"#,
      "sessionInfo.lastDuration"
    ),
    Vector(
      "names of tools in a list",
      CatnipShapes.session,
      #"{"stats":{"activeToolNames":["Bash"]}}"#,
      "stats.activeToolNames"
    ),
    Vector(
      "an entry without its id",
      CatnipShapes.session,
      #"{"allSessions":[{"isActive":true}]}"#,
      "allSessions[0].sessionId"
    ),
    Vector(
      "no null list of files",
      CatnipShapes.diff,
      #"{"summary":"","file_diffs":null,"total_files":0,"worktree_id":"1","worktree_name":"a","source_branch":"main","fork_commit":"c"}"#,
      "file_diffs"
    ),
    Vector("a message needs both", CatnipShapes.message, #"{"content":"x"}"#, "isError"),
    Vector("a version is enough", CatnipShapes.info, #"{"version":"1","name":"freshet"}"#),
    Vector(
      "half a build",
      CatnipShapes.info,
      #"{"version":"1","build":{"commit":"c"}}"#,
      "build.builtBy"
    ),
    Vector(
      "turns and activity",
      CatnipShapes.summaries,
      #"{"/a":{"turnCount":3,"isActive":false}}"#
    ),
    Vector(
      "turns without activity",
      CatnipShapes.summaries,
      #"{"/a":{"turnCount":3}}"#,
      "/a.isActive"
    ),
  ]

  @Test(arguments: vectors)
  private func `What the client reads, and what it trips over first`(_ vector: Vector) throws {
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    let value = try JSONReader.value(of: Array(vector.answer.utf8), rules: rules)
    #expect(vector.shape.faults(in: value).first?.path == vector.fault)
  }
}
