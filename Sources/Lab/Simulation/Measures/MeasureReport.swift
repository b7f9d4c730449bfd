import Freshness

/// Every measure of some policies, with the goals they must meet.
public struct MeasureReport: Sendable {
  var policies: [PolicyMeasures]
  /// The crowd with the server's spread, and without it.
  var crowd: (spread: CrowdMeasure, unspread: CrowdMeasure)?

  /// Measures policies; the crowd is measured with `departuresWeb`, if that is one of them.
  ///
  /// Equal arguments give equal reports.
  ///
  /// - Parameters:
  ///   - policies: The policies.
  ///   - scale: The amount of simulation.
  ///   - seed: The seed, which determines everything.
  ///   - worlds: The names of the worlds of R31; all of them by default.
  public init(
    _ policies: [NamedPolicy],
    scale: MeasureScale,
    seed: UInt64,
    worlds: [String]? = nil
  ) {
    self.policies = policies.map {
      PolicyMeasures($0, scale: scale, seed: seed, worlds: worlds)
    }
    guard let web = policies.first(where: { $0.name == "departuresWeb" }) else { return }
    crowd = (
      CrowdMeasure(clients: scale.clients, web.policy, spread: Self.crowdSpread, seed: seed),
      CrowdMeasure(clients: scale.clients, web.policy, spread: nil, seed: seed)
    )
  }

  /// The window over which the measured crowd's server asks to spread (`Hints.spread`).
  private static let crowdSpread = Instant.Duration.seconds(10)

  /// Every figure with a threshold.
  public var goals: [Goal] {
    var goals = policies.flatMap(\.goals)
    if let crowd {
      goals.append(
        Goal(
          subject: "crowd",
          name: "busiest second against the mean",
          value: crowd.spread.ratio,
          least: nil,
          most: 200,
          digits: 2,
          unit: "×"
        )
      )
    }
    return goals
  }

  /// Whether every goal is met.
  public var isMet: Bool { goals.allSatisfy(\.isMet) }

  // MARK: JSON

  var json: JSONText {
    .object([
      ("policies", .array(policies.map(Self.json))),
      (
        "crowd",
        crowd.map {
          .object([("spread", Self.json($0.spread)), ("unspread", Self.json($0.unspread))])
        }
          ?? .null
      ),
      ("goals", .array(goals.map(\.json))),
    ])
  }

  private static func json(_ policy: PolicyMeasures) -> JSONText {
    var rhythm = JSONText.null
    if let measured = policy.rhythm {
      rhythm = .object([
        ("blind", json(measured.blind)), ("learned", json(measured.learned)),
        ("stated", json(measured.stated)),
        ("everySecond", policy.hurried.map { json($0) } ?? .null),
      ])
    }
    return .object([
      ("name", .string(policy.name)), ("states", .array(policy.states.map(json))),
      (
        "outage",
        .object([
          ("requestsPerHour", .integer(policy.outage.load)),
          ("recoveryAfter5Minutes", json(policy.outage.shortRecovery)),
          ("recoveryAfter30Minutes", json(policy.outage.longRecovery)),
        ])
      ),
      (
        "longPoll",
        .object([
          ("requestsPerHour", .decimal(policy.longPoll.requests, digits: 1)),
          ("changeToScreen", json(policy.longPoll.delays)),
        ])
      ),
      ("rhythm", rhythm), ("worlds", .array(policy.worlds.map(json))),
      (
        "pollsUntilInStep",
        policy.step.map {
          .object([("most", .integer($0.most)), ("of99In100", .integer($0.usual))])
        }
          ?? .null
      ),
    ])
  }

  private static func json(_ measure: WorldMeasure) -> JSONText {
    .object([
      ("world", .string(measure.world.name)), ("periodMs", .integer(measure.world.period)),
      ("isJudged", .bool(measure.world.isJudged)), ("blind", json(measure.blind)),
      ("learned", json(measure.learned)), ("stated", json(measure.stated)),
    ])
  }

  private static func json(_ result: WorldMeasure.Result) -> JSONText {
    .object([
      ("addedAge", json(result.added)), ("requestsPerHour", .decimal(result.requests, digits: 1)),
    ])
  }

  private static func json(_ state: StateMeasure) -> JSONText {
    .object([
      ("state", .string(state.state.rawValue)),
      ("requestsPerHour", .decimal(state.requests, digits: 1)),
      ("bytesPerHour", .integer(state.bytes)),
      ("bytesPerHourWithoutUnchanged", .integer(state.bytesWithoutUnchanged)),
      ("unchangedPercent", .decimal(state.unchangedShare, digits: 1)),
      ("changeToScreen", json(state.delays)), ("ageOnScreen", json(state.ages)),
    ])
  }

  private static func json(_ rhythm: RhythmMeasure) -> JSONText {
    .object([
      ("addedAge", json(rhythm.added)), ("requestsPerHour", .decimal(rhythm.requests, digits: 1)),
      ("pollsUntilInStep", rhythm.learnedAfter.map { .integer($0) } ?? .null),
    ])
  }

  private static func json(_ crowd: CrowdMeasure) -> JSONText {
    .object([
      ("clients", .integer(Int64(crowd.clients))), ("busiestSecond", .integer(crowd.peak)),
      ("requestsPerMinute", .integer(crowd.total)),
      ("busiestAgainstMean", .decimal(crowd.ratio, digits: 2)),
    ])
  }

  /// Figures in milliseconds.
  private static func json(_ figures: Figures) -> JSONText {
    guard !figures.isEmpty else { return .null }
    return .object([
      ("mean", .integer(figures.mean)), ("p50", .integer(figures.percentile(50))),
      ("p95", .integer(figures.percentile(95))), ("most", .integer(figures.most)),
    ])
  }
}
