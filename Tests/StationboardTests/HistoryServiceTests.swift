import Foundation
import FreshResponses
import GTFS
import Logging
import Serving
import Testing

@testable import StationboardServer

/// What the history keeps in memory.
@Suite struct HistoryServiceTests {
  @Test func `publications that are not counted are not kept`() async throws {
    let folder = DataFolder(path: NSTemporaryDirectory() + "freshet-history-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    // As with a second server of one data folder.
    let lock = try FileLock(path: folder.path + "/history.lock", kind: .exclusive)
    try #require(lock != nil)
    let stage = try RealtimeStage([.init("t", ["1 a 10:00:00", "2 b 10:05:00"])])
    let inbox = HistoryInbox()
    let logger = Logger(label: "test")
    let history = HistoryService(
      in: folder,
      feeds: try FeedStore(folder: folder, mayBeEmpty: true, logger: logger),
      realtime: nil,
      inbox: inbox,
      clock: ServiceClock(startingAt: 1_771_232_400),
      logger: logger
    )
    let running = Task { await history.run { Histogram() } }
    weak var kept: RealtimeIndex?
    for number in 0..<3 {
      let index = try stage.index([], at: 1_771_232_400 + Int64(number))
      kept = index
      inbox.offer(
        HistoryPublication(feed: stage.feed, index: index, sources: [(1, index)], at: 1_771_232_400)
      )
    }
    // The tests beside it may occupy all threads for long.
    let limit = ContinuousClock.now + .seconds(180)
    while kept != nil || history.failure == nil, ContinuousClock.now < limit {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(kept == nil)
    #expect(history.failure?.contains("another server") == true)
    withExtendedLifetime(lock) {}
    running.cancel()
    await running.value
  }
}
