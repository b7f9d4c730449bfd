extension ClientJudge {
  var answersConsistent: Gate {
    let off = samples.filter { !isConsistent($0) }
    return Gate(
      "answers_consistent",
      "status, outcome, condition and size of every answer fit together",
      measured: "\(samples.count - off.count) of \(samples.count)",
      off.isEmpty
        ? []
        : [
          Gate.Finding(
            "\(Figures.count(off.count, "answer")) cannot have happened"
              + (off.first.map {
                ": line \($0.line) is \"\($0.outcome.rawValue)\" with status \($0.status),"
                  + " \($0.bytes) bytes, \($0.isConditional ? "" : "not ")conditional"
              } ?? ""),
            off.map(\.line)
          )
        ]
    )
  }

  private func isConsistent(_ sample: RecordedSample) -> Bool {
    guard sample.bytes >= 0, !sample.isChange || sample.outcome == .content else { return false }
    switch sample.outcome {
    case .content: return (200...299).contains(sample.status) && sample.bytes > 0
    case .unchanged:
      return [204, 304].contains(sample.status) && sample.isConditional && sample.bytes == 0
    case .refused: return (300...499).contains(sample.status)
    case .unauthorised: return [401, 403, 407].contains(sample.status)
    case .gone: return sample.status == 410
    case .throttled: return [429, 503].contains(sample.status)
    case .serverError: return sample.status == 408 || (500...599).contains(sample.status)
    case .timedOut, .unreachable: return sample.status == 0
    case .undecodable, .cancelled: return true
    }
  }

  var shares: Gate {
    let unchanged = answers.filter { $0.outcome == .unchanged }
    let contents = answers.count - unchanged.count
    var findings: [Gate.Finding] = []
    if contents == 0, !answers.isEmpty {
      findings.append(
        Gate.Finding("no answer has a body: nothing was ever shown", unchanged.map(\.line))
      )
    } else if answers.count >= ReportLimits.fewestForShares,
      unchanged.count * 100 > answers.count * ReportLimits.mostUnchanged
    {
      let share = Figures.share(unchanged.count, of: answers.count)
      findings.append(
        Gate.Finding(
          "\(share) of the answers say \"not modified\"; a client that asks for a whole answer after"
            + " five of them (R18) gets at most \(ReportLimits.mostUnchanged) %",
          unchanged.map(\.line)
        )
      )
    }
    return Gate(
      "answer_shares",
      "some answers have a body, and at most \(ReportLimits.mostUnchanged) % say \"not modified\"",
      measured: "\(contents) × 200, \(unchanged.count) × 304 or 204",
      findings
    )
  }

  var failures: Gate {
    let failed = samples.filter { !$0.isAnswer && $0.outcome != .cancelled }
    let share = Figures.share(failed.count, of: samples.count)
    let isTooMany = failed.count * 100 > samples.count * ReportLimits.mostFailures
    return Gate(
      "failures",
      "at most \(ReportLimits.mostFailures) % of the requests fail",
      measured: "\(failed.count) of \(samples.count)",
      isTooMany ? [Gate.Finding("\(share) of the requests fail", failed.map(\.line))] : []
    )
  }

  var silence: Gate {
    var longest: Int64 = 0
    var long: [(line: Int, length: Int64)] = []
    for (before, after) in zip(answers, answers.dropFirst()) {
      let length = after.endedAt - before.endedAt
      longest = max(longest, length)
      let limit = max(ReportLimits.silence, after.cadence * ReportLimits.silenceFactor)
      if length > limit { long.append((after.line, length)) }
    }
    return Gate(
      "no_silence",
      "never longer than \(ReportLimits.silence / 1_000) s, or \(ReportLimits.silenceFactor) cadences,"
        + " without an answer",
      measured: "at most \(Figures.span(longest))",
      long.isEmpty
        ? []
        : [
          Gate.Finding(
            "\(Figures.count(long.count, "gap")) between answers, up to"
              + " \(Figures.span(long.map(\.length).max() ?? 0))",
            long.map(\.line)
          )
        ]
    )
  }

  /// Requests are numbered: omitted samples leave gaps.
  var complete: Gate {
    var missing = 0
    var places: [Int] = []
    var numbered = 0
    var last: [Int32: Int64] = [:]
    for sample in samples {
      guard let number = sample.generation else { continue }
      numbered += 1
      if let before = last[sample.resource], number > before + 1 {
        missing = min(missing + Int(clamping: number - before - 1), 1 << 40)
        places.append(sample.line)
      }
      last[sample.resource] = number
    }
    let all = numbered + missing
    let isTooMany = missing * 100 > all * ReportLimits.mostMissing
    return Gate(
      "nothing_left_out",
      "at most \(ReportLimits.mostMissing) % of the numbered requests are not recorded",
      measured: "\(missing) of \(all) missing",
      isTooMany
        ? [
          Gate.Finding(
            "\(missing) requests between those recorded are missing: samples were left out",
            places
          )
        ] : []
    )
  }

  /// Measurements have noise; invented figures are round, or all the same.
  var measured: Gate {
    var findings: [Gate.Finding] = []
    let all = samples.count
    if all >= ReportLimits.fewestAnswers {
      let members: [(String, (RecordedSample) -> Int64?)] = [
        ("startedAt", { $0.startedAt }), ("rtCacheAgeMs", { $0.cacheAge }),
      ]
      for (name, figure) in members {
        let figures = samples.filter { figure($0) != nil }
        let round = lines(figures) { (figure($0) ?? 1) % 100 == 0 }
        guard figures.count >= ReportLimits.fewestAnswers,
          round.count * 100 > figures.count * ReportLimits.mostRound
        else { continue }
        findings.append(
          Gate.Finding(
            "\(round.count) of \(figures.count) values of \(name) are multiples of 100 ms",
            round
          )
        )
      }
      let lengths = Set(intervals.filter { $0.kind == .scheduled }.map(\.length))
      let isFlat = lengths.count <= 2 && Set(samples.map(\.duration)).count == 1
      if isFlat, findings.isEmpty {
        findings.append(
          Gate.Finding(
            "every request took \(samples[0].duration) ms and every interval is the same",
            samples.map(\.line)
          )
        )
      }
    }
    return Gate(
      "looks_measured",
      "the figures have the noise of measurements",
      measured: Figures.count(all, "sample"),
      findings
    )
  }
}
