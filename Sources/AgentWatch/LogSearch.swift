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

  private let folders: AgentFolders
  private let limits: AgentWatchLimits
  private var worktrees: [String] = []
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
  package mutating func follow(_ worktrees: [String]) { self.worktrees = worktrees }

  /// Looks for logs.
  ///
  /// - Parameter now: The moment.
  /// - Returns: All logs to follow.
  package mutating func search(at now: WallTime) -> [Found] {
    guard !worktrees.isEmpty else { return [] }
    self.now = now
    return claude(now)
      + codex(now).map { Found(path: $0, format: .codex) }
      + neutral(now).map { Found(path: $0, format: .neutral) }
  }

  // MARK: Claude Code

  private mutating func claude(_ now: WallTime) -> [Found] {
    guard let home = folders.claude else { return [] }
    let projects = home + "/projects"
    // A long name is cut and gets a mark that is not known: its beginning is compared.
    let wanted = worktrees.map { String(ClaudeFolder.name(of: $0).prefix(200)) }
    let names = names(projects).filter { name in
      wanted.contains { name.hasPrefix($0) }
    }
    return names.sorted().prefix(limits.mostFolders).flatMap { name in
      let folder = projects + "/" + name
      let logs = self.names(folder).filter(ClaudeFolder.isSession).map { folder + "/" + $0 }
      return newest(logs, limits.mostLogsInFolder, now).enumerated().map { rank, path in
        Found(path: path, format: .claude, isRecent: rank < limits.mostRecentLogs)
      }
    }
  }

  // MARK: Codex

  private mutating func codex(_ now: WallTime) -> [String] {
    guard let home = folders.codex else { return [] }
    var logs: [String] = []
    for day in days(home + "/sessions") {
      logs += names(day)
        .filter { $0.hasPrefix("rollout-") && $0.hasSuffix(".jsonl") }
        .map { day + "/" + $0 }
    }
    let recent = newest(logs, limits.mostLogs, now)
    directories = directories.filter { recent.contains($0.key) }
    return recent.filter { isWanted($0) }
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
      directories[path] = log.session.firstDirectory
    }
    guard let directory = directories[path] else { return false }
    return worktrees.contains { directory == $0 || directory.hasPrefix($0 + "/") }
  }

  // MARK: Neutral

  private mutating func neutral(_ now: WallTime) -> [String] {
    guard let folder = folders.neutral else { return [] }
    let logs = names(folder).filter { $0.hasSuffix(".jsonl") }.map { folder + "/" + $0 }
    return newest(logs, limits.mostLogs, now)
  }

  // MARK: Folders

  /// The names in a folder; read again only if the folder has changed.
  private mutating func names(_ folder: String) -> [String] {
    guard let changed = ReadOnlyFiles.changed(folder: folder) else {
      listings[folder] = nil
      return []
    }
    if let listing = listings[folder], listing.changed == changed { return listing.names }
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
