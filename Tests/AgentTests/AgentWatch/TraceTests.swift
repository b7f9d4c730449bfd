import AgentSimulation
import AgentWatch
import Agents
import Foundation
import Testing
import Workspaces

/// Reading leaves no trace.
struct TraceTests {
  /// `UTIME_OMIT` of `utimensat(2)`: this time stays as it is.
  private static let omitted = (1 << 30) - 2

  /// What the file system says of everything below a folder: names, kinds, sizes, and all three times.
  private func traces(_ folder: String) throws -> [String: [Int64]] {
    var traces: [String: [Int64]] = [:]
    var names = [""]
    while let name = names.popLast() {
      let path = folder + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      traces[name] = [
        Int64(status.st_mode), Int64(status.st_size), Int64(status.st_ino),
        Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
        Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
        Int64(status.st_atim.tv_sec), Int64(status.st_atim.tv_nsec),
      ]
      guard status.st_mode & S_IFMT == S_IFDIR else { continue }
      // The test itself must leave no trace either.
      let below = ReadOnlyFiles.names(path, most: 10_000)
      names += below.map { name.isEmpty ? $0 : name + "/" + $0 }
    }
    return traces
  }

  @Test func `nothing below the agents' folders is written, made or even marked as read`() throws {
    let folder = try TemporaryFolder()
    let start = AgentWatch.systemClock()
    var written: Set<String> = []
    let simulation = AgentSimulation(
      worktrees: ["/work/a", "/work/b", "/work/c", "/work/d"],
      dialects: [.claude21, .claude20, .codex90, .neutral],
      seed: 1,
      startsAt: start.advanced(by: -600_000),
      minutes: 10
    )
    for act in simulation {
      guard case .append(let home, let path, let bytes) = act.kind else { continue }
      try folder.append("\(home.rawValue)/\(path)", bytes)
      written.insert("\(home.rawValue)/\(path)")
    }
    try folder.append("claude/sessions/7.json", Array("{}".utf8))
    try folder.append("claude/settings.json", Array("{}".utf8))
    // A time of access before that of the content: the next plain reading would move it.
    for name in [
      "claude", "claude/projects", "claude/sessions", "claude/sessions/7.json", "codex", "neutral",
    ] + written.sorted() {
      var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec()]
      times[1].tv_nsec = Self.omitted
      #expect(utimensat(AT_FDCWD, folder.path + "/" + name, times, 0) == 0)
    }
    let before = try traces(folder.path)
    var scan = AgentScan(
      AgentFolders(
        claude: folder.path + "/claude",
        codex: folder.path + "/codex",
        neutral: folder.path + "/neutral"
      )
    )
    scan.follow(simulation.agents.map(\.worktree))
    for number in 0..<12 {
      let readings = scan.run(at: start.advanced(by: Int64(number) * 300)).readings
      #expect(readings.values.allSatisfy { $0.latestPrompt != nil }, "everything was read")
    }
    #expect(try traces(folder.path) == before)
    #expect(before.count > 12)
  }
}
