import AgentSimulation
import Agents
import Workspaces

/// A registry with logs and processes that a test moves by hand.
struct RegistryStage {
  var agentRegistry: AgentRegistry
  private var processes: [ProcessSnapshot.Sighting] = []
  private var registry: [ClaudeRegistryEntry] = []

  init(_ worktrees: String...) { agentRegistry = AgentRegistry(worktrees: worktrees) }

  /// Lets an agent's process start.
  mutating func start(
    _ number: Int32,
    _ kind: AgentKind = .claudeCode,
    in directory: String,
    at time: WallTime,
    parent: Int32 = 1,
    above: [Int32] = [],
    ticks: UInt64? = nil
  ) {
    processes.append(
      ProcessSnapshot.Sighting(
        identity: ProcessIdentity(number: number, start: ticks ?? UInt64(time.milliseconds)),
        parent: parent,
        ancestors: above.compactMap { number in
          processes.first { $0.identity.number == number }?.identity
        },
        kind: kind,
        directory: directory,
        startedAt: time
      )
    )
  }

  /// Lets a process end.
  mutating func end(_ number: Int32) { processes.removeAll { $0.identity.number == number } }

  /// Lets a running Claude Code say what it does.
  mutating func register(
    _ number: Int32,
    session: String,
    _ status: String,
    at time: WallTime,
    waitingFor: String? = nil
  ) {
    registry.removeAll { $0.process.number == number }
    guard let process = processes.first(where: { $0.identity.number == number }) else { return }
    let bytes = RegistryText.bytes(
      process: process.identity,
      session: session,
      directory: process.directory,
      status: status,
      waitingFor: waitingFor,
      at: time
    )
    if let entry = ClaudeRegistryEntry(bytes) { registry.append(entry) }
  }

  /// Writes lines to a log.
  mutating func write(
    _ lines: [[UInt8]],
    to path: String,
    _ format: AgentLogFile.Format = .claude,
    at time: WallTime,
    readAt: WallTime? = nil
  ) {
    let findings = lines.flatMap { bytes in
      bytes.split(separator: UInt8(ascii: "\n")).map { LogTail.Finding.line(Array($0)) }
    }
    agentRegistry.handle(findings, from: path, format, writtenAt: time, at: readAt)
  }

  /// Looks at the processes.
  mutating func scan(at time: WallTime, isComplete: Bool = true) {
    agentRegistry.see(
      ProcessSnapshot(sightings: processes, isComplete: isComplete),
      registry,
      at: time
    )
  }

  /// What is shown of a worktree.
  mutating func activity(_ worktree: String, at time: WallTime) -> AgentActivity {
    agentRegistry.readings(at: time)[worktree]?.activity ?? .unknown
  }
}
