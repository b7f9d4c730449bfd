import AgentWatch
import Agents
import Foundation
import Synchronization
import Testing
import Workspaces

/// A process with the name of an agent, which waits.
final class WaitingProcess {
  let process = Process()
  private let pipe = Pipe()

  init(_ command: String, in folder: TemporaryFolder) throws {
    let link = folder.path + "/" + command
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/bin/sh")
    process.executableURL = URL(filePath: link)
    process.arguments = ["-c", "read -r line"]
    process.currentDirectoryURL = URL(filePath: folder.path)
    process.standardInput = pipe
    try process.run()
  }

  var number: Int32 { process.processIdentifier }

  func kill() {
    Foundation.kill(number, SIGKILL)
    process.waitUntilExit()
  }

  deinit { if process.isRunning { kill() } }
}

struct ProcessTableTests {
  @Test func `a real process is found, known by its start, and missed when it is killed`() throws {
    let folder = try TemporaryFolder()
    let before = AgentWatch.systemClock()
    let agent = try WaitingProcess("claude", in: folder)
    var table = ProcessTable()
    let snapshot = table.search(named: [], at: AgentWatch.systemClock())
    #expect(snapshot.isComplete)
    let sighting = try #require(snapshot.sightings.first { $0.identity.number == agent.number })
    #expect(sighting.kind == .claudeCode)
    #expect(sighting.directory == folder.path)
    #expect(sighting.parent == getpid())
    #expect(abs(sighting.startedAt.milliseconds(since: before)) < 60_000)
    #expect(table.identity(of: agent.number) == sighting.identity)
    #expect(table.check().sightings.contains(sighting))
    agent.kill()
    #expect(!table.check().sightings.contains(sighting))
    #expect(table.identity(of: agent.number) == nil)
  }

  @Test func `the processes above an agent are known through a shell`() throws {
    let folder = try TemporaryFolder()
    let numbers = Array(repeating: "0", count: 17).joined(separator: " ")
    for (number, name, parent) in [(5, "claude", 1), (6, "sh", 5), (7, "claude", 6)] {
      let text = "\(number) (\(name)) S \(parent) \(numbers) \(number)0 0"
      try folder.append("\(number)/stat", Array(text.utf8))
      try folder.append("\(number)/cmdline", [])
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/\(number)/cwd",
        withDestinationPath: "/w"
      )
    }
    let now = AgentWatch.systemClock()
    var table = ProcessTable(folder: folder.path, bootedAt: { now.advanced(by: -3_600_000) })
    for _ in 0..<2 {
      let snapshot = table.search(named: [], at: now)
      let inner = try #require(snapshot.sightings.first { $0.identity.number == 7 })
      #expect(inner.ancestors == [ProcessIdentity(number: 5, start: 50)])
      var agentRegistry = AgentRegistry(worktrees: ["/w"])
      agentRegistry.see(snapshot, [], at: now)
      #expect(agentRegistry.readings(at: now)["/w"]?.activity.agents.map(\.pid) == [5])
    }
  }

  @Test func `a clock that is put to another time moves no process behind what it wrote`() throws {
    let folder = try TemporaryFolder()
    let numbers = Array(repeating: "0", count: 17).joined(separator: " ")
    func start(_ number: Int) throws {
      let text = "\(number) (claude) S 1 \(numbers) 100000 0"
      try folder.append("\(number)/stat", Array(text.utf8))
      try folder.append("\(number)/cmdline", [])
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/\(number)/cwd",
        withDestinationPath: "/w"
      )
    }
    let first = WallTime(milliseconds: 1_790_000_000_000)
    let boot = Mutex(first)
    var table = ProcessTable(folder: folder.path, bootedAt: { boot.withLock { $0 } })
    func starts(_ offset: Int64) -> [Int32: Int64] {
      boot.withLock { $0 = first.advanced(by: offset) }
      let snapshot = table.search(named: [], at: first.advanced(by: 9_000_000 + offset))
      return Dictionary(
        snapshot.sightings.map {
          ($0.identity.number, $0.startedAt.milliseconds(since: first) - 1_000_000)
        },
        uniquingKeysWith: { first, _ in first }
      )
    }
    try start(5)
    #expect(starts(0) == [5: 0])
    #expect(starts(900) == [5: 0], "two clocks are read one after the other")
    #expect(starts(3_600_000) == [5: 0])
    try start(6)
    #expect(starts(3_600_000) == [5: 0, 6: 3_600_000])
    #expect(starts(-60_000) == [5: -60_000, 6: -60_000])
  }

  @Test func `a process that a log names is found whatever its command is`() throws {
    let folder = try TemporaryFolder()
    let agent = try WaitingProcess("my-agent", in: folder)
    var table = ProcessTable()
    let now = AgentWatch.systemClock()
    #expect(
      !table.search(named: [], at: now).sightings.contains { $0.identity.number == agent.number }
    )
    let found = table.search(named: [agent.number], at: now).sightings
    #expect(found.first { $0.identity.number == agent.number }?.kind == .other("my-agent"))
  }

  @Test func `where processes are not files nothing is gone`() throws {
    let folder = try TemporaryFolder()
    var table = ProcessTable(folder: folder.path, bootedAt: { nil })
    let snapshot = table.search(named: [], at: AgentWatch.systemClock())
    #expect(snapshot == ProcessSnapshot(sightings: [], isComplete: false))
  }

  @Test func `a reused number is another process, found within some scans`() throws {
    let folder = try TemporaryFolder()
    let numbers = Array(repeating: "0", count: 17).joined(separator: " ")
    func give(_ name: String, start: Int) throws {
      try folder.write("5/stat", Array("5 (\(name)) S 1 \(numbers) \(start) 0".utf8))
    }
    try give("claude", start: 77)
    try folder.append("5/cmdline", [])
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/5/cwd",
      withDestinationPath: "/w"
    )
    let now = AgentWatch.systemClock()
    var table = ProcessTable(folder: folder.path, bootedAt: { now.advanced(by: -3_600_000) })
    #expect(table.search(named: [], at: now).sightings.count == 1)
    try give("vim", start: 99)
    #expect(table.check().sightings.isEmpty)
    #expect(table.search(named: [], at: now).sightings.isEmpty)
    try give("codex", start: 111)
    let scans = (0..<20).map { _ in table.search(named: [], at: now).sightings }
    #expect(scans.last?.map(\.kind) == [.codex])
  }

  @Test func `names with spaces and parentheses, and broken entries, do no harm`() throws {
    let folder = try TemporaryFolder()
    let numbers = Array(repeating: "0", count: 17).joined(separator: " ")
    for (number, text) in [
      (1, "1 (a) b) (claude) S 1 \(numbers) 77 0"), (2, "2 (claude) Z 1 \(numbers) 77 0"),
      (3, "3 (claude"), (4, ""), (5, "5 (claude) S 1 \(numbers) 77 0"),
    ] {
      try folder.append("\(number)/stat", Array(text.utf8))
      try folder.append("\(number)/cmdline", [])
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/\(number)/cwd",
        withDestinationPath: "/w"
      )
    }
    try folder.append("self/stat", Array("5 (claude) S".utf8))
    var table = ProcessTable(folder: folder.path, bootedAt: { AgentWatch.systemClock() })
    let snapshot = table.search(named: [], at: AgentWatch.systemClock())
    #expect(snapshot.sightings.map(\.identity) == [ProcessIdentity(number: 5, start: 77)])
  }
}
