import Foundation
import Serving
import Testing

@testable import JobsServer

@Suite struct `Copies of the files of jobs` {
  @Test func `a copy that is being written is not removed with those that no job has`() throws {
    let folder = try Folder()
    let copies = try JobInputFolder(folder.path)
    func add(_ number: Int, _ meanwhile: () -> Void = {}) throws {
      try copies.add(copies.place(of: "job", number)) { path in
        try Data([1, 2]).write(to: URL(fileURLWithPath: path))
        meanwhile()
      }
    }
    try add(0)
    try add(1) { copies.remove(copies.places) }
    #expect(copies.places == [copies.place(of: "job", 1)])
    #expect(copies.has(copies.place(of: "job", 1), bytes: 2))
  }

  @Test func `the next process removes an unfinished copy, which never counts as a copy`()
    async throws
  {
    let stage = try await StoreStage(.postgres)
    let folder = stage.folder.path + "/jobs"
    func open() throws -> PostgresJobStore {
      try PostgresJobStore(
        try stage.address,
        folder: folder,
        clock: ServiceClock(),
        schema: stage.schema
      )
    }
    let first = try open()
    let left = folder + "/fetching/left"
    try Data([1]).write(to: URL(fileURLWithPath: left))
    #expect(first.inputs.places == [])
    _ = try await first.sweep()
    #expect(FileManager.default.fileExists(atPath: left))
    await first.close()
    let second = try open()
    #expect(!FileManager.default.fileExists(atPath: left))
    await second.close()
  }
}
