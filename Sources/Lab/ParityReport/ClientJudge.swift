/// Judges the recording of one client: the seed's gates (mesdeparts.md 6.1).
struct ClientJudge {
  let samples: [RecordedSample]
  let answers: [RecordedSample]
  let intervals: [Interval]
  let recording: Recording

  init(_ recording: Recording, _ intervals: [Interval]) {
    self.recording = recording
    self.intervals = intervals
    samples = recording.samples
    answers = recording.samples.filter(\.isAnswer)
  }

  var seedGates: [Gate] { [coverage, cadence, appliedAge, knownModes] }

  /// Returns the lines of the samples that satisfy a condition.
  func lines(_ samples: [RecordedSample], where holds: (RecordedSample) -> Bool) -> [Int] {
    samples.filter(holds).map(\.line)
  }

  private var coverage: Gate {
    let bare = lines(answers) {
      $0.serverTime == nil
        || $0.mode == nil && $0.realtime == nil && $0.fetchedAt == nil && $0.cacheAge == nil
    }
    let covered = answers.count - bare.count
    let isEnough = covered * 100 >= answers.count * ReportLimits.leastCoverage && !answers.isEmpty
    let share = Figures.share(covered, of: answers.count)
    return Gate(
      "metadata_coverage",
      "at least \(ReportLimits.leastCoverage) % of the answers say how fresh they are",
      measured: "\(share) of \(Figures.count(answers.count, "answer"))",
      isEnough
        ? [] : [Gate.Finding("only \(share) of the answers carry freshness fields", bare)],
      isOfSeed: true
    )
  }

  private var cadence: Gate {
    let judged = intervals.filter { $0.kind == .scheduled && $0.cadence > 0 }
    let short = judged.filter(\.isTooShort)
    var findings: [Gate.Finding] = []
    if let worst = short.min(by: { $0.length - $0.least < $1.length - $1.least }) {
      findings.append(
        Gate.Finding(
          "\(Figures.count(short.count, "interval")) shorter than the cadence allows; the worst is"
            + " \(worst.length) ms at a cadence of \(worst.cadence) ms, which allows"
            + " \(worst.least) ms",
          short.map(\.line)
        )
      )
    }
    if judged.isEmpty {
      findings.append(Gate.Finding("no interval of the schedule can be judged"))
    } else if judged.count * 2 < intervals.count, intervals.count >= ReportLimits.fewestAnswers {
      let others = intervals.filter { $0.kind != .scheduled || $0.cadence == 0 }
      findings.append(
        Gate.Finding(
          "only \(judged.count) of \(intervals.count) intervals were chosen by the schedule",
          others.map(\.line)
        )
      )
    }
    let least = judged.map(\.length).min()
    return Gate(
      "cadence",
      "no interval of the schedule is below its cadence − \(ReportLimits.cadenceSlack) ms",
      measured: "least \(Figures.span(least)) of \(Figures.count(judged.count, "interval"))",
      findings,
      isOfSeed: true
    )
  }

  private var appliedAge: Gate {
    let applied = answers.filter { $0.isApplied && $0.cacheAge != nil }
    let ages = Distribution(applied.compactMap(\.cacheAge))
    var findings: [Gate.Finding] = []
    if let age = ages.percentile(95) {
      if age > ReportLimits.oldestApplied {
        let old = lines(applied) { ($0.cacheAge ?? 0) > ReportLimits.oldestApplied }
        findings.append(
          Gate.Finding("p95 of the age of applied realtime is \(age) ms", old)
        )
      }
    } else {
      findings.append(Gate.Finding("no answer applies realtime and says how old it is"))
    }
    return Gate(
      "applied_age_p95",
      "p95 of rtCacheAgeMs where realtime is applied is at most \(ReportLimits.oldestApplied) ms",
      measured: "\(Figures.span(ages.percentile(95))) of \(Figures.count(ages.count, "answer"))",
      findings,
      isOfSeed: true
    )
  }

  private static let modes: Set<String> = [
    "full", "degraded_static", "stale_cache_fallback", "static_timeout_fallback",
    "not_modified_204",
  ]
  private static let statuses: Set<String> = [
    "applied", "partial", "skipped_budget", "disabled", "missing_cache", "stale_cache",
    "guarded_error",
  ]

  private var knownModes: Gate {
    var unknown: [String: [Int]] = [:]
    var seen = Set<String>()
    for sample in samples {
      for (member, known) in [(sample.mode, Self.modes), (sample.realtime, Self.statuses)] {
        guard let word = member.map({ recording.strings[$0] }) else { continue }
        seen.insert(word)
        if !known.contains(word) { unknown[word, default: []].append(sample.line) }
      }
    }
    let findings = unknown.sorted { $0.key < $1.key }.prefix(ReportLimits.mostLines).map {
      Gate.Finding(
        "\"\($0.key.prefix(40))\" is neither a mode nor a status of the contract",
        $0.value
      )
    }
    let found = seen.sorted().prefix(8).joined(separator: ", ")
    return Gate(
      "known_modes",
      "every responseMode and rtStatus is one of the contract",
      measured: found.isEmpty ? "none" : found,
      Array(findings),
      isOfSeed: true
    )
  }
}
