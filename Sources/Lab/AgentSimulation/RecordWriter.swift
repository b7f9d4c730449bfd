package import Agents

/// Writes the records of one simulated session as an agent of its dialect does.
///
/// What happens is the same for all dialects; each writes it in its own words. A line ends with a
/// line feed; what a dialect does not write is no line.
package protocol RecordWriter: Sendable {
  /// The session's id.
  var session: String { get }
  /// The name of its log below its agent's folder.
  var path: String { get }

  /// The session begins, or is resumed.
  mutating func begin(isResumed: Bool, at time: WallTime) -> [[UInt8]]
  /// The human asks something.
  mutating func prompt(_ text: String, at time: WallTime) -> [[UInt8]]
  /// The agent thinks.
  mutating func thought(_ text: String, at time: WallTime) -> [[UInt8]]
  /// The agent says something in the midst of its work.
  mutating func remark(_ text: String, at time: WallTime) -> [[UInt8]]
  /// The agent calls a tool.
  mutating func call(_ tool: SimulatedTool, id: String, at time: WallTime) -> [[UInt8]]
  /// The tool answers.
  mutating func result(_ tool: SimulatedTool, id: String, at time: WallTime) -> [[UInt8]]
  /// The agent writes its plan.
  mutating func plan(_ plan: [SimulatedStep], at time: WallTime) -> [[UInt8]]
  /// The session gets a title.
  mutating func title(_ text: String, at time: WallTime) -> [[UInt8]]
  /// The model cannot be reached and will be asked again.
  mutating func retry(_ text: String, at time: WallTime) -> [[UInt8]]
  /// The agent asks for a permission, if its log tells that.
  mutating func permission(_ text: String, id: String, at time: WallTime) -> [[UInt8]]
  /// The agent asks a question, if its log tells that.
  mutating func question(_ text: String, id: String, at time: WallTime) -> [[UInt8]]
  /// The human has answered.
  mutating func answer(_ id: String, at time: WallTime) -> [[UInt8]]
  /// The agent has finished.
  mutating func finish(_ text: String, at time: WallTime) -> [[UInt8]]
  /// The human stopped the agent.
  mutating func interrupt(at time: WallTime) -> [[UInt8]]
  /// The turn failed.
  mutating func fail(_ text: String, at time: WallTime) -> [[UInt8]]
  /// A record of a kind that nobody knows.
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
  /// It sends off an agent of its own.
  case delegate(String)
}

/// One step of a simulated agent's plan.
package struct SimulatedStep: Hashable, Sendable {
  /// What is to be done.
  package var content: String
  /// `pending`, `in_progress` or `completed`.
  package var status: String

  /// A step.
  package init(content: String, status: String) {
    self.content = content
    self.status = status
  }
}
