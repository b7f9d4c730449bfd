import Git
import Testing
import Workspaces

@testable import WorktreeWatch

@Suite struct RestoreTests {
  private static let name = String(repeating: "0a", count: 20)
  private static let other = String(repeating: "f3", count: 32)

  private var record: RestoreRecord {
    let workspace = Workspace(id: "id", repoId: "a/b", name: "b/c", path: "/c", branch: "c")
    return RestoreRecord(.delete, workspace, of: "/a/.git", id: "1-2", at: 1_000)
  }

  @Test func `A point is kept for seven days, however a clock is put`() {
    let day = 86_400.0
    var regular = record
    for hour in 1..<(7 * 24) { regular.count(to: 1_000 + Double(hour) * 3_600) }
    #expect(!regular.isOver(1e9))
    regular.count(to: 1_000 + 7 * day)
    #expect(regular.isOver(7 * day))
    var forward = record
    for _ in 0..<6 { forward.count(to: forward.countedAt + 365 * day) }
    #expect(!forward.isOver(1e9), "six jumps are six days at most")
    var back = record
    back.count(to: 0)
    #expect(back.age == 0)
    back.count(to: 1_000)
    #expect(back.age == 1_000)
    #expect(back.point.keptUntil > record.point.createdAt)
  }

  @Test func `Names of objects are words of 40 or 64 digits`() {
    let text = """
      \(Self.name) \(Self.other) A <a@b> 1 +0000\tcommit: \(Self.name)0
      \(String(repeating: "0", count: 40)) x\(String(repeating: "1", count: 40)) \(String(repeating: "b", count: 39))
      """
    let found = KeptObjects.names(in: Array(text.utf8))
    #expect(found == [Self.name, Self.other, String(repeating: "1", count: 40)])
    #expect(KeptObjects.names(in: []).isEmpty)
    #expect(KeptObjects.names(in: Array(Self.name.utf8)) == [Self.name])
  }

  @Test func `A name in parentheses does not hide what a process is`() {
    let rest = Array(repeating: "1", count: 18).joined(separator: " ")
    let line = "42 (a) S 7 (b)) S 9 \(rest)"
    let status = ProcessStatus(Array(line.utf8))
    #expect(status?.name == "a) S 7 (b)" && status?.parent == 9 && status?.number == 42)
    #expect(ProcessStatus(Array("42 (a) Z 9 \(rest)".utf8)) == nil)
    #expect(ProcessStatus(Array("42 (a) S 9".utf8)) == nil)
    #expect(ProcessStatus([]) == nil)
  }
}
