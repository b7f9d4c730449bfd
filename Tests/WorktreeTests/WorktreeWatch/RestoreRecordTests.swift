import Foundation
import Glibc
import Testing
import Workspaces

@testable import WorktreeWatch

/// Each member of a record, forged: the file of a restore point lies in a repository, which may be a stranger's.
@Suite struct RestoreRecordTests {
  private static let id = "6a1b2c3d-1f2e3d4c"
  private static let object = String(repeating: "0a", count: 20)

  private static func genuine(_ kind: RestorePoint.Kind = .delete) -> RestoreRecord {
    var workspace = Workspace(
      id: WorkspaceIdentity.id(of: "/w/tree"),
      repoId: "a/b",
      name: "b/tree",
      path: "/w/tree",
      branch: "work/x"
    )
    workspace.git.branch = "work/x"
    workspace.git.head = object
    var record = RestoreRecord(kind, workspace, of: "/w/main/.git", id: id, at: 1_000)
    record.point.ref = RestoreFolder.refs(id) + "head"
    guard kind == .delete else { return record }
    record.gitName = "tree"
    record.branch = RestoreRecord.Branch(
      ref: "refs/heads/work/x",
      object: object,
      settings: [RestoreRecord.Setting(key: "branch.work/x.remote", value: "origin")]
    )
    return record
  }

  private static func object(_ record: RestoreRecord) throws -> [String: Any] {
    let bytes = try JSONEncoder().encode(record)
    return try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
  }

  private static func bytes(_ object: [String: Any]) throws -> [UInt8] {
    Array(try JSONSerialization.data(withJSONObject: object))
  }

  @Test(arguments: [RestorePoint.Kind.delete, .merge, .sync, .restore])
  func `What this program writes is read again`(_ kind: RestorePoint.Kind) throws {
    let record = Self.genuine(kind)
    let bytes = Array(try JSONEncoder().encode(record))
    #expect(try RestoreRecord(checking: bytes, id: Self.id) == record)
  }

  @Test(
    arguments: [
      ("point.id", "6a1b2c3d-ffffffff"), ("point.id", "../../../x"), ("point.kind", "delete\u{0}"),
      ("point.kind", "remove"), ("point.path", "w/tree"), ("point.path", "/w/../tree"),
      ("point.path", "/w/./tree"), ("point.path", "/w//tree"), ("point.path", "/w/tree/"),
      ("point.path", "/"), ("point.path", ""), ("point.path", "/w/tree\u{0}"),
      ("point.path", "/elsewhere"), ("point.worktree_id", "x"), ("point.name", ""),
      ("point.repo_id", ""), ("point.branch", "other"), ("point.head", "HEAD"),
      ("point.head", "--hard"), ("point.result", "0A"), ("point.ref", "refs/heads/main"),
      ("point.ref", "refs/freshet/restore/6a1b2c3d-1f2e3d4c/../../../heads/main"),
      ("point.created_at", "yesterday"), ("point.kept_until", ""), ("point.kept_commits", -1),
      ("point.kept_commits", "many"), ("age", -1), ("age", Double.infinity), ("age", "old"),
      ("countedAt", 1e300),
      ("common", "main/.git"), ("common", "/w/../x"), ("gitName", ".."), ("gitName", "a/b"),
      ("gitName", ""), ("gitName", "."), ("branch.ref", "HEAD"), ("branch.ref", "refs/heads/other"),
      ("branch.ref", "refs/heads/../../config"), ("branch.ref", "refs/heads/x.lock"),
      ("branch.ref", "refs/heads/a b"), ("branch.ref", "refs/heads/.x"), ("branch.ref", "refs/x"),
      ("branch.ref", "refs/freshet/restore/x"), ("branch.object", "main"),
      ("branch.object", "--stdin"), ("branch.settings", "x"),
    ] as [(String, any Sendable)]
  )
  func `A record with a member that was forged is not used`(
    _ member: String,
    _ value: any Sendable
  ) throws {
    var object = try Self.object(Self.genuine())
    var parts = member.split(separator: ".").map(String.init)
    let last = parts.removeLast()
    // A number that JSON has not comes as text of the file.
    if let number = value as? Double, number.isInfinite {
      let text = String(decoding: try Self.bytes(object), as: UTF8.self)
        .replacingOccurrences(of: "\"age\":0", with: "\"age\":1e400")
      #expect(throws: RestoreRecord.Unusable.self) {
        try RestoreRecord(checking: Array(text.utf8), id: Self.id)
      }
      return
    }
    if let outer = parts.first {
      var inner = try #require(object[outer] as? [String: Any])
      inner[last] = value
      object[outer] = inner
    } else {
      object[last] = value
    }
    let bytes = try Self.bytes(object)
    #expect(throws: RestoreRecord.Unusable.self) {
      try RestoreRecord(checking: bytes, id: Self.id)
    }
  }

  @Test(arguments: [
    "core.fsmonitor", "core.hookspath", "filter.x.clean", "branch.work/x", "branch.work.remote",
    "branch.other.remote", "branch.work/x.y.remote", "branch.work/x.remote\nx", "include.path",
    "branch.work/x.", "Branch.work/x.remote",
  ])
  func `A setting of something else is not used`(_ key: String) throws {
    var record = Self.genuine()
    record.branch?.settings = [RestoreRecord.Setting(key: key, value: "x")]
    let bytes = Array(try JSONEncoder().encode(record))
    #expect(throws: RestoreRecord.Unusable.self) {
      try RestoreRecord(checking: bytes, id: Self.id)
    }
  }

  @Test func `A record in the folder of another point, torn, or of another kind is not used`()
    throws
  {
    let bytes = Array(try JSONEncoder().encode(Self.genuine()))
    for id in ["6a1b2c3d-1f2e3d4d", "", "..", "x", "a-b-c"] {
      #expect(throws: RestoreRecord.Unusable.self) { try RestoreRecord(checking: bytes, id: id) }
    }
    for length in 0..<bytes.count {
      #expect(throws: RestoreRecord.Unusable.self) {
        try RestoreRecord(checking: Array(bytes.prefix(length)), id: Self.id)
      }
    }
    var merge = Self.genuine(.merge)
    merge.gitName = "tree"
    let other = Array(try JSONEncoder().encode(merge))
    #expect(throws: RestoreRecord.Unusable.self) { try RestoreRecord(checking: other, id: Self.id) }
    var nameless = Self.genuine()
    nameless.gitName = nil
    let third = Array(try JSONEncoder().encode(nameless))
    #expect(throws: RestoreRecord.Unusable.self) { try RestoreRecord(checking: third, id: Self.id) }
  }

  @Test(arguments: [
    ("remote", "origin", true), ("remote", ".", true), ("remote", "team/fork", true),
    ("remote", "ext::sh -c p", false), ("remote", "https://example.org/x", false),
    ("remote", "-oProxyCommand=p", false), ("remote", "/elsewhere", false),
    ("remote", "../elsewhere", false), ("remote", "", false), ("pushRemote", "git@host:x", false),
    ("merge", "refs/heads/main", true), ("merge", "--upload-pack=p", false),
    ("mergeoptions", "--no-ff --log", true), ("mergeoptions", "--strategy=evil", false),
    ("mergeoptions", "-S", false), ("rebase", "true", true), ("description", "what\nit is", true),
    ("vscode-merge-base", "origin/main", true), ("hookcommand", "p", false), ("x", "!p", false),
  ])
  func `A setting of a branch is brought back if it runs nothing and leads nowhere`(
    _ variable: String,
    _ value: String,
    _ isHarmless: Bool
  ) {
    #expect(BranchSetting.isHarmless(variable, value) == isHarmless)
  }

  @Test(arguments: [
    ("/w/feature", "/w/main/.git", "/v/main/.git", "/v/feature"),
    ("/w/feature", "/w/main/.git", "/w/renamed/.git", "/w/feature"),
    ("/w/main/.trees/x", "/w/main/.git", "/w/old/main/.git", "/w/old/main/.trees/x"),
    ("/w/a/b/feature", "/w/a/main/.git", "/x/y/z/main/.git", "/x/y/z/b/feature"),
    ("/elsewhere/feature", "/w/main/.git", "/v/main/.git", "/elsewhere/feature"),
    ("/w/feature", "/w/x/y/main/.git", "/a/.git", "/w/feature"),
    ("/w/feature", "/w/main/.git", "/w/main/.git", "/w/feature"),
  ])
  func `What lay beside a repository that moved lies beside it again`(
    _ path: String,
    _ old: String,
    _ new: String,
    _ expected: String
  ) {
    expectSame(RestoreRecord.path(path, beside: old, movedTo: new), expected)
  }

  @Test func `An age is believed as far as the file system says so too`() {
    var record = Self.genuine()
    record.age = 1e12
    #expect(!record.isOver(nil) && !record.isOver(10) && !record.isOver(-1e9))
    #expect(record.isOver(WatchLimits.restoreTime))
    record.age = 0
    #expect(!record.isOver(1e12))
  }

  // MARK: Folders

  @Test func `Nothing is reached or removed through a link`() throws {
    let it = TemporaryRepository()
    try it.write("outside/file")
    try it.write("inside/deep/file")
    for (link, target) in [
      ("inside/link", "../outside"), ("inside/deep/link", "../../outside"), ("way", "inside"),
    ] {
      #expect(symlink(target, it.path(link)) == 0)
    }
    let inside = try #require(OpenFolder.open(it.path("inside")))
    #expect(OpenFolder.open(it.path("way")) == nil && OpenFolder.open(it.path("way/deep")) == nil)
    #expect(inside.folder(["link"]) == nil && inside.folder(["link"], makes: true) == nil)
    #expect(inside.folder([".."]) == nil && inside.folder(["deep/link"]) == nil)
    #expect(inside.folder(["deep"])?.bytes("link") == nil)
    #expect(inside.kind("link") == .link)
    #expect(!inside.remove(".."))
    #expect(inside.remove("deep") && inside.remove("link"))
    #expect(HostFile.kind(it.path("outside/file")) == .file)
    #expect(HostFile.kindOfItself(it.path("inside/deep")) == nil)
    // A link is written over, not through.
    #expect(symlink("../outside/file", it.path("inside/name")) == 0)
    #expect(inside.write(Array("mine".utf8), to: "name"))
    #expect(HostFile.text(it.path("outside/file")) == "text")
    #expect(HostFile.text(it.path("inside/name")) == "mine")
  }

  @Test func `A folder is moved over nothing, and removed with everything in it`() throws {
    let it = TemporaryRepository()
    for name in ["a/one/two/file", "b/x", "a/closed/file"] { try it.write(name) }
    let here = try #require(OpenFolder.open(it.root))
    #expect(here.move("a", to: here, as: "b") != nil)
    #expect(mkdir(it.path("empty"), 0o700) == 0)
    #expect(here.move("a", to: here, as: "empty") != nil)
    #expect(chmod(it.path("a/closed"), 0o500) == 0)
    #expect(here.move("a", to: here, as: "c") == nil)
    #expect(here.remove("c", last: "nothing") && here.kind("c") == nil)
    #expect(here.remove("not-there") && here.remove("b/x") == false)
  }
}
