import Foundation
import Git
import Testing
import Workspaces

@testable import WorktreeWatch

/// A watcher over a temporary repository, and waiting for what it says.
struct Watching {
  let repository: TemporaryRepository
  let watcher: WorktreeWatcher

  init(
    _ repository: TemporaryRepository,
    watches: Int = 10_000,
    lacksEvents: @escaping @Sendable (String) -> String? = { _ in nil },
    agents: (any AgentWatching)? = nil
  ) {
    self.repository = repository
    var settings = WatchSettings(roots: [repository.root])
    settings.spacing = 0.05
    settings.quiet = 0.02
    settings.pollEvery = 0.2
    settings.reconcile = 3_600
    // On a busy machine git takes longer than the list waits for it.
    settings.firstPatience = 3_600
    settings.watches = watches
    settings.lacksEvents = lacksEvents
    let store = WorkspaceStore(generation: "test")
    watcher = WorktreeWatcher(settings, store: store, agents: agents)
  }

  /// Runs the watcher while a body works with it.
  func run(_ body: @escaping @Sendable (Watching) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await watcher.run() }
      group.addTask { try await body(self) }
      group.addTask {
        try await Task.sleep(for: .seconds(300))
        Issue.record("the test took too long")
        throw CancellationError()
      }
      // The body ends first, unless something is wrong.
      _ = try await group.next()
      group.cancelAll()
    }
  }

  /// Trusts what the configuration of a worktree's repository names now.
  func trust(_ folder: String) async throws {
    let findings = try #require(try await watcher.runner.findings(in: repository.path(folder)))
    try watcher.runner.programs.trust.trust(try #require(findings.digest), of: findings.common)
  }

  /// Waits until a worktree is as it should be.
  func wait(
    _ folder: String,
    _ what: Comment,
    until isRight: (Workspace) -> Bool
  ) async throws {
    let path = repository.path(folder)
    for await _ in watcher.store.ticks() {
      let found = watcher.store.registry.all.first { $0.workspace.path == path }
      if let found, isRight(found.workspace) { return }
      try Task.checkCancellation()
    }
    Issue.record("\(what)")
  }
}

/// Agents that are looked at when a test wants it.
private struct LateAgents: AgentWatching {
  let stream = AsyncStream<(path: String, reading: AgentReading)>.makeStream()

  func follow(_ paths: [String]) async {}
  func readings() -> AsyncStream<(path: String, reading: AgentReading)> { stream.stream }
  func markSeen(_ path: String) async {}
}

@Suite struct WatcherTests {
  @Test func `Nothing is ready before the agents were looked at`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    let agents = LateAgents()
    try await Watching(repository, agents: agents).run { it in
      try await it.wait("main", "is there") { $0.cacheStatus.isCached }
      #expect(!it.watcher.store.isReady)
      agents.stream.continuation.yield((repository.path("main"), AgentReading()))
      for await _ in it.watcher.store.ticks() where it.watcher.store.isReady { break }
    }
  }

  @Test func `A new observer is told of changes made without observers`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await Watching(repository, watches: 0).run { it in
      try await it.wait("main", "is there") { $0.cacheStatus.isCached }
      it.watcher.interest.expect()
      #expect(!it.watcher.interest.isThere(at: WatchClock.monotonic))
      try it.repository.write("main/new.txt")
      it.watcher.interest.note()
      #expect(it.watcher.interest.isThere(at: WatchClock.monotonic))
      try await it.wait("main", "untracked") { $0.git.untracked == 1 }
    }
    let interest = WatchInterest {}
    // Without a server the worktrees always count as observed.
    interest.note(at: 5)
    #expect(interest.isThere(at: 1e9))
    interest.expect()
    interest.note(at: 5)
    #expect(interest.isThere(at: 5 + WatchLimits.interest - 1))
    #expect(!interest.isThere(at: 5 + WatchLimits.interest))
  }

  @Test func `A repository that went away is asked for ever more seldom`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("gone/first.txt")
    try await repository.git("init", "-q", "-b", "main", in: "gone")
    try await repository.git("add", ".", in: "gone")
    try await repository.git("commit", "-q", "-m", "first", in: "gone")
    // Both are polled at one pace.
    try await Watching(repository, lacksEvents: { _ in "test" }).run { it in
      try await it.wait("gone", "is there") { $0.cacheStatus.isCached }
      try await it.wait("main", "is there") { $0.cacheStatus.isCached }
      let directory = it.repository.path("gone/.git")
      try FileManager.default.removeItem(atPath: directory)
      try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: false
      )
      let before = await it.watcher.metrics
      // Counted by the scans of the other one, however long they take.
      while await it.watcher.metrics.scans < before.scans + 40 {
        try await Task.sleep(for: .milliseconds(10))
      }
      let failures = await it.watcher.metrics.failures - before.failures
      #expect(failures > 0)
      #expect(failures < 24)
    }
  }

  @Test func `A worktree is found, and every change of it is seen`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await repository.git("worktree", "add", "-q", "-b", "work", "../linked")
    try await Watching(repository).run { it in
      try await it.wait("linked", "clean") { $0.cacheStatus.isCached && !$0.isDirty }
      try await it.wait("main", "the main worktree") { $0.isMain && $0.branch == "main" }
      try it.repository.write("linked/deep/er/new.txt")
      try await it.wait("linked", "untracked") { $0.git.untracked == 1 && $0.isDirty }
      try await it.repository.git("add", ".", in: "linked")
      try await it.wait("linked", "staged") { $0.git.staged == 1 && $0.git.untracked == 0 }
      try await it.repository.git("commit", "-q", "-m", "second", in: "linked")
      try await it.wait("linked", "committed") { !$0.isDirty && $0.commitCount == 1 }
      try it.repository.write("linked/deep/er/new.txt", "other\n")
      try await it.wait("linked", "edited deep within") { $0.git.unstaged == 1 }
      try await it.repository.git("stash", "-q", in: "linked")
      try await it.wait("linked", "stashed") { !$0.isDirty && $0.git.stashes == 1 }
      try await it.wait("main", "the stash is shared") { $0.git.stashes == 1 }
      try await it.repository.git("merge", "-q", "work")
      try await it.wait("linked", "merged into main") { $0.commitCount == 0 }
      try await it.repository.git("reset", "-q", "--soft", "HEAD~1")
      try await it.wait("main", "a ref that moved alone") { $0.git.staged == 1 }
      try await it.repository.git("reset", "-q", "--hard")
      try await it.repository.git("checkout", "-q", "--detach", in: "linked")
      try await it.wait("linked", "detached") {
        $0.git.branch == nil && $0.branch.hasPrefix("HEAD")
      }
      try await it.repository.git("worktree", "lock", "--reason", "mine", "../linked")
      try await it.wait("linked", "locked") { $0.git.locked == "mine" }
      try await it.repository.git("worktree", "unlock", "../linked")
      try await it.wait("linked", "unlocked") { $0.git.locked == nil }
      try await it.repository.git("worktree", "move", "../linked", "../elsewhere")
      try await it.wait("elsewhere", "moved") { $0.cacheStatus.isCached }
      #expect(
        it.watcher.store.record(WorkspaceIdentity.id(of: it.repository.path("linked"))) == nil
      )
      try await it.repository.git("worktree", "remove", "../elsewhere")
      try await it.wait("main", "the other one is gone") { _ in it.watcher.store.registry.count == 1
      }
    }
  }

  @Test func `An operation that waits is told from its end`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await repository.git("worktree", "add", "-q", "-b", "work", "../linked")
    try repository.write("main/first.txt", "ours\n")
    try await repository.git("commit", "-q", "-a", "-m", "ours")
    try repository.write("linked/first.txt", "theirs\n")
    try await repository.git("commit", "-q", "-a", "-m", "theirs", in: "linked")
    try await Watching(repository).run { it in
      try await it.wait("linked", "apart") { $0.commitCount == 1 && $0.commitsBehind == 1 }
      try await it.repository.git("rebase", "main", in: "linked")
      try await it.wait("linked", "rebase") { it in
        it.git.operation?.kind == "rebase" && it.git.operation?.step == 1 && it.hasConflicts
          && it.git.conflicts == ["first.txt"] && it.git.operation?.branch == "work"
      }
      try await it.repository.git("rebase", "--abort", in: "linked")
      try await it.wait("linked", "aborted") { $0.git.operation == nil && !$0.hasConflicts }
      try await it.repository.git("merge", "main", in: "linked")
      try await it.wait("linked", "merge") { $0.git.operation?.kind == "merge" && $0.hasConflicts }
      try await it.repository.git("merge", "--abort", in: "linked")
      try await it.wait("linked", "aborted too") { $0.git.operation == nil && !$0.isDirty }
      try await it.repository.git("bisect", "start", in: "linked")
      try await it.wait("linked", "bisect") { $0.git.operation?.kind == "bisect" }
      try await it.repository.git("bisect", "reset", in: "linked")
      try await it.wait("linked", "no bisect") { $0.git.operation == nil }
    }
  }

  @Test func `What changes within a submodule is seen`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("inner/deep/file.txt")
    for arguments in [
      ["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "inner"],
    ] {
      try await repository.git(arguments, in: "inner")
    }
    try await Watching(repository).run { it in
      try await it.wait("main", "clean") { $0.cacheStatus.isCached }
      let inner = it.repository.path("inner")
      try await it.repository.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        inner,
        "sub"
      )
      try await it.repository.git("commit", "-q", "-m", "submodule")
      try await it.wait("main", "committed") { !$0.isDirty && $0.commitHash != "" }
      try it.repository.write("main/sub/deep/file.txt", "other\n")
      try await it.wait("main", "edited within") { $0.git.unstaged == 1 }
    }
  }

  @Test func `A submodule that nothing names is watched, and so are its commits`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("main/sub/deep/file.txt")
    for arguments in [
      ["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "inner"],
    ] {
      try await repository.git(arguments, in: "main/sub")
    }
    // Without .gitmodules: a status tells of it all the same, and lists across submodules do not.
    try await repository.git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
    try await repository.git("commit", "-q", "-m", "embedded")
    try await Watching(repository).run { it in
      try await it.wait("main", "clean") { $0.cacheStatus.isCached && !$0.isDirty }
      try it.repository.write("main/sub/deep/file.txt", "other\n")
      try await it.wait("main", "edited within") { $0.git.unstaged == 1 }
      try await it.repository.git("checkout", "-q", ".", in: "main/sub")
      try await it.wait("main", "as before") { !$0.isDirty }
      try await it.repository.git("commit", "-q", "--allow-empty", "-m", "next", in: "main/sub")
      try await it.wait("main", "another commit within") { $0.git.unstaged == 1 }
    }
  }

  @Test func `What git could not tell is asked again`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    let objects = repository.path("main/.git/objects")
    let commit = try await repository.git("rev-parse", "HEAD")
    let folder = objects + "/" + commit.prefix(2)
    try await Watching(repository).run { it in
      try await it.wait("main", "clean") { $0.cacheStatus.isCached && !$0.isDirty }
      // Objects are not watched, so restoring them causes no event.
      try FileManager.default.moveItem(atPath: folder, toPath: folder + ".away")
      try it.repository.write("main/new.txt")
      while await it.watcher.metrics.failures == 0 { try await Task.sleep(for: .milliseconds(20)) }
      try FileManager.default.moveItem(atPath: folder + ".away", toPath: folder)
      try await it.wait("main", "asked again") { $0.git.untracked == 1 }
    }
  }

  @Test func `With too few watches some are polled, and nothing is missed`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await repository.git("worktree", "add", "-q", "-b", "work", "../linked")
    for number in 0..<40 { try repository.write("linked/folder\(number)/file.txt") }
    try await repository.git("add", ".", in: "linked")
    try await repository.git("commit", "-q", "-m", "folders", in: "linked")
    try await Watching(repository, watches: 20).run { it in
      try await it.wait("linked", "clean") { $0.cacheStatus.isCached && $0.commitCount == 1 }
      for (count, number) in [0, 20, 39].enumerated() {
        try it.repository.write("linked/folder\(number)/new.txt")
        try await it.wait("linked", "folder \(number)") { $0.git.untracked == count + 1 }
      }
      let metrics = await it.watcher.metrics
      #expect(metrics.watches <= 20)
      #expect(metrics.polled >= 1)
    }
  }

  @Test func `Without inotify everything is polled`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await Watching(repository, watches: 0).run { it in
      try await it.wait("main", "clean") { $0.cacheStatus.isCached && !$0.isDirty }
      try it.repository.write("main/new.txt")
      try await it.wait("main", "polled") { $0.git.untracked == 1 }
      #expect(await it.watcher.metrics.polled == 1)
    }
  }

  @Test func `A scan that finds nothing new changes nothing`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await Watching(repository).run { it in
      try await it.wait("main", "clean") { $0.cacheStatus.isCached }
      let revision = it.watcher.store.revision
      let index = HostFile.stamp(it.repository.path("main/.git/index"))
      for _ in 0..<5 { await it.watcher.refresh(it.repository.path("main")) }
      #expect(it.watcher.store.revision == revision)
      #expect(HostFile.stamp(it.repository.path("main/.git/index")) == index)
    }
  }
}
