import Foundation
import Git
import Testing
import Workspaces

@testable import WorktreeWatch

@Suite struct FolderTests {
  private func layout(_ repository: TemporaryRepository) throws -> GitLayout {
    guard case .worktree(let layout)? = GitLayout.find(repository.path("main")) else {
      throw CancellationError()
    }
    return layout
  }

  private func make(_ repository: TemporaryRepository, _ folders: String...) throws {
    for folder in folders {
      try FileManager.default.createDirectory(
        atPath: repository.path("main/" + folder),
        withIntermediateDirectories: true
      )
    }
  }

  @Test func `Empty folders are watched in any depth, ignored ones and repositories are not`()
    async throws
  {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("main/.gitignore", "out/\n")
    try repository.write("main/src/a.c")
    try repository.write("main/out/kept/tracked")
    try await repository.git("add", "-f", ".")
    try make(
      repository,
      "src/empty",
      "n1/n2/n3",
      "with\nnewline/inner",
      "src/out/deep",
      "out/kept/more",
      "out/o1/o2"
    )
    try repository.write("main/nested/.git/HEAD")
    try make(repository, "nested/folder")
    let content = try await WatchFolders.content(layout(repository), runner: GitRunner())
    #expect(
      content.folders.all == [
        "", "n1", "n1/n2", "n1/n2/n3", "nested", "out", "out/kept", "src", "src/empty",
        "with\nnewline", "with\nnewline/inner",
      ]
    )
    #expect(content.isWhole && !content.isCut && !content.folders.isOverflowing)
    // What was seen and left out is known, what comes later is not.
    for folder in ["out/o1", "out/kept/more", "src/out", "n1/n2/n3"] {
      #expect(content.knows(folder), "\(folder)")
    }
    #expect(!content.knows("src/later"))
  }

  @Test func `Of new folders that a status names only some are taken`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    for number in 0..<WatchLimits.newFolders + 10 { try make(repository, "new/f\(number)") }
    try make(repository, "empty/inner")
    let content = try await WatchFolders.content(
      layout(repository),
      untracked: ["new/"],
      runner: GitRunner()
    )
    #expect(content.isCut && !content.folders.isOverflowing)
    #expect(content.folders.all.count { $0.hasPrefix("new/") } == WatchLimits.newFolders)
    #expect(content.folders.contains("empty/inner"))
    let all = try await WatchFolders.content(layout(repository), runner: GitRunner())
    #expect(!all.isCut && all.folders.all.count == WatchLimits.newFolders + 10 + 4)
  }

  @Test func `More new folders than can be watched are not watched whole`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    for number in 0...GitLimits.watchedFolders { try make(repository, "f\(number)") }
    let content = try await WatchFolders.content(layout(repository), runner: GitRunner())
    #expect(content.folders.isOverflowing)
    #expect(content.folders.all.count == GitLimits.watchedFolders)
  }

  @Test func `Folders whose names git reads as patterns are watched like others`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("main/.gitignore", "out/\n")
    try make(repository, ":(x", ":!y/inner", ":/z", "*", "-n", "out")
    // More than a pipe holds, in one level.
    for number in 0..<1_600 {
      try make(repository, ":(many\(String(repeating: "n", count: 40))\(number)")
    }
    let content = try await WatchFolders.content(layout(repository), runner: GitRunner())
    for folder in [":(x", ":!y", ":!y/inner", ":", ":/z", "*", "-n"] {
      #expect(content.folders.contains(folder), "\(folder)")
    }
    #expect(!content.folders.contains("out"))
    #expect(content.folders.all.count(where: { $0.hasPrefix(":(many") }) == 1_600)
  }

  @Test func `A tracked folder that became a link leads nowhere`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("main/tracked/deep/file")
    try await repository.git("add", ".")
    try FileManager.default.removeItem(atPath: repository.path("main/tracked"))
    for number in 0..<3_000 {
      try FileManager.default.createDirectory(
        atPath: repository.path("big/deep/f\(number)"),
        withIntermediateDirectories: true
      )
    }
    try FileManager.default.createSymbolicLink(
      atPath: repository.path("main/tracked"),
      withDestinationPath: "../big"
    )
    try make(repository, "beside")
    let content = try await WatchFolders.content(layout(repository), runner: GitRunner())
    #expect(content.folders.contains("beside"))
    #expect(!content.folders.all.contains { $0.hasPrefix("tracked/deep/f") })
    #expect(!content.folders.isOverflowing)
  }

  @Test func `Files that are not there are awaited in the nearest folder that is`() throws {
    let repository = TemporaryRepository()
    try repository.write("home/.gitconfig")
    let home = repository.path("home")
    let folders = WatchFolders.folders(of: [
      home + "/.gitconfig", home + "/.config/git/ignore", home + "/.config/git/attributes",
    ])
    #expect(folders == [home: .names([".gitconfig", ".config"])])
    try repository.write("home/.config/git/ignore")
    #expect(
      WatchFolders.folders(of: [home + "/.config/git/ignore", home + "/.config/git/attributes"])
        == [home + "/.config/git": .names(["ignore", "attributes"])]
    )
  }

  @Test func `The files that say how git sees a repository are found`() throws {
    var text = "system|file:/etc/gitconfig|include.path\n../mine|global|file:/home/me/.gitconfig|"
    text += "core.excludesfile\n~/ignored|local|file:./config|include.path\nteam|"
    let settings = try GitSettings(text.utf8.map { $0 == UInt8(ascii: "|") ? 0 : $0 })
    let paths = SettingsFiles.paths(settings, of: "/code/.git", home: "/home/me", other: "")
    #expect(
      Set(paths) == [
        "/code/.git/config", "/code/.git/info/exclude", "/code/.git/info/attributes",
        "/etc/gitconfig", "/etc/../mine", "/home/me/.gitconfig", "/code/.git/team",
        "/home/me/ignored", "/home/me/.config/git/attributes", "/home/me/.config/git/config",
      ]
    )
    #expect(paths.count == 10)
    #expect(
      SettingsFiles.paths(settings, of: "/code/.git", home: nil, other: "/x")
        .contains("/x/git/attributes")
    )
  }

  @Test func `A diff is known while nothing happened since, and not for ever`() {
    let memory = DiffCache(longest: 60)
    var key = DiffCache.Key(content: 1, name: "a", source: "main")
    #expect(memory.tag("/a", key, at: 0) == nil)
    memory.remember("tag", of: "/a", key, at: 10)
    #expect(memory.tag("/a", key, at: 70) == "tag")
    #expect(memory.tag("/b", key, at: 70) == nil)
    #expect(memory.tag("/a", key, at: 70.1) == nil)
    key.content = 2
    #expect(memory.tag("/a", key, at: 11) == nil)
    memory.forget("/a")
    key.content = 1
    #expect(memory.tag("/a", key, at: 11) == nil)
  }

  @Test func `Records for one name that say the same are one`() {
    func record(_ watch: Int32, _ mask: Int32, _ name: String) -> [UInt8] {
      var bytes: [UInt8] = []
      let room = (name.utf8.count / 16 + 1) * 16
      for value in [UInt32(bitPattern: watch), UInt32(mask), 0, UInt32(room)] {
        withUnsafeBytes(of: value) { bytes += $0 }
      }
      return bytes + name.utf8 + [UInt8](repeating: 0, count: room - name.utf8.count)
    }
    let (create, modify, close, isFolder) = (
      Int32(0x100), Int32(0x2), Int32(0x8), Int32(0x4000_0000)
    )
    let bytes =
      record(1, create, "a") + record(1, modify, "a") + record(1, modify, "a")
      + record(1, close, "a") + record(1, modify, "b") + record(2, modify, "b")
      + record(2, create | isFolder, "c")
    let events = Inotify.events(bytes[...])
    #expect(events.map(\.name) == ["a", "a", "b", "b", "c"])
    #expect(events.map(\.watch) == [1, 1, 1, 2, 2])
    #expect(
      events.map(\.change) == [[.new, .entry], [], .write, .write, [.new, .entry, .folder]]
    )
  }
}
