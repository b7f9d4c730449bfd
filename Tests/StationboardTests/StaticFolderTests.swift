import Foundation
import GTFS
import HTTPTypes
import Logging
import Synchronization
import Testing
import Timetable

@testable import StationboardServer

/// What lies in a data folder may be damaged, and several programs change it at once.
@Suite struct StaticFolderTests {
  private let folder = DataFolder(path: NSTemporaryDirectory() + "freshet-\(UUID().uuidString)")

  private func source(_ prefix: String?, fields: HTTPFields = [:]) -> StaticSource {
    StaticSource(
      prefix: prefix,
      request: HTTPRequest(
        method: .get,
        scheme: "https",
        authority: "example.org",
        path: "/feed.zip",
        headerFields: fields
      )
    )
  }

  /// Imports the sample as if it came from a source, so that the one before is kept.
  private func importSample() throws {
    try SampleFeed.importFeed(from: SampleFeed.smallFiles, into: folder)
    var manifest = try folder.manifest()
    manifest.feeds[0].origin = .init(digest: manifest.feeds[0].generation)
    try folder.replace(manifest: manifest)
  }

  private func damage(_ generation: String) throws {
    let path = folder.folder(of: "default", generation: generation) + "/timetable.freshet"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count / 2] ^= 0xFF
    // A process that has the file open keeps it as it was.
    try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  @Test func `a source is kept with how its files are read`() throws {
    var read = source("p")
    read.limit = RejectedRowLimit(share: 0.25)
    read.encoding = .windows1250
    #expect(read.fingerprint != source("p").fingerprint)
    #expect(source("p").reading.isEmpty)
    var list = StaticSourceList()
    try list.add(read)
    try list.add(source("q"))
    let kept = try JSONDecoder().decode(StaticSourceList.self, from: JSONEncoder().encode(list)).all
    #expect(kept == [read, source("q")])
  }

  @Test func `a list that many change at once loses nothing`() throws {
    let added = (0..<40).map { "p\($0)" }
    let failures = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: added.count) { [folder] place in
      do {
        try StaticSourceList.change(of: folder) { list throws(FeedError) in
          try list.add(source(added[place]))
        }
      } catch {
        failures.withLock { $0 += 1 }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    let kept = try StaticSourceList(of: folder).all.compactMap(\.prefix)
    #expect(Set(kept) == Set(added))
  }

  @Test func `a field that is given twice is kept twice`() throws {
    var fields = HTTPFields()
    let name = try #require(HTTPField.Name("X-A"))
    fields.append(HTTPField(name: name, value: "1"))
    fields.append(HTTPField(name: name, value: "2"))
    try StaticSourceList.change(of: folder) { list throws(FeedError) in
      try list.add(source(nil, fields: fields))
    }
    let kept = try #require(try StaticSourceList(of: folder).all.first)
    #expect(kept.request.headerFields[name] == "1, 2")
  }

  @Test func `going back passes over a timetable that is damaged`() throws {
    for _ in 0..<3 { try importSample() }
    let feed = try #require(try folder.manifest().feed("default"))
    let earlier = try #require(feed.earlier).map(\.name)
    try damage(earlier[0])
    #expect(try folder.rollBack(key: "default").name == earlier[1])
    #expect(try folder.manifest().feed("default")?.generation == earlier[1])
  }

  @Test func `what is damaged does not serve, whatever a person says`() throws {
    for _ in 0..<2 { try importSample() }
    let feed = try #require(try folder.manifest().feed("default"))
    let earlier = try #require(feed.earlier?.first?.name)
    try damage(earlier)
    let back = #expect(throws: FeedError.self) { try folder.rollBack(key: "default") }
    #expect(back?.code == .damagedTimetable)
    #expect(try folder.manifest().feed("default") == feed)
    // Likewise what is held back, and what waits for its day.
    var manifest = try folder.manifest()
    manifest.hold(.init(name: earlier), .losses, key: "default")
    try folder.replace(manifest: manifest)
    let taken = #expect(throws: FeedError.self) { try folder.accept(key: "default", now: 0) }
    #expect(taken?.code == .damagedTimetable)
    manifest.wait(.init(name: earlier, startsAt: 10), key: "default")
    try folder.replace(manifest: manifest)
    #expect(try folder.promote(now: 10).isEmpty)
    let left = try #require(try folder.manifest().feed("default"))
    #expect(left.generation == feed.generation && left.waiting == nil)
  }

  @Test func `a server whose only feed is damaged starts if a source can bring it again`() throws {
    try importSample()
    try damage(try #require(try folder.manifest().feed("default")).generation)
    #expect(throws: FeedError.self) { try SampleFeed.store(folder) }
    let store = try FeedStore(folder: folder, mayBeEmpty: true, logger: Logger(label: "test"))
    #expect(store.feeds.isEmpty && store.broken("default") != nil)
  }

  @Test func `a feed whose damaged files were replaced is opened at the next check`() throws {
    try importSample()
    let generation = try #require(try folder.manifest().feed("default")).generation
    let place = URL(
      fileURLWithPath: folder.folder(of: "default", generation: generation) + "/"
        + Feed.timetableName
    )
    let sound = try Data(contentsOf: place)
    try damage(generation)
    let store = try FeedStore(folder: folder, mayBeEmpty: true, logger: Logger(label: "test"))
    try sound.write(to: place)
    // Without a word it is tried again after half a minute.
    store.reload()
    #expect(store.feeds.isEmpty && store.broken("default") == generation)
    store.repaired("default")
    #expect(store.broken("default") == nil)
    store.reload()
    #expect(store.feeds.count == 1 && store.failure == nil)
  }

  @Test func `what cannot be removed now stays as it is`() throws {
    try importSample()
    try StaticSourceList.change(of: folder) { list throws(FeedError) in try list.add(source(nil)) }
    try folder.removeSource(prefix: nil, keepServing: true)
    #expect(try folder.manifest().feeds.count == 1)
    #expect(try StaticSourceList(of: folder).all.isEmpty)
    try folder.removeSource(prefix: nil, keepServing: false)
    #expect(try folder.manifest().feeds.isEmpty)
    #expect(throws: FeedError.self) { try folder.removeSource(prefix: nil, keepServing: false) }
  }
}
