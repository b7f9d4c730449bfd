public import Freshness

/// Runs machines in seeded worlds, with an oracle that checks every rule after every step.
public enum Simulator: Sendable {
  /// Simulates a policy until enough events were checked or a rule is broken.
  ///
  /// Equal arguments give equal reports.
  ///
  /// - Parameters:
  ///   - policy: The policy; three eighths of its episodes also switch on a stream, a long poll or
  ///     both.
  ///   - events: The minimum number of events to check.
  ///   - seed: The seed, which determines everything.
  ///   - progress: Called with the number of events that have been checked.
  /// - Returns: The counts, and the first violation with its shrunk trace.
  public static func run(
    _ policy: NamedPolicy,
    events: Int,
    seed: UInt64,
    progress: (Int) -> Void = { _ in }
  ) -> SimulationReport {
    run(policy, events: events, seed: seed, progress: progress) {
      RecordedFreshness(policy: $0, context: $1)
    }
  }

  /// Simulates a custom machine.
  ///
  /// - Parameters:
  ///   - policy: The policy that the machine claims to use.
  ///   - events: The minimum number of events to check.
  ///   - seed: The seed, which determines everything.
  ///   - progress: Called with the number of events that have been checked.
  ///   - make: Creates a machine without observers.
  /// - Returns: The counts, and the first violation with its shrunk trace.
  public static func run<M: Machine>(
    _ policy: NamedPolicy,
    events: Int,
    seed: UInt64,
    progress: (Int) -> Void = { _ in },
    _ make: @escaping (Policy, Context) -> M
  ) -> SimulationReport {
    var report = SimulationReport(
      name: policy.name,
      seed: seed,
      events: 0,
      episodes: 0,
      requests: 0
    )
    while report.events < events {
      let episode = Episode(report.episodes, of: seed, policy: policy.policy)
      let outcome = episode.run(make)
      report.events += outcome.events
      progress(report.events)
      report.requests += outcome.requests
      if let violation = outcome.violation {
        report.violation = explain(violation, episode, report, make)
        return report
      }
      report.episodes += 1
    }
    return report
  }

  private static func explain<M: Machine>(
    _ violation: Violation,
    _ episode: Episode,
    _ report: SimulationReport,
    _ make: @escaping (Policy, Context) -> M
  ) -> ViolationReport {
    let trace = Trace(recording: episode, make)
    var shrinker = Shrinker(make: make, rule: violation.rule)
    let shrunk = shrinker.shrink(trace)
    let replay = shrunk.replay(make)
    let shown = replay.violation ?? violation
    let policy = PolicyJSON.overrides(episode.policy, preset: report.name)
    return ViolationReport(
      violation: shown,
      seed: report.seed,
      episode: report.episodes,
      recordedSteps: trace.steps.count,
      steps: TraceText.lines(replay.taken),
      isInRecovery: shrunk.recovers && (replay.taken.last.map { $0.at < shown.instant } ?? true),
      vectorJSON: TraceJSON.vector(replay.taken, policy: policy, violation: shown)
    )
  }
}
