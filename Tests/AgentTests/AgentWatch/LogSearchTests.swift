import AgentSimulation
import AgentWatch
import Agents
import Foundation
import Testing

struct LogSearchTests {
  private let folder: TemporaryFolder
  private let now = AgentWatch.systemClock()

  init() throws { folder = try TemporaryFolder() }

  private func search(
    _ worktrees: String...,
    limits: AgentWatchLimits = AgentWatchLimits()
  ) -> LogSearch {
    var search = LogSearch(
      AgentFolders(
        claude: folder.path + "/claude",
        codex: folder.path + "/codex",
        neutral: folder.path + "/neutral"
      ),
      limits: limits
    )
    search.follow(worktrees)
    return search
  }

  private func names(_ found: [LogSearch.Found]) -> [String] {
    found.map { String($0.path.dropFirst(folder.path.count + 1)) }.sorted()
  }

  /// Writes the beginning of a session of Codex.
  private func codex(_ directory: String, _ seed: UInt64, _ dialect: AgentDialect) throws -> String
  {
    var writer = CodexWriter(dialect, directory: directory, startedAt: now, seed: seed)
    let name = "codex/" + writer.path
    try folder.append(name, Array(writer.begin(isResumed: false, at: now).joined()))
    return name
  }

  private let id = "0a1b2c3d-0000-4000-8000-00000000000"

  @Test func `of Claude Code the sessions of the worktree and of what is in it are found`() throws {
    try folder.append("claude/projects/-w-a/\(id)1.jsonl", [])
    try folder.append("claude/projects/-w-a-sub/\(id)2.jsonl", [])
    try folder.append("claude/projects/-w-a/agent-1.jsonl", [])
    try folder.append("claude/projects/-w-a/\(id)3.json", [])
    try folder.append("claude/projects/-x/\(id)4.jsonl", [])
    var search = search("/w/a")
    #expect(
      names(search.search(at: now)) == [
        "claude/projects/-w-a-sub/\(id)2.jsonl", "claude/projects/-w-a/\(id)1.jsonl",
      ]
    )
  }

  @Test func `old logs, and more than some in a folder, are left alone`() throws {
    var limits = AgentWatchLimits()
    limits.mostLogsInFolder = 2
    for number in 1...4 {
      let name = "claude/projects/-w/\(id)\(number).jsonl"
      try folder.append(name, [])
      let age = number == 4 ? limits.recency + 60_000 : Int64(number) * 60_000
      let date = Date(timeIntervalSince1970: Double(now.milliseconds - age) / 1_000)
      try FileManager.default.setAttributes(
        [.modificationDate: date],
        ofItemAtPath: folder.path + "/" + name
      )
    }
    var search = search("/w", limits: limits)
    #expect(
      names(search.search(at: now)) == [
        "claude/projects/-w/\(id)1.jsonl", "claude/projects/-w/\(id)2.jsonl",
      ]
    )
  }

  @Test func `of Codex the sessions are found whose beginning names the worktree`() throws {
    let inside = try codex("/w/a/sub", 1, .codex90)
    let old = try codex("/w/a", 2, .codex20)
    _ = try codex("/w/ab", 3, .codex90)
    try folder.append("codex/sessions/2026/notes/rollout-x.jsonl", [])
    var search = search("/w/a")
    #expect(names(search.search(at: now)) == [inside, old].sorted())
    search.follow(["/w/ab"])
    #expect(search.search(at: now).count == 1)
  }

  @Test func `a session of Codex whose beginning is not there yet is found later`() throws {
    let name = "codex/sessions/2026/11/21/rollout-2026-11-21T10-00-00-\(id)1.jsonl"
    try folder.append(name, Array("{\"timestamp\":\"2026-11-21T10:00:00Z\",\"type\":".utf8))
    var search = search("/w")
    #expect(search.search(at: now).isEmpty)
    try folder.append(name, Array("\"session_meta\",\"payload\":{\"cwd\":\"/w\"}}\n".utf8))
    #expect(names(search.search(at: now)) == [name])
  }

  @Test func `a session of Codex that came from elsewhere is found, also when it rests`() throws {
    let away = try codex("/x", 1, .codex90)
    var search = search("/w/a")
    #expect(search.search(at: now).isEmpty)
    func go(_ directory: String) throws {
      let line = "{\"type\":\"turn_context\",\"payload\":{\"cwd\":\"\(directory)\"}}\n"
      try folder.append(away, Array(line.utf8))
    }
    try go("/w/a/sub")
    #expect(names(search.search(at: now)) == [away])
    let later = now.advanced(by: AgentWatchLimits().wandering * 2)
    for _ in 0..<8 { #expect(names(search.search(at: later)) == [away]) }
    try go("/w/ab")
    #expect(search.search(at: now).isEmpty)
  }

  @Test func `a session of Claude Code that came from elsewhere is found`() throws {
    let away = "claude/projects/-x/\(id)1.jsonl"
    func go(_ directory: String, _ more: String = "") throws {
      let line = "{\"type\":\"user\",\"cwd\":\"\(directory)\"\(more)}\n"
      try folder.append(away, Array(line.utf8))
    }
    try go("/x")
    var search = search("/w/a")
    #expect(search.search(at: now).isEmpty)
    try go("/w/a")
    #expect(names(search.search(at: now)) == [away])
    try go("/x", ",\"isSidechain\":true")
    #expect(names(search.search(at: now)) == [away], "a sub-agent's directory is not the session's")
    try folder.append(away, Array("{\"type\":\"mode\"}\n".utf8))
    #expect(names(search.search(at: now)) == [away])
    try go("/x")
    #expect(search.search(at: now).isEmpty)
    search.follow(["/x"])
    #expect(names(search.search(at: now)) == [away])
  }

  @Test func `logs of other places that were not written lately are not looked into`() throws {
    let away = "claude/projects/-x/\(id)1.jsonl"
    try folder.append(away, Array("{\"cwd\":\"/w\"}\n".utf8))
    var search = search("/w")
    let later = now.advanced(by: AgentWatchLimits().wandering + 60_000)
    for _ in 0..<4 { #expect(search.search(at: later).isEmpty) }
    #expect(names(search.search(at: now)).isEmpty, "it is asked in its turn")
    let scans = (0..<4).map { _ in names(search.search(at: now)) }
    #expect(scans.last == [away])
  }

  @Test func `more logs of other places than are asked at once are asked in turn`() throws {
    var limits = AgentWatchLimits()
    limits.mostAsked = 2
    for number in 1...9 {
      let line = "{\"cwd\":\"\(number == 9 ? "/w" : "/x")\"}\n"
      try folder.append("claude/projects/-x/\(id)\(number).jsonl", Array(line.utf8))
    }
    var search = search("/w", limits: limits)
    let scans = (0..<40).map { _ in names(search.search(at: now)) }
    #expect(scans.last == ["claude/projects/-x/\(id)9.jsonl"])
    #expect(scans.first == [])
  }

  @Test func `the log of a session that the registry names is found behind newer ones`() throws {
    var limits = AgentWatchLimits()
    limits.mostLogsInFolder = 1
    for number in 1...3 {
      let name = "claude/projects/-w/\(id)\(number).jsonl"
      try folder.append(name, [])
      let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000 - Double(number) * 60)
      try FileManager.default.setAttributes(
        [.modificationDate: date],
        ofItemAtPath: folder.path + "/" + name
      )
    }
    var search = search("/w", limits: limits)
    #expect(search.search(at: now).count == 1)
    let found = search.search(at: now, sessions: ["\(id)3"])
    #expect(
      names(found) == ["claude/projects/-w/\(id)1.jsonl", "claude/projects/-w/\(id)3.jsonl"]
    )
  }

  @Test func `new logs in folders that were listed are found`() throws {
    try folder.append("neutral/a.jsonl", [])
    var search = search("/w")
    #expect(names(search.search(at: now)) == ["neutral/a.jsonl"])
    for number in 0..<20 {
      let name = "neutral/new-\(number).jsonl"
      try folder.append(name, [])
      #expect(names(search.search(at: now)).contains(name))
    }
    try FileManager.default.removeItem(atPath: folder.path + "/neutral/a.jsonl")
    #expect(!names(search.search(at: now)).contains("neutral/a.jsonl"))
  }

  @Test func `what is not a file is left alone and delays nothing`() throws {
    try folder.append("neutral/a.jsonl", [])
    #expect(mkfifo(folder.path + "/neutral/pipe.jsonl", 0o600) == 0)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/neutral/folder.jsonl",
      withIntermediateDirectories: true
    )
    var search = search("/w")
    #expect(names(search.search(at: now)) == ["neutral/a.jsonl"])
    #expect(ReadOnlyFiles.read(folder.path + "/neutral/pipe.jsonl", from: 0, count: 1) == nil)
  }

  @Test func `without folders nothing is found`() {
    var search = search("/w")
    #expect(search.search(at: now).isEmpty)
    var nowhere = LogSearch(AgentFolders(claude: nil, codex: nil, neutral: nil))
    nowhere.follow(["/w"])
    #expect(nowhere.search(at: now).isEmpty)
  }

  @Test func `folders follow the variables of the environment`() {
    let usual = AgentFolders(environment: ["HOME": "/home/me"])
    #expect(usual.claude == "/home/me/.claude")
    #expect(usual.codex == "/home/me/.codex")
    #expect(usual.neutral == "/home/me/.local/state/freshet/agents")
    let moved = AgentFolders(environment: [
      "HOME": "/home/me", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "relative",
      "XDG_STATE_HOME": "/s",
    ])
    #expect(moved.claude == "/c")
    #expect(moved.codex == "/home/me/.codex", "a relative path is ignored")
    #expect(moved.neutral == "/s/freshet/agents")
    #expect(AgentFolders(environment: [:]).claude == nil)
  }
}
