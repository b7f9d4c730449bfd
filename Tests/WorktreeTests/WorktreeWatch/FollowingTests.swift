import Foundation
import Git
import Testing
import Workspaces

@testable import WorktreeWatch

@Suite struct FollowingTests {
  @Test func `Mount points are read with spaces and newlines in them`() {
    let list = #"""
      36 35 98:0 / / rw,noatime master:1 - ext3 /dev/root rw
      37 36 0:31 /x /home/a\040b\012c\134d rw - ext3 /dev/root rw
      38 36 0:31 /x /home/a\040b\012c\134d rw - tmpfs none rw
      broken
      """#
    let mounts = MountPoints.list(Array(list.utf8))
    let points = mounts.map { String(decoding: $0.point, as: UTF8.self) }
    #expect(points == ["/", "/home/a b\nc\\d", "/home/a b\nc\\d"])
    #expect(mounts.map(\.type) == ["ext3", "ext3", "tmpfs"])
    #expect(MountPoints.within("/proc")?.contains("/proc") == true)
    #expect(MountPoints.within("/nothing/is/here") == [])
  }

  @Test func `File systems that others may change make no events for that`() {
    let list = """
      36 35 98:0 / / rw - ext4 /dev/root rw
      37 36 0:31 / /home/far rw shared:1 master:2 - nfs4 server:/x rw
      38 36 0:31 / /home/far/near rw - ext4 /dev/x rw
      39 36 0:31 / /mnt rw - ext4 /dev/x rw
      40 36 0:31 / /mnt rw - fuse.bindfs bindfs rw
      41 36 0:31 / /disk rw - fuseblk /dev/y rw
      """
    let mounts = MountPoints.list(Array(list.utf8))
    #expect(FileSystemEvents.lacking("/home/far/code", mounts) == "nfs4")
    #expect(FileSystemEvents.lacking("/home/far", mounts) == "nfs4")
    #expect(FileSystemEvents.lacking("/home/far/near/code", mounts) == nil)
    #expect(FileSystemEvents.lacking("/home/farther", mounts) == nil)
    #expect(FileSystemEvents.lacking("/mnt/code", mounts) == "fuse.bindfs")
    #expect(FileSystemEvents.lacking("/disk/code", mounts) == nil)
  }

  @Test func `A worktree is looked at again when what it follows came, went or moved`() {
    let before: NameTable<String> = [
      "refs/remotes/origin/a": "1", "refs/remotes/origin/b": "1", "refs/stash": "1",
    ]
    var now = before
    #expect(FollowedRefs.moved(before, now).isEmpty)
    now["refs/remotes/origin/b"] = nil
    now["refs/remotes/origin/c"] = "1"
    let moved = FollowedRefs.moved(before, now)
    #expect(moved == ["refs/remotes/origin/b", "refs/remotes/origin/c"])
    #expect(FollowedRefs.concern("origin/b", moved) && FollowedRefs.concern("origin/c", moved))
    #expect(!FollowedRefs.concern("origin/a", moved) && !FollowedRefs.concern(nil, moved))
    #expect(FollowedRefs.concern(nil, ["refs/stash"]))
  }

  @Test func `A HEAD outside of branches is named as it is`() {
    #expect(SymbolicHead.ref("ref: refs/catnip/one") == "refs/catnip/one")
    #expect(SymbolicHead.ref("ref: refs/heads/one") == nil)
    #expect(SymbolicHead.ref(String(repeating: "a", count: 40)) == nil)
    #expect(
      SymbolicHead.folders(of: ["refs/heads/a", "refs/catnip/a", "refs/x/y/z", "refs/top"])
        == ["refs/catnip", "refs/x/y"]
    )
  }

  @Test func `A fetch is seen soon after a branch got what it follows`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await repository.git("branch", "topic")
    try await repository.git("clone", "-q", ".", "../clone")
    for (key, value) in [("user.name", "Test"), ("user.email", "test@example.org")] {
      try await repository.git("config", key, value, in: "clone")
    }
    try await Watching(repository).run { it in
      try await it.wait("clone", "clean") { $0.cacheStatus.isCached }
      try await it.repository.git(
        "worktree",
        "add",
        "-q",
        "--track",
        "-b",
        "topic",
        "../topic",
        "origin/topic",
        in: "clone"
      )
      try await it.wait("topic", "followed") { $0.git.upstream == "origin/topic" }
      for number in 1...3 {
        try await it.repository.git("checkout", "-q", "topic")
        try it.repository.write("main/new.txt", "\(number)\n")
        try await it.repository.git("add", ".")
        try await it.repository.git("commit", "-q", "-m", "new")
        try await it.repository.git("fetch", "-q", in: "clone")
        // Everything is looked at once an hour here, so nothing but the event shows it.
        try await it.wait("topic", "behind") { $0.git.behind == number }
      }
    }
  }

  @Test func `A branch outside of branches is named, and its commits are seen`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await repository.git("worktree", "add", "-q", "--detach", "../linked")
    try await repository.git("update-ref", "refs/catnip/one", "HEAD")
    try await repository.git("symbolic-ref", "HEAD", "refs/catnip/one", in: "linked")
    let late = try await repository.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "late")
    try await Watching(repository).run { it in
      try await it.wait("linked", "named") {
        $0.cacheStatus.isCached && $0.git.branch == "refs/catnip/one"
          && $0.branch == "refs/catnip/one"
      }
      try await it.repository.git("update-ref", "refs/catnip/one", late)
      try await it.wait("linked", "moved") { $0.git.head == late }
    }
  }

  @Test func `A worktree whose file system tells of nothing is polled, and says so`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("outside.txt")
    try FileManager.default.linkItem(
      atPath: repository.path("outside.txt"),
      toPath: repository.path("main/linked.txt")
    )
    try await repository.git("add", ".")
    try await repository.git("commit", "-q", "-m", "linked")
    let far = repository.path("main")
    let system: @Sendable (String) -> String? = { $0.hasPrefix(far) ? "nfs4" : nil }
    try await Watching(repository, lacksEvents: system).run { it in
      try await it.wait("main", "clean") { $0.cacheStatus.isCached && !$0.isDirty }
      // A write by another name of the file makes no event in the worktree.
      try it.repository.write("outside.txt", "other\n")
      try await it.wait("main", "edited") { $0.git.unstaged == 1 }
      let omissions = await it.watcher.omissions()
      #expect(omissions.map(\.reason) == [.polled])
      #expect(omissions.first?.path == far && omissions.first?.detail.contains("nfs4") == true)
    }
  }

  @Test func `What concerns one branch is not a reason to look at other worktrees`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    for number in 0..<8 {
      try await repository.git("worktree", "add", "-q", "-b", "b\(number)", "../t\(number)")
    }
    try await Watching(repository).run { it in
      for number in 0..<8 {
        try await it.wait("t\(number)", "clean") { $0.cacheStatus.isCached && !$0.isDirty }
      }
      try await it.repository.git("branch", "-q", "-u", "b7", "b0")
      try await it.wait("t0", "follows") { $0.git.upstream == "b7" }
      let before = it.watcher.runner.started["status", default: 0]
      for number in 1...6 {
        try await it.repository.git("branch", "-q", "-u", "b\(number)", "b0")
        try await it.wait("t0", "follows") { $0.git.upstream == "b\(number)" }
      }
      let after = it.watcher.runner.started["status", default: 0]
      #expect(after - before < 6 * 8, "not all for each")
      try await it.repository.git("config", "status.showUntrackedFiles", "no")
      try it.repository.write("t5/new.txt")
      try await it.repository.git("config", "--unset", "status.showUntrackedFiles")
      try await it.wait("t5", "seen as before") { $0.git.untracked == 1 }
    }
  }

  @Test func `Nothing is deleted with a mount within`() async throws {
    let watcher = WorktreeWatcher(
      WatchSettings(roots: []),
      store: WorkspaceStore(generation: "test")
    )
    let actions = WorktreeActions(watcher: watcher)
    let workspace = Workspace(id: "id", repoId: "a/b", name: "b/c", path: "/proc", branch: "c")
    let refusal = #expect(throws: ActionRefusal.self) { try actions.requireNoMount(workspace) }
    #expect(refusal?.problem == .mountedFolder && refusal?.files.contains("/proc") == true)
  }
}
