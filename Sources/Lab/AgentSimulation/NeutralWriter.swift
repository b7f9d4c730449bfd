package import Agents
import Hashing
import StrictJSON

/// Writes the neutral format.
package struct NeutralWriter: RecordWriter {
  package let session: String
  package let path: String

  private let directory: String
  private let agent: String

  /// Creates a session of an agent in a directory.
  package init(agent: String, directory: String, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    self.agent = agent
    self.directory = directory
    session = random.uuid()
    path = "\(agent)-\(session).jsonl"
  }

  package mutating func begin(isResumed: Bool, at time: WallTime) -> [[UInt8]] {
    [
      line(
        "start",
        [
          "agent": .string(agent), "session": .string(session), "cwd": .string(directory),
          "version": .string("1"),
        ],
        time
      )
    ]
  }

  package mutating func prompt(_ text: String, at time: WallTime) -> [[UInt8]] {
    [line("prompt", ["text": .string(text)], time)]
  }

  package mutating func thought(_ text: String, at time: WallTime) -> [[UInt8]] { [] }

  package mutating func remark(_ text: String, at time: WallTime) -> [[UInt8]] {
    [line("message", ["text": .string(text)], time)]
  }

  package mutating func call(_ tool: SimulatedTool, id: String, at time: WallTime) -> [[UInt8]] {
    let (name, text) =
      switch tool {
      case .run(let command): ("run", command)
      case .edit(let file): ("edit", file)
      case .read(let file): ("read", file)
      case .delegate(let task): ("delegate", task)
      }
    return [
      line("tool", ["id": .string(id), "name": .string(name), "text": .string(text)], time)
    ]
  }

  package mutating func result(_ tool: SimulatedTool, id: String, at time: WallTime) -> [[UInt8]] {
    [line("tool-end", ["id": .string(id)], time)]
  }

  package mutating func plan(_ plan: [SimulatedStep], at time: WallTime) -> [[UInt8]] {
    let todos = plan.map { step in
      JSONValue.object(["content": .string(step.content), "status": .string(step.status)])
    }
    return [line("todos", ["todos": .list(todos)], time)]
  }

  package mutating func title(_ text: String, at time: WallTime) -> [[UInt8]] {
    [line("title", ["text": .string(text)], time)]
  }

  package mutating func retry(_ text: String, at time: WallTime) -> [[UInt8]] { [] }

  package mutating func permission(_ text: String, id: String, at time: WallTime) -> [[UInt8]] {
    [line("permission", ["text": .string(text)], time)]
  }

  package mutating func question(_ text: String, id: String, at time: WallTime) -> [[UInt8]] {
    [line("question", ["text": .string(text)], time)]
  }

  package mutating func answer(_ id: String, at time: WallTime) -> [[UInt8]] {
    [line("resolved", [:], time)]
  }

  package mutating func finish(_ text: String, at time: WallTime) -> [[UInt8]] {
    [line("stop", ["text": .string(text)], time)]
  }

  package mutating func interrupt(at time: WallTime) -> [[UInt8]] {
    [line("interrupted", [:], time)]
  }

  package mutating func fail(_ text: String, at time: WallTime) -> [[UInt8]] {
    [line("error", ["text": .string(text)], time)]
  }

  package mutating func riddle(at time: WallTime) -> [[UInt8]] {
    [line("weather-report", ["sky": .string("clear")], time)]
  }

  private func line(
    _ event: String,
    _ members: [String: JSONValue],
    _ time: WallTime
  ) -> [UInt8] {
    var record = members
    record["at"] = .string(time.text)
    record["event"] = .string(event)
    return JSONValue.object(record).bytes + [UInt8(ascii: "\n")]
  }
}
