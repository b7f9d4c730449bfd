package import Agents
import Workspaces

/// Finds the logs that may belong to agents in the watched worktrees.
package struct LogSearch: Sendable {
  /// A log that was found.
  package struct Found: Hashable, Sendable {
    /// Its path.
    package var path: String
    /// Its format.
    package var format: AgentLogFile.Format
    /// Whether it is one of the newest of its folder, which are read farther back.
    package var isRecent = true
  }

  /// The number of characters of a working directory that Claude Code puts into a name.
  private static let longestName = 200
  /// After this many searches, the newest logs are searched for again.
  private static let round = 4

  private let folders: AgentFolders
  private let limits: AgentWatchLimits
  private var worktrees: [String] = []
  /// Folders of Claude Code and of Codex beside the given ones.
  private var furtherHomes: (claude: [String], codex: [String]) = ([], [])
  /// Logs that agents of Codex have open.
  private var open: [String] = []
  /// The names that folders of Claude Code for the worktrees begin with.
  private var wanted: NameSet = []
  private var searches = 0
  /// The result of the last search; `nil` to search again.
  private var found: [Found]?
  /// Whether the result may be outdated.
  private var isStale = true
  /// The names in each folder, and when the folder had changed as they were read.
  private var listings: NameTable<(changed: Int64, names: [String])> = [:]
  /// The instant of the search in progress.
  private var now = WallTime(milliseconds: 0)
  /// Where the agent of a log of Codex works, as far as its beginning says it.
  private var directories: NameTable<String> = [:]
  /// Logs of agents that began elsewhere.
  private var relocated: RelocatedSessions
  /// When logs in Claude Code's folders for other places were written, if lately.
  private var written: NameTable<Int64> = [:]
  /// Which of them are asked next.
  private var turn = 0
  /// The sessions that were wanted in the last search.
  private var sessions: Set<String> = []

  /// A search below some folders.
  package init(_ folders: AgentFolders, limits: AgentWatchLimits = AgentWatchLimits()) {
    self.folders = folders
    self.limits = limits
    relocated = RelocatedSessions(limits: limits)
  }

  /// Replaces the worktrees.
  package mutating func follow(_ worktrees: [String]) {
    self.worktrees = worktrees
    // A long name is cut and gets a mark that is not known: its beginning is compared.
    wanted = NameSet(worktrees.map { String(ClaudeFolder.name(of: $0).prefix(Self.longestName)) })
    found = nil
  }

  /// Replaces what running agents report about their logs.
  ///
  /// - Parameters:
  ///   - claude: Folders of Claude Code beside the given one.
  ///   - codex: Folders of Codex beside the given one.
  ///   - open: Logs that agents of Codex have open, of whatever day they are.
  mutating func follow(claude: [String], codex: [String], open: [String]) {
    guard claude != furtherHomes.claude || codex != furtherHomes.codex || open != self.open else {
      return
    }
    (furtherHomes, self.open, found) = ((claude, codex), open, nil)
  }

  private var claudeHomes: [String] { [folders.claude].compactMap(\.self) + furtherHomes.claude }
  private var codexHomes: [String] { [folders.codex].compactMap(\.self) + furtherHomes.codex }

  /// Searches for logs.
  ///
  /// Every search checks the folders; the newest logs of a folder are determined when it has changed, and every few
  /// times in any case, since an old log can be continued.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - sessions: Sessions of Claude Code whose logs are wanted however many newer ones there are.
  /// - Returns: All logs to follow.
  package mutating func search(at now: WallTime, sessions: Set<String> = []) -> [Found] {
    guard !worktrees.isEmpty else { return [] }
    self.now = now
    searches += 1
    isStale = found == nil || searches % Self.round == 0 || sessions != self.sessions
    self.sessions = sessions
    let claude = claude()
    let codex = codex()
    let neutral = neutral()
    if relocated.scan() { isStale = true }
    if let found, !isStale { return found }
    var all: [Found] = []
    for logs in claude {
      let newest = newest(logs, limits.mostLogsInFolder, now).map(\.path)
      all += newest.enumerated().map { rank, path in
        Found(path: path, format: .claude, isRecent: rank < limits.mostRecentLogs)
      }
      all += logs.filter { isOf(sessions, $0) && !newest.contains($0) }
        .map { Found(path: $0, format: .claude) }
    }
    let held = NameSet(open)
    // A resumed session is in the folder of its first day.
    let recent =
      open.compactMap { path in
        ReadOnlyFiles.stamp(path).map { (path: path, modified: $0.modified) }
      } + newest(codex, limits.mostLogs, now).filter { !held.contains($0.path) }
    let paths = NameSet(recent.map(\.path))
    directories = directories.filter { paths.contains($0.key) }
    let wanted = NameSet(recent.map(\.path).filter { isWanted($0) })
    all += recent.filter { wanted.contains($0.path) }.map { Found(path: $0.path, format: .codex) }
    all += newest(neutral, limits.mostLogs, now).map { Found(path: $0.path, format: .neutral) }
    ask(now)
    let codexElsewhere = recent.filter { !wanted.contains($0.path) }
      .map { (path: $0.path, modified: $0.modified, format: AgentLogFile.Format.codex) }
    let known = NameSet(all.map(\.path))
    all += wandered(codexElsewhere, now).filter { !known.contains($0.path) }
    found = all
    return all
  }

  // MARK: Agents that began elsewhere

  /// The logs of agents that began elsewhere and work in a worktree.
  private mutating func wandered(
    _ codex: [(path: String, modified: Int64, format: AgentLogFile.Format)],
    _ now: WallTime
  ) -> [Found] {
    let oldest = now.advanced(by: -limits.wandering).milliseconds
    let recent =
      (codex + written.map { (path: $0.key, modified: $0.value, format: .claude) })
      .filter { $0.modified / 1_000_000 >= oldest }
      .sorted { ($0.modified, $0.path) > ($1.modified, $1.path) }
      .prefix(limits.mostWanderers)
    let kept = now.advanced(by: -limits.recency).milliseconds
    relocated.follow(
      NameTable(recent.map { ($0.path, $0.format) })
    ) { [worktrees] path, directory in
      Self.isIn(worktrees, directory)
        && ReadOnlyFiles.stamp(path).map { $0.modified / 1_000_000 >= kept } ?? false
    }
    _ = relocated.scan()
    return relocated.logs { Self.isIn(worktrees, $0) }.map { Found(path: $0.0, format: $0.1) }
  }

  /// Asks some of the logs in Claude Code's folders for other places when they were written, in turn.
  private mutating func ask(_ now: WallTime) {
    let elsewhere = claudeHomes.flatMap { home in
      let projects = home + "/projects"
      return names(projects).filter { !isWanted(folder: $0) }.sorted().map { projects + "/" + $0 }
    }
    var logs: [String] = []
    for folder in elsewhere.prefix(limits.mostFolders) {
      logs += names(folder).filter(ClaudeFolder.isSession).map { folder + "/" + $0 }
    }
    let all = NameSet(logs)
    written = written.filter { all.contains($0.key) }
    let oldest = now.advanced(by: -limits.wandering).milliseconds
    for offset in 0..<min(logs.count, limits.mostAsked) {
      let path = logs[(turn + offset) % logs.count]
      let modified = ReadOnlyFiles.stamp(path)?.modified
      written[path] = modified.flatMap { $0 / 1_000_000 >= oldest ? $0 : nil }
    }
    turn = logs.isEmpty ? 0 : (turn + limits.mostAsked) % logs.count
  }

  private static func isIn(_ worktrees: [String], _ directory: String) -> Bool {
    worktrees.contains {
      directory.isSameName(as: $0) || directory.beginsWithName($0 + "/")
    }
  }

  // MARK: Claude Code

  /// The sessions in each folder of a worktree, or of what is in one.
  private mutating func claude() -> [[String]] {
    let all = claudeHomes.flatMap { home in
      let projects = home + "/projects"
      return names(projects).filter { isWanted(folder: $0) }.sorted().map { projects + "/" + $0 }
    }
    return all.prefix(limits.mostFolders).map { folder in
      self.names(folder).filter(ClaudeFolder.isSession).map { folder + "/" + $0 }
    }
  }

  /// Whether a log is one of some sessions'.
  private func isOf(_ sessions: Set<String>, _ path: String) -> Bool {
    !sessions.isEmpty && sessions.contains(String(path.suffix(42).dropLast(6)))
  }

  /// Whether a folder is named for a worktree, or for what may be in one.
  private func isWanted(folder name: String) -> Bool {
    if wanted.contains(String(name.prefix(Self.longestName))) { return true }
    return name.indices.contains { name[$0] == "-" && wanted.contains(String(name[..<$0])) }
  }

  // MARK: Codex

  private mutating func codex() -> [String] {
    var logs: [String] = []
    for day in codexHomes.flatMap({ days($0 + "/sessions") }) {
      logs += names(day)
        .filter { $0.hasPrefix("rollout-") && $0.hasSuffix(".jsonl") }
        .map { day + "/" + $0 }
    }
    return logs
  }

  /// The latest days that have a folder.
  private mutating func days(_ sessions: String) -> [String] {
    var days: [String] = []
    for year in numbers(sessions) {
      for month in numbers(year) {
        for day in numbers(month) {
          days.append(day)
          if days.count == limits.mostDays { return days }
        }
      }
    }
    return days
  }

  private mutating func numbers(_ folder: String) -> [String] {
    names(folder).filter { Int($0) != nil }.sorted(by: >).map { folder + "/" + $0 }
  }

  private mutating func isWanted(_ path: String) -> Bool {
    if directories[path] == nil, let bytes = ReadOnlyFiles.read(path, from: 0, count: limits.peek) {
      var tail = LogTail(limits: limits.agents)
      var log = CodexLog(limits: limits.agents)
      let stamp = LogTail.Stamp(device: 0, inode: 0, size: Int64(bytes.count), modified: 0)
      for finding in tail.see(stamp) + tail.handle(bytes, at: 0) {
        log.handle(finding)
        if log.session.firstDirectory != nil { break }
      }
      // A folder that a beginning of full length does not name is not expected later.
      let isLong = bytes.count == limits.peek
      directories[path] = log.session.firstDirectory ?? (isLong ? "" : nil)
    }
    guard let directory = directories[path] else { return false }
    return Self.isIn(worktrees, directory)
  }

  // MARK: Neutral

  private mutating func neutral() -> [String] {
    guard let folder = folders.neutral else { return [] }
    return names(folder).filter { $0.hasSuffix(".jsonl") }.map { folder + "/" + $0 }
  }

  // MARK: Folders

  /// The names in a folder; read again only if the folder has changed.
  private mutating func names(_ folder: String) -> [String] {
    guard let changed = ReadOnlyFiles.changed(folder: folder) else {
      if listings.removeValue(forKey: folder) != nil { isStale = true }
      return []
    }
    if let listing = listings[folder], listing.changed == changed { return listing.names }
    isStale = true
    let names = ReadOnlyFiles.names(folder, most: limits.mostNames)
    if listings.count > 4 * limits.mostFolders { listings = [:] }
    // The clocks of file systems are coarse: what changes again within a step has the same time.
    let written = WallTime(milliseconds: changed / 1_000_000)
    let isSettled = now.milliseconds(since: written) > WallTime.clockStep
    listings[folder] = isSettled ? (changed, names) : nil
    return names
  }

  /// The logs that were written last and lately.
  private func newest(
    _ logs: [String],
    _ most: Int,
    _ now: WallTime
  ) -> [(path: String, modified: Int64)] {
    let oldest = now.advanced(by: -limits.recency).milliseconds
    return
      logs.compactMap { path in ReadOnlyFiles.stamp(path).map { (path, $0.modified) } }
      .filter { $0.1 / 1_000_000 >= oldest }
      .sorted { ($0.1, $0.0) > ($1.1, $1.0) }
      .prefix(most)
      .map { (path: $0.0, modified: $0.1) }
  }
}
