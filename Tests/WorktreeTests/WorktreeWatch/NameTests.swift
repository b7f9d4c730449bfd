import Git
import Testing
import Workspaces

@testable import WorktreeWatch

/// Two names that look the same: in one code point, and in two.
private let composed = "caf\u{E9}"
private let decomposed = "cafe\u{301}"

@Suite struct NameTests {
  @Test func `Names that look the same are two`() {
    #expect(composed == decomposed)
    #expect(!composed.isSameName(as: decomposed))
    var table: NameTable<Int> = [composed: 1, decomposed: 2]
    #expect(table.count == 2 && table[composed] == 1 && table[decomposed] == 2)
    table[decomposed, default: 0] += 1
    table[composed] = nil
    #expect(table.keys.count == 1 && table[decomposed] == 3 && table[composed] == nil)
    var set: NameSet = [composed]
    expectSame(set.insert(decomposed).inserted, true)
    expectSame(set.insert(composed).inserted, false)
    #expect(set.count == 2 && set.sorted().map(\.utf8.count) == [6, 5])
    #expect(NameSet([composed]) != NameSet([decomposed]))
    #expect(WatchTable.Owner.worktree(composed) != .worktree(decomposed))
    #expect(WatchTable.Owner.worktree(composed) != .repository(composed))
    #expect(Set([WatchTable.Owner.search, .search, .settings(composed)]).count == 2)
  }

  @Test func `Names are compared by memory as they are by bytes`() {
    let names = [
      "", "a", "ab", "b", "\0", "a\0", "\u{7F}", "\u{80}", composed, decomposed, composed + "/a",
      "\u{FB01}", "\u{1F600}", String(repeating: "x", count: 15), String(repeating: "x", count: 16),
    ]
    for one in names {
      for other in names {
        let (bytes, others) = (Array(one.utf8), Array(other.utf8))
        #expect(one.isSameName(as: other) == (bytes == others), "\(one) \(other)")
        #expect(one.beginsWithName(other) == bytes.starts(with: others), "\(one) \(other)")
        #expect(
          one.isNameBefore(other) == bytes.lexicographicallyPrecedes(others),
          "\(one) \(other)"
        )
        // As any other kind of string does.
        #expect(one[...].isSameName(as: other) == (bytes == others))
        #expect(one[...].isNameBefore(other) == bytes.lexicographicallyPrecedes(others))
      }
    }
  }

  @Test func `Paths are cut at their slashes, whatever follows`() {
    #expect("a/\u{301}b/c".parentPath.isSameName(as: "a/\u{301}b"))
    #expect("a/\u{301}b".parentPath == "a" && "a".parentPath.isEmpty)
    #expect("refs/heads/\u{301}x".name(after: "refs/heads/")?.isSameName(as: "\u{301}x") == true)
    #expect("refs/heads/x".name(after: "refs/tags/") == nil)
    #expect(
      HostFile.isWithin("/a/\u{301}b", "/a")
        && !HostFile.isWithin("/\(composed)/x", "/\(decomposed)")
    )
    #expect(HostFile.join("/a", "/\u{301}b").isSameName(as: "/\u{301}b"))
  }

  @Test func `Changed paths, refs and folders keep both names`() throws {
    let names = Array("M\0\(composed)\0A\0\(decomposed)\0".utf8)
    let counts = Array("1\t2\t\(composed)\u{0}3\t4\t\(decomposed)\0".utf8)
    let paths = try ChangedPath.list(nameStatus: names, numstat: counts)
    #expect(paths.map(\.kind) == [.modified, .added] && paths.map(\.added) == [1, 3])
    let refs = try GitRefs(
      Array("refs/heads/\(composed)\0a\0\nrefs/heads/\(decomposed)\0b\0\n".utf8)
    )
    #expect(refs.objects.count == 2)
    #expect(refs.source(mainBranch: "refs/heads/\(decomposed)")?.object == "b")
    var folders = WatchPlan.Folders()
    try folders.consume(Array("100644 0 0\t\(composed)/a\u{0}100644 0 0\t\(decomposed)/a\0".utf8))
    #expect(folders.all.count == 3)
  }

  @Test func `A branch that only looks the same is another state`() {
    var registry = WorkspaceRegistry(generation: "g")
    var workspace = Workspace(id: "1", repoId: "a/b", name: "b/c", path: "/c", branch: composed)
    registry.put(workspace)
    workspace.branch = decomposed
    expectSame(registry.put(workspace), true)
    #expect(registry["1"]?.workspace.branch.isSameName(as: decomposed) == true)
    expectSame(registry.put(workspace), false)
  }

  @Test func `Two worktrees whose paths look the same are watched by themselves`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try await repository.git("worktree", "add", "-q", "-b", composed, "../\(composed)")
    try await repository.git("worktree", "add", "-q", "-b", decomposed, "../\(decomposed)")
    try repository.write("\(decomposed)/new.txt")
    try await Watching(repository).run { it in
      for await _ in it.watcher.store.ticks() {
        let all = it.watcher.store.registry.all.map(\.workspace)
        guard all.count == 3, all.allSatisfy(\.cacheStatus.isCached) else { continue }
        for (name, isDirty) in [(composed, false), (decomposed, true)] {
          let found = all.filter { $0.path.isSameName(as: repository.path(name)) }
          #expect(found.count == 1)
          #expect(found.first?.isDirty == isDirty)
          #expect(found.first?.branch.isSameName(as: name) == true)
        }
        let branches = try await it.watcher.branches(of: repository.path("main"))
        #expect(branches?.count == 3)
        break
      }
      try it.repository.write("\(composed)/new.txt")
      for await _ in it.watcher.store.ticks()
      where it.watcher.store.registry.all.count(where: { $0.workspace.isDirty }) == 2 {
        break
      }
    }
  }
}
