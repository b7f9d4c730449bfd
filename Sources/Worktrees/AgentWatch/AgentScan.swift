package import Agents
package import Workspaces

/// Scans logs, registry and processes, one scan after the other, for ``AgentRegistry``.
package struct AgentScan: Sendable {
  /// One entry of the registry, as it was read.
  private struct RegistryFile: Sendable {
    var stamp: LogTail.Stamp
    var entry: ClaudeRegistryEntry?
  }

  /// One log that is followed.
  private struct Followed: Sendable {
    var format: AgentLogFile.Format
    var tail: LogTail
    var stamp: LogTail.Stamp?
  }

  private let folders: AgentFolders
  private let limits: AgentWatchLimits
  private var agentRegistry: AgentRegistry
  private var logs: LogSearch
  private var processes: ProcessTable
  private var followed: NameTable<Followed> = [:]
  private var registry: NameTable<RegistryFile> = [:]
  private var searchedAt: WallTime?
  private var snapshot: ProcessSnapshot?
  private var entries: [ClaudeRegistryEntry] = []
  private var readings: NameTable<AgentReading> = [:]
  /// Whether something was seen since readings were made.
  private var isChange = false
  /// The folders of Claude Code beside the given one, as configured for running processes.
  private var claudeHomes: [String] = []

  /// A scan of some folders.
  ///
  /// - Parameters:
  ///   - folders: The folders of logs.
  ///   - processes: The process file system.
  ///   - bootedAt: When the machine started, by the wall clock; `nil` if processes cannot be read.
  ///   - limits: The limits of what is read.
  ///   - thresholds: The waiting times.
  package init(
    _ folders: AgentFolders,
    processes: String = "/proc",
    bootedAt: @escaping @Sendable () -> WallTime? = { ProcessTable.machineStart },
    limits: AgentWatchLimits = AgentWatchLimits(),
    thresholds: ActivityThresholds = ActivityThresholds()
  ) {
    self.folders = folders
    self.limits = limits
    agentRegistry = AgentRegistry(limits: limits.agents, thresholds: thresholds)
    logs = LogSearch(folders, limits: limits)
    self.processes = ProcessTable(folder: processes, bootedAt: bootedAt, limits: limits)
  }

  /// Replaces the worktrees.
  package mutating func follow(_ worktrees: [String]) {
    agentRegistry.follow(worktrees)
    logs.follow(worktrees)
    searchedAt = nil
    isChange = true
  }

  /// Marks what the agents of a worktree did as seen.
  package mutating func markSeen(_ worktree: String, at now: WallTime) {
    agentRegistry.markSeen(worktree, at: now)
    isChange = true
  }

  /// Scans everything that is due.
  ///
  /// - Parameter now: The current time.
  /// - Returns: The reading of every worktree, and whether something is left to be read at once.
  package mutating func run(
    at now: WallTime
  ) -> (readings: NameTable<AgentReading>, isBehind: Bool) {
    var isSearch = true
    if let searchedAt {
      // A clock that was put back must not stop the search.
      isSearch = !(0..<limits.search).contains(now.milliseconds(since: searchedAt))
    }
    // Before the logs: Claude Code writes a record first and its entry after it, so the logs have all that an entry
    // counts on. An entry that is newer than what is known of its log would show a turn that was stopped as finished.
    let entries = readRegistry(at: now)
    if isSearch {
      searchedAt = now
      search(now, sessions: Set(entries.map(\.session)))
    }
    let isBehind = read(at: now)
    // The owner of a new log can be determined if all running processes are known.
    let snapshot =
      isSearch || agentRegistry.hasNewcomers
      ? processes.search(named: agentRegistry.namedProcesses, at: now) : processes.check()
    if snapshot != self.snapshot || entries != self.entries {
      isChange = true
      self.snapshot = snapshot
      self.entries = entries
      adopt(snapshot)
    }
    // Time alone changes a reading too; a search is soon enough for that. Half a log does not show whose process it
    // has.
    if isBehind {
      isChange = true
    } else if isChange || isSearch {
      agentRegistry.see(snapshot, entries, at: now)
      readings = agentRegistry.readings(at: now)
      isChange = false
    }
    return (readings, isBehind)
  }

  /// Also searches for logs where the running agents keep theirs.
  private mutating func adopt(_ snapshot: ProcessSnapshot) {
    func homes(_ kind: AgentKind, besides given: String?) -> [String] {
      let told = NameSet(snapshot.sightings.filter { $0.kind == kind }.compactMap(\.home)).sorted()
      return Array(
        told.filter { home in given.map { !home.isSameName(as: $0) } ?? true }
          .prefix(limits.mostHomes)
      )
    }
    claudeHomes = homes(.claudeCode, besides: folders.claude)
    logs.follow(
      claude: claudeHomes,
      codex: homes(.codex, besides: folders.codex),
      open: NameSet(snapshot.sightings.flatMap(\.logs)).sorted()
    )
  }

  private mutating func search(_ now: WallTime, sessions: Set<String>) {
    let found = NameTable(logs.search(at: now, sessions: sessions).map { ($0.path, $0) })
    var held = 0
    for path in followed.keys.sorted() where found[path] == nil {
      if held < limits.mostHeldLogs, agentRegistry.isHeld(path, at: now),
        ReadOnlyFiles.stamp(path) != nil
      {
        held += 1
        continue
      }
      followed[path] = nil
      agentRegistry.forget(path)
    }
    for (path, log) in found where followed[path] == nil {
      var bounds = limits.agents
      if !log.isRecent { bounds.reach = limits.shortReach }
      followed[path] = Followed(format: log.format, tail: LogTail(limits: bounds))
    }
  }

  /// Reads what is new in all logs.
  ///
  /// - Parameter now: The current time.
  /// - Returns: Whether something is left.
  private mutating func read(at now: WallTime) -> Bool {
    var left = limits.mostRead
    var isBehind = false
    for (path, log) in followed {
      guard let stamp = ReadOnlyFiles.stamp(path) else { continue }
      var tail = log.tail
      var findings = tail.see(stamp)
      while let request = tail.request {
        guard left > 0 else {
          isBehind = true
          break
        }
        guard
          let bytes = ReadOnlyFiles.read(path, from: request.from, count: request.count)
        else { break }
        left -= bytes.count
        findings += tail.handle(bytes, at: request.from)
        // The file was truncated, or its end is not written yet: the next scan sees it.
        if bytes.count < request.count { break }
      }
      followed[path]?.tail = tail
      if findings.isEmpty, stamp == log.stamp { continue }
      followed[path]?.stamp = stamp
      isChange = true
      let writtenAt = WallTime(milliseconds: stamp.modified / 1_000_000)
      agentRegistry.handle(findings, from: path, log.format, writtenAt: writtenAt, at: now)
    }
    return isBehind
  }

  private mutating func readRegistry(at now: WallTime) -> [ClaudeRegistryEntry] {
    var files: NameTable<RegistryFile> = [:]
    let homes = [folders.claude].compactMap(\.self) + claudeHomes
    let paths = homes.flatMap { home in
      ReadOnlyFiles.names(home + "/sessions", most: limits.mostEntries)
        .filter { $0.hasSuffix(".json") && $0.first?.isNumber == true }
        .map { home + "/sessions/" + $0 }
    }
    for path in paths {
      guard let stamp = ReadOnlyFiles.stamp(path) else { continue }
      if let before = registry[path], before.stamp == stamp, before.entry != nil {
        files[path] = before
        continue
      }
      let size = min(Int(stamp.size), ClaudeRegistryEntry.longest)
      let writtenAt = WallTime(milliseconds: stamp.modified / 1_000_000)
      let entry = ReadOnlyFiles.read(path, from: 0, count: size)
        .flatMap { ClaudeRegistryEntry($0, writtenAt: writtenAt, readAt: now) }
      // A file that is being written says what it said before.
      files[path] = RegistryFile(stamp: stamp, entry: entry ?? registry[path]?.entry)
    }
    registry = files
    return files.values.compactMap(\.entry).sorted { $0.process < $1.process }
  }
}
