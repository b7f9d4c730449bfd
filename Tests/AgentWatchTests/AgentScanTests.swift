import AgentSimulation
import AgentWatch
import Agents
import Foundation
import Testing
import Workspaces

/// Real files and a process table that is made of files.
struct AgentScanTests {
  private static let start = WallTime(milliseconds: 1_790_000_000_000)

  /// Lets a simulation write real files, and looks at them with the driver.
  private struct Stage {
    let folder: TemporaryFolder
    let simulation: AgentSimulation
    var scan: AgentScan
    var pids: [Int: Int32] = [:]
    var nextPid: Int32 = 500
    var truth: [Int: (state: Activity.State, since: WallTime)] = [:]

    init(_ simulation: AgentSimulation) throws {
      folder = try TemporaryFolder()
      self.simulation = simulation
      try FileManager.default.createDirectory(
        atPath: folder.path + "/proc",
        withIntermediateDirectories: true
      )
      let root = folder.path
      scan = AgentScan(
        AgentFolders(claude: root + "/claude", codex: root + "/codex", neutral: root + "/neutral"),
        processes: root + "/proc",
        bootedAt: { WallTime(milliseconds: 1_780_000_000_000) }
      )
      scan.follow(simulation.agents.map(\.worktree))
    }

    /// When a process starts, in ticks since the machine did.
    private func ticks(_ time: WallTime) -> UInt64 {
      UInt64(time.milliseconds - 1_780_000_000_000) * UInt64(sysconf(Int32(_SC_CLK_TCK))) / 1_000
    }

    mutating func happen(_ act: SimulatedAct) throws {
      let agent = simulation.agents[act.agent]
      switch act.kind {
      case .start(let command):
        nextPid += 1
        pids[act.agent] = nextPid
        let numbers = Array(repeating: "0", count: 17).joined(separator: " ")
        let stat = "\(nextPid) (\(command)) S 1 \(numbers) \(ticks(act.at)) 0 0\n"
        try folder.append("proc/\(nextPid)/stat", Array(stat.utf8))
        try folder.append("proc/\(nextPid)/cmdline", Array("/usr/bin/\(command)\0".utf8))
        try FileManager.default.createSymbolicLink(
          atPath: folder.path + "/proc/\(nextPid)/cwd",
          withDestinationPath: agent.worktree
        )
      case .stop:
        guard let pid = pids.removeValue(forKey: act.agent) else { return }
        try FileManager.default.removeItem(atPath: folder.path + "/proc/\(pid)")
      case .append(let home, let path, let bytes):
        let name = "\(home.rawValue)/\(path)"
        try folder.append(name, bytes)
        let date = Date(timeIntervalSince1970: Double(act.at.milliseconds) / 1_000)
        try FileManager.default.setAttributes(
          [.modificationDate: date],
          ofItemAtPath: folder.path + "/" + name
        )
      case .register(let session, let status, let waitingFor):
        guard let pid = pids[act.agent] else { return }
        let name = "claude/sessions/\(pid).json"
        guard let status else {
          try FileManager.default.removeItem(atPath: folder.path + "/" + name)
          return
        }
        let stat = try String(contentsOfFile: folder.path + "/proc/\(pid)/stat", encoding: .utf8)
        let start = UInt64(stat.split(separator: " ")[21]) ?? 0
        try folder.write(
          name,
          RegistryText.bytes(
            process: ProcessIdentity(number: pid, start: start),
            session: session,
            directory: agent.worktree,
            status: status,
            waitingFor: waitingFor,
            at: act.at
          )
        )
      case .look: scan.markSeen(agent.worktree, at: act.at)
      case .truth(let state, _): truth[act.agent] = (state, act.at)
      case .edit, .commit, .todos: break
      }
    }
  }

  @Test func `real files of several agents show the truth within a second`() throws {
    var simulation = AgentSimulation(
      worktrees: (0..<6).map { "/work/tree.\($0)" },
      dialects: [.claude21, .claude20, .codex90, .neutral],
      seed: 11,
      startsAt: Self.start,
      minutes: 12
    )
    var stage = try Stage(simulation)
    var act = simulation.next()
    var now = Self.start
    var differences: [String] = []
    var compared = 0
    while now < Self.start.advanced(by: 12 * 60_000) {
      now = now.advanced(by: 250)
      while let next = act, next.at <= now {
        try stage.happen(next)
        act = simulation.next()
      }
      let readings = stage.scan.look(at: now).readings
      for agent in simulation.agents {
        guard let truth = stage.truth[agent.number],
          now.milliseconds(since: truth.since) >= 1_250,
          let shown = readings[agent.worktree]?.activity
        else { continue }
        compared += 1
        guard shown.state.rawValue != truth.state.rawValue else { continue }
        differences.append(
          "\(now.text) \(agent.dialect.rawValue): \(shown.state.rawValue) by \(shown.source), "
            + "\(shown.reason ?? "-"); truth \(truth.state.rawValue) since \(truth.since.text)"
        )
      }
    }
    let first = differences.prefix(5).joined(separator: "\n")
    let count = differences.count
    #expect(count == 0, "\(first)")
    #expect(compared > 5_000)
  }
}
