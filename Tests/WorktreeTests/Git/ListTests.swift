import Testing
import Workspaces

@testable import Git

@Suite struct ListTests {
  @Test func `Worktrees are read with what holds them`() throws {
    let oid = WorktreeStatusTests.oid
    let list = try WorktreeEntry.list(
      records(
        "worktree /a/main|HEAD \(oid)|branch refs/heads/main||worktree /a/two words|HEAD \(oid)|detached|locked||"
          + "worktree /b|HEAD \(String(repeating: "0", count: 40))|branch refs/heads/x|locked by me|prunable gone||"
          + "worktree /c|bare|later word||"
      )
    )
    #expect(list.map(\.path) == ["/a/main", "/a/two words", "/b", "/c"])
    #expect(list[0].branch == "refs/heads/main")
    #expect(list[0].locked == nil)
    #expect(list[1].branch == nil)
    #expect(list[1].locked?.isEmpty == true)
    #expect(list[2].head == nil)
    #expect(list[2].locked == "by me")
    #expect(list[2].prunable == "gone")
    #expect(list[3].isBare)
  }

  @Test func `A worktree whose path is not UTF-8 is known as such`() throws {
    let bytes = records("worktree /a") + [0xFF] + records("|HEAD 1||")
    #expect(try WorktreeEntry.list(bytes).first?.isPathExact == false)
  }

  @Test(arguments: ["HEAD 1|", "worktree /a|worktree /b||", "worktree |", "worktree /a"])
  func `A list that is not of the format is an error`(_ text: String) {
    #expect(throws: GitOutputError.self) { try WorktreeEntry.list(records(text)) }
  }

  @Test func `The source is what the remote says, then a usual name, then the main branch`() throws
  {
    var text = ""
    for (ref, object, target) in [
      ("refs/heads/main", "1", ""), ("refs/remotes/origin/main", "2", ""),
      ("refs/remotes/origin/next", "3", ""), ("refs/heads/own", "4", ""),
      ("refs/remotes/origin/HEAD", "3", "refs/remotes/origin/next"),
    ] { text += "\(ref)|\(object)|\(target)\n" }
    var refs = try GitRefs(records(text))
    var source = refs.source(mainBranch: "refs/heads/own")
    #expect(source?.branch == "next")
    #expect(source?.object == "3")
    #expect(source?.shortRef == "origin/next")
    refs.targets = [:]
    source = refs.source(mainBranch: "refs/heads/own")
    #expect(source?.ref == "refs/remotes/origin/main")
    refs.objects["refs/remotes/origin/main"] = nil
    #expect(refs.source(mainBranch: nil)?.object == "1")
    refs.objects["refs/heads/main"] = nil
    #expect(refs.source(mainBranch: "refs/heads/own")?.object == "4")
    #expect(refs.source(mainBranch: nil) == nil)
    #expect(throws: GitOutputError.self) { try GitRefs(records("refs/heads/a|1\n")) }
  }

  @Test func `Counts are two numbers`() throws {
    #expect(try CommitCounts(Array("12\t3\n".utf8)) == CommitCounts(left: 12, right: 3))
    for text in ["", "12", "12\t", "a\tb", "1\t2\t3", "-1\t2", "99999999999999999999\t1"] {
      #expect(throws: GitOutputError.self, "\(text)") { try CommitCounts(Array(text.utf8)) }
    }
  }

  @Test(arguments: [
    ("https://github.com/owner/name.git", "owner/name"),
    ("https://user:secret@example.org:8443/group/owner/name/", "owner/name"),
    ("git@github.com:owner/name.git", "owner/name"),
    ("ssh://git@example.org/owner/name", "owner/name"),
    ("/srv/git/owner/name.git", nil), ("../name", nil), ("file:///srv/owner/name", nil),
    ("https://example.org/name", nil), ("", nil), ("https://example.org/ /x y", nil),
    ("https://user:secret@example.org/name", nil),
  ])
  func `A remote gives owner and name, or nothing`(_ address: String, _ name: String?) {
    #expect(RemoteName.read(address) == name)
  }

  @Test func `Changed paths have their kinds and counts`() throws {
    let paths = try ChangedPath.list(
      nameStatus: records("M|a b|R087|old|new|D|gone|U|torn|M|torn|T|link|A|pic.png|C100|x|y|"),
      numstat: records("1\t2\ta b|3\t0\t|old|new|0\t9\tgone|4\t4\ttorn|1\t1\tlink|-\t-\tpic.png|")
    )
    #expect(paths.map(\.path) == ["a b", "new", "gone", "torn", "link", "pic.png", "y"])
    #expect(
      paths.map(\.kind) == [
        .modified, .renamed, .deleted, .conflicted, .typeChanged, .added, .copied,
      ]
    )
    #expect(paths[0].added == 1)
    #expect(paths[0].removed == 2)
    #expect(paths[1].oldPath == "old")
    #expect(paths[1].added == 3)
    #expect(paths[5].added == nil)
    for text in ["X|a|", "M|", "R1|old|", "M"] {
      #expect(throws: GitOutputError.self, "\(text)") {
        try ChangedPath.list(nameStatus: records(text), numstat: [UInt8]())
      }
    }
  }

  @Test func `A configuration has files, what they include, and the last word of each key`() throws
  {
    let output = records(
      "system|file:/etc/gitconfig|core.excludesfile\n/etc/ignore|"
        + "global|file:/home/me/.gitconfig|include.path\n~/mine|"
        + "global|file:/home/me/mine|core.excludesfile\nmine\nor|"
        + "local|file:config|includeif.onbranch:a/b.path\nother|local|file:config|core.bare|"
        + "command|command line:|core.fsmonitor\nfalse|"
    )
    let settings = try GitSettings(output)
    #expect(settings.files == ["/etc/gitconfig", "/home/me/.gitconfig", "/home/me/mine", "config"])
    #expect(
      settings.included == [
        GitSettings.Inclusion(path: "~/mine", by: "/home/me/.gitconfig"),
        GitSettings.Inclusion(path: "other", by: "config"),
      ]
    )
    #expect(settings["core.excludesfile"] == "mine\nor")
    #expect(settings["core.bare"]?.isEmpty == true)
    #expect(settings["core.fsmonitor"] == "false")
    #expect(settings["remote.origin.url"] == nil)
    #expect(settings.dependsOnWorktree)
    #expect(settings.entries.map(\.scope) == [.system, .global, .global, .local, .local, .command])
    #expect(settings.entries[4].value == nil && settings.entries[5].file == nil)
    #expect(try GitSettings([]).files.isEmpty)
    #expect(throws: GitOutputError.self) { try GitSettings(records("local|file:config|")) }
    #expect(throws: GitOutputError.self) {
      try GitSettings(records("local|file:config|a.b\nc|local|file:x|a"))
    }
  }
}
