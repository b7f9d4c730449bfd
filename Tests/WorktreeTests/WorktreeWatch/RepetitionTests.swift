import Foundation
import Testing
import Workspaces

@testable import WorktreeWatch

@Suite struct RepetitionTests {
  private static let rule = WorktreeActions.Repetition(prefix: "main-", within: 3_600)

  /// Makes a worktree as a checkout does.
  private func make(
    _ it: Watching,
    _ name: String,
    source: String? = "main",
    _ rule: WorktreeActions.Repetition? = rule
  ) async throws -> Workspace {
    try await WorktreeActions(watcher: it.watcher).create(
      repository: "local/main",
      branch: nil,
      name: name,
      source: source,
      repeating: rule
    )
  }

  private func watching() async throws -> Watching {
    let repository = TemporaryRepository()
    try await repository.begin()
    return Watching(repository)
  }

  @Test func `A request that is repeated gets the worktree of before, also if both run at once`()
    async throws
  {
    try await watching().run { it in
      try await it.wait("main", "is there") { $0.cacheStatus.isCached }
      let ids = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<4 { group.addTask { try await make(it, "main-\(number)").id } }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(ids.count == 1)
      #expect(try await ids.contains(make(it, "main-again").id))
      #expect(it.watcher.store.registry.count == 2)
    }
  }

  @Test func `Without a source it is the repository's branch of now`() async throws {
    try await watching().run { it in
      try await it.wait("main", "is there") { $0.cacheStatus.isCached }
      let first = try await make(it, "main-1", source: nil)
      #expect(try await make(it, "main-2", source: nil).id == first.id)
      try it.repository.write("main/first.txt", "other\n")
      try await it.repository.git("commit", "-q", "-a", "-m", "other")
      #expect(try await make(it, "main-3", source: nil).id != first.id)
    }
  }

  @Test func `A worktree that is used, old, or of another request is not an answer`() async throws {
    try await watching().run { it in
      try await it.wait("main", "is there") { $0.cacheStatus.isCached }
      try await it.repository.git("branch", "other")
      var known: Set<String> = []
      func expectNew(_ name: String, _ made: Workspace, _ what: Comment) {
        #expect(known.insert(made.id).inserted, what)
        #expect(made.path.hasSuffix("/" + name), what)
      }
      expectNew("main-1", try await make(it, "main-1"), "the first")
      expectNew("main-2", try await make(it, "main-2", source: "other"), "another source")
      let past = WorktreeActions.Repetition(prefix: "main-", within: 0)
      expectNew("main-3", try await make(it, "main-3", past), "too old")
      let named = WorktreeActions.Repetition(prefix: "shop-", within: 3_600)
      expectNew("shop-4", try await make(it, "shop-4", named), "of another name")
      expectNew("main-5", try await make(it, "main-5", nil), "no repetition")

      // One by one they are used; then a further one is made.
      for name in ["main-1", "main-3"] {
        try it.repository.write("main.worktrees/\(name)/new.txt")
      }
      try it.repository.write("main.worktrees/main-5/first.txt", "mine\n")
      try await it.repository.git(
        "commit",
        "-q",
        "-a",
        "-m",
        "mine",
        in: "main.worktrees/main-5"
      )
      let sixth = try await make(it, "main-6")
      expectNew("main-6", sixth, "untracked files and a commit")
      #expect(try await make(it, "main-7").id == sixth.id)
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sleep")
      process.arguments = ["600"]
      process.currentDirectoryURL = URL(filePath: sixth.path)
      try process.run()
      // It inherits the signal mask of a pool thread, which blocks SIGTERM.
      defer { kill(process.processIdentifier, SIGKILL) }
      expectNew("main-8", try await make(it, "main-8"), "a process")
    }
  }
}
