import Foundation
import Glibc
import Testing
import Workspaces

@testable import WorktreeWatch

/// What is removed when it was kept long enough, and what is put in order.
@Suite struct SweepTests {
  private static let day = 86_400.0

  /// `linked` on `work` with a file that git does not know, deleted, and the point.
  private func deleted(
    _ body: @escaping @Sendable (Watching, WorktreeActions, RestorePoint) async throws -> Void
  ) async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await repository.git("worktree", "add", "-q", "-b", "work", "../linked")
    try repository.write("linked/other.txt")
    try repository.write("victim/file")
    try await Watching(repository).run { it in
      try await it.wait("linked", "is there") { $0.git.untracked == 1 }
      let actions = WorktreeActions(watcher: it.watcher)
      let id = WorkspaceIdentity.id(of: repository.path("linked"))
      let workspace = try #require(it.watcher.store.record(id)).workspace
      let point = try await actions.delete(workspace, isForced: true, removesBranch: false)
      try await body(it, actions, point)
    }
  }

  private func record(_ it: Watching, _ point: RestorePoint) -> String {
    it.repository.path("main/.git/freshet/restore/\(point.id)/record.json")
  }

  private func change(_ path: String, _ members: [String: any Sendable]) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    object.merge(members) { $1 }
    try JSONSerialization.data(withJSONObject: object).write(to: URL(fileURLWithPath: path))
  }

  @Test func `What a record says of its age removes nothing before its time`() async throws {
    try await deleted { it, actions, point in
      let path = record(it, point)
      try change(path, ["age": 1e9, "countedAt": 0, "tree": it.repository.path("victim")])
      await actions.sweep()
      expectSame(await actions.restorePoints().map(\.id), [point.id])
      // When its time comes it is removed: nothing that the record names, and everything of its own.
      let now = WatchClock.wall
      for step in 1...6 { await actions.sweep(at: now + Double(step) * Self.day) }
      expectSame(await actions.restorePoints().map(\.id), [point.id])
      await actions.sweep(at: now + 7.01 * Self.day)
      expectSame(await actions.restorePoints().map(\.id), [])
      #expect(HostFile.kind(it.repository.path("main/.git/freshet")) == nil)
      #expect(HostFile.kind(it.repository.path("victim/file")) == .file)
      let refs = try await it.repository.git("for-each-ref", "refs/freshet")
      #expect(refs.isEmpty)
    }
  }

  @Test func `A clock that is put forward removes nothing of a moment ago`() async throws {
    try await deleted { it, actions, point in
      await actions.sweep(at: WatchClock.wall + 365 * Self.day)
      expectSame(await actions.restorePoints().map(\.id), [point.id])
      _ = try await actions.restore(point.id)
      #expect(HostFile.kind(it.repository.path("linked/other.txt")) == .file)
    }
  }

  @Test func `A point that never got a record goes, unless there is something in it`() async throws
  {
    try await deleted { it, actions, point in
      let root = "main/.git/freshet/restore"
      for name in [
        "1-1/made", "1-2/made", "1-2/record.json.freshet-new", "1-3/made", "1-3/tree/file",
      ] {
        try it.repository.write("\(root)/\(name)")
      }
      try FileManager.default.createDirectory(
        atPath: it.repository.path("\(root)/1-4"),
        withIntermediateDirectories: false
      )
      func left() -> [String] { HostFile.names(in: it.repository.path(root), most: 10) }
      await actions.sweep()
      expectSame(left(), ["1-1", "1-2", "1-3", "1-4", point.id].sorted())
      await actions.sweep(at: WatchClock.wall + WatchLimits.interrupted + 1)
      expectSame(left(), ["1-3", point.id].sorted())
      #expect(await actions.unusablePoints().count == 1)
    }
  }

  @Test func `A record that cannot be used stays, whatever its age`() async throws {
    try await deleted { it, actions, point in
      try change(record(it, point), ["gitName": "../../hooks"])
      let now = WatchClock.wall
      for step in 1...9 { await actions.sweep(at: now + Double(step) * Self.day) }
      expectSame(await actions.restorePoints().map(\.id), [])
      #expect(await actions.unusablePoints().count == 1)
      let kept = it.repository.path("main/.git/freshet/restore/\(point.id)")
      #expect(HostFile.kind(kept + "/tree/other.txt") == .file)
    }
  }

  @Test(arguments: [true, false])
  func `A delete that ended between two steps is put in order after a while`(
    _ folderIsHere: Bool
  ) async throws {
    try await deleted { it, actions, point in
      let kept = it.repository.path("main/.git/freshet/restore/\(point.id)")
      let git = it.repository.path("main/.git/worktrees/linked")
      if folderIsHere {
        #expect(rename(kept + "/tree", it.repository.path("linked")) == 0)
      } else {
        #expect(mkdir(it.repository.path("main/.git/worktrees"), 0o755) == 0)
        #expect(rename(kept + "/git", git) == 0)
      }
      // Another server may be between the two steps.
      await actions.sweep()
      #expect((HostFile.kind(git) == nil) == folderIsHere)
      expectSame(await actions.restorePoints().map(\.id), [point.id])
      await actions.sweep(at: WatchClock.wall + WatchLimits.interrupted * 2)
      if folderIsHere {
        expectSame(await actions.restorePoints().map(\.id), [])
        #expect(HostFile.kind(git + "/HEAD") == .file)
        let status = try await it.repository.git("status", "--porcelain", in: "linked")
        #expect(status == "?? other.txt")
      } else {
        #expect(HostFile.kind(kept + "/git/HEAD") == .file && HostFile.kind(git) == nil)
        _ = try await actions.restore(point.id)
        #expect(HostFile.kind(it.repository.path("linked/other.txt")) == .file)
      }
    }
  }

  @Test func `A removal that ended between two steps is ended, and gone back to no more`()
    async throws
  {
    try await deleted { it, actions, point in
      let root = it.repository.path("main/.git/freshet/restore/")
      #expect(rename(root + point.id, root + point.id + ".gone") == 0)
      expectSame(await actions.restorePoints().map(\.id), [])
      await actions.sweep()
      #expect(HostFile.kind(it.repository.path("main/.git/freshet")) == nil)
      let refs = try await it.repository.git("for-each-ref", "refs/freshet")
      #expect(refs.isEmpty)
    }
  }
}
