package import Agents

/// Writes the records of one simulated session as an agent of its dialect does.
///
/// All dialects write the same events, each in its own format. A line ends with a line feed. An
/// event that a dialect does not write has no line.
package protocol RecordWriter: Sendable {
  /// The session's id.
  var session: String { get }
  /// The name of its log below its agent's folder.
  var path: String { get }

  /// Begins or resumes the session.
  mutating func begin(isResumed: Bool, at time: WallTime) -> [[UInt8]]
  /// Writes a prompt of the user.
  mutating func prompt(_ text: String, at time: WallTime) -> [[UInt8]]
  /// Writes a thought of the agent.
  mutating func thought(_ text: String, at time: WallTime) -> [[UInt8]]
  /// Writes a remark of the agent during its work.
  mutating func remark(_ text: String, at time: WallTime) -> [[UInt8]]
  /// Writes a tool call.
  mutating func call(_ tool: SimulatedTool, id: String, at time: WallTime) -> [[UInt8]]
  /// Writes the result of a tool.
  mutating func result(_ tool: SimulatedTool, id: String, at time: WallTime) -> [[UInt8]]
  /// Writes the agent's plan.
  mutating func plan(_ plan: [SimulatedStep], at time: WallTime) -> [[UInt8]]
  /// Writes the title of the session.
  mutating func title(_ text: String, at time: WallTime) -> [[UInt8]]
  /// Writes that the model cannot be reached and the request will be retried.
  mutating func retry(_ text: String, at time: WallTime) -> [[UInt8]]
  /// Writes a request for a permission, if the dialect logs it.
  mutating func permission(_ text: String, id: String, at time: WallTime) -> [[UInt8]]
  /// Writes a question of the agent, if the dialect logs it.
  mutating func question(_ text: String, id: String, at time: WallTime) -> [[UInt8]]
  /// Writes the user's answer.
  mutating func answer(_ id: String, at time: WallTime) -> [[UInt8]]
  /// Writes that the agent has finished.
  mutating func finish(_ text: String, at time: WallTime) -> [[UInt8]]
  /// Writes that the user stopped the agent.
  mutating func interrupt(at time: WallTime) -> [[UInt8]]
  /// Writes that the turn failed.
  mutating func fail(_ text: String, at time: WallTime) -> [[UInt8]]
  /// Writes a record of an unknown kind.
  mutating func riddle(at time: WallTime) -> [[UInt8]]
}

/// A tool of a simulated agent.
package enum SimulatedTool: Hashable, Sendable {
  /// It runs a command.
  case run(String)
  /// It changes a file.
  case edit(String)
  /// It reads a file.
  case read(String)
  /// It starts a subagent.
  case delegate(String)
}

/// One step of a simulated agent's plan.
package struct SimulatedStep: Hashable, Sendable {
  /// The task.
  package var content: String
  /// `pending`, `in_progress` or `completed`.
  package var status: String

  /// Creates a step.
  package init(content: String, status: String) {
    self.content = content
    self.status = status
  }
}
