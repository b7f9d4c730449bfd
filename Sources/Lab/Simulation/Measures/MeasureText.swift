/// The measures as tables.
extension MeasureReport {
  /// The tables, the goals last.
  public var text: String {
    var blocks: [String] = []
    let head = [
      "preset", "state", "requests/h", "bytes/h", "without 304", "304 %", "to screen mean", "p95",
      "age p50", "p95",
    ]
    let states = policies.flatMap { policy in policy.states.map { Self.row(policy.name, $0) } }
    blocks.append("Load and freshness by state\n" + TextTable.lines(head, states))
    let outages = policies.map { policy in
      [
        policy.name, "\(policy.outage.load)",
        Self.seconds(policy.outage.shortRecovery.percentile(50)),
        Self.seconds(policy.outage.shortRecovery.most),
        Self.seconds(policy.outage.longRecovery.percentile(50)),
        Self.seconds(policy.outage.longRecovery.most),
        JSONText.fixed(policy.longPoll.requests, digits: 1),
        Self.seconds(policy.longPoll.delays.mean),
      ]
    }
    let outageHead = [
      "preset", "requests/h down", "after 5 min p50", "worst", "after 30 min p50", "worst",
      "long poll requests/h", "to screen mean",
    ]
    blocks.append("Outage, recovery and long poll\n" + TextTable.lines(outageHead, outages))
    let rhythms = policies.flatMap { policy -> [[String]] in
      guard let rhythm = policy.rhythm else { return [] }
      return [
        Self.row(policy.name, "blind", rhythm.blind),
        Self.row(policy.name, "learned", rhythm.learned),
        Self.row(policy.name, "stated", rhythm.stated),
      ] + (policy.hurried.map { [Self.row(policy.name, "every 1 s", $0)] } ?? [])
    }
    if !rhythms.isEmpty {
      let head = ["preset", "rhythm", "added age mean", "p95", "requests/h", "polls until in step"]
      let title = "A producer that publishes every 15 s, the last row apart\n"
      blocks.append(title + TextTable.lines(head, rhythms))
    }
    for policy in policies where !policy.worlds.isEmpty {
      let head = [
        policy.name, "every", "blind mean", "p95", "req/h", "learned mean", "p95", "req/h",
        "stated mean", "p95", "req/h", "",
      ]
      let rows = policy.worlds.map(Self.row)
      blocks.append("Added age in the worlds of R31\n" + TextTable.lines(head, rows))
      if policy.name == "departuresWeb" { blocks += Self.beside(policy.worlds) }
    }
    let exempt = policies.flatMap(\.worlds).filter { !$0.world.isJudged }
    if !exempt.isEmpty {
      var reasons: [String] = []
      for measure in exempt {
        let world = measure.world
        let why = world.exemption?.rawValue ?? ""
        let reason = "  \(world.name), \(world.period / 1_000) s: \(why)"
        if !reasons.contains(reason) { reasons.append(reason) }
      }
      blocks.append("Not judged\n" + reasons.joined(separator: "\n"))
    }
    if let crowd {
      let rows = [
        Self.row("with a spread of 10 s", crowd.spread), Self.row("without", crowd.unspread),
      ]
      let head = ["crowd", "clients", "requests/min", "busiest second", "against the mean"]
      blocks.append("Clients that all started at once\n" + TextTable.lines(head, rows))
    }
    let goals = goals.map { goal in
      [
        goal.subject, goal.name, JSONText.fixed(goal.value, digits: goal.digits) + " " + goal.unit,
        goal.bound, goal.isMet ? "met" : "MISSED",
      ]
    }
    if !goals.isEmpty {
      let head = ["goal of", "figure", "value", "threshold", ""]
      blocks.append("Goals\n" + TextTable.lines(head, goals))
    }
    return blocks.joined(separator: "\n\n")
  }

  private static func row(_ name: String, _ state: StateMeasure) -> [String] {
    let isPaused = state.delays.isEmpty
    return [
      name, state.state.rawValue, JSONText.fixed(state.requests, digits: 1), "\(state.bytes)",
      "\(state.bytesWithoutUnchanged)", JSONText.fixed(state.unchangedShare, digits: 1),
      isPaused ? "-" : seconds(state.delays.mean),
      isPaused ? "-" : seconds(state.delays.percentile(95)),
      isPaused ? "-" : seconds(state.ages.percentile(50)),
      isPaused ? "-" : seconds(state.ages.percentile(95)),
    ]
  }

  private static func row(_ name: String, _ kind: String, _ rhythm: RhythmMeasure) -> [String] {
    [
      name, kind, seconds(rhythm.added.mean), seconds(rhythm.added.percentile(95)),
      JSONText.fixed(rhythm.requests, digits: 1), rhythm.learnedAfter.map { "\($0)" } ?? "never",
    ]
  }

  private static func row(_ measure: WorldMeasure) -> [String] {
    let world = measure.world
    let figures = [measure.blind, measure.learned, measure.stated].flatMap { result in
      [
        seconds(result.added.mean), seconds(result.added.percentile(95)),
        JSONText.fixed(result.requests, digits: 1),
      ]
    }
    let remark = world.isJudged ? (measure.isKept ? "" : "WORSE") : "not judged"
    return [world.name, "\(world.period / 1_000) s"] + figures + [remark]
  }

  /// Returns the figures from before R31 was an estimator, beside those of today.
  private static func beside(_ worlds: [WorldMeasure]) -> [String] {
    let rows = EarlierFigures.web.compactMap { earlier -> [String]? in
      guard
        let measure = worlds.first(where: {
          $0.world.name == earlier.world && $0.world.period == earlier.period
        })
      else { return nil }
      let before = [earlier.blind, earlier.learned, earlier.stated].flatMap { pair in
        [pair.mean, pair.p95].map { JSONText.fixed($0, digits: 1) + " s" }
      }
      let today = [measure.learned, measure.stated].flatMap { result in
        [seconds(result.added.mean), seconds(result.added.percentile(95))]
      }
      return [earlier.world, "\(earlier.period / 1_000) s"] + before + today
    }
    guard !rows.isEmpty else { return [] }
    let head = [
      "departuresWeb", "every", "before: blind mean", "p95", "learned mean", "p95", "stated mean",
      "p95", "today: learned mean", "p95", "stated mean", "p95",
    ]
    let title = "Added age before R31 was an estimator, by an independent simulation, and today\n"
    return [title + TextTable.lines(head, rows)]
  }

  private static func row(_ name: String, _ crowd: CrowdMeasure) -> [String] {
    [
      name, "\(crowd.clients)", "\(crowd.total)", "\(crowd.peak)",
      JSONText.fixed(crowd.ratio, digits: 2) + " ×",
    ]
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    JSONText.fixed(milliseconds / 10, digits: 2) + " s"
  }
}
