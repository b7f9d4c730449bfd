import Freshness

/// What became of one mutant.
public struct MutantVerdict: Sendable {
  /// The rule the mutant breaks.
  public var rule: Rule
  /// What it does, as a name.
  public var name: String
  /// The rule under which the referee caught it; `nil` if it lives.
  public var killedBy: Rule?
  /// What the referee said.
  public var reason: String
  /// The events it took, over all episodes.
  public var events: Int
  /// The episodes before in which it was caught under another rule than it breaks.
  ///
  /// What is wrong in one place shows in others; such a catch is not counted.
  public var misnamed: Int
  /// Whether it was caught, and under a rule that it breaks.
  public var isKilled: Bool { killedBy != nil }
}

/// Runs every mutant until the referee catches it.
public enum MutantRun: Sendable {
  /// The most episodes that a mutant may live.
  public static let mostEpisodes = 400

  /// The number of mutants.
  public static var count: Int { MutantPlan.all.count }

  /// The rules that have a mutant.
  public static var rules: Set<Rule> { Set(MutantPlan.all.map(\.rule)) }

  /// Runs all mutants.
  ///
  /// - Parameter seed: Everything follows from it.
  /// - Returns: A verdict on each, in the order of the plans.
  public static func all(seed: UInt64) -> [MutantVerdict] {
    MutantPlan.all.indices.map { one($0, seed: seed) }
  }

  /// Runs one mutant.
  ///
  /// Its episodes take turns with the presets, because a rule may need a certain policy to show.
  ///
  /// - Parameters:
  ///   - number: From zero up to, but not including, ``count``.
  ///   - seed: Everything follows from it.
  /// - Returns: What became of it.
  public static func one(_ number: Int, seed: UInt64) -> MutantVerdict {
    let plan = MutantPlan.all[number]
    let presets = NamedPolicy.presets
    var verdict = MutantVerdict(
      rule: plan.rule,
      name: plan.name,
      reason: "",
      events: 0,
      misnamed: 0
    )
    for episode in 0..<mostEpisodes {
      let preset = presets[episode % presets.count].policy
      let outcome = Episode(episode, of: seed, policy: preset, events: 2_048)
        .run { Mutant(plan.fault, policy: $0, context: $1) }
      verdict.events += outcome.events
      guard let breach = outcome.breach else { continue }
      guard breach.rule == plan.rule else {
        verdict.misnamed += 1
        continue
      }
      verdict.killedBy = breach.rule
      verdict.reason = breach.reason
      return verdict
    }
    return verdict
  }
}
