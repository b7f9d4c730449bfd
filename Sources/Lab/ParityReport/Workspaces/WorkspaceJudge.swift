/// Judges the tables of workspaces: seed 003 and design/workspaces.md.
struct WorkspaceJudge {
  let rows: [PollRow]
  let delays: [WorkspacesReport.DelayRow]
  let truths: [AgentGroundTruth]

  var gates: [Gate] {
    [truth, rates, unchanged, saved, activeBytes] + delays.compactMap { delay($0) }
  }

  private func row(_ state: PollState) -> PollRow {
    rows.first { $0.state == state } ?? PollRow(state: state)
  }

  private var truth: Gate {
    let broken = truths.flatMap(\.broken)
    let changes = truths.reduce(0) { $0 + $1.changes.count }
    var findings: [Gate.Finding] = []
    if let first = broken.first {
      findings.append(
        Gate.Finding(
          "\(Figures.count(broken.count, "line")) cannot be read: \(first.problem)",
          broken.map(\.line)
        )
      )
    }
    return Gate(
      "truth_readable",
      "every line of the truth can be read",
      measured: Figures.count(changes, "change"),
      findings
    )
  }

  private var rates: Gate {
    var findings: [Gate.Finding] = []
    var measured: [String] = []
    for row in rows {
      let name = row.state.rawValue
      guard row.time >= WorkspaceReportLimits.leastTime, let rate = row.requestsPerHour else {
        findings.append(
          Gate.Finding(
            "\(name): \(Figures.span(row.time)) show no rate;"
              + " \(Figures.span(WorkspaceReportLimits.leastTime)) are the least"
          )
        )
        continue
      }
      let due = Double(row.state.requests)
      measured.append("\(name) \(Figures.decimal(rate, places: 0))")
      if abs(rate - due) * 100 > due * Double(WorkspaceReportLimits.rateSlack) {
        findings.append(
          Gate.Finding(
            "\(name): \(Figures.decimal(rate, places: 1)) requests in an hour instead of"
              + " \(row.state.requests)"
          )
        )
      }
    }
    return Gate(
      "requests_per_hour",
      "the requests in an hour are the seed's in each state, within \(WorkspaceReportLimits.rateSlack) %",
      measured: measured.isEmpty ? "nothing" : measured.joined(separator: ", "),
      findings,
      isOfSeed: true
    )
  }

  private var unchanged: Gate {
    let idle = row(.idle)
    let quiet = idle.answers - idle.changes
    var findings: [Gate.Finding] = []
    let share = Figures.share(idle.unchanged, of: quiet)
    if quiet < WorkspaceReportLimits.fewestIdle {
      findings.append(
        Gate.Finding(
          "\(Figures.count(quiet, "idle answer")) without news show no share;"
            + " \(WorkspaceReportLimits.fewestIdle) are the least"
        )
      )
    } else if idle.unchanged * 1_000 < quiet * WorkspaceReportLimits.leastUnchanged {
      findings.append(Gate.Finding("only \(share) of the idle answers say \"not modified\""))
    }
    return Gate(
      "unchanged_when_idle",
      "of idle answers without news at least"
        + " \(Figures.share(WorkspaceReportLimits.leastUnchanged, of: 1_000)) say \"not modified\"",
      measured: "\(share) of \(Figures.count(quiet, "answer"))",
      findings,
      isOfSeed: true
    )
  }

  private var saved: Gate {
    var findings: [Gate.Finding] = []
    var measured: [String] = []
    for row in rows where row.wholeBytes > 0 && !row.state.isBusy {
      let share = Figures.share(Int(row.bytes), of: Int(row.wholeBytes))
      measured.append("\(row.state.rawValue) \(share)")
      if row.bytes * 100 > row.wholeBytes * Int64(WorkspaceReportLimits.mostOfWhole) {
        findings.append(
          Gate.Finding("\(row.state.rawValue): \(share) of what whole lists would have been")
        )
      }
    }
    if measured.isEmpty { findings.append(Gate.Finding("no answer shows what was saved")) }
    return Gate(
      "bytes_saved",
      "while nothing goes on, at most \(WorkspaceReportLimits.mostOfWhole) % of the bytes of whole lists",
      measured: measured.isEmpty ? "nothing" : measured.joined(separator: ", "),
      findings,
      isOfSeed: true
    )
  }

  private var activeBytes: Gate {
    let active = row(.active)
    let bytes = active.time >= WorkspaceReportLimits.leastTime ? active.bytesPerHour : nil
    let text = bytes.map { Figures.bytes(Int64($0)) + " in an hour" }
    var findings: [Gate.Finding] = []
    if let bytes, let text, bytes >= Double(WorkspaceReportLimits.mostActiveBytes) {
      findings.append(Gate.Finding("\(text) while active"))
    } else if bytes == nil {
      findings.append(Gate.Finding("no recording shows the bytes of active use"))
    }
    return Gate(
      "active_bytes",
      "an hour of active use takes less than \(Figures.bytes(WorkspaceReportLimits.mostActiveBytes))",
      measured: text ?? "nothing",
      findings,
      isOfSeed: true
    )
  }

  private func delay(_ row: WorkspacesReport.DelayRow) -> Gate? {
    guard let limit = row.limit else { return nil }
    let percentile = WorkspaceReportLimits.percentile
    let time = row.times.percentile(percentile)
    var findings: [Gate.Finding] = []
    if row.times.count < WorkspaceReportLimits.fewestChanges {
      findings.append(
        Gate.Finding(
          "\(Figures.count(row.times.count, "change")) show no percentile;"
            + " \(WorkspaceReportLimits.fewestChanges) are the least"
        )
      )
    } else if let time, time >= limit {
      findings.append(Gate.Finding("p\(percentile) is \(Figures.span(time))"))
    }
    let words = row.name.split(separator: ",")
    let id =
      words[0].replacing(" and ", with: "_") + "_" + (words[1].split(separator: " ").first ?? "")
    return Gate(
      String(id),
      "p\(percentile) of the time from the change to the screen is below \(Figures.span(limit))",
      measured: "\(Figures.span(time)) of \(Figures.count(row.times.count, "change"))",
      findings,
      isOfSeed: limit != WorkspaceReportLimits.pushed
    )
  }
}
