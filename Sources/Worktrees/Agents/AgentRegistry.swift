package import Workspaces

/// Every agent in the watched worktrees, as a value: takes what logs, process table and registry
/// report, and returns one reading per worktree.
///
/// 1. A session belongs to the innermost worktree that contains its latest working directory, else
///    its first one; a session of neither belongs to none.
/// 2. A session and a process belong together if the registry or the log says so; else if both are of
///    one agent, in one directory, and the process has started before the log was last written. A
///    process has one session, a session one process.
/// 3. A process is identified by its number and its start, so a reused number is another process.
/// 4. A reading depends on the evidence and the time, not on the order of logs or processes.
package struct AgentRegistry: Sendable {
  /// One log that is followed.
  private struct Entry: Sendable {
    var file: AgentLogFile
    var session: AgentSession { file.session }
    var writtenAt: WallTime?
    var process: ProcessIdentity?
    var missing: (noticed: WallTime, wasSeen: Bool)?
    /// The process that went missing.
    var lost: ProcessIdentity?
    /// When the user began another session in its process, so that this one needs no attention.
    var leftAt: WallTime?
  }

  /// One agent of a worktree.
  private struct Member {
    var key: String
    var kind: AgentKind
    var session: AgentSession?
    var process: ProcessIdentity?
    var activity: Activity
    /// Whether its process is gone, so that it cannot be answered or continued.
    var isGone = false
    var lastRecordAt: WallTime { session?.lastRecordAt ?? WallTime(milliseconds: 0) }
  }

  private let limits: AgentLimits
  private let fusion: ActivityFusion
  private var worktrees: WorktreePaths
  private var entries: NameTable<Entry> = [:]
  private var registry: [ProcessIdentity: ClaudeRegistryEntry] = [:]
  private var snapshot: [ProcessIdentity: ProcessSnapshot.Sighting] = [:]
  /// Agents that run others of their kind.
  private var leaders: Set<ProcessIdentity> = []
  /// Whether the last scan of the process table was complete.
  private var seesProcesses = false
  private var seenAt: NameTable<WallTime> = [:]
  /// Whether a session without a process has new records since the last scan of processes.
  private var isUnbound = false

  /// Creates a registry of some worktrees.
  ///
  /// - Parameters:
  ///   - worktrees: Their absolute paths.
  ///   - limits: The limits of what is kept.
  ///   - thresholds: The waiting times.
  package init(
    worktrees: [String] = [],
    limits: AgentLimits = AgentLimits(),
    thresholds: ActivityThresholds = ActivityThresholds()
  ) {
    self.worktrees = WorktreePaths(worktrees)
    self.limits = limits
    fusion = ActivityFusion(thresholds: thresholds)
  }

  // MARK: Observations

  /// Replaces the worktrees.
  package mutating func follow(_ worktrees: [String]) {
    self.worktrees = WorktreePaths(worktrees)
    seenAt = seenAt.filter { self.worktrees.contains($0.key) }
  }

  /// Takes new findings of a log.
  ///
  /// - Parameters:
  ///   - findings: The findings, in order.
  ///   - path: The path of the log.
  ///   - format: Its format.
  ///   - writtenAt: When the file was last written.
  ///   - now: The current instant; later times in the log are replaced by the file's.
  package mutating func handle(
    _ findings: [LogTail.Finding],
    from path: String,
    _ format: AgentLogFile.Format,
    writtenAt: WallTime?,
    at now: WallTime? = nil
  ) {
    if entries[path] == nil { entries[path] = Entry(file: AgentLogFile(format, limits: limits)) }
    entries[path]?.file.note(writtenAt: writtenAt, readAt: now)
    if let writtenAt {
      entries[path]?.writtenAt = now.map { min(writtenAt, $0) } ?? writtenAt
    }
    for finding in findings { entries[path]?.file.handle(finding) }
    if !findings.isEmpty, entries[path]?.process == nil { isUnbound = true }
  }

  /// Forgets a log.
  package mutating func forget(_ path: String) { entries[path] = nil }

  /// The session of a log; `nil` if the log is not followed.
  package func session(of path: String) -> AgentSession? { entries[path]?.session }

  /// Whether to keep a log, however many newer ones exist: its session is in a worktree, and its process is running, or
  /// it works or waits for the user.
  ///
  /// - Parameters:
  ///   - path: The path of the log.
  ///   - now: The current instant.
  /// - Returns: Whether it is.
  package func isHeld(_ path: String, at now: WallTime) -> Bool {
    guard let entry = entries[path], let worktree = worktree(of: entry.session) else {
      return false
    }
    if entry.process != nil { return true }
    guard !entry.session.isAtRest else { return false }
    switch member(entry, path, worktree, now).activity.state {
    case .working, .needsYou: return true
    case .doneUnseen, .idle, .ended, .unknown: return false
    }
  }

  /// Whether a log has begun since the last scan of processes.
  package var hasNewcomers: Bool {
    isUnbound && entries.values.contains { $0.process == nil && $0.missing == nil }
  }

  /// Whether a log's session is in a worktree.
  package func isWatched(_ path: String) -> Bool {
    entries[path].map { worktree(of: $0.session) != nil } ?? false
  }

  /// Processes that logs name; a scan includes them whatever their command is.
  package var namedProcesses: Set<Int32> { Set(entries.values.compactMap(\.session.process)) }

  /// Takes a scan of the process table and the agents' own reports.
  ///
  /// - Parameters:
  ///   - snapshot: The agents' processes.
  ///   - registry: All entries of the registry.
  ///   - now: The current time.
  package mutating func see(
    _ snapshot: ProcessSnapshot,
    _ registry: [ClaudeRegistryEntry],
    at now: WallTime
  ) {
    seesProcesses = seesProcesses || snapshot.isComplete
    let found = snapshot.agents { worktrees.containing($0) }
    var present = Dictionary(
      found.agents.map { ($0.identity, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    if !snapshot.isComplete {
      present.merge(self.snapshot) { new, _ in new }
    }
    self.snapshot = present
    leaders = found.leaders
    self.registry = Dictionary(
      registry.filter { present[$0.process] != nil }.map { ($0.process, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    bind(at: now)
  }

  /// Marks what the agents of a worktree did as seen.
  package mutating func markSeen(_ worktree: String, at now: WallTime) {
    guard worktrees.contains(worktree) else { return }
    seenAt[worktree] = now
  }

  // MARK: Sessions and processes

  private mutating func bind(at now: WallTime) {
    isUnbound = false
    let sessionsOfRegistry = Set(registry.values.map(\.session))
    for (path, entry) in entries {
      guard let process = entry.process else { continue }
      let claimed = registry[process]?.session
      if snapshot[process] == nil {
        entries[path]?.process = nil
        entries[path]?.missing = (now, true)
        entries[path]?.lost = process
      } else if let claimed, claimed != entry.session.id {
        leave(path, at: now)
      }
    }
    var free = snapshot
    for entry in entries.values { entry.process.map { free[$0] = nil } }
    let waiting = entries.filter { $0.value.process == nil }.map(\.key).sorted { one, other in
      let (first, second) = (entries[one], entries[other])
      let (a, b) = (first?.session.lastRecordAt, second?.session.lastRecordAt)
      return a == b ? one < other : (a?.milliseconds ?? 0) > (b?.milliseconds ?? 0)
    }
    // An active session keeps the process it started in; between two idle sessions we cannot tell.
    for path in waiting {
      guard let entry = entries[path], !entry.session.isAtRest,
        let process = process(of: entry, among: free, sessionsOfRegistry, begunThere: true)
      else { continue }
      free[process] = nil
      handle(process, for: path)
    }
    for path in waiting {
      guard let entry = entries[path], entry.process == nil else { continue }
      if let process = process(of: entry, among: free, sessionsOfRegistry) {
        free[process] = nil
        handle(process, for: path)
      } else if let before = predecessor(of: entry) {
        let process = entries[before]?.process
        leave(before, at: now)
        entries[path]?.process = process
        entries[path]?.missing = nil
      } else if seesProcesses, entries[path]?.missing == nil {
        entries[path]?.missing = (now, false)
      }
    }
  }

  private mutating func handle(_ process: ProcessIdentity, for path: String) {
    entries[path]?.process = process
    entries[path]?.missing = nil
    entries[path]?.lost = nil
    entries[path]?.leftAt = nil
  }

  /// The process of a session has begun another one.
  private mutating func leave(_ path: String, at now: WallTime) {
    entries[path]?.process = nil
    entries[path]?.missing = (now, true)
    entries[path]?.leftAt = now
  }

  /// Returns the session whose process must have started a session without one, if no record says which: it
  /// had become idle, and was silent since.
  ///
  /// A session that had its own process does not succeed another one. One that ended before it was seen belonged to a
  /// program whose process was too short to be seen. A session that works or waits is not left for another one: the
  /// user stops it first, and its log says so. If an agent runs another one, the session may belong to that one.
  private func predecessor(of entry: Entry) -> String? {
    let session = entry.session
    guard session.process == nil, let startedAt = session.startedAt, entry.missing?.wasSeen != true,
      !session.isOver
    else { return nil }
    return entries.filter { _, entry in
      guard let process = entry.process, let sighting = snapshot[process],
        registry[process] == nil, entry.session.process == nil, entry.session.isAtRest,
        !leaders.contains(process),
        sighting.kind == session.kind, Self.isSame(sighting.directory, session.firstDirectory),
        let last = entry.session.lastRecordAt
      else { return false }
      return last < startedAt && sighting.startedAt <= startedAt
    }
    .max { one, other in
      let (a, b) = (one.value.session.lastRecordAt, other.value.session.lastRecordAt)
      return a == b ? one.key < other.key : (a?.milliseconds ?? 0) < (b?.milliseconds ?? 0)
    }?
    .key
  }

  private func process(
    of entry: Entry,
    among free: [ProcessIdentity: ProcessSnapshot.Sighting],
    _ sessionsOfRegistry: Set<String>,
    begunThere: Bool = false
  ) -> ProcessIdentity? {
    let session = entry.session
    if let number = session.process {
      return free.keys.filter { $0.number == number }.min()
    }
    if let id = session.id, sessionsOfRegistry.contains(id) {
      return free.keys.filter { registry[$0]?.session == id }.min()
    }
    let times = [session.lastRecordAt, entry.writtenAt].compactMap(\.self)
    let last = times.max() ?? WallTime(milliseconds: 0)
    let candidates = free.values.filter { sighting in
      sighting.kind == session.kind && registry[sighting.identity] == nil
        && (Self.isSame(sighting.directory, session.firstDirectory)
          || Self.isSame(sighting.directory, session.directory))
        && sighting.startedAt.milliseconds(since: last) <= fusion.thresholds.lag
        && isPossible(sighting, for: entry, last)
    }
    // A session that is not taken up again begins after its process, soon: of several processes it
    // has the last one before its own beginning.
    let before = candidates.filter { sighting in
      session.startedAt.map { sighting.startedAt <= $0 } ?? false
    }
    return (before.isEmpty && !begunThere ? candidates : before).map(\.identity).max()
  }

  /// Whether a session whose process is gone may have another one: the same again, one that was started
  /// since, or any if the session was written to since.
  private func isPossible(
    _ sighting: ProcessSnapshot.Sighting,
    for entry: Entry,
    _ last: WallTime
  ) -> Bool {
    guard let missing = entry.missing, missing.wasSeen, entry.lost != sighting.identity
    else { return true }
    return last > missing.noticed
      || missing.noticed.milliseconds(since: sighting.startedAt) <= fusion.thresholds.lag
  }

  // MARK: Readings

  /// Returns the readings of all worktrees.
  ///
  /// - Parameter now: The current instant.
  /// - Returns: A reading for each path that is watched.
  package mutating func readings(at now: WallTime) -> NameTable<AgentReading> {
    if isUnbound { bind(at: now) }
    var members: NameTable<[Member]> = [:]
    for (path, entry) in entries {
      guard let worktree = worktree(of: entry.session) else { continue }
      members[worktree, default: []].append(member(entry, path, worktree, now))
    }
    var used: Set<ProcessIdentity> = []
    for entry in entries.values { entry.process.map { _ = used.insert($0) } }
    for (process, sighting) in snapshot where !used.contains(process) {
      guard let worktree = worktrees.containing(sighting.directory) else { continue }
      members[worktree, default: []].append(member(sighting, now))
    }
    return NameTable(worktrees.all.map { ($0, reading($0, members[$0] ?? [])) })
  }

  /// Whether a process works in a directory that a log names.
  private static func isSame(_ directory: String, _ other: String?) -> Bool {
    other.map { directory.isSameName(as: $0) } ?? false
  }

  private func worktree(of session: AgentSession) -> String? {
    session.directory.flatMap { worktrees.containing($0) }
      ?? session.firstDirectory.flatMap { worktrees.containing($0) }
  }

  private func member(
    _ entry: Entry,
    _ path: String,
    _ worktree: String,
    _ now: WallTime
  ) -> Member {
    var process = ActivityEvidence.ProcessEvidence.unobservable
    if let identity = entry.process, let sighting = snapshot[identity] {
      process = .alive(since: sighting.startedAt)
    } else if let missing = entry.missing {
      process = .missing(noticed: missing.noticed, wasSeen: missing.wasSeen)
    }
    let evidence = ActivityEvidence(
      kind: entry.session.kind,
      session: entry.session,
      writtenAt: entry.writtenAt,
      process: process,
      registry: entry.process.flatMap { registry[$0] },
      seenAt: [seenAt[worktree], entry.leftAt].compactMap(\.self).max()
    )
    return Member(
      key: path,
      kind: entry.session.kind,
      session: entry.session,
      process: entry.process,
      activity: fusion.activity(evidence, at: now),
      isGone: fusion.isGone(evidence, at: now)
    )
  }

  private func member(_ sighting: ProcessSnapshot.Sighting, _ now: WallTime) -> Member {
    let evidence = ActivityEvidence(
      kind: sighting.kind,
      session: nil,
      process: .alive(since: sighting.startedAt),
      registry: registry[sighting.identity]
    )
    return Member(
      key: "\(sighting.identity.number)",
      kind: sighting.kind,
      process: sighting.identity,
      activity: fusion.activity(evidence, at: now)
    )
  }

  private func reading(_ worktree: String, _ members: [Member]) -> AgentReading {
    let ranked = members.sorted { one, other in
      // A dead session ranks behind every live one.
      if one.isGone != other.isGone { return other.isGone }
      let (a, b) = (one.activity.state.urgency, other.activity.state.urgency)
      if a != b { return a > b }
      if one.lastRecordAt != other.lastRecordAt { return one.lastRecordAt > other.lastRecordAt }
      return one.key < other.key
    }
    guard let first = ranked.first else { return AgentReading() }
    let activity = AgentActivity(
      first.activity,
      agents: ranked.prefix(limits.mostAgents).map {
        AgentPresence($0.activity, $0.kind, $0.session, $0.process)
      }
    )
    let sessions =
      members
      .filter { $0.session != nil }
      .sorted { one, other in
        let (a, b) = (one.session?.isAutomated ?? false, other.session?.isAutomated ?? false)
        if a != b { return b }
        if one.lastRecordAt != other.lastRecordAt { return one.lastRecordAt > other.lastRecordAt }
        return one.key < other.key
      }
      .compactMap(\.session)
    return AgentReading(activity, sessions, worktree: worktree, limits)
  }
}
