import Freshness

/// The result for one mutant.
public struct MutantVerdict: Sendable {
  /// The rule the mutant breaks.
  public var rule: Rule
  /// A name for its behavior.
  public var name: String
  /// The rule by which the oracle caught it; `nil` if it survived.
  public var killedBy: Rule?
  /// The oracle's reason.
  public var reason: String
  /// The events it took, over all episodes.
  public var events: Int
  /// The earlier episodes in which it was caught by another rule than it breaks.
  ///
  /// A fault in one place shows in others; such a catch is not counted.
  public var misnamed: Int
  /// Whether it was caught by a rule that it breaks.
  public var isKilled: Bool { killedBy != nil }
}

/// Runs every mutant until the oracle catches it.
public enum MutantRun: Sendable {
  /// The maximum number of episodes of a mutant.
  public static let mostEpisodes = 400

  /// The number of mutants.
  public static var count: Int { MutantPlan.all.count }

  /// The rules that have a mutant.
  public static var rules: Set<Rule> { Set(MutantPlan.all.map(\.rule)) }

  /// Runs all mutants.
  ///
  /// - Parameter seed: The seed, which determines everything.
  /// - Returns: A verdict on each, in the order of the plans.
  public static func all(seed: UInt64) -> [MutantVerdict] {
    MutantPlan.all.indices.map { one($0, seed: seed) }
  }

  /// Runs one mutant.
  ///
  /// Its episodes alternate between the presets, because a rule may need a certain policy to show.
  ///
  /// - Parameters:
  ///   - number: From zero up to, but not including, ``count``.
  ///   - seed: The seed, which determines everything.
  /// - Returns: The result.
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
      guard let violation = outcome.violation else { continue }
      guard violation.rule == plan.rule else {
        verdict.misnamed += 1
        continue
      }
      verdict.killedBy = violation.rule
      verdict.reason = violation.reason
      return verdict
    }
    return verdict
  }
}
