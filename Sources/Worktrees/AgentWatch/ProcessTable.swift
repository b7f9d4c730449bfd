package import Agents
import Workspaces

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Finds the agents among the processes of this machine, through `/proc`.
///
/// The kind of a process is determined once, and again while it is young, since a shell becomes
/// what it runs. A known agent costs one small read per scan; of the others a few are examined each
/// time.
package struct ProcessTable: Sendable {
  /// The known facts about a process.
  private struct Known: Sendable {
    var identity: ProcessIdentity
    var kind: AgentKind?
    var isSettled: Bool
    /// Where its environment says that its logs are.
    var home: String?
    /// Where its paths lie here, if it sees other mounts.
    var mounts: MountMap?
  }

  /// How long a process may become another program by `exec`, in milliseconds.
  private static let youth: Int64 = 10_000
  /// The most ancestors of a process that are examined.
  private static let mostAncestors = 32
  /// The largest change of the machine's start that does not count as a change of the wall clock, in milliseconds.
  private static let step: Int64 = 1_000
  /// After this many scans, all processes are read again, in case a number was reused.
  private static let round = 20

  private let folder: String
  private let limits: AgentWatchLimits
  private var known: [Int32: Known] = [:]
  private var sightings: [ProcessIdentity: ProcessSnapshot.Sighting] = [:]
  private var isComplete = false
  private var searches = 0
  /// When the machine started, by the wall clock as it was last set; `nil` if processes cannot be read.
  private var bootedAt: WallTime?
  private let machineStart: @Sendable () -> WallTime?
  private let ticksPerSecond: Int64

  /// The processes below a folder.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - bootedAt: When the machine started, by the wall clock; `nil` if processes cannot be read.
  ///   - limits: The limits of what is read.
  package init(
    folder: String = "/proc",
    bootedAt: @escaping @Sendable () -> WallTime? = { ProcessTable.machineStart },
    limits: AgentWatchLimits = AgentWatchLimits()
  ) {
    self.folder = folder
    machineStart = bootedAt
    self.bootedAt = bootedAt()
    self.limits = limits
    ticksPerSecond = max(Int64(sysconf(Int32(_SC_CLK_TCK))), 1)
  }

  /// When this machine started, by its own clocks; `nil` on platforms without a process file
  /// system.
  package static var machineStart: WallTime? {
    #if canImport(Glibc)
    // The thread may be preempted between reading the two clocks: of a few tries the shortest counts.
    var best: (gap: Int64, start: Int64)?
    for _ in 0..<4 {
      guard let before = milliseconds(CLOCK_BOOTTIME), let wall = milliseconds(CLOCK_REALTIME),
        let after = milliseconds(CLOCK_BOOTTIME)
      else { return nil }
      let gap = after - before
      if gap < best?.gap ?? .max { best = (gap, wall - before) }
      if gap < 2 { break }
    }
    return best.map { WallTime(milliseconds: $0.start) }
    #else
    return nil
    #endif
  }

  #if canImport(Glibc)
  private static func milliseconds(_ clock: clockid_t) -> Int64? {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
  #endif

  /// Updates the machine's start if the wall clock was changed.
  private mutating func setClock() {
    guard let last = bootedAt, let start = machineStart() else { return }
    let difference = start.milliseconds(since: last)
    if difference.magnitude > UInt64(Self.step) { bootedAt = start }
  }

  /// Scans all processes.
  ///
  /// - Parameters:
  ///   - named: Processes that are agents whatever their command is.
  ///   - now: The current time.
  /// - Returns: The agents among them.
  package mutating func search(named: Set<Int32>, at now: WallTime) -> ProcessSnapshot {
    guard bootedAt != nil else { return ProcessSnapshot(sightings: [], isComplete: false) }
    setClock()
    let names = ReadOnlyFiles.names(folder, most: limits.mostProcesses)
    var seen: [Int32: Known] = [:]
    var found: [ProcessIdentity: ProcessSnapshot.Sighting] = [:]
    searches += 1
    for name in names {
      guard let number = Int32(name) else { continue }
      if let process = known[number], process.isSettled, process.kind == nil,
        !named.contains(number), (searches + Int(number)) % Self.round != 0
      {
        seen[number] = process
        continue
      }
      guard let state = state(of: number) else { continue }
      var process = known[number]
      if process?.identity != state.identity { process = nil }
      if process == nil || process?.isSettled == false {
        process = identify(state, at: now)
      }
      seen[number] = process
      guard let kind = process?.kind ?? (named.contains(number) ? .other(state.name) : nil),
        var sighting = sighting(state, kind, process?.mounts)
      else { continue }
      sighting.home = process?.home
      found[state.identity] = sighting
    }
    known = seen
    sightings = found
    isComplete = names.count < limits.mostProcesses
    return snapshot
  }

  /// Scans the processes that were found before: which of them still run.
  package mutating func check() -> ProcessSnapshot {
    for identity in sightings.keys where state(of: identity.number)?.identity != identity {
      sightings[identity] = nil
    }
    return snapshot
  }

  private var snapshot: ProcessSnapshot {
    ProcessSnapshot(
      sightings: sightings.values.sorted { $0.identity < $1.identity },
      isComplete: isComplete
    )
  }

  /// Which process has a number; `nil` if none has.
  package func identity(of number: Int32) -> ProcessIdentity? { state(of: number)?.identity }

  /// The state of a process as reported by the kernel.
  private struct State {
    var identity: ProcessIdentity
    var parent: Int32
    var name: String
  }

  private func state(of number: Int32) -> State? {
    guard let bytes = ReadOnlyFiles.readAll("\(folder)/\(number)/stat", most: 2_048),
      // The name is in parentheses and may contain some itself.
      let opening = bytes.firstIndex(of: UInt8(ascii: "(")),
      let closing = bytes.lastIndex(of: UInt8(ascii: ")")), opening < closing
    else { return nil }
    let fields = bytes[(closing + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 19, fields[0] != [UInt8(ascii: "Z")],
      let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
      let start = UInt64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    return State(
      identity: ProcessIdentity(number: number, start: start),
      parent: parent,
      name: String(decoding: bytes[(opening + 1)..<closing], as: UTF8.self)
    )
  }

  /// When a process started; of several, as the wall clock was put, the first: it wrote nothing earlier.
  private func startedAt(_ state: State) -> WallTime {
    let ticks = Int64(clamping: state.identity.start)
    let since = ticks / ticksPerSecond * 1_000 + ticks % ticksPerSecond * 1_000 / ticksPerSecond
    let start = (bootedAt ?? WallTime(milliseconds: 0)).advanced(by: since)
    return sightings[state.identity].map { min($0.startedAt, start) } ?? start
  }

  /// The processes above a process's parent; found out once for each parent.
  private func ancestors(_ state: State) -> [ProcessIdentity] {
    if let known = sightings[state.identity], known.parent == state.parent {
      return known.ancestors
    }
    var ancestors: [ProcessIdentity] = []
    var next = self.state(of: state.parent)?.parent ?? 0
    while next > 1, ancestors.count < Self.mostAncestors, let above = self.state(of: next) {
      ancestors.append(above.identity)
      next = above.parent
    }
    return ancestors
  }

  private func identify(_ state: State, at now: WallTime) -> Known {
    let path = "\(folder)/\(state.identity.number)/cmdline"
    let arguments = (ReadOnlyFiles.readAll(path, most: limits.longestCommand) ?? [])
      .split(separator: 0, omittingEmptySubsequences: true)
      .prefix(8)
      .map { String(decoding: $0, as: UTF8.self) }
    let kind = AgentCommand.kind(name: state.name, arguments: arguments)
    let mounts = kind == nil ? nil : mounts(of: state.identity.number)
    return Known(
      identity: state.identity,
      kind: kind,
      isSettled: now.milliseconds(since: startedAt(state)) > Self.youth,
      home: home(of: state.identity.number, kind, mounts),
      mounts: mounts
    )
  }

  /// The folder that a process is configured to keep its logs in, if its environment can be read.
  private func home(of number: Int32, _ kind: AgentKind?, _ mounts: MountMap?) -> String? {
    let variable: String
    switch kind {
    case .claudeCode: variable = "CLAUDE_CONFIG_DIR="
    case .codex: variable = "CODEX_HOME="
    case .other, nil: return nil
    }
    let bytes =
      ReadOnlyFiles.readAll("\(folder)/\(number)/environ", most: limits.longestEnvironment) ?? []
    let home = bytes.split(separator: 0).lazy
      .map { String(decoding: $0, as: UTF8.self) }
      .compactMap { $0.name(after: variable) }
      .first { $0.utf8.first == UInt8(ascii: "/") }
    guard let mounts else { return home }
    return home.flatMap { mounts.path(of: $0) }
  }

  /// The mounts of a process that sees others than this one; `nil` if it sees the same, or they cannot be read.
  private func mounts(of number: Int32) -> MountMap? {
    guard let space = ReadOnlyFiles.target("\(folder)/\(number)/ns/mnt"),
      let own = ReadOnlyFiles.target("\(folder)/self/ns/mnt"), space != own
    else { return nil }
    func list(_ name: String) -> String? {
      ReadOnlyFiles.readAll("\(folder)/\(name)/mountinfo", most: limits.longestMountList)
        .map { String(decoding: $0, as: UTF8.self) }
    }
    guard let inner = list("\(number)"), let outer = list("self") else { return nil }
    return MountMap(inner: inner, outer: outer)
  }

  /// The logs that an agent has open: Codex keeps its own open, of whatever day it is.
  private func openLogs(of number: Int32, _ kind: AgentKind) -> [String] {
    guard kind == .codex else { return [] }
    let folder = "\(folder)/\(number)/fd"
    let logs = ReadOnlyFiles.names(folder, most: limits.mostOpenFiles)
      .compactMap { ReadOnlyFiles.target("\(folder)/\($0)") }
      .filter { path in
        let name = path.name(after: path.parentPath + "/") ?? ""
        return name.beginsWithName("rollout-") && name.hasSuffix(".jsonl")
      }
    return NameSet(logs).sorted()
  }

  private func sighting(
    _ state: State,
    _ kind: AgentKind,
    _ mounts: MountMap?
  ) -> ProcessSnapshot.Sighting? {
    guard let seen = ReadOnlyFiles.target("\(folder)/\(state.identity.number)/cwd") else {
      return nil
    }
    let directory = mounts.flatMap { $0.path(of: seen) } ?? seen
    var sighting = ProcessSnapshot.Sighting(
      identity: state.identity,
      parent: state.parent,
      ancestors: ancestors(state),
      kind: kind,
      directory: directory,
      startedAt: startedAt(state)
    )
    // A container's logs lie in the container.
    if mounts == nil { sighting.logs = openLogs(of: state.identity.number, kind) }
    return sighting
  }
}
