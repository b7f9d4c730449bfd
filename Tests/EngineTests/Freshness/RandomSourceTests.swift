import Freshness
import Hashing
import Testing

@Suite("Randomness and time")
struct RandomSourceTests {
  @Test
  func `R10: a sample reaches both ends of its range and nothing beyond`() {
    #expect(RandomSample.lowest.upTo(.seconds(5)) == .zero)
    #expect(RandomSample.highest.upTo(.seconds(5)) == .seconds(5))
    #expect(RandomSample.middle.between(.seconds(-1), .seconds(1)) == .zero)
    #expect(
      RandomSample.highest.upTo(.zero) == .zero && RandomSample.highest.upTo(.seconds(-4)) == .zero
    )
    #expect(RandomSample.highest.upTo(.longest) <= .milliseconds(Int64(UInt32.max)))
  }

  @Test(arguments: [
    (Jitter.none, Int64(15_000), Int64(15_000)),
    (.signed(.milliseconds(300), .milliseconds(600)), 14_400, 15_600),
    (.within(.seconds(2)), 13_000, 17_000),
    (.share(10), 13_500, 16_500),
    (.above(10), 15_000, 16_500),
    (.full, 0, 15_000),
  ])
  func `R10: every jitter stays in its bounds and uses them`(
    jitter: Jitter,
    least: Int64,
    most: Int64
  ) {
    var generator = SplitMix64(seed: 4)
    var lowest = Int64.max
    var highest = Int64.min
    for _ in 1...4_000 {
      let wait = jitter.applied(to: .seconds(15), random: generator.randomSample()).milliseconds
      lowest = min(lowest, wait)
      highest = max(highest, wait)
    }
    #expect(lowest >= least && highest <= most)
    #expect(lowest - least <= 10 && most - highest <= 10)
  }

  @Test
  func `R10: signed jitter is never small`() {
    var generator = SplitMix64(seed: 6)
    let jitter = Jitter.signed(.milliseconds(300), .milliseconds(600))
    for _ in 1...1_000 {
      let wait = jitter.applied(to: .seconds(15), random: generator.randomSample()).milliseconds
      #expect((300...600).contains(abs(wait - 15_000)))
    }
  }

  @Test
  func `R2: merging requests keeps the stronger origin and every flag`() {
    let merged = RefreshRequest.schedule.merged(with: .hardRefresh).merged(with: .change)
    #expect(merged.reason == .person && merged.isForced && merged.showsLoading)
    #expect(RefreshRequest.change.merged(with: .schedule).reason == .change)
  }
}
