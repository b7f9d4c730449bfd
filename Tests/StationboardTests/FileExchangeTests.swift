import ConditionalHTTP
import Foundation
import FreshnessTesting
import HTTPTypes
import Testing

@testable import StationboardServer

/// Files as sources of realtime: asked like servers.
@Suite struct FileExchangeTests {
  private let folder = NSTemporaryDirectory() + "freshet-files-\(UUID().uuidString)"
  private let exchange = FileExchange(
    otherwise: ScriptedExchange([.failure(.init(.unreachable, "elsewhere"))])
  )

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private var path: String { folder + "/feed.pb" }

  private func write(_ text: String, to path: String? = nil) throws {
    try Data(text.utf8).write(to: URL(filePath: path ?? self.path))
  }

  private func ask(_ tag: String? = nil, _ path: String? = nil) async throws -> HTTPExchangeAnswer {
    var request = HTTPRequest(method: .get, scheme: "file", authority: nil, path: path ?? self.path)
    request.headerFields[.ifNoneMatch] = tag
    return try await exchange.send(request, timeout: .seconds(1))
  }

  private func failure(_ path: String) async -> HTTPExchangeError? {
    do {
      _ = try await ask(nil, path)
      return nil
    } catch {
      return error as? HTTPExchangeError
    }
  }

  private func clean() { try? FileManager.default.removeItem(atPath: folder) }

  @Test func `a file is content with a tag, and unchanged until it changes`() async throws {
    defer { clean() }
    try write("one")
    let first = try await ask()
    #expect(first.head.status == .ok)
    #expect(first.body == Array("one".utf8))
    let tag = try #require(first.head.headerFields[.eTag])
    #expect(EntityTag(parsing: tag)?.isWeak == false)
    let same = try await ask(tag)
    #expect(same.head.status == .notModified)
    #expect(same.body.isEmpty)
    #expect(same.head.headerFields[.eTag] == tag)
    // As long as before, a moment later.
    try write("two")
    let instant = Date(timeIntervalSinceNow: 5)
    try FileManager.default.setAttributes([.modificationDate: instant], ofItemAtPath: path)
    let changed = try await ask(tag)
    #expect(changed.head.status == .ok)
    #expect(changed.body == Array("two".utf8))
  }

  @Test func `another file of the same size and time in its place is a change`() async throws {
    defer { clean() }
    let instant = Date(timeIntervalSince1970: 1_792_477_800)
    try write("one")
    try FileManager.default.setAttributes([.modificationDate: instant], ofItemAtPath: path)
    let tag = try await ask().head.headerFields[.eTag]
    try write("two", to: folder + "/new.pb")
    try FileManager.default.setAttributes(
      [.modificationDate: instant],
      ofItemAtPath: folder + "/new.pb"
    )
    #expect(rename(folder + "/new.pb", path) == 0)
    let replaced = try await ask(tag)
    #expect(replaced.head.status == .ok)
    #expect(replaced.body == Array("two".utf8))
  }

  @Test func `behind a link, the file counts: changed, or another one`() async throws {
    defer { clean() }
    let link = folder + "/current.pb"
    try write("one")
    try write("three", to: folder + "/other.pb")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let tag = try await ask(nil, link).head.headerFields[.eTag]
    #expect(try await ask(tag, link).head.status == .notModified)
    try write("longer")
    let changed = try await ask(tag, link)
    #expect(changed.body == Array("longer".utf8))
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: folder + "/other.pb"
    )
    let other = try await ask(changed.head.headerFields[.eTag], link)
    #expect(other.body == Array("three".utf8))
  }

  @Test func `a file that is gone is unreachable, and there again when it is`() async throws {
    defer { clean() }
    let gone = await failure(path)
    #expect(gone?.code == .unreachable)
    #expect(gone?.description.contains(path) == true)
    try write("one")
    #expect(try await ask().body == Array("one".utf8))
    try FileManager.default.removeItem(atPath: path)
    #expect(await failure(path)?.code == .unreachable)
  }

  @Test func `a file that is too large is not read`() async throws {
    defer { clean() }
    try write("")
    let file = try #require(FileHandle(forWritingAtPath: path))
    // A hole: it takes no room.
    try file.truncate(atOffset: UInt64(FileExchange.largest) + 1)
    try file.close()
    let error = await failure(path)
    #expect(error?.code == .tooLarge)
    #expect(error?.description.contains("\(FileExchange.largest)") == true)
  }

  @Test func `a folder is not a feed, and the error says so`() async throws {
    defer { clean() }
    let error = await failure(folder)
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("folder") == true, "\(error?.description ?? "nothing")")
  }

  @Test func `an empty file is empty content`() async throws {
    defer { clean() }
    try write("")
    let answer = try await ask()
    #expect(answer.head.status == .ok)
    #expect(answer.body.isEmpty)
  }

  @Test func `other schemes are handed on`() async throws {
    defer { clean() }
    let request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/x")
    await #expect(throws: HTTPExchangeError(.unreachable, "elsewhere")) {
      try await exchange.send(request, timeout: .seconds(1))
    }
  }
}
