import Foundation
import Git
import Glibc
import Testing
import Workspaces

@testable import WorktreeWatch

@Suite struct GuardTests {
  /// A repository with a merge to be made, whose configuration names programs that leave a mark.
  private func hostile() async throws -> TemporaryRepository {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("main/.gitattributes", "*.dat filter=evil merge=evil\n")
    try repository.write("main/a.dat", "1\n2\n3\n4\n5\n6\n7\n")
    try await repository.git("add", ".")
    try await repository.git("commit", "-q", "-m", "data")
    try await repository.git("branch", "other")
    try repository.write("main/a.dat", "main\n2\n3\n4\n5\n6\n7\n")
    try await repository.git("commit", "-q", "-a", "-m", "main")
    try await repository.git("worktree", "add", "-q", "../linked", "other")
    try repository.write("linked/a.dat", "1\n2\n3\n4\n5\n6\nother\n")
    try await repository.git("commit", "-q", "-a", "-m", "other", in: "linked")
    let mark = "touch \(repository.path("mark"))"
    try await repository.git("config", "filter.evil.clean", "\(mark); cat")
    try await repository.git("config", "filter.evil.required", "true")
    try await repository.git("config", "merge.evil.driver", "\(mark); true")
    try repository.write("linked/a.dat", "1\n2\n3\n4\n5\n6\nOTHER\n")
    return repository
  }

  private func isMarked(_ repository: TemporaryRepository) -> Bool {
    HostFile.kind(repository.path("mark")) != nil
  }

  @Test(arguments: [GitRunner.Protection.whole, .settings])
  func `What reads runs nothing, by the kernel or by settings alone`(
    _ protection: GitRunner.Protection
  ) async throws {
    let repository = try await hostile()
    let runner = GitRunner(protection: protection)
    #expect(runner.isContained == (protection == .whole && Containment.isSupported))
    let folder = repository.path("linked")
    let status = try await runner.run(["status", "--porcelain=v2", "-z"], in: folder)
    #expect(String(decoding: status.output, as: UTF8.self).contains("1 .M "))
    let diff = try await runner.run(["diff"] + DiffReader.plain + ["HEAD"], in: folder)
    #expect(String(decoding: diff.output, as: UTF8.self).contains("+OTHER"))
    let refusal = await #expect(throws: ActionRefusal.self) {
      try await runner.run(["merge-tree", "--write-tree", "main", "other"], in: folder)
    }
    #expect(refusal?.problem == .untrustedRepository)
    #expect(refusal?.files.contains { $0.hasPrefix("merge.evil.driver = touch") } == true)
    for arguments in [
      ["merge", "-q", "main"], ["worktree", "add", "../x"], ["commit", "-q", "-a"],
    ] {
      await #expect(throws: ActionRefusal.self) {
        try await runner.run(arguments, in: folder, reads: false)
      }
    }
    #expect(!isMarked(repository))
    try await repository.git("status", in: "linked")
    #expect(isMarked(repository))
  }

  @Test func `The kernel stops what settings do not know`() async throws {
    guard Containment.isSupported else { return }
    let repository = try await hostile()
    try await repository.git("init", "-q", "../linked/inner")
    try repository.write("linked/inner/.gitattributes", "*.txt filter=inner\n")
    try repository.write("linked/inner/a.txt")
    try await repository.git("add", ".", in: "linked/inner")
    try await repository.git("commit", "-q", "-m", "inner", in: "linked/inner")
    try await repository.git("add", "inner/", in: "linked")
    let path = repository.path("mark")
    try await repository.git(
      "config",
      "filter.inner.clean",
      "touch \(path); cat",
      in: "linked/inner"
    )
    try repository.write("linked/inner/a.txt", "other\n")
    unlink(path)
    let folder = repository.path("linked")
    let status = try await GitRunner().run(["status", "--porcelain=v2"], in: folder)
    #expect(status.text.contains(" S.M. "), "\(status.text)")
    #expect(!isMarked(repository))
    // Without the kernel git stays out of it.
    let plain = try await GitRunner(protection: .settings)
      .run(["status", "--porcelain=v2"], in: folder)
    #expect(!plain.text.contains(" S.M. "))
    #expect(!isMarked(repository))
  }

  @Test func `Hooks that are content of a worktree do not run, even if trusted`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write(
      "main/.hooks/post-checkout",
      "#!/bin/sh\ntouch \(repository.path("mark"))\n"
    )
    #expect(chmod(repository.path("main/.hooks/post-checkout"), 0o755) == 0)
    try await repository.git("add", ".")
    try await repository.git("commit", "-q", "-m", "hooks")
    try await repository.git("config", "core.hooksPath", ".hooks")
    let runner = GitRunner()
    let (main, common) = (repository.path("main"), repository.path("main/.git"))
    let digest = try #require(try await runner.findings(in: main)?.digest)
    // One trust is for the repository and all its worktrees.
    #expect(try await runner.findings(in: common)?.digest == digest)
    try runner.programs.trust.trust(digest, of: common)
    _ = try await runner.run(
      ["worktree", "add", "-q", repository.path("made")],
      in: common,
      reads: false
    )
    #expect(HostFile.kind(repository.path("made/.hooks/post-checkout")) == .file)
    #expect(!isMarked(repository))
    try await repository.git("worktree", "add", "-q", "../other")
    #expect(isMarked(repository))
  }

  @Test func `Contained git writes nothing but where it is let`() async throws {
    guard Containment.isSupported else { return }
    let repository = TemporaryRepository()
    try await repository.begin()
    let folder = repository.path("main")
    await #expect(throws: GitRunner.Failure.self) {
      try await GitRunner().run(["read-tree", "--reset", "HEAD"], in: folder)
    }
    _ = try await GitRunner().run(
      ["read-tree", "HEAD"],
      in: folder,
      variables: ["GIT_INDEX_FILE": repository.path("index")]
    )
    #expect(HostFile.kind(repository.path("index")) == .file)
  }

  @Test(arguments: [
    "user.name=me", "commit.gpgSign=true", "merge.verifySignatures=1", "tag.gpgSign=yes",
    "filter.lfs.process=git-lfs filter-process", "gpg.format=ssh", "http.sslVerify=false",
  ])
  func `Git that changes something writes in its repository only, whatever that says`(
    _ setting: String
  ) async throws {
    guard Containment.isSupported else { return }
    let repository = TemporaryRepository()
    try await repository.begin()
    let pair = setting.split(separator: "=", maxSplits: 1).map(String.init)
    try await repository.git("config", pair[0], pair[1])
    let folder = repository.path("main")
    for arguments in [
      ["bundle", "create", repository.path("bundle"), "HEAD"],
      ["format-patch", "-q", "-o", repository.path("patches"), "--root", "HEAD"],
      ["archive", "-o", repository.path("archive.tar"), "HEAD"],
    ] {
      await #expect(throws: GitRunner.Failure.self) {
        try await GitRunner().run(arguments, in: folder, reads: false)
      }
      #expect(HostFile.kind(arguments.first { $0.hasPrefix("/") } ?? "/") == nil)
    }
    _ = try await GitRunner().run(
      ["format-patch", "-q", "-o", "patches", "--root", "HEAD"],
      in: folder,
      reads: false
    )
    #expect(HostFile.kind(repository.path("main/patches")) == .folder)
  }

  @Test func `Git has no more memory than it may`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    let folder = repository.path("main")
    for (reads, limit) in [(true, WatchLimits.readingBytes), (false, WatchLimits.actingBytes)] {
      let said = try await GitRunner(protection: .none)
        .run(["-c", "alias.limit=!ulimit -d", "limit"], in: folder, reads: reads)
      #expect(said.text == "\(limit >> 10)")
    }
    // What is too long is told before git is asked.
    try repository.write("main/.git/packed-refs")
    #expect(truncate(repository.path("main/.git/packed-refs"), WatchLimits.listFileBytes + 1) == 0)
    let failure = await #expect(throws: GitRunner.Failure.self) {
      try await GitRunner().run(["status", "--porcelain"], in: folder)
    }
    #expect(failure?.description.contains("packed-refs has more than") == true)
  }

  @Test func `A configuration is read again when it has changed, also with its times set back`()
    async throws
  {
    let repository = try await hostile()
    let runner = GitRunner()
    let folder = repository.path("linked")
    func digest() async throws -> String? { try await runner.findings(in: folder)?.digest }
    let first = try await digest()
    #expect(first?.utf8.count == 64)
    // It is settled after a while, and then taken from memory.
    try await Task.sleep(for: .seconds(WatchLimits.settled * 2))
    _ = try await digest()
    let count = runner.started["config"]
    expectSame(try await digest(), first)
    #expect(runner.started["config"] == count)
    let config = repository.path("main/.git/config")
    let before = try FileManager.default.attributesOfItem(atPath: config)[.modificationDate]
    let text = try String(contentsOfFile: config, encoding: .utf8)
    let file = try #require(fopen(config, "r+"))
    fputs(text.replacingOccurrences(of: "touch", with: "TOUCH"), file)
    fclose(file)
    try FileManager.default.setAttributes(
      [.modificationDate: try #require(before)],
      ofItemAtPath: config
    )
    #expect(try await digest() != first)
  }

  @Test func `Trust is for one repository and one digest, and is kept`() throws {
    let repository = TemporaryRepository()
    let path = repository.path("deep/trusted.json")
    let list = TrustedRepositories(path: path)
    for number in 0..<WatchLimits.trustedDigests + 1 { try list.trust("d\(number)", of: "/a/.git") }
    try list.trust("d1", of: "/\u{E9}")
    #expect(!list.isTrusted("d0", of: "/a/.git"))
    #expect(list.isTrusted("d1", of: "/a/.git") && !list.isTrusted("d1", of: "/b/.git"))
    #expect(list.isTrusted("d1", of: "/\u{E9}") && !list.isTrusted("d1", of: "/e\u{301}"))
    var facts = stat()
    #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    let again = TrustedRepositories(path: path)
    #expect(again.isTrusted("d\(WatchLimits.trustedDigests)", of: "/a/.git"))
    try again.distrust("/a/.git")
    #expect(!TrustedRepositories(path: path).isTrusted("d2", of: "/a/.git"))
    #expect(TrustedRepositories(path: path).isTrusted("d1", of: "/\u{E9}"))
    try repository.write("file")
    let broken = TrustedRepositories(path: repository.path("file/trusted.json"))
    #expect(throws: TrustedRepositories.Failure.self) { try broken.trust("d", of: "/a") }
    #expect(!broken.isTrusted("d", of: "/a"))
  }

  @Test func `A program is found as the shell does, and never by a relative folder`() throws {
    let repository = TemporaryRepository()
    for place in ["one/git", "two/git", "three/git/x"] { try repository.write(place) }
    let two = repository.path("two/git")
    #expect(chmod(two, 0o755) == 0)
    let folders = ["relative", "", ".", "one", "three", "two"].map {
      $0 == "relative" || $0.isEmpty || $0 == "." ? $0 : repository.path($0)
    }
    #expect(ProgramSearch.find("git", in: folders.joined(separator: ":")) == two)
    #expect(ProgramSearch.find("nothing", in: folders.joined(separator: ":")) == nil)
    #expect(ProgramSearch.find("sh", in: nil) != nil)
    #expect(ProgramSearch.absolute("a:/b:.::/c/d") == ["/b", "/c/d"])
  }

  @Test func `The loader of a program is read from its headers, whatever they say`() throws {
    let path = try #require(
      ProgramSearch.find("git", in: getenv("PATH").map { String(cString: $0) })
    )
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)).prefix(64 << 10))
    if let loader = GitProgram.loader(bytes) { #expect(HostFile.kind(loader) == .file) }
    for length in 0..<200 { _ = GitProgram.loader(Array(bytes.prefix(length))) }
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var other = Array(bytes.prefix(1_024))
      for _ in 0..<8 {
        other[Int.random(in: 4..<120)] = .random(in: .min ... .max, using: &generator)
      }
      _ = GitProgram.loader(other)
    }
  }

  @Test func `A folder that became a link is not watched where it leads`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("main/deep/er/file.txt")
    try repository.write("elsewhere/er/other.txt")
    try await repository.git("add", ".")
    try await repository.git("commit", "-q", "-m", "deep")
    try FileManager.default.removeItem(atPath: repository.path("main/deep"))
    try FileManager.default.createSymbolicLink(
      atPath: repository.path("main/deep"),
      withDestinationPath: repository.path("elsewhere")
    )
    try await Watching(repository).run { it in
      try await it.wait("main", "the folder is gone") { $0.git.unstaged == 1 }
      let path = repository.path("main")
      let before = it.watcher.table.contentVersion(path)
      try repository.write("elsewhere/er/new.txt")
      try repository.write("elsewhere/new.txt")
      // What is told of afterwards was told in its turn.
      try repository.write("main/last.txt")
      try await it.wait("main", "the last file") { $0.git.untracked == 2 }
      // A scan that was under way may have seen the file before its event is handled.
      while it.watcher.table.contentVersion(path) == before {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(it.watcher.table.isWatched(repository.path("elsewhere")) == false)
      #expect(it.watcher.table.isWatched(repository.path("main/deep/er")) == false)
    }
  }
}
