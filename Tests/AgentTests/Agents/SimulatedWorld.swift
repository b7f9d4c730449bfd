import AgentSimulation
import Agents
import Workspaces

/// Files, processes and a registry that exist in memory only, moved by a simulation and looked at
/// as the driver looks at real ones.
struct SimulatedWorld {
  /// One file.
  struct File {
    var inode: UInt64
    var bytes: [UInt8] = []
    var modified: WallTime
  }

  /// How often the world is looked at, in milliseconds.
  static let tick: Int64 = 500

  private(set) var files: [String: File] = [:]
  private var formats: [String: AgentLogFile.Format] = [:]
  private var tails: [String: LogTail] = [:]
  private var processes: [Int: ProcessSnapshot.Sighting] = [:]
  private var registry: [ProcessIdentity: [UInt8]] = [:]
  private var pids: Int32 = 100
  private var inodes: UInt64 = 1
  /// What each agent does, in truth, and since when.
  private(set) var truth: [Int: (state: Activity.State, since: WallTime, reason: String)] = [:]
  private(set) var agentRegistry: AgentRegistry
  private let simulated: [SimulatedAgent]

  init(_ simulation: AgentSimulation, thresholds: ActivityThresholds = ActivityThresholds()) {
    simulated = simulation.agents
    agentRegistry = AgentRegistry(
      worktrees: simulation.agents.map(\.worktree),
      thresholds: thresholds
    )
  }

  /// Lets one thing happen.
  mutating func happen(_ act: SimulatedAct) {
    let agent = simulated[act.agent]
    switch act.kind {
    case .start(let command):
      pids += 1
      processes[act.agent] = ProcessSnapshot.Sighting(
        identity: ProcessIdentity(number: pids, start: UInt64(act.at.milliseconds)),
        parent: 1,
        kind: AgentCommand.kind(name: command, arguments: []) ?? .other(command),
        directory: agent.worktree,
        startedAt: act.at
      )
    case .stop: processes[act.agent] = nil
    case .append(let home, let path, let bytes):
      let name = "\(home.rawValue)/\(path)"
      if files[name] == nil {
        files[name] = File(inode: inodes, modified: act.at)
        inodes += 1
        formats[name] =
          switch home {
          case .claude: .claude
          case .codex: .codex
          case .neutral: .neutral
          }
      }
      files[name]?.bytes += bytes
      files[name]?.modified = act.at
    case .register(let session, let status, let waitingFor):
      guard let process = processes[act.agent]?.identity else { return }
      registry[process] = status.map {
        RegistryText.bytes(
          process: process,
          session: session,
          directory: agent.worktree,
          status: $0,
          waitingFor: waitingFor,
          at: act.at
        )
      }
    case .inspect: agentRegistry.markSeen(agent.worktree, at: act.at)
    case .truth(let state, let reason): truth[act.agent] = (state, act.at, reason)
    case .edit, .commit, .todos: break
    }
  }

  /// Looks at everything, as the driver does.
  mutating func scan(at now: WallTime) -> NameTable<AgentReading> {
    for (name, file) in files {
      var tail = tails[name] ?? LogTail()
      guard tail.position < Int64(file.bytes.count) else { continue }
      let stamp = LogTail.Stamp(
        device: 1,
        inode: file.inode,
        size: Int64(file.bytes.count),
        modified: file.modified.milliseconds
      )
      var findings = tail.see(stamp)
      while let request = tail.request {
        let end = min(Int(request.from) + request.count, file.bytes.count)
        findings += tail.handle(Array(file.bytes[Int(request.from)..<end]), at: request.from)
      }
      tails[name] = tail
      agentRegistry.handle(
        findings,
        from: name,
        formats[name] ?? .neutral,
        writtenAt: file.modified
      )
    }
    agentRegistry.see(
      ProcessSnapshot(sightings: Array(processes.values), isComplete: true),
      registry.values.compactMap { ClaudeRegistryEntry($0) },
      at: now
    )
    return agentRegistry.readings(at: now)
  }
}
