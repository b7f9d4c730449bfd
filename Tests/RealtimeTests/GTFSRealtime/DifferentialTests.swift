import Hashing
import SwiftProtobuf
import TestScale
import Testing

@testable import GTFSRealtime

@Suite struct DifferentialTests {
  /// Random feeds of each kind.
  private static let feeds: UInt64 = TestScale.sized(700, long: 2_000)

  private func bytes(_ message: TransitRealtime_FeedMessage) throws -> [UInt8] {
    try message.serializedBytes()
  }

  @Test func `random feeds are read as SwiftProtobuf reads them`() throws {
    for seed in 0..<Self.feeds {
      var random = RandomFeed(seed: seed)
      let message = random.feed(entities: random.generator.below(8))
      let feed = try TripUpdateFeed(protobuf: try bytes(message))
      let differences = TripUpdateComparison(feed, message).differences
      #expect(differences.isEmpty, "seed \(seed)")
      #expect(feed.counters.rejectedTotal == 0, "seed \(seed)")
    }
  }

  @Test func `a feed read in parts is the feed read at once`() throws {
    var rejected = 0
    for seed in 0..<400 as Range<UInt64> {
      var random = RandomFeed(seed: seed)
      var bytes = try bytes(random.feed(entities: random.generator.below(12)))
      if seed % 2 == 1 { bytes = random.generator.mutated(bytes) }
      let whole = read(bytes, parts: 1)
      if case .success(let feed) = whole { rejected += feed.counters.rejectedTotal }
      for parts in 2...4 {
        #expect(read(bytes, parts: parts).map(Read.init) == whole.map(Read.init), "seed \(seed)")
      }
    }
    #expect(rejected > 20, "broken entities must be among them")
  }

  private func read(_ bytes: [UInt8], parts: Int) -> Result<TripUpdateFeed, RealtimeError> {
    bytes.withUnsafeBytes { buffer in
      Result { () throws(RealtimeError) in
        try TripUpdateReader.read(buffer, limits: .standard, parts: parts)
      }
    }
  }

  /// Everything of a feed.
  private struct Read: Equatable {
    var header: FeedHeader
    var trips: [TripUpdate]
    var updates: [StopTimeUpdate]
    var details: [StopTimeDetails]
    var texts: [String]
    var deleted: [TextID]
    var counters: EntityCounters

    init(_ feed: TripUpdateFeed) {
      header = feed.header
      trips = feed.trips
      updates = feed.stopTimeUpdates
      details = feed.stopTimeDetails
      texts = feed.texts.ids.map { feed.texts[$0] }
      deleted = feed.deletedEntities
      counters = feed.counters
    }
  }

  @Test func `random feeds in scrambled order are read as SwiftProtobuf reads them`() throws {
    var merged = 0
    for seed in 0..<Self.feeds {
      var random = RandomFeed(seed: seed)
      let message = random.feed(entities: random.generator.below(6))
      let bytes = WireWalk.scrambled(try bytes(message), &random.generator)
      let outcome = Outcome(bytes)
      #expect(outcome.difference == .bothAccept, "seed \(seed): \(outcome.problem)")
      if try TransitRealtime_FeedMessage(serializedBytes: bytes) != message { merged += 1 }
    }
    #expect(merged > Self.feeds / 10, "scrambling must change what is read")
  }

  @Test func `every truncation of a feed is rejected, or leaves whole entities`() throws {
    var random = RandomFeed(seed: 7)
    let whole = try bytes(random.feed(entities: 6))
    var accepted = 0
    for count in 0..<whole.count {
      let outcome = Outcome(Array(whole[..<count]))
      #expect(outcome.difference != nil, "at \(count): \(outcome.problem)")
      if outcome.difference == .bothAccept { accepted += 1 }
    }
    #expect(accepted == 6, "after the header, and after each entity but the last")
  }

  @Test func `mutations are read or rejected as SwiftProtobuf does, or by a named rule`() throws {
    var generator = SplitMix64(seed: 2_026)
    var counts: [Outcome.Difference: Int] = [:]
    var bases: [[UInt8]] = []
    for seed in 0..<40 as Range<UInt64> {
      var random = RandomFeed(seed: 10_000 + seed)
      random.hasUnreadFields = seed % 4 == 0
      bases.append(try bytes(random.feed(entities: 1 + Int(seed % 2))))
    }
    for round in 0..<TestScale.sized(20_000, long: 100_000) {
      let mutated = generator.mutated(bases[round % bases.count])
      let outcome = Outcome(mutated, checksRest: round % 8 == 0)
      guard let difference = outcome.difference else {
        Issue.record("round \(round): \(outcome.problem); bytes \(mutated)")
        return
      }
      counts[difference, default: 0] += 1
    }
    for difference in Outcome.Difference.allCases {
      #expect(
        counts[difference, default: 0] > TestScale.sized(5, long: 20),
        "\(difference) has to be met"
      )
    }
  }
}

extension SplitMix64 {
  /// The bytes with one change, now and then with three, mostly without moving the bytes after it.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<(oneIn(5) ? 3 : 1) where !bytes.isEmpty {
      let place = below(bytes.count)
      switch below(oneIn(3) ? (oneIn(60) ? 8 : 7) : 2) {
      case 0: bytes[place] ^= 1 << UInt8(below(8))
      case 1: bytes[place] = UInt8(truncatingIfNeeded: next())
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
      case 4: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(12)))
      case 5: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 12)], at: place)
      case 6: bytes[place] = pick([0x00, 0x7F, 0x80, 0xFF, 0x0B, 0x0C, 0xC0, 0x22])
      default:
        bytes.insert(contentsOf: [0xA3, 0x06, 0x08, 0x01, 0xA4, 0x06], at: pick([0, bytes.count]))
      }
    }
    return bytes
  }
}
