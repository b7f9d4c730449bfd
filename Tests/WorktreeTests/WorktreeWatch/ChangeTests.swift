import Foundation
import Testing
import Workspaces

@testable import WorktreeWatch

/// Changes that are easy to miss; nothing is looked at but for an event.
@Suite struct ChangeTests {
  @Test func `A file that comes into an empty folder is seen, and one that stays open`()
    async throws
  {
    let repository = TemporaryRepository()
    try await repository.begin()
    let files = FileManager.default
    try files.createDirectory(
      atPath: repository.path("main/a/b"),
      withIntermediateDirectories: true
    )
    try await Watching(repository).run { it in
      try await it.wait("main", "clean") { $0.cacheStatus.isCached && !$0.isDirty }
      try it.repository.write("main/a/b/file")
      try await it.wait("main", "in a folder from before") { $0.git.untracked == 1 }
      let new = it.repository.path("main/new/n1/n2")
      try files.createDirectory(atPath: new, withIntermediateDirectories: true)
      // Until the new folders are watched no diff is known without being made.
      let path = it.repository.path("main")
      while it.watcher.table.contentVersion(path) == 0 {
        try await Task.sleep(for: .milliseconds(5))
      }
      let workspace = try #require(it.watcher.store.registry.all.first?.workspace)
      while await it.watcher.diffKey(of: workspace) == nil {
        try await Task.sleep(for: .milliseconds(5))
      }
      try it.repository.write("main/new/n1/n2/file")
      try await it.wait("main", "in a new folder") { $0.git.untracked == 2 }
      try files.removeItem(atPath: new + "/file")
      try await it.wait("main", "its only file is gone") { $0.git.untracked == 1 }
      let handle = try #require(FileHandle(forWritingAtPath: path + "/first.txt"))
      await it.watcher.refresh(path)
      try handle.write(contentsOf: Data("held".utf8))
      try await it.wait("main", "written and open") { $0.git.unstaged == 1 }
      try handle.close()
    }
  }

  @Test func `What is ignored, entries of the stash and replaced commits are seen`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    for number in 0..<3 {
      try repository.write("main/first.txt", "\(number)\n")
      try await repository.git("stash", "-q")
    }
    try await repository.git("worktree", "add", "-q", "-b", "work", "../linked")
    for _ in 0..<3 {
      try await repository.git("commit", "-q", "--allow-empty", "-m", "more", in: "linked")
    }
    try repository.write("linked/a.tmp")
    try await Watching(repository).run { it in
      try await it.wait("linked", "begun") {
        $0.git.untracked == 1 && $0.git.stashes == 3 && $0.commitCount == 3
      }
      try await it.repository.git("stash", "drop", "-q", "stash@{1}")
      try await it.wait("linked", "dropped") { $0.git.stashes == 2 }
      try it.repository.write("main/.git/info/exclude", "*.tmp\n")
      try await it.wait("linked", "ignored") { $0.git.untracked == 0 }
      try it.repository.write("ignored", "nothing\n")
      try await it.repository.git("config", "core.excludesFile", it.repository.path("ignored"))
      try it.repository.write("linked/b.bak")
      try await it.wait("linked", "not ignored") { $0.git.untracked == 1 }
      try it.repository.write("ignored", "*.bak\n")
      try await it.wait("linked", "ignored elsewhere") { $0.git.untracked == 0 }
      try await it.repository.git("replace", "--graft", "work", "main")
      try await it.wait("linked", "replaced") { $0.commitCount == 1 }
      try await it.repository.git("pack-refs", "--all")
      let work = try await it.repository.git("rev-parse", "work")
      try await it.repository.git("replace", "-d", work)
      try await it.wait("linked", "as it was") { $0.commitCount == 3 }
    }
  }

  @Test func `Counts of a shallow clone that becomes whole are others`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    for _ in 0..<4 {
      try await repository.git("commit", "-q", "--allow-empty", "-m", "more")
    }
    try await repository.git("checkout", "-q", "-b", "side", "HEAD~3")
    try await repository.git("commit", "-q", "--allow-empty", "-m", "side")
    try await repository.git("checkout", "-q", "main")
    let address = "file://" + repository.path("main")
    try await repository.git(
      ["clone", "-q", "--depth", "1", "--no-single-branch", "-b", "side", address, "clone"],
      in: ""
    )
    try await Watching(repository).run { it in
      try await it.wait("clone", "shallow") { $0.commitsBehind == 1 }
      try await it.repository.git("fetch", "-q", "--unshallow", in: "clone")
      try await it.wait("clone", "whole") { $0.commitsBehind == 3 && $0.commitCount == 1 }
    }
  }

  @Test func `A submodule that is there only later is watched`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("inner/file.txt")
    for arguments in [
      ["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "inner"],
    ] { try await repository.git(arguments, in: "inner") }
    let allowed = ["-c", "protocol.file.allow=always"]
    let inner = repository.path("inner")
    try await repository.git(allowed + ["submodule", "--quiet", "add", inner, "sub"], in: "main")
    try await repository.git("commit", "-q", "-m", "submodule")
    try await repository.git(["clone", "-q", "main", "clone"], in: "")
    try await repository.git("submodule", "--quiet", "init", in: "clone")
    try await Watching(repository).run { it in
      try await it.wait("clone", "clean") { $0.cacheStatus.isCached && !$0.isDirty }
      try await it.repository.git(allowed + ["submodule", "--quiet", "update"], in: "clone")
      let path = it.repository.path("clone")
      await it.watcher.refresh(path)
      try await it.repository.git("commit", "-q", "--allow-empty", "-m", "n", in: "clone/sub")
      try await it.wait("clone", "a commit within") { $0.git.unstaged == 1 }
    }
  }

  @Test func `A folder around a worktree gets another name, and git is told`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await repository.git("worktree", "add", "-q", "-b", "work", "../group/deeper/linked")
    try await Watching(repository).run { it in
      try await it.wait("group/deeper/linked", "clean") { $0.cacheStatus.isCached }
      let files = FileManager.default
      try files.moveItem(atPath: it.repository.path("group"), toPath: it.repository.path("other"))
      try await it.wait("main", "it is gone") { _ in it.watcher.store.registry.count == 1 }
      try await it.repository.git("worktree", "repair", it.repository.path("other/deeper/linked"))
      try await it.wait("other/deeper/linked", "it is there") { $0.cacheStatus.isCached }
    }
  }
}
