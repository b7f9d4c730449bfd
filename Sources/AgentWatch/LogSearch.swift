package import Agents

/// Finds the logs that may belong to agents in the watched worktrees.
package struct LogSearch: Sendable {
  /// A log that was found.
  package struct Found: Hashable, Sendable {
    /// Where it stands.
    package var path: String
    /// Its format.
    package var format: AgentLogFile.Format
    /// Whether it is one of the newest of its folder, which are read farther back.
    package var isRecent = true
  }

  /// The longest step of a file system's clock, in milliseconds.
  private static let coarsest: Int64 = 2_000
  /// How many characters of a working directory Claude Code puts into a name.
  private static let longestName = 200
  /// In how many searches the newest logs are found anew.
  private static let round = 4

  private let folders: AgentFolders
  private let limits: AgentWatchLimits
  private var worktrees: [String] = []
  /// The names that folders of Claude Code for the worktrees begin with.
  private var wanted: Set<String> = []
  private var searches = 0
  /// What the last search found; `nil` if it must be found anew.
  private var found: [Found]?
  /// Whether what was found may be others now.
  private var isStale = true
  /// Names in a folder, and when the folder had changed when they were read.
  private var listings: [String: (changed: Int64, names: [String])] = [:]
  /// The moment of the search under way.
  private var now = WallTime(milliseconds: 0)
  /// Where the agent of a log of Codex works, as far as its beginning says it.
  private var directories: [String: String] = [:]

  /// A search below some folders.
  package init(_ folders: AgentFolders, limits: AgentWatchLimits = AgentWatchLimits()) {
    self.folders = folders
    self.limits = limits
  }

  /// Replaces the worktrees.
  package mutating func follow(_ worktrees: [String]) {
    self.worktrees = worktrees
    // A long name is cut and gets a mark that is not known: its beginning is compared.
    wanted = Set(worktrees.map { String(ClaudeFolder.name(of: $0).prefix(Self.longestName)) })
    found = nil
  }

  /// Looks for logs.
  ///
  /// Folders are looked at each time; which of their logs are the newest is found out when a folder has
  /// changed, and every few times in any case, since a log that was left can be taken up again.
  ///
  /// - Parameter now: The moment.
  /// - Returns: All logs to follow.
  package mutating func search(at now: WallTime) -> [Found] {
    guard !worktrees.isEmpty else { return [] }
    self.now = now
    searches += 1
    isStale = found == nil || searches % Self.round == 0
    let claude = claude()
    let codex = codex()
    let neutral = neutral()
    if let found, !isStale { return found }
    var all: [Found] = []
    for logs in claude {
      all += newest(logs, limits.mostLogsInFolder, now).enumerated().map { rank, path in
        Found(path: path, format: .claude, isRecent: rank < limits.mostRecentLogs)
      }
    }
    let recent = newest(codex, limits.mostLogs, now)
    directories = directories.filter { recent.contains($0.key) }
    all += recent.filter { isWanted($0) }.map { Found(path: $0, format: .codex) }
    all += newest(neutral, limits.mostLogs, now).map { Found(path: $0, format: .neutral) }
    found = all
    return all
  }

  // MARK: Claude Code

  /// The sessions in each folder of a worktree, or of what is in one.
  private mutating func claude() -> [[String]] {
    guard let home = folders.claude else { return [] }
    let projects = home + "/projects"
    let names = names(projects).filter { isWanted(folder: $0) }
    return names.sorted().prefix(limits.mostFolders).map { name in
      let folder = projects + "/" + name
      return self.names(folder).filter(ClaudeFolder.isSession).map { folder + "/" + $0 }
    }
  }

  /// Whether a folder is named for a worktree, or for what may be in one.
  private func isWanted(folder name: String) -> Bool {
    if wanted.contains(String(name.prefix(Self.longestName))) { return true }
    return name.indices.contains { name[$0] == "-" && wanted.contains(String(name[..<$0])) }
  }

  // MARK: Codex

  private mutating func codex() -> [String] {
    guard let home = folders.codex else { return [] }
    var logs: [String] = []
    for day in days(home + "/sessions") {
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
      for finding in tail.see(stamp) + tail.take(bytes, at: 0) {
        log.take(finding)
        if log.session.firstDirectory != nil { break }
      }
      // What a long beginning does not say will not be said any more.
      let isLong = bytes.count == limits.peek
      directories[path] = log.session.firstDirectory ?? (isLong ? "" : nil)
    }
    guard let directory = directories[path] else { return false }
    return worktrees.contains { directory == $0 || directory.hasPrefix($0 + "/") }
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
    let isSettled = now.milliseconds - changed / 1_000_000 > Self.coarsest
    listings[folder] = isSettled ? (changed, names) : nil
    return names
  }

  /// The logs that were written last and lately.
  private func newest(_ logs: [String], _ most: Int, _ now: WallTime) -> [String] {
    let oldest = now.advanced(by: -limits.recency).milliseconds * 1_000_000
    return
      logs.compactMap { path in ReadOnlyFiles.stamp(path).map { (path, $0.modified) } }
      .filter { $0.1 >= oldest }
      .sorted { ($0.1, $0.0) > ($1.1, $1.0) }
      .prefix(most)
      .map(\.0)
  }
}
