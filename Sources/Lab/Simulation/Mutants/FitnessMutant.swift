import Freshness

/// A machine that keeps every rule of the oracle and still shows data late (R31).
///
/// The oracle checks bounds; only a measure shows how well a time was chosen.
public struct FitnessMutant: Sendable {
  /// A name for its behavior.
  public var name: String
  private var world: String
  private var period: Int64 = 30_000
  /// Whether its server states the next change.
  private var isStated = false
  private var fault: Mutant.Fault

  /// Every fitness mutant.
  public static let all: [FitnessMutant] = [
    FitnessMutant(
      name: "the margin is three seconds too long",
      world: "clean",
      fault: shift { _ in .seconds(3) }
    ),
    FitnessMutant(name: "source times are not read", world: "clean", fault: undated),
    FitnessMutant(
      name: "a miss is followed up a whole wait later",
      world: "jitter 2.0 s",
      fault: shift { $0 ? .seconds(13) : .zero }
    ),
    FitnessMutant(name: "the deviation counts for nothing", world: "jitter 1.0 s", fault: early),
    FitnessMutant(
      name: "an early poll that got nothing new does not count",
      world: "stamps 20 s behind",
      fault: unserved
    ),
    FitnessMutant(
      name: "source times are not read where the next change is stated",
      world: "stamps 5 s ahead",
      isStated: true,
      fault: hidden
    ),
    FitnessMutant(
      name: "when a change became available is not tracked",
      world: "warm cache, no Age",
      fault: unserved
    ),
    FitnessMutant(
      name: "every lateness is waited for, however much it varies",
      world: "late by 4 s on average",
      fault: follow(every: 30_000, late: 13_000)
    ),
    FitnessMutant(
      name: "a change that was never made is asked for again before the next one",
      world: "alternating",
      fault: shift { $0 ? .seconds(8) : .zero }
    ),
    FitnessMutant(
      name: "a person's refresh costs a change, every time",
      world: "a person refreshes",
      period: 15_000,
      fault: follow(every: 15_000, late: 800)
    ),
  ]

  /// Moves every aligned request; `delay` receives whether the last response contained nothing new.
  private static func shift(_ delay: @escaping @Sendable (Bool) -> Instant.Duration) -> Mutant.Fault
  {
    Mutant.Fault(effects: { effects, event, memory in
      guard case .answered(_, let answer) = event, case .content(let content) = answer.outcome
      else { return }
      let isMiss = memory.lastShown?.snapshot?.revision == content.revision
      guard let alarm = effects.alarm, effects.request == nil else { return }
      effects.alarm = max(alarm + delay(isMiss), memory.now + .seconds(12))
    })
  }

  /// Delays every request until a change of a rhythm is certainly available.
  private static func follow(every period: Int64, late: Int64) -> Mutant.Fault {
    Mutant.Fault(effects: { effects, event, memory in
      guard case .answered(_, let answer) = event, let made = answer.metadata.fetchedAt,
        let served = answer.metadata.serverTime, let alarm = effects.alarm, effects.request == nil
      else { return }
      let age = (served - made).milliseconds
      let earliest = age + 13_600
      let wait = (earliest - late + period - 1) / period * period + late - age
      effects.alarm = max(alarm, memory.now + .milliseconds(wait))
    })
  }

  private static let undated = Mutant.Fault(event: { event, _ in
    guard case .answered(let ticket, var answer) = event else { return event }
    answer.metadata.fetchedAt = nil
    return .answered(ticket, answer)
  })

  private static let hidden = Mutant.Fault(event: { event, _ in
    guard case .answered(let ticket, var answer) = event, answer.hints.nextExpectedAt != nil
    else { return event }
    answer.metadata.fetchedAt = nil
    return .answered(ticket, answer)
  })

  /// Source times are rounded, so the rhythm seems exact.
  private static let early = Mutant.Fault(
    policy: { $0.alignment?.delay = .zero },
    event: { event, _ in
      guard case .answered(let ticket, var answer) = event, let made = answer.metadata.fetchedAt
      else {
        return event
      }
      let beat: Int64 = 15_000
      let rounded = (made.milliseconds + beat / 2) / beat * beat
      answer.metadata.fetchedAt = WallTime(milliseconds: rounded)
      return .answered(ticket, answer)
    }
  )

  /// Responses seem as old as their data, so no lag between the two is seen.
  private static let unserved = Mutant.Fault(event: { event, _ in
    guard case .answered(let ticket, var answer) = event else { return event }
    answer.metadata.serverTime = answer.metadata.fetchedAt
    return .answered(ticket, answer)
  })

  /// Returns whether the measure of its world distinguishes it from the real machine.
  ///
  /// - Parameters:
  ///   - runs: The number of runs of an hour.
  ///   - seed: The seed, which determines everything.
  /// - Returns: Whether the mean of the added age is a fifth above that of the real machine, or its
  ///   95th percentile alone is above what is allowed.
  public func isKilled(runs: Int64, seed: UInt64) -> Bool {
    let policy = Policy.departuresWeb
    let worlds = ProducerWorld.all.filter { $0.name == world && $0.period == period }
    return worlds.contains { world in
      let real = WorldMeasure(world, policy, runs: runs, seed: seed)
      let mutant = WorldMeasure(world, policy, runs: runs, seed: seed) {
        Mutant(fault, policy: $0, context: $1)
      }
      let (found, usual) = isStated ? (mutant.stated, real.stated) : (mutant.learned, real.learned)
      let isLate = mutant.p95 > WorldMeasure.mostPercent * 10
      return found.added.mean * 100 > usual.added.mean * 120
        || isLate && real.p95 <= WorldMeasure.mostPercent * 10
    }
  }
}
