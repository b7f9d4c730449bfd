import Agents
import Workspaces

/// Logs of agents that began in other places, read as far as they say where their agents work now.
///
/// Only logs that were written recently are read, and of these only the end and what is added.
struct RelocatedSessions: Sendable {
  /// One log.
  private struct Log: Sendable {
    var format: AgentLogFile.Format
    var tail: LogTail
    var stamp: LogTail.Stamp?
    /// The latest working directory that was read.
    var directory: String?
  }

  private let limits: AgentWatchLimits
  private var logs: NameTable<Log> = [:]

  /// No logs yet.
  init(limits: AgentWatchLimits) { self.limits = limits }

  /// Replaces the logs that are read.
  ///
  /// - Parameters:
  ///   - recent: The logs that were written lately, with their formats.
  ///   - isKept: Whether a log is kept whose agent works in a directory, though it is idle.
  mutating func follow(
    _ recent: NameTable<AgentLogFile.Format>,
    isKept: (_ path: String, _ directory: String) -> Bool
  ) {
    logs = logs.filter { path, log in
      recent[path] != nil || log.directory.map { isKept(path, $0) } ?? false
    }
    var bounds = limits.agents
    bounds.reach = limits.shortReach
    for (path, format) in recent where logs[path] == nil {
      logs[path] = Log(format: format, tail: LogTail(limits: bounds))
    }
  }

  /// Reads what is new.
  ///
  /// - Returns: Whether an agent works in another directory than before.
  mutating func scan() -> Bool {
    var left = limits.mostWandered
    var hasMoved = false
    for (path, log) in logs {
      guard left > 0 else { break }
      guard let stamp = ReadOnlyFiles.stamp(path) else {
        logs[path] = nil
        hasMoved = hasMoved || log.directory != nil
        continue
      }
      guard stamp != log.stamp else { continue }
      var tail = log.tail
      var findings = tail.see(stamp)
      var isWhole = true
      while let request = tail.request {
        guard left > 0 else {
          isWhole = false
          break
        }
        guard let bytes = ReadOnlyFiles.read(path, from: request.from, count: request.count) else {
          break
        }
        left -= bytes.count
        findings += tail.handle(bytes, at: request.from)
        if bytes.count < request.count { break }
      }
      logs[path]?.tail = tail
      logs[path]?.stamp = isWhole ? stamp : nil
      guard let directory = directory(in: findings, log.format),
        log.directory.map({ !directory.isSameName(as: $0) }) ?? true
      else { continue }
      logs[path]?.directory = directory
      hasMoved = true
    }
    return hasMoved
  }

  /// The logs whose agents work in a directory that is wanted, with their formats.
  func logs(in isWanted: (_ directory: String) -> Bool) -> [(String, AgentLogFile.Format)] {
    logs.filter { $0.value.directory.map(isWanted) ?? false }
      .map { ($0.key, $0.value.format) }
      .sorted { $0.0 < $1.0 }
  }

  /// The last working directory that some lines name.
  private func directory(
    in findings: [LogTail.Finding],
    _ format: AgentLogFile.Format
  ) -> String? {
    for finding in findings.reversed() {
      guard case .line(let bytes) = finding, Self.namesDirectory(bytes) else { continue }
      var log = AgentLogFile(format, limits: limits.agents)
      log.handle(finding)
      if let directory = log.session.directory { return directory }
    }
    return nil
  }

  /// Whether a line can name a working directory: most cannot, and are not read further.
  private static func namesDirectory(_ line: [UInt8]) -> Bool {
    let word = Array("cwd".utf8)
    var place = line.startIndex
    while let start = line[place...].firstIndex(of: word[0]) {
      if line[start...].starts(with: word) { return true }
      place = start + 1
    }
    return false
  }
}
