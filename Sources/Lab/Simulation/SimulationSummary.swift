/// The results of one call of the simulator, as text and as JSON.
public struct SimulationSummary: Sendable {
  /// The runs, one for each policy.
  public var runs: [SimulationReport]
  /// The mutants, if they were run.
  public var mutants: [MutantVerdict]?
  /// The measures, if they were taken.
  public var measures: MeasureReport?

  /// Creates a summary.
  public init(
    runs: [SimulationReport],
    mutants: [MutantVerdict]? = nil,
    measures: MeasureReport? = nil
  ) {
    self.runs = runs
    self.mutants = mutants
    self.measures = measures
  }

  /// Whether no rule was broken, no mutant survived and no goal was missed.
  public var isWell: Bool {
    runs.allSatisfy { $0.violation == nil } && (mutants ?? []).allSatisfy(\.isKilled)
      && (measures?.isMet ?? true)
  }

  /// The summary as text.
  public var text: String {
    var blocks = runs.map(Self.text)
    if let mutants { blocks.append(Self.text(mutants)) }
    if let measures { blocks.append(measures.text) }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private static func text(_ run: SimulationReport) -> String {
    let size = "\(run.events) events, \(run.episodes) episodes, \(run.requests) requests"
    guard let report = run.violation else {
      return "\(run.name), seed \(run.seed): no rule broken in \(size)"
    }
    let violation = report.violation
    let place =
      report.isInRecovery ? "in the recovery after the last step" : "at \(violation.instant) ms"
    return """
      \(run.name), seed \(run.seed), episode \(report.episode): \(violation.rule.name) is broken \
      after \(run.events) events
        \(place): \(violation.reason)
        \(report.steps.count) steps, shrunk from \(report.recordedSteps):
      \(report.steps.map { "    \($0)" }.joined(separator: "\n"))
      \(report.vector)
      """
  }

  private static func text(_ mutants: [MutantVerdict]) -> String {
    let rows = mutants.map { verdict in
      [
        verdict.rule.name, verdict.name, verdict.killedBy?.name ?? "LIVES", "\(verdict.events)",
        verdict.reason,
      ]
    }
    let alive = mutants.filter { !$0.isKilled }.count
    let title = "\(mutants.count) mutants, \(alive == 0 ? "none" : "\(alive)") alive"
    return title + "\n" + TextTable.lines(["rule", "mutant", "killed by", "events", "as"], rows)
  }

  /// The summary as one JSON object.
  public var json: String {
    var members: [(String, JSONText)] = [
      ("isWell", .bool(isWell)), ("runs", .array(runs.map(Self.json))),
    ]
    if let mutants { members.append(("mutants", .array(mutants.map(Self.json)))) }
    if let measures { members.append(("measures", measures.json)) }
    return JSONText.object(members).lines + "\n"
  }

  private static func json(_ run: SimulationReport) -> JSONText {
    var members: [(String, JSONText)] = [
      ("policy", .string(run.name)), ("seed", .string("\(run.seed)")),
      ("events", .integer(Int64(run.events))), ("episodes", .integer(Int64(run.episodes))),
      ("requests", .integer(run.requests)),
    ]
    if let report = run.violation {
      let violation = report.violation
      members.append(
        (
          "violation",
          .object([
            ("rule", .string(violation.rule.name)), ("at", .integer(violation.instant)),
            ("reason", .string(violation.reason)), ("episode", .integer(Int64(report.episode))),
            ("isInRecovery", .bool(report.isInRecovery)),
            ("recordedSteps", .integer(Int64(report.recordedSteps))), ("vector", report.vectorJSON),
          ])
        )
      )
    }
    return .object(members)
  }

  private static func json(_ verdict: MutantVerdict) -> JSONText {
    .object([
      ("rule", .string(verdict.rule.name)), ("name", .string(verdict.name)),
      ("killedBy", verdict.killedBy.map { .string($0.name) } ?? .null),
      ("events", .integer(Int64(verdict.events))), ("reason", .string(verdict.reason)),
    ])
  }
}
