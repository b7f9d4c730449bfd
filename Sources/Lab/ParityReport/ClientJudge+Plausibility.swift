// The plausibility gates (engine.md, "How it is tested"): what a recording that was assembled by
// hand, cut, repeated or re-timed does not show (mesdeparts.md 0.3, 0.4, 6.1).
extension ClientJudge {
  var plausibilityGates: [Gate] {
    [
      readable, enoughAnswers, clocks, serverTimeOrder, stopEchoed, payloads, ages, durations,
      answersConsistent, shares, failures, silence, complete, measured,
    ]
  }

  var readable: Gate {
    var findings: [Gate.Finding] = []
    let all = recording.lines
    if recording.broken * 10_000 > all * ReportLimits.mostBroken {
      let first = recording.firstBroken.first.map { ": line \($0.line), \($0.problem)" } ?? ""
      findings.append(
        Gate.Finding(
          "\(recording.broken) of \(Figures.count(all, "line")) cannot be read\(first)",
          recording.firstBroken.map(\.line)
        )
      )
      findings[0].count = recording.broken
    }
    if recording.leftOut > 0 {
      findings.append(
        Gate.Finding(
          "\(recording.leftOut) samples beyond the first \(samples.count) are not judged:"
            + " split the file"
        )
      )
    }
    let torn = recording.isTorn ? ", the last one torn" : ""
    return Gate(
      "readable",
      "at most \(Figures.share(ReportLimits.mostBroken, of: 10_000)) of the lines are broken",
      measured: "\(recording.broken) of \(Figures.count(all, "line"))\(torn)",
      findings
    )
  }

  var enoughAnswers: Gate {
    let isEnough = answers.count >= ReportLimits.fewestAnswers
    return Gate(
      "enough_samples",
      "at least \(ReportLimits.fewestAnswers) answers",
      measured: "\(answers.count)",
      isEnough
        ? []
        : [
          Gate.Finding(
            "\(Figures.count(answers.count, "answer")) show nothing;"
              + " \(ReportLimits.fewestAnswers) are the least",
            answers.map(\.line)
          )
        ]
    )
  }

  /// Returns how far the server's time is outside the request, in milliseconds.
  private func distance(_ sample: RecordedSample) -> Int64 {
    guard let time = sample.serverTime else { return 0 }
    return time < sample.startedAt
      ? time - sample.startedAt : max(time - sample.endedAt, 0)
  }

  private var clocks: Gate {
    let off = answers.filter { distance($0).magnitude > ReportLimits.clockSkew.magnitude }
    let worst = answers.map { distance($0) }.max { $0.magnitude < $1.magnitude } ?? 0
    return Gate(
      "clocks_agree",
      "the server's time lies within \(ReportLimits.clockSkew / 1_000) s of the request's",
      measured: "at most \(Figures.span(worst)) apart",
      off.isEmpty
        ? []
        : [
          Gate.Finding(
            "in \(Figures.count(off.count, "answer")) the clocks of server and client are apart,"
              + " by up to \(Figures.span(worst))",
            off.map(\.line)
          )
        ]
    )
  }

  private var serverTimeOrder: Gate {
    var back: [Int] = []
    var worst: Int64 = 0
    var latest: [Int32: Int64] = [:]
    for sample in answers {
      guard let time = sample.serverTime else { continue }
      if let before = latest[sample.resource], time < before - ReportLimits.clockGrain {
        back.append(sample.line)
        worst = max(worst, before - time)
      }
      latest[sample.resource] = max(latest[sample.resource] ?? time, time)
    }
    return Gate(
      "server_time_monotone",
      "the server's time never goes back",
      measured: "\(back.count) times back",
      back.isEmpty
        ? []
        : [
          Gate.Finding(
            "the server's time goes back \(back.count) times, by up to \(Figures.span(worst))",
            back
          )
        ]
    )
  }

  private var stopEchoed: Gate {
    let contents = answers.filter { $0.outcome == .content }
    let silent = lines(contents) { $0.asked == nil || $0.answered == nil }
    var findings: [Gate.Finding] = []
    if let missing = lacking("which stop was asked for and answered", silent, of: contents) {
      findings.append(missing)
    }
    let others = contents.filter { sample in
      guard let asked = sample.asked, let answered = sample.answered else { return false }
      return asked != answered && !isSameStop(recording.strings[asked], recording.strings[answered])
    }
    if let first = others.first, let asked = first.asked, let answered = first.answered {
      findings.append(
        Gate.Finding(
          "\(Figures.count(others.count, "answer")) of another stop: line \(first.line) asked for"
            + " \"\(recording.strings[asked].prefix(60))\" and got"
            + " \"\(recording.strings[answered].prefix(60))\"",
          others.map(\.line)
        )
      )
    }
    return Gate(
      "stop_echoed",
      "every board is of the stop that was asked for",
      measured: "\(contents.count - silent.count - others.count) of \(contents.count)",
      findings
    )
  }

  /// Returns whether two ids refer to one station: the seed's API writes `Parent8501120` for
  /// `8501120`.
  private func isSameStop(_ left: String, _ right: String) -> Bool {
    func bare(_ id: String) -> Substring { id.hasPrefix("Parent") ? id.dropFirst(6) : id[...] }
    return bare(left) == bare(right)
  }

  /// Returns a finding if too many of some samples lack a piece of evidence.
  private func lacking(
    _ evidence: String,
    _ lines: [Int],
    of samples: [RecordedSample]
  ) -> Gate.Finding? {
    let share = ReportLimits.leastEvidence
    guard (samples.count - lines.count) * 100 < samples.count * share else { return nil }
    return Gate.Finding(
      "\(lines.count) of \(Figures.count(samples.count, "answer")) do not say \(evidence)",
      lines
    )
  }

  private var payloads: Gate {
    let contents = answers.filter { $0.outcome == .content }
    let silent = lines(contents) { $0.digest == nil }
    var findings: [Gate.Finding] = []
    if let missing = lacking("what their body was (digest)", silent, of: contents) {
      findings.append(missing)
    }
    var bodies = Set<UInt64>()
    var names = Set<UInt64>()
    let repeated = answers.filter { sample in
      let body = sample.digest.map { !bodies.insert($0).inserted } ?? false
      let name = sample.requestId.map { !names.insert($0).inserted } ?? false
      return body || name
    }
    if !repeated.isEmpty {
      findings.append(
        Gate.Finding(
          "\(Figures.count(repeated.count, "answer")) came before: the same body or the same"
            + " request id, as from a cache or a copy",
          repeated.map(\.line)
        )
      )
    }
    return Gate(
      "payloads_distinct",
      "no answer of the server appears twice",
      measured: "\(bodies.count) bodies, \(names.count) request ids",
      findings
    )
  }

  private var ages: Gate {
    /// The server's time by the receipt, or else by the line: `Date`, which a 304 has it from, is written later than the
    /// age is computed, and counts whole seconds.
    func serverTime(_ sample: RecordedSample) -> (time: Int64, grain: Int64)? {
      if let receipt = sample.receipt, receipt.verdict == .genuine {
        return (receipt.serverTime, ReportLimits.receiptAgeGrain)
      }
      return sample.serverTime.map { ($0, ReportLimits.ageGrain) }
    }
    func isOff(_ sample: RecordedSample) -> Bool {
      guard let age = sample.cacheAge else { return false }
      if age < 0 { return true }
      if let server = serverTime(sample), let fetched = sample.fetchedAt {
        let apart = max(server.time - fetched, 0) - age
        if apart.magnitude > server.grain.magnitude { return true }
      }
      return sample.age.map { $0 < age } ?? false
    }
    let off = answers.filter(isOff)
    let judged = answers.count {
      $0.cacheAge != nil && $0.fetchedAt != nil && serverTime($0) != nil
    }
    return Gate(
      "ages_add_up",
      "rtCacheAgeMs is serverTime − rtFetchedAt, and no age on arrival is below it",
      measured: "\(judged) of \(answers.count) can be checked",
      off.isEmpty
        ? []
        : [
          Gate.Finding(
            "\(Figures.count(off.count, "age")) do not follow from the times of the same answer"
              + (off.first.map { first in
                let times = (serverTime(first)?.time ?? 0) - (first.fetchedAt ?? 0)
                return ": line \(first.line) says \(first.cacheAge ?? 0) ms, its times \(times) ms"
              } ?? ""),
            off.map(\.line)
          )
        ]
    )
  }

  var durations: Gate {
    let off = lines(samples) { sample in
      let length = sample.endedAt - sample.startedAt
      return length < 0 || (length - sample.duration).magnitude > 2
    }
    return Gate(
      "durations_add_up",
      "every duration is the time from start to end",
      measured: "\(samples.count - off.count) of \(samples.count)",
      off.isEmpty
        ? []
        : [Gate.Finding("\(Figures.count(off.count, "duration")) are not end − start", off)]
    )
  }
}
