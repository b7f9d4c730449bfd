import Foundation
import Testing
import Workspaces
import WorktreeWatch

@testable import WorkspacesServer

@Suite struct WorkspaceHubTests {
  /// A folder that goes away with the test.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "hub-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: path) }

    func write(_ name: String, _ lines: String...) throws {
      try lines.joined(separator: "\n").write(
        to: path.appending(path: name),
        atomically: true,
        encoding: .utf8
      )
    }

    func link(_ name: String, to other: String) throws {
      let link = path.appending(path: name)
      try? FileManager.default.removeItem(at: link)
      try FileManager.default.createSymbolicLink(
        at: link,
        withDestinationURL: path.appending(path: other)
      )
    }
  }

  private func hub(_ folder: Folder, _ name: String = "machines") throws -> WorkspaceHub {
    try WorkspaceHub(
      machines: folder.path.appending(path: name).path,
      store: WorkspaceStore(),
      isAlone: true
    )
  }

  @Test func `Ages are shown by the clock that counts the hub's sleep`() throws {
    let folder = try Folder()
    try folder.write("machines", MachineTokens.line("laptop", token: "one"))
    let store = WorkspaceStore()
    let hub = try WorkspaceHub(
      machines: folder.path.appending(path: "machines").path,
      store: store,
      isAlone: true
    )
    var it = HubSamples.workspace("a")
    it.gitAge = 100
    let before = WatchClock.elapsed
    #expect(refusal(hub, HubSamples.report(1, at: 0, [it]), token: "one") == nil)
    let askedAt = try #require(store.registry.all.first?.askedAt)
    #expect((before - 101...WatchClock.elapsed - 99).contains(askedAt))
  }

  private func refusal(
    _ hub: WorkspaceHub,
    _ report: WorkspaceReport,
    token: String
  ) -> ReportProblem? {
    do throws(MachineTable.Refusal) {
      try hub.handle(report, from: "laptop", token: token, at: hub.now)
      return nil
    } catch {
      return error.problem
    }
  }

  @Test func `A token that is revoked while a report comes does not have it taken`() throws {
    let folder = try Folder()
    try folder.write("machines", MachineTokens.line("laptop", token: "one"))
    let hub = try hub(folder)
    #expect(refusal(hub, HubSamples.report(1, at: 0), token: "one") == nil)
    try folder.write("machines", MachineTokens.line("laptop", token: "other"))
    hub.reload()
    #expect(refusal(hub, HubSamples.report(2, after: 1, at: 1), token: "one") == .machineForbidden)
    #expect(refusal(hub, HubSamples.report(2, after: 1, at: 1), token: "other") == nil)
  }

  @Test func `A token that is revoked behind a symbolic link opens nothing`() throws {
    let folder = try Folder()
    let (laptop, box) = (
      MachineTokens.line("laptop", token: "one"), MachineTokens.line("box", token: "two")
    )
    try folder.write("first", laptop, box)
    try folder.link("machines", to: "first")
    let hub = try hub(folder)
    #expect(hub.machine(of: "one") == "laptop")
    // The file changes, and the link does not.
    try folder.write("first", box)
    hub.reload()
    #expect(hub.machine(of: "one") == nil)
    #expect(hub.machines.map(\.name) == ["box"])
    // The link changes.
    try folder.write("second", laptop)
    try folder.link("machines", to: "second")
    hub.reload()
    #expect(hub.machine(of: "two") == nil)
    #expect(hub.machines.map(\.name) == ["laptop"])
  }
}
