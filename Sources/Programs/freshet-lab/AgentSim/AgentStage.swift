import AgentSimulation
import AgentWatch
import Agents
import Commands
import Foundation
import Synchronization

/// The reason why a simulation cannot continue.
struct AgentStageError: Error, CustomStringConvertible {
  /// A readable description of the problem.
  let description: String
}

/// Carries out the acts of simulated agents: writes their logs, starts and ends their processes,
/// changes their worktrees.
final class AgentStage: Sendable {
  /// The folders of the logs.
  let folders: AgentFolders

  /// How long one git may take.
  private static let longestCommit = Duration.seconds(2)

  private let home: String
  private let truth: FileHandle
  private let edits: Bool
  private let commits: Bool
  private let processes = Mutex<[Int: StandIn]>([:])

  /// Creates a stage.
  ///
  /// - Parameters:
  ///   - home: The folder for all logs.
  ///   - truth: The file for the ground truth, `-` for standard output.
  ///   - edits: Whether files of worktrees are changed.
  ///   - commits: Whether changes are committed.
  /// - Throws: ``AgentStageError`` for a folder that may belong to a real agent, or that cannot be
  ///   created.
  init(home: String, truth: String, edits: Bool, commits: Bool) throws(AgentStageError) {
    let path = URL(filePath: home).standardizedFileURL.path
    let real = AgentFolders(environment: ProcessInfo.processInfo.environment)
    for folder in [real.claude, real.codex, real.neutral].compactMap(\.self) {
      guard path != folder, !path.hasPrefix(folder + "/") else {
        throw AgentStageError(description: "--home \(home): is a folder of real agents")
      }
    }
    self.home = path
    self.edits = edits
    self.commits = commits
    folders = AgentFolders(
      claude: path + "/claude",
      codex: path + "/codex",
      neutral: path + "/agents"
    )
    do {
      for folder in ["claude/projects", "claude/sessions", "codex/sessions", "agents", "bin"] {
        try FileManager.default.createDirectory(
          atPath: path + "/" + folder,
          withIntermediateDirectories: true
        )
      }
    } catch {
      throw AgentStageError(description: "--home \(home): \(error.localizedDescription)")
    }
    guard truth != "-" else {
      self.truth = .standardOutput
      return
    }
    let descriptor = open(truth, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw AgentStageError(description: "--truth \(truth): \(reason)")
    }
    self.truth = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Plays a simulation to its end, each act at its time.
  ///
  /// - Parameters:
  ///   - simulation: The simulation, which begins now.
  ///   - told: Called after every act.
  /// - Throws: ``AgentStageError``, or `CancellationError` if the task is canceled.
  func play(_ simulation: AgentSimulation, told: (SimulatedAct) -> Void) async throws {
    let agents = simulation.agents
    for act in simulation {
      let wait = act.at.milliseconds(since: AgentWatch.systemClock())
      if wait > 0 { try await Task.sleep(for: .milliseconds(wait)) }
      try Task.checkCancellation()
      try happen(act, agents[act.agent])
      told(act)
    }
  }

  /// Ends all remaining processes.
  func end() {
    let left = processes.withLock { processes in
      defer { processes = [:] }
      return Array(processes.values)
    }
    for process in left { process.end(isKilled: false) }
  }

  // MARK: Acts

  private func happen(_ act: SimulatedAct, _ agent: SimulatedAgent) throws {
    switch act.kind {
    case .start(let command):
      let process = try StandIn(command, folder: home + "/bin", directory: agent.worktree)
      processes.withLock { $0[act.agent] = process }
      try record(act, agent, ["event": "start", "pid": Int(process.identity.number)])
    case .stop(let isKilled):
      processes.withLock { $0.removeValue(forKey: act.agent) }?.end(isKilled: isKilled)
      try record(act, agent, ["event": isKilled ? "killed" : "stop"])
    case .append(let place, let path, let bytes): try append(place, path, bytes)
    case .register(let session, let status, let waitingFor):
      try register(act, agent, session, status, waitingFor)
    case .edit(let file, let line):
      if edits { try change(agent.worktree + "/" + file, line) }
    case .commit(let message):
      if commits { try commit(agent.worktree, message) }
    case .inspect: try record(act, agent, ["event": "look"])
    case .todos(let states):
      let letters = String(states.map { TodoLetter.letter(of: $0) })
      try record(act, agent, ["event": "todos", "todos": letters])
    case .truth(let state, let reason):
      try record(act, agent, ["event": "state", "state": state.rawValue, "reason": reason])
    }
  }

  private func append(_ place: SimulatedAct.Home, _ path: String, _ bytes: [UInt8]) throws {
    let folder =
      switch place {
      case .claude: folders.claude
      case .codex: folders.codex
      case .neutral: folders.neutral
      }
    try write((folder ?? home) + "/" + path, bytes, O_APPEND)
  }

  private func register(
    _ act: SimulatedAct,
    _ agent: SimulatedAgent,
    _ session: String,
    _ status: String?,
    _ waitingFor: String?
  ) throws {
    guard let identity = processes.withLock({ $0[act.agent]?.identity }) else { return }
    let path = "\(home)/claude/sessions/\(identity.number).json"
    guard let status else {
      unlink(path)
      return
    }
    let bytes = RegistryText.bytes(
      process: identity,
      session: session,
      directory: agent.worktree,
      status: status,
      waitingFor: waitingFor,
      at: act.at
    )
    try write(path, bytes, O_TRUNC)
  }

  private func change(_ path: String, _ line: String) throws {
    try write(path, Array((line + "\n").utf8), O_APPEND)
  }

  private func commit(_ worktree: String, _ message: String) throws {
    for arguments in [["add", "--all"], ["commit", "--quiet", "--message", message]] {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["git", "-C", worktree] + arguments
      process.environment = ProcessInfo.processInfo.environment.merging([
        "GIT_AUTHOR_NAME": "Agent", "GIT_AUTHOR_EMAIL": "agent@example.invalid",
        "GIT_COMMITTER_NAME": "Agent", "GIT_COMMITTER_EMAIL": "agent@example.invalid",
      ]) { _, new in new }
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      do {
        try process.run()
      } catch {
        throw AgentStageError(description: "git: \(error.localizedDescription)")
      }
      // A git that hangs stops its agent for a while, and no other one.
      let deadline = ContinuousClock.now + Self.longestCommit
      while process.isRunning, ContinuousClock.now < deadline { usleep(5_000) }
      // It inherits the signal mask of a pool thread, which may block SIGTERM.
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }
  }

  private func write(_ path: String, _ bytes: [UInt8], _ mode: Int32) throws {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0o644)
    guard file >= 0 else {
      throw AgentStageError(description: "\(path): \(String(cString: strerror(errno)))")
    }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(bytes))
    } catch {
      throw AgentStageError(description: "\(path): \(error.localizedDescription)")
    }
  }

  private func record(
    _ act: SimulatedAct,
    _ agent: SimulatedAgent,
    _ members: [String: Any]
  ) throws {
    let now = AgentWatch.systemClock()
    var line: [String: Any] = [
      "at": act.at.text, "written": now.text, "agent": act.agent,
      "kind": agent.dialect.rawValue, "worktree": agent.worktree,
    ]
    line.merge(members) { first, _ in first }
    do {
      let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
      var data = try JSONSerialization.data(withJSONObject: line, options: options)
      data.append(UInt8(ascii: "\n"))
      try truth.write(contentsOf: data)
    } catch {
      throw AgentStageError(description: "--truth: \(error.localizedDescription)")
    }
  }
}
