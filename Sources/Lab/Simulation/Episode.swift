import Freshness
import Hashing

/// One life of a machine: a new machine in a new world, for a number of events.
///
/// Its seed determines everything; any episode can be repeated by itself.
struct Episode: Sendable {
  var seed: UInt64
  var policy: Policy
  var upgrade: NamedPolicy.Upgrade
  var events: Int

  /// The events of one episode, not counting the recovery at its end.
  static let length = 4_096

  /// Creates an episode; its number in a run determines its seed and upgrade.
  init(_ number: Int, of runSeed: UInt64, policy base: Policy, events: Int = Episode.length) {
    var random = SplitMix64(seed: runSeed &+ UInt64(number) &* 0xD134_2543_DE82_EF95)
    seed = random.next()
    let upgrade = NamedPolicy.Upgrade(rawValue: max(random.below(8) - 4, 0)) ?? .none
    self.upgrade = upgrade
    policy = upgrade.applied(to: base)
    self.events = events
  }

  /// The result of an episode.
  struct Outcome: Sendable {
    var events = 0
    var requests: Int64 = 0
    var answers: Int64 = 0
    var violation: Violation?
  }

  static let context = Context(question: 0)

  /// Runs the episode.
  ///
  /// - Parameters:
  ///   - make: Creates the machine.
  ///   - record: Called before every step, with the machine as it was.
  /// - Returns: The counts, and the first violation.
  func run<M: Machine>(
    _ make: (Policy, Context) -> M,
    record: ((Event, Instant, RandomSample, M) -> Void)? = nil
  ) -> Outcome {
    var harness = Harness(make(policy, Self.context), policy: policy, context: Self.context)
    var world = World(seed: seed, policy: policy, context: Self.context)
    var outcome = Outcome()
    while outcome.events < events {
      let event = world.next()
      let random = world.random.randomSample()
      let instant = world.now.instant
      record?(event, instant, random, harness.machine)
      let effects = harness.step(event, at: instant, random: random)
      outcome.events += 1
      if harness.violation != nil { break }
      world.heed(effects)
    }
    if harness.violation == nil { harness.oracle.checkRing(harness.machine) }
    if harness.violation == nil {
      outcome.events += Recovery.run(&harness, from: world.now, seed: seed)
    }
    outcome.requests = harness.oracle.counted.requests
    outcome.answers = harness.oracle.counted.answers
    outcome.violation = harness.violation
    return outcome
  }
}
