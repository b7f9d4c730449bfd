import Foundation
import GTFS
import Logging
import Testing
import Timetable

@testable import StationboardServer

/// Imports replace each other whole; what serves is never half of anything.
@Suite struct FeedStoreTests {
  private let folder = DataFolder(path: NSTemporaryDirectory() + "freshet-\(UUID().uuidString)")

  private func importSample(prefix: String? = nil) throws {
    try SampleFeed.importFeed(from: SampleFeed.smallFiles, into: folder, prefix: prefix)
  }

  private func generations(_ key: String = "default") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path + "/feeds/" + key).sorted()
  }

  @Test func `a new import is taken over, and a request keeps the feed it began with`() throws {
    try importSample()
    let store = try SampleFeed.store(folder)
    let before = try #require(store.feeds.first)
    try importSample()
    store.reload()
    let after = try #require(store.feeds.first)
    #expect(before.entry.generation != after.entry.generation)
    #expect(before.timetable.stop(id: "Parent8501120") != nil)
    #expect(try generations().count == 2, "the one in use is kept")
    withExtendedLifetime(before) {}
  }

  @Test func `a feed can be taken out of service`() throws {
    try importSample()
    try importSample(prefix: "a")
    let store = try SampleFeed.store(folder)
    try FeedImporter(folder: folder).remove(prefix: "a")
    store.reload()
    #expect(store.feeds.map(\.entry.key) == ["default"])
    let error = #expect(throws: FeedError.self) {
      try FeedImporter(folder: folder).remove(prefix: "a")
    }
    #expect(error?.code == .unreadable)
  }

  @Test func `one feed's failure does not keep the others from serving`() throws {
    try importSample()
    try importSample(prefix: "a")
    let entry = try #require(try folder.manifest().feeds.last)
    try FileManager.default.removeItem(atPath: folder.folder(of: entry) + "/timetable.freshet")
    let store = try SampleFeed.store(folder)
    #expect(store.feeds.map(\.entry.key) == ["default"])
    #expect(store.failure?.contains("feed a") == true)
    #expect(store.failure?.contains("/") == false)
  }

  @Test func `a data folder that vanishes takes nothing away from a running server`() throws {
    try importSample()
    let store = try SampleFeed.store(folder)
    let elsewhere = folder.path + ".away"
    try FileManager.default.moveItem(atPath: folder.path, toPath: elsewhere)
    store.reload()
    #expect(store.feeds.count == 1)
    #expect(store.failure != nil)
    try FileManager.default.moveItem(atPath: elsewhere, toPath: folder.path)
    store.reload()
    #expect(store.failure == nil)
  }

  @Test func `a manifest that was damaged and is mended leaves no trace`() throws {
    try importSample()
    let store = try SampleFeed.store(folder)
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.manifestPath))
    try Data("{".utf8).write(to: URL(fileURLWithPath: folder.manifestPath))
    store.reload()
    #expect(store.failure != nil)
    #expect(store.feeds.count == 1)
    try whole.write(to: URL(fileURLWithPath: folder.manifestPath))
    store.reload()
    #expect(store.failure == nil)
  }

  @Test func `unused generations are removed by the next import`() throws {
    try importSample()
    try importSample()
    try importSample()
    #expect(try generations().count == 1)
  }

  @Test func `the remains of a killed import are removed and never serve`() throws {
    try importSample()
    let partial = folder.path + "/feeds/default/2000-01-01T000000Z-00000000.partial"
    try FileManager.default.createDirectory(atPath: partial, withIntermediateDirectories: true)
    try Data("half".utf8).write(to: URL(fileURLWithPath: partial + "/timetable.freshet"))
    #expect(try SampleFeed.store(folder).feeds.count == 1)
    try importSample()
    #expect(!FileManager.default.fileExists(atPath: partial))
  }

  @Test func `a failed import changes nothing`() throws {
    try importSample()
    let manifest = try folder.manifest()
    let kept = try generations()
    #expect(throws: FeedError.self) {
      try SampleFeed.importFeed(from: "/nonexistent.zip", into: folder)
    }
    #expect(try folder.manifest() == manifest)
    #expect(try generations() == kept)
  }

  @Test func `two imports at once are refused`() throws {
    let lock = try folder.lockForImport()
    let error = #expect(throws: FeedError.self) { try importSample() }
    #expect(error?.code == .busy)
    withExtendedLifetime(lock) {}
  }

  @Test func `feeds with prefixes serve side by side`() async throws {
    for prefix in ["a", "b"] {
      try SampleFeed.importFeed(from: SampleFeed.files, into: folder, prefix: prefix)
    }
    let store = try SampleFeed.store(folder)
    let resolver = StopResolver(feeds: store.feeds)
    #expect(resolver.resolve("a:Parent8501120")?.feed.entry.key == "a")
    #expect(resolver.resolve("b:8501120")?.canonicalId == "b:Parent8501120")
    #expect(resolver.resolve("Parent8501120") == nil)
    let probe = ServiceProbe(store: store)
    let answer = try await probe.get("/api/stationboard?stop_id=b:Parent8501120&limit=1")
    let departure = (answer.json["departures"] as? [[String: Any]])?.first
    #expect((departure?["trip_id"] as? String)?.hasPrefix("b:") == true)
    #expect((departure?["stop_id"] as? String)?.hasPrefix("b:") == true)
  }

  @Test(arguments: ["a b", "", "ä", "a:b", "../x", "default", String(repeating: "x", count: 33)])
  func `prefixes that are none are refused`(prefix: String) {
    let error = #expect(throws: FeedError.self) { try importSample(prefix: prefix) }
    #expect(error?.code == .invalid)
  }

  @Test func `a damaged generation is reported and the one before keeps serving`() throws {
    try importSample()
    let store = try SampleFeed.store(folder)
    let before = try #require(store.feeds.first?.entry)
    try importSample()
    let entry = try #require(try folder.manifest().feeds.first)
    let file = folder.folder(of: entry) + "/timetable.freshet"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: file))
    store.reload()
    #expect(store.feeds.first?.entry == before)
    #expect(store.failure?.contains("timetable_damaged") == true)
  }

  @Test func `aliases find their stop`() async throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try Data("alias,stop_id\nThe Big Station,8501120\nNowhere,1\n".utf8)
      .write(to: URL(fileURLWithPath: folder.aliasesPath))
    try importSample()
    let search = StopSearch(feeds: try SampleFeed.store(folder).feeds)
    let found = try await search.find("big station", limit: 3)
    #expect(
      found.first.map { $0.feed.publicId($0.feed.timetable.id(of: $0.stop)) } == "Parent8501120"
    )
    #expect(found.first?.aliases == ["The Big Station"])
    // The same file answers for ids, in any case and whatever marks it is written with.
    let resolver = StopResolver(feeds: search.feeds)
    for name in ["The Big Station", "the BIG-station"] {
      let resolved = try #require(resolver.aliased(name))
      #expect(resolved.canonicalId == "Parent8501120")
      #expect(resolved.source == .alias)
    }
    #expect(resolver.aliased("Nowhere") == nil)
    // An alias that is typed in full is the first answer, with what it matched.
    #expect(
      try await search.find("the big station", limit: 1).first?.aliases == ["The Big Station"]
    )
  }

  @Test func `an alias that no request could hold fails the import`() throws {
    let file = folder.path + "-long.csv"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let long = String(repeating: "x", count: BoardLimits.longestId)
    try Data("alias,stop_id\n\(long),1\n".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try StopAliases(path: file, or: file).entries.count == 1)
    try Data("alias,stop_id\n\(long)x,1\n".utf8).write(to: URL(fileURLWithPath: file))
    #expect(throws: FeedError.self) { try StopAliases(path: file, or: file) }
  }
}
