import Foundation
import GTFS
import Logging
import SampleNetwork
import StationboardServer
import Synchronization
import Testing
import Timetable

/// The sample network for 2026-11-24, imported once for all tests.
enum SampleFeed {
  /// The data folder with the feed.
  static let folder: DataFolder = {
    do {
      return try imported()
    } catch {
      fatalError("the sample network cannot be imported: \(error)")
    }
  }()

  /// The folder with the feed's files.
  static var files: String {
    _ = folder
    return path
  }

  /// A folder with the files of a network with the same stops and a twentieth of the trips, for tests of imports.
  static let smallFiles: String = {
    do {
      try write(to: path + "-small", stopTimes: 5_000)
      return path + "-small"
    } catch {
      fatalError("the small sample network cannot be written: \(error)")
    }
  }()

  private static let path = NSTemporaryDirectory() + "freshet-sample-\(UUID().uuidString)"

  private static func write(to path: String, stopTimes: Int? = nil) throws {
    let day = try #require(SampleDay("2026-11-24"))
    _ = try SampleNetwork(options: .init(stops: 200, stopTimes: stopTimes, day: day))
      .write(to: path) { _, _ in }
  }

  private static func imported() throws -> DataFolder {
    try write(to: path)
    let folder = DataFolder(path: path + "/data")
    try importFeed(from: path, into: folder)
    return folder
  }

  /// A feed as it was imported, and the account of its import.
  struct Recorded: Sendable {
    let feed: Feed
    let report: ImportReport
  }

  private static let recordedFeeds = Mutex<[String: Recorded]>([:])

  /// A recorded feed, imported once for all tests.
  static func recorded(_ source: String) throws -> Recorded {
    try recordedFeeds.withLock { feeds in
      if let known = feeds[source] { return known }
      let path = NSTemporaryDirectory() + "freshet-recorded-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: path) }
      let data = DataFolder(path: path)
      let report = try importFeed(from: source, into: data)
      let made = Recorded(feed: try #require(try store(data).feeds.first), report: report)
      feeds[source] = made
      return made
    }
  }

  /// Imports a feed, and gives the account of it.
  @discardableResult
  static func importFeed(
    from path: String,
    into folder: DataFolder,
    prefix: String? = nil,
    aliases: String? = nil
  ) throws -> ImportReport {
    try FeedImporter(folder: folder).run(
      source: path,
      prefix: prefix,
      aliases: aliases,
      now: 1_795_000_000,
      progress: { _ in }
    )
  }

  /// The feeds of a folder, opened.
  static func store(_ folder: DataFolder = folder) throws -> FeedStore {
    try FeedStore(folder: folder, logger: Logger(label: "test"))
  }
}
