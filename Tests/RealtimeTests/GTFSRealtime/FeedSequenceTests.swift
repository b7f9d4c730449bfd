import GTFSRealtime
import Hashing
import Testing

@Suite struct FeedSequenceTests {
  private let now: Int64 = 1_795_500_000

  /// An arrival of the publication number `n`, `at` seconds after now.
  private func arrival(
    _ publication: UInt8,
    at: Int64 = 0,
    stamp: Int64? = nil,
    entities: Int = 1_000,
    incrementality: FeedHeader.Incrementality = .fullDataset,
    version: String = "2.0"
  ) -> FeedResponse {
    FeedResponse(
      digest: FeedDigest([publication]),
      instant: now + at,
      content: .feed(
        FeedHeader(
          version: version,
          incrementality: incrementality,
          timestamp: stamp.map { UInt64(bitPattern: now + $0) }
        ),
        entities: entities
      )
    )
  }

  @Test func `the first feed is new, the same bytes are the same, other bytes are new`() {
    var sequence = FeedSequence()
    #expect(sequence.judge(arrival(1, stamp: -5)) == .new([]))
    #expect(sequence.judge(arrival(1, at: 15, stamp: -5)) == .same)
    #expect(sequence.judge(arrival(2, at: 30, stamp: 25)) == .new([]))
    #expect(sequence.judge(arrival(3, at: 45, stamp: 25)) == .new([.sameTimestamp]))
  }

  @Test func `an older feed is not used, and does not become the one that counts`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0))
    let verdict = sequence.judge(arrival(2, at: 15, stamp: -30))
    #expect(verdict == .backDated(seconds: 30))
    #expect(!verdict.isNew)
    #expect(verdict.reason == "The feed is 30 s older than the one in use, which is kept")
    #expect(sequence.judge(arrival(3, at: 20, stamp: -1)) == .backDated(seconds: 1))
    #expect(sequence.judge(arrival(4, at: 30, stamp: 1)) == .new([]))
  }

  @Test func `what another server accepted is in use, whatever it looks like here`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0))
    _ = sequence.judge(arrival(2, at: 15, stamp: -30))
    sequence.accept(arrival(3, at: 20, stamp: -20, entities: 5))
    #expect(sequence.judge(arrival(3, at: 25, stamp: -20)) == .same)
    #expect(sequence.judge(arrival(4, at: 30, stamp: -25)) == .backDated(seconds: 5))
    #expect(sequence.judge(arrival(5, at: 35, stamp: -10)) == .new([]))
    // Without a timestamp, feeds before it are told by that of the feed before.
    sequence.accept(arrival(6, at: 40))
    #expect(sequence.judge(arrival(7, at: 45, stamp: -15)) == .backDated(seconds: 5))
    let before = sequence
    sequence.accept(arrival(8, at: 50, stamp: 0, incrementality: .differential))
    #expect(sequence == before)
  }

  @Test func `two sources behind one name do not wear a doubt down`() {
    var sequence = FeedSequence()
    for tick in 0..<20 as Range<Int64> {
      let newer = UInt8(2 * tick + 1)
      #expect(sequence.judge(arrival(newer, at: tick * 15, stamp: tick * 15)).isNew)
      let older = arrival(newer + 1, at: tick * 15 + 5, stamp: tick * 15 - 7)
      #expect(sequence.judge(older) == .backDated(seconds: 7))
    }
  }

  @Test func `a clock that was set back is believed at the third publication that goes on`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, at: 0, stamp: 0))
    #expect(sequence.judge(arrival(2, at: 15, stamp: -3_600)) == .backDated(seconds: 3_600))
    #expect(sequence.judge(arrival(2, at: 20, stamp: -3_600)) == .backDated(seconds: 3_600))
    #expect(sequence.judge(arrival(3, at: 30, stamp: -3_585)) == .backDated(seconds: 3_585))
    #expect(
      sequence.judge(arrival(4, at: 45, stamp: -3_570))
        == .new([.acceptedBackDated(seconds: 3_570)])
    )
    #expect(sequence.judge(arrival(5, at: 60, stamp: -3_555)) == .new([]))
  }

  @Test func `publications that keep going back do not agree with each other`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0))
    for tick in 1...7 as ClosedRange<Int64> {
      let older = arrival(UInt8(1 + tick), at: tick * 15, stamp: -60 * tick)
      #expect(sequence.judge(older) == .backDated(seconds: 60 * tick))
    }
  }

  @Test func `an older feed that stays for two minutes is believed`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0))
    #expect(!sequence.judge(arrival(2, at: 15, stamp: -60)).isNew)
    #expect(!sequence.judge(arrival(2, at: 134, stamp: -60)).isNew)
    #expect(
      sequence.judge(arrival(2, at: 135, stamp: -60)) == .new([.acceptedBackDated(seconds: 60)])
    )
  }

  @Test func `a feed of less than half the entities waits for the third publication`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0, entities: 1_000))
    #expect(sequence.judge(arrival(2, at: 15, stamp: 15, entities: 500)) == .new([]))
    let verdict = sequence.judge(arrival(3, at: 30, stamp: 30, entities: 249))
    #expect(verdict == .shrunk(from: 500, to: 249))
    #expect(verdict.reason?.hasPrefix("The feed has 249 entities after 500") == true)
    #expect(sequence.judge(arrival(3, at: 40, stamp: 30, entities: 249)) == verdict)
    #expect(!sequence.judge(arrival(4, at: 45, stamp: 45, entities: 0)).isNew)
    #expect(
      sequence.judge(arrival(5, at: 60, stamp: 60, entities: 240))
        == .new([.acceptedShrunk(from: 500, to: 240)])
    )
  }

  @Test func `one truncated publication passes unseen, and the next whole one is used`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0))
    for tick in 1...10 as ClosedRange<Int64> {
      let cut = arrival(UInt8(10 + tick), at: tick * 30, stamp: tick * 30, entities: 3)
      #expect(sequence.judge(cut) == .shrunk(from: 1_000, to: 3))
      let whole = arrival(UInt8(30 + tick), at: tick * 30 + 15, stamp: tick * 30 + 15)
      #expect(sequence.judge(whole) == .new([]))
    }
  }

  @Test
  func `the end of service, an empty feed that does not change, is believed after two minutes`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0))
    #expect(!sequence.judge(arrival(2, at: 15, stamp: 15, entities: 0)).isNew)
    #expect(
      sequence.judge(arrival(2, at: 135, stamp: 15, entities: 0))
        == .new([.acceptedShrunk(from: 1_000, to: 0)])
    )
  }

  @Test func `a small feed may shrink to nothing at once`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0, entities: 19))
    #expect(sequence.judge(arrival(2, at: 15, stamp: 15, entities: 0)) == .new([]))
  }

  @Test func `the feed in use coming back ends a doubt`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0))
    for tick in 1...8 as ClosedRange<Int64> {
      #expect(!sequence.judge(arrival(2, at: tick * 30, stamp: 1, entities: 0)).isNew)
      #expect(sequence.judge(arrival(1, at: tick * 30 + 15, stamp: 0)) == .same)
    }
  }

  @Test func `a broken answer is reported and counted, and changes nothing`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0))
    let error = RealtimeError(.empty, "The feed is empty")
    let broken = FeedResponse(digest: FeedDigest([]), instant: now + 15, content: .broken(error))
    #expect(sequence.judge(broken) == .corrupt(error))
    #expect(sequence.judge(broken).reason == "The feed is empty")
    #expect(sequence.corruptRun == 2)
    #expect(sequence.judge(arrival(1, at: 30, stamp: 0)) == .same)
    #expect(sequence.corruptRun == 0)
  }

  @Test func `a differential feed is refused by name, even as the first`() {
    var sequence = FeedSequence()
    let verdict = sequence.judge(arrival(1, stamp: 0, incrementality: .differential))
    #expect(verdict == .differential)
    #expect(verdict.reason?.contains("DIFFERENTIAL") == true)
    #expect(sequence.judge(arrival(2, stamp: -9)) == .new([]))
    #expect(
      sequence.judge(arrival(3, stamp: 1, incrementality: .unknown(7)))
        == .new([.unknownIncrementality(7)])
    )
  }

  @Test func `a feed without a timestamp is used, noted, and does not reset the order`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0))
    #expect(sequence.judge(arrival(2, at: 15)) == .new([.noTimestamp]))
    #expect(sequence.judge(arrival(3, at: 30, stamp: -10)) == .backDated(seconds: 10))
  }

  @Test func `a timestamp in the future is noted, and counts as the arrival`() {
    var sequence = FeedSequence()
    #expect(sequence.judge(arrival(1, stamp: 60)) == .new([]))
    #expect(
      sequence.judge(arrival(2, at: 15, stamp: 3_615)) == .new([.timestampInFuture(seconds: 3_600)])
    )
    #expect(sequence.judge(arrival(3, at: 30, stamp: 29)) == .new([]), "the source was set right")
  }

  @Test func `a source whose clock is a little ahead keeps its order`() {
    var sequence = FeedSequence()
    #expect(sequence.judge(arrival(1, at: 0, stamp: 50)) == .new([]))
    #expect(sequence.judge(arrival(2, at: 15, stamp: 40)) == .backDated(seconds: 10))
    #expect(sequence.judge(arrival(3, at: 30, stamp: 80)) == .new([]))
    let header = FeedHeader(version: "2.0", timestamp: UInt64(now) + 50)
    #expect(header.sourceTime(arrivedAt: now) == now, "an age is never negative")
  }

  @Test func `milliseconds and other implausible timestamps are noted, and count as none`() {
    var sequence = FeedSequence()
    _ = sequence.judge(arrival(1, stamp: 0))
    for (publication, value) in [(2, 1_795_500_000_000), (3, 12), (4, .max)] as [(UInt8, UInt64)] {
      let header = FeedHeader(version: "2.0", timestamp: value)
      let verdict = sequence.judge(
        FeedResponse(
          digest: FeedDigest([publication]),
          instant: now + 15,
          content: .feed(header, entities: 1_000)
        )
      )
      #expect(verdict == .new([.implausibleTimestamp(value)]))
      #expect(header.sourceTime(arrivedAt: now) == nil)
    }
  }

  @Test func `a version that is not known is noted`() {
    var sequence = FeedSequence()
    #expect(sequence.judge(arrival(1, stamp: 0, version: "3.0")) == .new([.unknownVersion("3.0")]))
    #expect(sequence.judge(arrival(2, at: 15, stamp: 15, version: "1.0")) == .new([]))
  }

  @Test func `whatever arrives, no doubt lasts longer than its patience`() {
    for seed in 0..<200 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      var sequence = FeedSequence()
      var instant: Int64 = 0
      var lastGood: Int64 = 0
      for _ in 0..<400 {
        instant += Int64(1 + generator.below(15))
        let verdict = sequence.judge(
          arrival(
            UInt8(generator.below(256)),
            at: instant,
            stamp: generator.oneIn(5) ? nil : instant - Int64(generator.below(200)),
            entities: generator.oneIn(3) ? generator.below(30) : 1_000
          )
        )
        switch verdict {
        case .new, .same: lastGood = instant
        default:
          // Two doubts may follow each other: back-dated, and then shrunk.
          #expect(instant - lastGood <= 2 * (sequence.policy.patience + 15), "seed \(seed)")
        }
      }
    }
  }
}
