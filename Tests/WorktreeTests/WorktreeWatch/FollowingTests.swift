import Git
import Testing
import Workspaces

@testable import WorktreeWatch

@Suite struct FollowingTests {
  @Test func `Mount points are read with blanks and newlines in them`() {
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
    let before = ["refs/remotes/origin/a": "1", "refs/remotes/origin/b": "1", "refs/stash": "1"]
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
}
