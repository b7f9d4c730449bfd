import Foundation
import GTFSRealtime
import Hashing
import SwiftProtobuf
import Testing

/// Feeds as producers published them.
///
/// They are not part of the repository: the folder is named by
/// FRESHET_SHARED_DATA or is at ../shared/data; without it these tests say so and pass.
@Suite struct RealFeedTests {
  private func feeds() throws -> [URL] {
    let named = ProcessInfo.processInfo.environment["FRESHET_SHARED_DATA"]
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../shared/data").standardizedFileURL
    let folder = named.map { URL(filePath: $0) } ?? root
    let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let files = walk?.compactMap { $0 as? URL }.filter { $0.pathExtension == "pb" } ?? []
    if files.isEmpty { print("No recorded feeds in \(folder.path): nothing to compare.") }
    return files.sorted { $0.path < $1.path }
  }

  @Test func `recorded feeds are read as SwiftProtobuf reads them`() throws {
    for file in try feeds() where file.lastPathComponent != "invalid.pb" {
      let bytes = [UInt8](try Data(contentsOf: file))
      let message = try TransitRealtime_FeedMessage(serializedBytes: bytes)
      let feed = try TripUpdateFeed(protobuf: bytes)
      #expect(feed.counters.rejections.isEmpty, "\(file.lastPathComponent)")
      let differences = TripUpdateComparison(feed, message).differences
      #expect(differences.isEmpty, "\(file.lastPathComponent)")
      let alerts = try AlertFeed(protobuf: bytes)
      #expect(alerts.alerts.map(\.entityID) == message.entity.filter(\.hasAlert).map(\.id))
      #expect(alerts.counters.rejections.isEmpty)
    }
  }

  @Test func `a file that is not a feed is refused with its place`() throws {
    for file in try feeds() where file.lastPathComponent == "invalid.pb" {
      let bytes = [UInt8](try Data(contentsOf: file))
      let error = try #require(throws: RealtimeError.self) {
        try FeedDocument(bytes).tripUpdates()
      }
      #expect(error.offset != nil)
      #expect(error.code == .malformed || error.code == .unrecognised)
    }
  }

  @Test func `mutated recorded feeds are read or rejected as SwiftProtobuf does`() throws {
    var generator = SplitMix64(seed: 11)
    for file in try feeds() {
      let bytes = [UInt8](try Data(contentsOf: file))
      guard bytes.count < 50_000 else { continue }
      for _ in 0..<20 {
        let outcome = Outcome(generator.mutated(bytes))
        #expect(outcome.difference != nil, "\(file.lastPathComponent): \(outcome.problem)")
      }
    }
  }

  @Test func `twenty publications a minute apart are all new, and in order`() throws {
    var sequence = FeedSequence()
    for file in try feeds() where file.path.contains("nyct-series") {
      let bytes = [UInt8](try Data(contentsOf: file))
      let stem = file.lastPathComponent.prefix { $0 != "." }
      let instant = try #require(Int64(stem))
      let feed = try TripUpdateFeed(protobuf: bytes)
      let arrival = FeedResponse(feed, digest: FeedDigest(bytes), instant: instant)
      let verdict = sequence.judge(arrival)
      #expect(verdict.isNew, "\(file.lastPathComponent): \(verdict)")
      #expect(sequence.judge(arrival) == .same)
    }
  }
}
