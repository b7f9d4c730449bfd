import Freshness
import Simulation
import TestScale
import Testing

@Suite("Any policy")
struct PolicyTests {
  /// A generator of policies within the limits of the policy document.
  private struct RandomSource: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ (state >> 29)) &* 0x9E37_79B9_7F4A_7C15
    }

    mutating func span(_ least: Int64, _ most: Int64) -> Instant.Duration {
      .milliseconds(.random(in: least...most, using: &self))
    }

    mutating func coin() -> Bool { .random(using: &self) }

    mutating func jitter() -> Jitter {
      switch Int.random(in: 0..<6, using: &self) {
      case 0: .none
      case 1: .full
      case 2: .within(span(0, 5_000))
      case 3: .share(.random(in: 0...100, using: &self))
      case 4: .above(.random(in: 0...300, using: &self))
      default: .signed(span(0, 300), span(300, 900))
      }
    }

    mutating func policy() -> Policy {
      var policy = NamedPolicy.presets.randomElement(using: &self)?.policy ?? .jobs
      if coin() { policy.active = span(100, 60_000) }
      if coin() { policy.idle = span(100, 600_000) }
      if coin() { policy.background = coin() ? nil : span(100, 100_000) }
      if coin() { policy.jitter = jitter() }
      if coin() { policy.leastInterval = span(0, 30_000) }
      if coin() { policy.spread = span(0, 10_000) }
      if coin() { policy.timeout = span(100, 60_000) }
      if coin() { policy.retryDelay = coin() ? nil : span(0, 5_000) }
      if coin() { policy.ladder = [span(0, 9_000), span(0, 60_000)] }
      if coin() { policy.ladder = [] }
      if coin() { policy.ladderJitter = jitter() }
      if coin() { policy.recheck = span(0, 600_000) }
      if coin() { policy.recheckGone = span(0, 600_000) }
      if coin() { policy.unchangedLimit = coin() ? nil : 3 }
      if coin() { policy.downgradeProtection = coin() ? nil : span(0, 600_000) }
      if coin() { policy.alignment = coin() ? nil : .departures }
      if coin() { policy.longPoll = span(0, 60_000) }
      if coin() {
        policy.push = Policy.Push(heartbeat: span(100, 60_000), leastGap: span(0, 5_000))
      }
      return policy
    }
  }

  @Test(arguments: UInt64(0)..<TestScale.sized(10, long: 30))
  func `R1 to R35: no rule breaks whatever the policy`(seed: UInt64) {
    var generator = RandomSource(state: seed &* 7_919 &+ 1)
    let report = Simulator.run(NamedPolicy("any", generator.policy()), events: 8_000, seed: seed)
    let violation = report.violation
    #expect(violation == nil, "\(violation?.violation.reason ?? "")\n\(violation?.vector ?? "")")
  }
}
