import Freshness

/// Every measure of one policy.
struct PolicyMeasures: Sendable {
  var name: String
  var states: [StateMeasure]
  var outage: OutageMeasure
  var longPoll: UpgradeMeasure
  /// Only if the policy follows a producer (R31).
  var rhythm: (blind: RhythmMeasure, learned: RhythmMeasure, stated: RhythmMeasure)?
  /// A producer that publishes faster than any client requests has no rhythm to learn (R31).
  var hurried: RhythmMeasure?
  /// The worlds of R31.
  var worlds: [WorldMeasure] = []
  /// How soon it is synchronized with a producer of 15 s (R31).
  var step: StepMeasure?

  init(_ named: NamedPolicy, scale: MeasureScale, seed: UInt64, worlds names: [String]? = nil) {
    let policy = named.policy
    name = named.name
    states = StateMeasure.State.allCases.map {
      StateMeasure($0, policy, hours: scale.hours, seed: seed)
    }
    outage = OutageMeasure(policy, trials: scale.trials, seed: seed)
    longPoll = UpgradeMeasure(policy, hours: scale.hours, seed: seed)
    guard policy.alignment != nil else { return }
    var blind = policy
    blind.alignment = nil
    rhythm = (
      RhythmMeasure(blind, .made, runs: scale.runs, seed: seed),
      RhythmMeasure(policy, .made, runs: scale.runs, seed: seed),
      RhythmMeasure(policy, .expected, runs: scale.runs, seed: seed)
    )
    hurried = RhythmMeasure(policy, .made, every: 1_000, runs: scale.runs, seed: seed)
    step = StepMeasure(
      policy,
      every: RhythmMeasure.period,
      seeds: scale.steps,
      phases: 30,
      seed: seed
    )
    guard scale.worlds > 0 else { return }
    let chosen = ProducerWorld.all.filter { names?.contains($0.name) ?? true }
    worlds = chosen.map { WorldMeasure($0, policy, runs: scale.worlds, seed: seed) }
  }

  // MARK: Goals

  /// The thresholds of a preset; none for any other policy.
  var goals: [Goal] {
    switch name {
    case "departuresWeb":
      rhythmGoals + worldGoals + outageGoals(load: 181, worst: 24_000, median: 12_000)
    case "departuresNative", "departuresWeb5s":
      worldGoals + outageGoals(load: 181, worst: 24_000, median: 12_000)
    case "workspaces": seedGoals + outageGoals(load: 181, worst: 36_000, median: 18_000)
    // Full jitter halves the mean wait of the ladder to 30 s: that is 240 waits an hour.
    case "jobs": outageGoals(load: 270, worst: 36_000, median: 12_000)
    default: []
    }
  }

  private func goal(
    _ goal: String,
    _ value: Int64,
    least: Int64? = nil,
    most: Int64? = nil,
    digits: Int = 0,
    unit: String = ""
  ) -> Goal {
    Goal(
      subject: name,
      name: goal,
      value: value,
      least: least,
      most: most,
      digits: digits,
      unit: unit
    )
  }

  /// Peers-client.md 6.3: load and recovery of the seed's ladder; engine.md for the other ladders.
  private func outageGoals(load: Int64, worst: Int64, median: Int64) -> [Goal] {
    let longest = max(outage.shortRecovery.most, outage.longRecovery.most)
    let middle = max(outage.shortRecovery.percentile(50), outage.longRecovery.percentile(50))
    return [
      goal("requests in an hour of outage", outage.load, most: load),
      goal("worst recovery", longest, most: worst - 1, digits: 3, unit: "s"),
      goal("median recovery", middle, most: median, digits: 3, unit: "s"),
    ]
  }

  /// Seed 003: requests per hour within two percent, and its times to show a change.
  private var seedGoals: [Goal] {
    let nominal: [StateMeasure.State: Int64] = [
      .active: 24_000, .recent: 12_000, .idle: 3_600, .background: 1_200,
    ]
    var goals = states.map { measure in
      let due = nominal[measure.state] ?? 0
      return goal(
        "requests an hour, \(measure.state.rawValue)",
        measure.requests,
        least: due - due / 50,
        most: due + due / 50,
        digits: 1
      )
    }
    for measure in states {
      switch measure.state {
      case .active:
        let p95 = measure.delays.percentile(95)
        goals.append(goal("change to screen p95, active", p95, most: 3_000, digits: 3, unit: "s"))
        let bytes = measure.bytes
        goals.append(goal("bytes an hour, active", bytes, most: 5_000_000, unit: "B"))
      case .recent:
        let p95 = measure.delays.percentile(95)
        goals.append(goal("change to screen p95, recent", p95, most: 5_000, digits: 3, unit: "s"))
      case .idle:
        let share = measure.unchangedShare
        // The seed's is 80.1 %, design/workspaces.md has 99.
        goals.append(goal("not modified, idle", share, least: 990, digits: 1, unit: "%"))
      case .background: break
      }
    }
    return goals
  }

  /// Peers-client.md 6.3: detection at a 15 s cadence and a 15 s producer.
  private var rhythmGoals: [Goal] {
    guard let rhythm, let hurried else { return [] }
    let pace = goal(
      "requests an hour, producer of 1 s",
      hurried.requests,
      least: 2_250,
      most: 2_600,
      digits: 1
    )
    return [pace]
      + [("learned", rhythm.learned), ("stated", rhythm.stated)].flatMap { name, measure in
        [
          goal("added age, \(name)", measure.added.mean, most: 1_200, digits: 3, unit: "s"),
          goal(
            "added age p95, \(name)",
            measure.added.percentile(95),
            most: 2_500,
            digits: 3,
            unit: "s"
          ),
          goal("requests an hour, \(name)", measure.requests, most: 2_600, digits: 1),
          goal("polls until in step, \(name)", measure.learnedAfter ?? .max, most: Self.stepLimit),
        ]
      } + stepGoals
  }

  /// Engine.md R31: synchronized within eight polls for any phase, and nearly always within five.
  private static let stepLimit: Int64 = 8

  private var stepGoals: [Goal] {
    guard let step else { return [] }
    return [
      goal("polls until in step, any phase", step.most, most: Self.stepLimit),
      goal("polls until in step, 99 of 100", step.usual, most: 5),
    ]
  }

  /// Engine.md R31: never worse than blind polling, with no more requests.
  private var worldGoals: [Goal] {
    let judged = worlds.filter(\.world.isJudged)
    guard !judged.isEmpty else { return [] }
    let most = WorldMeasure.mostPercent * 10
    func worst(_ name: String, _ figures: [Int64], most: Int64) -> Goal {
      goal(
        "\(name) against blind, worst world",
        figures.max() ?? 0,
        most: most,
        digits: 1,
        unit: "%"
      )
    }
    return [
      worst("added age", judged.map(\.mean), most: most),
      worst("added age p95", judged.map(\.p95), most: most),
      worst("requests", judged.map(\.load), most: WorldMeasure.mostLoad),
    ]
  }
}
