package import Workspaces

/// Every agent in the watched worktrees, as a value: what logs, process table and registry say goes
/// in, one reading for each worktree comes out.
///
/// 1. A session belongs to the innermost worktree that contains its latest working directory, else
///    its first one; a session of neither belongs to none.
/// 2. A session and a process belong together if the registry or the log says so; else if both are of
///    one agent, in one directory, and the process has started before the log was last written. A
///    process has one session, a session one process.
/// 3. A process is known by its number and its start; a number that was given anew is another one.
/// 4. A reading depends on what was seen and on the moment, not on the order of logs or processes.
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
    /// When its human began another session in its process: nobody need look at this one.
    var leftAt: WallTime?
  }

  /// One agent of a worktree.
  private struct Member {
    var key: String
    var kind: AgentKind
    var session: AgentSession?
    var process: ProcessIdentity?
    var activity: Activity
    /// Whether its process is gone: nobody can answer it or go on with it.
    var isGone = false
    var lastRecordAt: WallTime { session?.lastRecordAt ?? WallTime(milliseconds: 0) }
  }

  private let limits: AgentLimits
  private let fusion: ActivityFusion
  private var worktrees: WorktreePaths
  private var entries: NameTable<Entry> = [:]
  private var registry: [ProcessIdentity: ClaudeRegistryEntry] = [:]
  private var census: [ProcessIdentity: ProcessSnapshot.Sighting] = [:]
  /// Agents that run others of their kind.
  private var leaders: Set<ProcessIdentity> = []
  /// Whether a look at the process table was complete.
  private var seesProcesses = false
  private var seenAt: NameTable<WallTime> = [:]
  /// Whether a session without a process has new records since processes were looked at.
  private var isUnbound = false

  /// A roster of some worktrees.
  ///
  /// - Parameters:
  ///   - worktrees: Their absolute paths.
  ///   - limits: What is kept.
  ///   - thresholds: How long is waited.
  package init(
    worktrees: [String] = [],
    limits: AgentLimits = AgentLimits(),
    thresholds: ActivityThresholds = ActivityThresholds()
  ) {
    self.worktrees = WorktreePaths(worktrees)
    self.limits = limits
    fusion = ActivityFusion(thresholds: thresholds)
  }

  // MARK: What is seen

  /// Replaces the worktrees.
  package mutating func follow(_ worktrees: [String]) {
    self.worktrees = WorktreePaths(worktrees)
    seenAt = seenAt.filter { self.worktrees.contains($0.key) }
  }

  /// Takes what came out of a log.
  ///
  /// - Parameters:
  ///   - findings: What came out.
  ///   - path: Where the log stands.
  ///   - format: Its format.
  ///   - writtenAt: When the file was last written.
  ///   - now: The moment; times of the log that lie after it are the file's.
  package mutating func take(
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
    for finding in findings { entries[path]?.file.take(finding) }
    if !findings.isEmpty, entries[path]?.process == nil { isUnbound = true }
  }

  /// Forgets a log.
  package mutating func forget(_ path: String) { entries[path] = nil }

  /// What is known of the session of a log; `nil` if it is not followed.
  package func session(of path: String) -> AgentSession? { entries[path]?.session }

  /// Whether a log is not to be forgotten, however many newer ones there are: its session is in a worktree,
  /// and its process is there, or it works or waits for somebody.
  ///
  /// - Parameters:
  ///   - path: Where the log stands.
  ///   - now: The moment.
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

  /// Whether a log has begun since processes were looked at.
  package var hasNewcomers: Bool {
    isUnbound && entries.values.contains { $0.process == nil && $0.missing == nil }
  }

  /// Whether a log's session is in a worktree.
  package func isWatched(_ path: String) -> Bool {
    entries[path].map { worktree(of: $0.session) != nil } ?? false
  }

  /// Processes that logs name; a census looks at these too, whatever their command is.
  package var namedProcesses: Set<Int32> { Set(entries.values.compactMap(\.session.process)) }

  /// Takes a look at the process table and at what agents say of themselves.
  ///
  /// - Parameters:
  ///   - census: The agents' processes.
  ///   - registry: All entries of the registry.
  ///   - now: The moment.
  package mutating func see(
    _ census: ProcessSnapshot,
    _ registry: [ClaudeRegistryEntry],
    at now: WallTime
  ) {
    seesProcesses = seesProcesses || census.isComplete
    let found = census.agents { worktrees.containing($0) }
    var present = Dictionary(
      found.agents.map { ($0.identity, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    if !census.isComplete {
      present.merge(self.census) { new, _ in new }
    }
    self.census = present
    leaders = found.leaders
    self.registry = Dictionary(
      registry.filter { present[$0.process] != nil }.map { ($0.process, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    bind(at: now)
  }

  /// Somebody has looked at what the agents of a worktree did.
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
      if census[process] == nil {
        entries[path]?.process = nil
        entries[path]?.missing = (now, true)
        entries[path]?.lost = process
      } else if let claimed, claimed != entry.session.id {
        leave(path, at: now)
      }
    }
    var free = census
    for entry in entries.values { entry.process.map { free[$0] = nil } }
    let waiting = entries.filter { $0.value.process == nil }.map(\.key).sorted { one, other in
      let (first, second) = (entries[one], entries[other])
      let (a, b) = (first?.session.lastRecordAt, second?.session.lastRecordAt)
      return a == b ? one < other : (a?.milliseconds ?? 0) > (b?.milliseconds ?? 0)
    }
    // Who has the word, and began in its process, has it still: of two that rest nobody can tell.
    for path in waiting {
      guard let entry = entries[path], !entry.session.isAtRest,
        let process = process(of: entry, among: free, sessionsOfRegistry, begunThere: true)
      else { continue }
      free[process] = nil
      take(process, for: path)
    }
    for path in waiting {
      guard let entry = entries[path], entry.process == nil else { continue }
      if let process = process(of: entry, among: free, sessionsOfRegistry) {
        free[process] = nil
        take(process, for: path)
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

  private mutating func take(_ process: ProcessIdentity, for path: String) {
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

  /// The session whose process must have begun a session that has none, where nobody says which: it
  /// had come to rest, and was silent since.
  ///
  /// A session that had a process of its own is not the next one of another; one that has ended before it was seen
  /// was a program's, whose process was too short to be seen. Who works or waits is not left for another
  /// session: its human stops it first, and its log says so. Where an agent runs another, the session may be that
  /// one's.
  private func predecessor(of entry: Entry) -> String? {
    let session = entry.session
    guard session.process == nil, let startedAt = session.startedAt, entry.missing?.wasSeen != true,
      !session.isOver
    else { return nil }
    return entries.filter { _, entry in
      guard let process = entry.process, let sighting = census[process],
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

  // MARK: What comes out

  /// What is known in every worktree.
  ///
  /// - Parameter now: The moment.
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
    for (process, sighting) in census where !used.contains(process) {
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
    if let identity = entry.process, let sighting = census[identity] {
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
