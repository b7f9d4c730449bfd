import Testing

@testable import Freshness

@Suite("How long after its source time a change can be had: R31")
struct LagTests {
  /// Requests twice in a period of 30 s, the first time at the planned lag plus half a second.
  struct Asker {
    var lag = Lag()
    var misses = 0

    mutating func ask(changes: Int, had: Int64) {
      for _ in 0..<changes {
        let first = Int64(lag.aim) + 500
        misses += first < had ? 1 : 0
        let most = [first - 15_000, first, first + 15_000].first { $0 >= had } ?? first + 30_000
        lag.learn(least: most - 15_000, most: most)
      }
    }
  }

  @Test(arguments: [Int64(700), 4_000, 13_000, 20_000, 29_000])
  func `R31: a lag is found by halves and kept`(had: Int64) {
    var asker = Asker()
    asker.lag.learn(least: had - 9_000, most: had + 6_000)
    asker.ask(changes: 12, had: had)
    #expect((had - 500...had + 500).contains(Int64(asker.lag.aim)))
    asker.misses = 0
    asker.ask(changes: 80, had: had)
    #expect(asker.misses <= 1)
    #expect(asker.lag.hasConverged)
  }

  @Test
  func `R31: without a lag nothing is searched for`() {
    var asker = Asker()
    asker.lag.learn(least: -9_000, most: 6_000)
    asker.ask(changes: 400, had: 75)
    #expect(asker.lag.aim == 0)
    #expect(asker.misses == 0)
  }

  @Test
  func `R31: source times ahead of the clock are found too`() {
    var asker = Asker()
    asker.lag.learn(least: -19_000, most: -4_000)
    asker.ask(changes: 20, had: -5_000)
    #expect((-5_500 ... -4_500).contains(asker.lag.aim))
  }

  @Test
  func `R31: a constant lag has no range, a varying one is as wide as it varies`() {
    var asker = Asker()
    asker.lag.learn(least: -5_000, most: 10_000)
    asker.ask(changes: 100, had: 4_000)
    #expect(asker.lag.range == 0)
    for change in 0..<200 { asker.ask(changes: 1, had: change % 4 == 0 ? 9_000 : 1_000) }
    #expect((5_000...15_000).contains(asker.lag.range))
  }

  @Test
  func `R31: a varying lag that requests do not follow is kept longer`() {
    var asker = Asker()
    asker.lag.learn(least: -5_000, most: 10_000)
    for change in 0..<200 { asker.ask(changes: 1, had: change % 4 == 0 ? 9_000 : 1_000) }
    var kept = asker.lag
    for _ in 0..<20 {
      asker.lag.learn(least: -13_000, most: 2_000)
      kept.learn(least: -13_000, most: 2_000, isFollowed: false)
    }
    #expect(kept.aim > 5_000 && kept.aim > asker.lag.aim + 2_000)
  }

  @Test
  func `R31: a lag that grows is followed within few changes, one that shrinks in the end`() {
    var asker = Asker()
    asker.lag.learn(least: -5_000, most: 10_000)
    asker.ask(changes: 30, had: 4_000)
    asker.ask(changes: 10, had: 9_000)
    asker.misses = 0
    asker.ask(changes: 60, had: 9_000)
    #expect(asker.misses <= 12)
    asker.ask(changes: 250, had: 2_000)
    #expect(asker.lag.aim < 6_000)
  }
}
