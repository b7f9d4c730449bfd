import AgentSimulation
import AgentWatch
import Agents
import Foundation
import Synchronization
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
      case .inspect: scan.markSeen(agent.worktree, at: act.at)
      case .truth(let state, _): truth[act.agent] = (state, act.at)
      case .edit, .commit, .todos: break
      }
    }
  }

  /// A scan of a folder's logs and processes, with few logs of a folder followed.
  private func scan(_ folder: TemporaryFolder, _ worktree: String) throws -> AgentScan {
    var limits = AgentWatchLimits()
    limits.mostLogsInFolder = 2
    try FileManager.default.createDirectory(
      atPath: folder.path + "/proc",
      withIntermediateDirectories: true
    )
    var scan = AgentScan(
      AgentFolders(claude: folder.path + "/claude", codex: nil, neutral: nil),
      processes: folder.path + "/proc",
      bootedAt: { WallTime(milliseconds: 1_780_000_000_000) },
      limits: limits
    )
    scan.follow([worktree])
    return scan
  }

  private func write(
    _ folder: TemporaryFolder,
    _ writer: ClaudeWriter,
    _ lines: [[UInt8]],
    at time: WallTime
  ) throws {
    let name = "claude/" + writer.path
    try folder.append(name, Array(lines.joined()))
    let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
    try FileManager.default.setAttributes(
      [.modificationDate: date],
      ofItemAtPath: folder.path + "/" + name
    )
  }

  /// A process of an agent, as `/proc` shows it.
  private func process(
    _ folder: TemporaryFolder,
    _ number: Int,
    _ command: String,
    in directory: String,
    environment: [String] = [],
    links: [String: String] = [:]
  ) throws {
    let numbers = Array(repeating: "0", count: 17).joined(separator: " ")
    try folder.append(
      "proc/\(number)/stat",
      Array("\(number) (\(command)) S 1 \(numbers) 1 0".utf8)
    )
    try folder.append("proc/\(number)/cmdline", Array("/usr/bin/\(command)\0".utf8))
    let variables = environment.map { $0 + "\0" }.joined()
    try folder.append("proc/\(number)/environ", Array(variables.utf8))
    for (name, target) in links.merging(["cwd": directory], uniquingKeysWith: { first, _ in first })
    {
      let path = folder.path + "/proc/\(number)/" + name
      try FileManager.default.createDirectory(
        atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
        withIntermediateDirectories: true
      )
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }
  }

  @Test func `an agent that was told to keep its logs elsewhere is read there`() throws {
    let folder = try TemporaryFolder()
    var scan = try scan(folder, "/w")
    let home = folder.path + "/second"
    try process(
      folder,
      7,
      "claude",
      in: "/w",
      environment: ["HOME=/nobody", "CLAUDE_CONFIG_DIR=\(home)"]
    )
    let now = Self.start
    var writer = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    let name = "second/" + writer.path
    try folder.append(name, Array(writer.prompt("Mend it", at: now).joined()))
    let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000)
    try FileManager.default.setAttributes(
      [.modificationDate: date],
      ofItemAtPath: folder.path + "/" + name
    )
    _ = scan.run(at: now)
    let reading = scan.run(at: now.advanced(by: 600)).readings["/w"]
    #expect(reading?.latestPrompt == "Mend it")
    #expect(reading?.activity.state == .working)
    #expect(reading?.activity.agents.map(\.pid) == [7])
    // When it has ended, its log stays known while it is held; no other folder is searched.
    try FileManager.default.removeItem(atPath: folder.path + "/proc/7")
    #expect(scan.run(at: now.advanced(by: 1_200)).readings["/w"]?.activity.state != .working)
  }

  @Test func `a session of Codex that was taken up again is read though its day is long ago`()
    throws
  {
    let folder = try TemporaryFolder()
    var limits = AgentWatchLimits()
    limits.mostDays = 2
    var scan = AgentScan(
      AgentFolders(claude: nil, codex: folder.path + "/codex", neutral: nil),
      processes: folder.path + "/proc",
      bootedAt: { WallTime(milliseconds: 1_780_000_000_000) },
      limits: limits
    )
    scan.follow(["/w"])
    let now = Self.start
    let began = WallTime(milliseconds: 1_577_923_200_000)
    var writer = CodexWriter(.codex90, directory: "/w", startedAt: began, seed: 1)
    let old = "codex/" + writer.path
    let lines = writer.begin(isResumed: false, at: began) + writer.prompt("Go on", at: now)
    try folder.append(old, Array(lines.joined()))
    for day in ["03", "04", "05"] { try folder.append("codex/sessions/2026/01/\(day)/other", []) }
    let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000)
    try FileManager.default.setAttributes(
      [.modificationDate: date],
      ofItemAtPath: folder.path + "/" + old
    )
    try process(
      folder,
      7,
      "codex",
      in: "/w",
      links: ["fd/0": "/dev/null", "fd/12": folder.path + "/" + old]
    )
    _ = scan.run(at: now)
    let reading = scan.run(at: now.advanced(by: 600)).readings["/w"]
    #expect(reading?.latestPrompt == "Go on")
    #expect(reading?.activity.state == .working)
  }

  @Test func `an agent in a container works in the folder that is bound into it`() throws {
    let folder = try TemporaryFolder()
    var scan = try scan(folder, "/home/me/code/app")
    try process(
      folder,
      7,
      "claude",
      in: "/workspaces/app/src",
      links: ["ns/mnt": "mnt:[2]"]
    )
    try FileManager.default.createDirectory(
      atPath: folder.path + "/proc/self/ns",
      withIntermediateDirectories: true
    )
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/proc/self/ns/mnt",
      withDestinationPath: "mnt:[1]"
    )
    let outer = "22 1 8:1 / / rw - ext4 /dev/a rw\n24 22 8:3 / /home rw - ext4 /dev/c rw\n"
    let inner =
      "90 1 0:50 / / rw - overlay overlay rw\n91 90 8:3 /me/code /workspaces rw - ext4 /dev/c rw\n"
    try folder.append("proc/self/mountinfo", Array(outer.utf8))
    try folder.append("proc/7/mountinfo", Array(inner.utf8))
    let agents = scan.run(at: Self.start).readings["/home/me/code/app"]?.activity.agents
    #expect(agents?.map(\.pid) == [7])
  }

  @Test func `an agent that waits is shown however many newer logs there are`() throws {
    let folder = try TemporaryFolder()
    var scan = try scan(folder, "/w")
    let numbers = Array(repeating: "0", count: 17).joined(separator: " ")
    try folder.append("proc/7/stat", Array("7 (claude) S 1 \(numbers) 1 0".utf8))
    try folder.append("proc/7/cmdline", [])
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/proc/7/cwd",
      withDestinationPath: "/w"
    )
    var now = Self.start
    var waiting = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    let lines = waiting.prompt("Go", at: now) + waiting.question("Which?", id: "q", at: now)
    try write(folder, waiting, lines, at: now)
    #expect(scan.run(at: now).readings["/w"]?.activity.state == .needsYou)
    for seed in 2..<6 {
      now = now.advanced(by: 1_000)
      var other = ClaudeWriter(.claude20, directory: "/w", seed: UInt64(seed))
      let lines = other.prompt("Hi", at: now) + other.finish("Hi.", at: now)
      try write(folder, other, lines, at: now)
    }
    for _ in 0..<3 {
      now = now.advanced(by: 60_000)
      #expect(scan.run(at: now).readings["/w"]?.activity.state == .needsYou)
    }
    // At rest and without its process it has no place any more.
    try write(
      folder,
      waiting,
      waiting.answer("q", at: now) + waiting.finish("Done.", at: now),
      at: Self.start
    )
    let idle = scan.run(at: now).readings["/w"]?.activity.agents
    #expect(idle?.contains { $0.pid == 7 && $0.state == .doneUnseen } == true)
    try FileManager.default.removeItem(atPath: folder.path + "/proc/7")
    _ = scan.run(at: now.advanced(by: 1_000))
    let agents = scan.run(at: now.advanced(by: 60_000)).readings["/w"]?.activity.agents
    #expect(agents?.contains { $0.sessionId == waiting.session } == false)
  }

  /// Claude Code writes the record and then the registry; both may come after a scan has read the logs.
  @Test func `a turn that is stopped during a scan is never shown as finished`() throws {
    let folder = try TemporaryFolder()
    try process(folder, 7, "claude", in: "/w")
    let identity = ProcessIdentity(number: 7, start: 1)
    let now = Self.start
    let stop = Mutex<(@Sendable () throws -> Void)?>(nil)
    var scan = AgentScan(
      AgentFolders(claude: folder.path + "/claude", codex: nil, neutral: nil),
      processes: folder.path + "/proc",
      bootedAt: {
        // Asked for when the processes are read: after the logs.
        try? stop.withLock { $0.take() }?()
        return WallTime(milliseconds: 1_780_000_000_000)
      }
    )
    scan.follow(["/w"])
    var writer = ClaudeWriter(.claude21, directory: "/w", seed: 1)
    let name = "claude/" + writer.path
    let session = writer.session
    let register = { @Sendable (status: String, time: WallTime) throws in
      let entry = RegistryText.bytes(
        process: identity,
        session: session,
        directory: "/w",
        status: status,
        waitingFor: nil,
        at: time
      )
      try folder.write("claude/sessions/7.json", entry)
    }
    try write(folder, writer, writer.prompt("Mend it", at: now), at: now)
    try register("busy", now)
    #expect(scan.run(at: now).readings["/w"]?.activity.state == .working)
    let later = now.advanced(by: 2_000)
    let record = Array(writer.interrupt(at: later).joined())
    stop.withLock {
      $0 = {
        try folder.append(name, record)
        try register("idle", later.advanced(by: 1))
      }
    }
    let during = scan.run(at: later).readings["/w"]?.activity.state
    #expect(stop.withLock { $0 == nil })
    #expect(during == .working)
    #expect(scan.run(at: later.advanced(by: 250)).readings["/w"]?.activity.state == .idle)
  }

  @Test func `a log whose file is gone is not held`() throws {
    let folder = try TemporaryFolder()
    var scan = try scan(folder, "/w")
    var waiting = ClaudeWriter(.claude20, directory: "/w", seed: 1)
    try write(folder, waiting, waiting.prompt("Go", at: Self.start), at: Self.start)
    #expect(scan.run(at: Self.start).readings["/w"]?.activity.state == .working)
    try FileManager.default.removeItem(atPath: folder.path + "/claude/" + waiting.path)
    let now = Self.start.advanced(by: 60_000)
    #expect(scan.run(at: now).readings["/w"]?.activity == .unknown)
  }

  @Test func `a file of a year that has no nanoseconds is read`() throws {
    let folder = try TemporaryFolder()
    try folder.append("far", [])
    var times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 13_569_465_600, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, folder.path + "/far", &times, 0) == 0)
    let stamp = try #require(ReadOnlyFiles.stamp(folder.path + "/far"))
    // Some file systems keep a nearer year.
    #expect(stamp.modified > 2_147_000_000_000_000_000)
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
      let readings = stage.scan.run(at: now).readings
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
