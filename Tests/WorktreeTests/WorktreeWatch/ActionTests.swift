import Foundation
import Git
import Synchronization
import Testing
import Workspaces

@testable import WorktreeWatch

/// Says of one worktree what a test wants.
private struct SetAgents: AgentWatching {
  let path: String
  let reading: AgentReading

  init(_ path: String, _ state: AgentActivity.State, pid: Int? = nil) {
    self.path = path
    var activity = AgentActivity(state: state, source: "process")
    activity.agents = [AgentPresence(agent: "claude", pid: pid, state: state, source: "process")]
    reading = AgentReading(activity: activity)
  }

  func follow(_ paths: [String]) async {}
  func readings() -> AsyncStream<(path: String, reading: AgentReading)> {
    let (stream, continuation) = AsyncStream<(path: String, reading: AgentReading)>.makeStream()
    continuation.yield((path, reading))
    return stream
  }
  func markSeen(_ path: String) async {}
}

/// Counts the concurrent tasks.
private final class Inside: Sendable {
  private let counts = Mutex((now: 0, most: 0))
  var most: Int { counts.withLock { $0.most } }

  func visit() async {
    counts.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
    for _ in 0..<10 { await Task.yield() }
    counts.withLock { $0.now -= 1 }
  }
}

@Suite struct ActionTests {
  /// `main` and `linked` on `work`, each with a commit of its own; in conflict if it is to be.
  private func apart(conflicting: Bool) async throws -> TemporaryRepository {
    let repository = TemporaryRepository()
    try await repository.begin()
    for (name, value) in [("user.name", "Test"), ("user.email", "test@example.org")] {
      try await repository.git("config", name, value)
    }
    try await repository.git("worktree", "add", "-q", "-b", "work", "../linked")
    try repository.write("main/first.txt", "ours\n")
    try await repository.git("commit", "-q", "-a", "-m", "ours")
    try repository.write(conflicting ? "linked/first.txt" : "linked/other.txt", "theirs\n")
    try await repository.git("add", ".", in: "linked")
    try await repository.git("commit", "-q", "-m", "theirs", in: "linked")
    return repository
  }

  private func scan(_ it: Watching, _ folder: String) throws -> Workspace {
    let id = WorkspaceIdentity.id(of: it.repository.path(folder))
    return try #require(it.watcher.store.record(id)).workspace
  }

  private func refusal(_ body: () async throws -> Void) async -> WorkspaceProblem? {
    let error = await #expect(throws: ActionRefusal.self) { try await body() }
    return error?.problem
  }

  @Test func `Actions on one repository take turns, those on another do not wait`() async throws {
    let repository = TemporaryRepository()
    for name in ["one", "two"] { try repository.write("\(name)/file") }
    let (one, two) = (repository.path("one"), repository.path("two"))
    let turns = ActionQueue()
    let inside = Inside()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { try await turns.run(one) { await inside.visit() } }
      }
      try await group.waitForAll()
    }
    #expect(inside.most == 1)
    let both = try await turns.run(one) { try await turns.run(two) { true } }
    #expect(both)
    // Another server is not waited for without end.
    let hasty = ActionQueue(patience: 0)
    let refused = try await turns.run(one) {
      await refusal { try await hasty.run(one) {} }
    }
    #expect(refused == .operationInProgress)
    try await hasty.run(one) {}
  }

  @Test func `Two syncs at once end as one after the other`() async throws {
    let repository = try await apart(conflicting: false)
    try await Watching(repository).run { it in
      try await it.wait("linked", "apart") { $0.commitCount == 1 && $0.commitsBehind == 1 }
      let actions = WorktreeActions(watcher: it.watcher)
      let workspace = try scan(it, "linked")
      async let one = actions.sync(workspace, .rebase, fetches: false)
      async let two = actions.sync(workspace, .rebase, fetches: false)
      for after in try await [one.worktree, two.worktree] {
        #expect(after.commitsBehind == 0)
        #expect(after.commitCount == 1)
        #expect(after.git.operation == nil)
      }
    }
  }

  @Test func `A conflict of a sync is undone`() async throws {
    for strategy in [WorktreeActions.Strategy.rebase, .merge] {
      let repository = try await apart(conflicting: true)
      try await Watching(repository).run { it in
        try await it.wait("linked", "apart") { $0.commitCount == 1 && $0.commitsBehind == 1 }
        let workspace = try scan(it, "linked")
        let conflict = await #expect(throws: ActionConflict.self) {
          _ = try await WorktreeActions(watcher: it.watcher).sync(
            workspace,
            strategy,
            fetches: false
          )
        }
        #expect(conflict?.report.conflictFiles == ["first.txt"])
        let after = try scan(it, "linked")
        #expect(after.git.operation == nil && after.git.head == workspace.git.head)
        #expect(!after.isDirty)
      }
    }
  }

  @Test func `What another process begins during the fetch is left as it is`() async throws {
    let repository = try await apart(conflicting: true)
    let script = repository.path("upload")
    let linked = repository.path("linked")
    try repository.write(
      "upload",
      """
      #!/bin/sh
      (unset GIT_DIR; cd '\(linked)'; git rebase main) >/dev/null 2>&1
      exec git-upload-pack "$@"
      """
    )
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    try await repository.git("init", "-q", "--bare", "../remote.git")
    try await repository.git("remote", "add", "origin", "../remote.git")
    try await repository.git("config", "remote.origin.uploadpack", script)
    try await Watching(repository).run { it in
      try await it.wait("linked", "apart") { $0.commitCount == 1 && $0.commitsBehind == 1 }
      try await it.trust("linked")
      let workspace = try scan(it, "linked")
      let problem = await refusal {
        _ = try await WorktreeActions(watcher: it.watcher).sync(workspace, .rebase, fetches: true)
      }
      #expect(problem == .operationInProgress)
      #expect(try scan(it, "linked").git.operation?.kind == "rebase")
      #expect(HostFile.kind(it.repository.path("main/.git/worktrees/linked/rebase-merge")) != nil)
    }
  }

  @Test func `Only what an action began is its own`() async throws {
    let repository = try await apart(conflicting: true)
    let main = try await repository.git("rev-parse", "main")
    let work = try await repository.git("rev-parse", "work")
    let directory = repository.path("main/.git/worktrees/linked")
    try await repository.git("rebase", "main", in: "linked")
    #expect(BegunOperation(.rebase(onto: main, head: work), in: directory).isThere)
    #expect(!BegunOperation(.rebase(onto: work, head: work), in: directory).isThere)
    #expect(!BegunOperation(.rebase(onto: main, head: main), in: directory).isThere)
    #expect(!BegunOperation(.merge(main), in: directory).isThere)
    try await repository.git("rebase", "--abort", in: "linked")
    let squash = BegunOperation(.squash, in: directory)
    #expect(!squash.isThere && squash.found == nil)
    try await repository.git("merge", "main", in: "linked")
    #expect(BegunOperation(.merge(main), in: directory).isThere)
    #expect(!BegunOperation(.merge(work), in: directory).isThere)
    try await repository.git("merge", "--abort", in: "linked")
    try await repository.git("merge", "--squash", "main", in: "linked")
    #expect(squash.isThere)
    #expect(!BegunOperation(.squash, in: directory).isThere)
  }

  @Test func `A branch that moves while its worktree is removed stays`() async throws {
    let repository = try await apart(conflicting: false)
    try await repository.git("merge", "-q", "work")
    let late = try await repository.git(
      "commit-tree",
      "work^{tree}",
      "-p",
      "work",
      "-m",
      "late"
    )
    try await Watching(repository).run { it in
      try await it.wait("linked", "merged") { $0.commitCount == 0 && $0.cacheStatus.isCached }
      let actions = WorktreeActions(watcher: it.watcher)
      let workspace = try scan(it, "linked")
      let common = it.repository.path("main/.git")
      try await it.repository.git("update-ref", "refs/heads/work", late)
      for isForced in [false, true] {
        let problem = await refusal {
          // As it was when it was checked.
          _ = try await actions.remove(
            workspace,
            common,
            WorktreeActions.Removal(isForced: isForced, removesBranch: true)
          )
        }
        #expect(problem == .worktreeUnmerged)
        #expect((HostFile.kind(workspace.path) == nil) == isForced)
      }
      let now = try await it.repository.git("rev-parse", "refs/heads/work")
      #expect(now == late)
    }
  }

  @Test func `A worktree goes with its branch and the settings of the branch`() async throws {
    let repository = try await apart(conflicting: false)
    try await repository.git("merge", "-q", "work")
    try await repository.git("config", "branch.work.description", "mine")
    try await Watching(repository).run { it in
      try await it.wait("linked", "merged") { $0.commitCount == 0 && $0.cacheStatus.isCached }
      let workspace = try scan(it, "linked")
      try await WorktreeActions(watcher: it.watcher)
        .delete(workspace, isForced: false, removesBranch: true)
      #expect(HostFile.kind(it.repository.path("linked")) == nil)
      let branches = try await it.repository.git("branch", "--list", "work")
      #expect(branches.isEmpty)
      let left = try await it.repository.git("config", "--get", "branch.work.description")
      #expect(left.isEmpty)
    }
  }

  @Test func `An agent that lives or was not looked at keeps its worktree`() async throws {
    for (state, stays) in [
      (AgentActivity.State.idle, true), (.doneUnseen, true), (.working, true), (.ended, false),
      (.unknown, false),
    ] {
      let repository = try await apart(conflicting: false)
      let main = try await repository.git("rev-parse", "main")
      let agents = SetAgents(repository.path("linked"), state, pid: 1)
      try await Watching(repository, agents: agents).run { it in
        try await it.wait("linked", "agent") {
          $0.activity.state == state && $0.activity.agents.count == 1 && $0.cacheStatus.isCached
        }
        let actions = WorktreeActions(watcher: it.watcher)
        let workspace = try scan(it, "linked")
        if stays {
          // A merge that is to clean up is not begun.
          let cleaning = await refusal {
            _ = try await actions.merge(workspace, squashes: false, cleansUp: true)
          }
          #expect(cleaning == .agentActive)
          let after = try await it.repository.git("rev-parse", "main")
          #expect(after == main)
          let problem = await refusal {
            try await actions.delete(workspace, isForced: false, removesBranch: false)
          }
          #expect(problem == .agentActive, "\(state)")
          try await actions.delete(workspace, isForced: true, removesBranch: false)
        } else {
          try await actions.delete(workspace, isForced: false, removesBranch: false)
        }
        #expect(HostFile.kind(it.repository.path("linked")) == nil)
      }
    }
  }

  @Test func `A squash that changes nothing is done, and cleans up`() async throws {
    let repository = try await apart(conflicting: false)
    try await repository.git("merge", "-q", "--squash", "work")
    try await repository.git("commit", "-q", "-m", "squashed before")
    let main = try await repository.git("rev-parse", "main")
    try await Watching(repository).run { it in
      try await it.wait("linked", "apart") { $0.commitCount == 1 && $0.commitsBehind == 2 }
      try await it.wait("main", "clean") { $0.cacheStatus.isCached && !$0.isDirty }
      let merged = try await WorktreeActions(watcher: it.watcher)
        .merge(scan(it, "linked"), squashes: true, cleansUp: true)
      #expect(merged.refusal == nil)
      #expect(merged.target.git.head == main)
      #expect(!merged.target.isDirty)
      #expect(HostFile.kind(it.repository.path("main/.git/SQUASH_MSG")) == nil)
      #expect(HostFile.kind(it.repository.path("linked")) == nil)
    }
  }

  @Test func `Checks work where paths have colons, and a failure is not a conflict`() async throws {
    let repository = try await apart(conflicting: false)
    try await repository.git("worktree", "remove", "../linked")
    try FileManager.default.moveItem(
      atPath: repository.path("main"),
      toPath: repository.path(#"a:"b\c"#)
    )
    try await repository.git("worktree", "add", "-q", "../linked", "work", in: #"a:"b\c"#)
    try await Watching(repository).run { it in
      try await it.wait("linked", "apart") { $0.commitCount == 1 && $0.commitsBehind == 1 }
      let actions = WorktreeActions(watcher: it.watcher)
      let workspace = try scan(it, "linked")
      let report = try await actions.checkMerge(workspace)
      #expect(!report.hasConflicts && report.conflictFiles.isEmpty)
      await #expect(throws: GitRunner.Failure.self) {
        _ = try await actions.check(workspace, "merge", ours: "nothing", theirs: "HEAD")
      }
    }
  }
}
