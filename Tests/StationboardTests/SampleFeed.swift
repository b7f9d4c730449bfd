import Foundation
import GTFS
import Logging
import SampleNetwork
import StationboardServer
import Testing

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

  private static let path = NSTemporaryDirectory() + "freshet-sample-\(UUID().uuidString)"

  private static func imported() throws -> DataFolder {
    let day = try #require(SampleDay("2026-11-24"))
    _ = try SampleNetwork(options: .init(stops: 200, day: day)).write(to: path) { _, _ in }
    let folder = DataFolder(path: path + "/data")
    try importFeed(from: path, into: folder)
    return folder
  }

  /// Imports a feed.
  static func importFeed(
    from path: String,
    into folder: DataFolder,
    prefix: String? = nil,
    aliases: String? = nil
  ) throws {
    _ = try FeedImporter(folder: folder).run(
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
