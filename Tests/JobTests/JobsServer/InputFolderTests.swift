import Foundation
import Serving
import Testing

@testable import JobsServer

@Suite struct `Copies of the files of jobs` {
  @Test func `what is removed beside a copy that is being written is never that copy`()
    async throws
  {
    let folder = try Folder()
    let copies = try JobInputFolder(folder.path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { while !Task.isCancelled { copies.remove(copies.places) } }
      defer { group.cancelAll() }
      for number in 0..<500 { try copies.write([1], to: copies.place(of: "job", number)) }
    }
    try copies.write([1, 2], to: copies.place(of: "job", 0))
    #expect(copies.has(copies.place(of: "job", 0), bytes: 2))
  }

  @Test func `a copy that a process left unfinished is none, and is removed by the next one`()
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
