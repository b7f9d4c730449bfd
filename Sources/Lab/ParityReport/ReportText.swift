/// A report as lines of text for a terminal of 100 columns.
package enum ReportText {
  /// The report of one client.
  package static func text(_ client: ClientReport) -> String {
    var lines = clientLines(client)
    lines.append("")
    lines.append("verdict: \(client.isPassed ? "PASS" : "FAIL")")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The report of two clients.
  package static func text(_ report: ParityReport) -> String {
    var lines: [String] = []
    for (index, client) in report.clients.enumerated() {
      if index > 0 { lines.append("") }
      lines += clientLines(client)
    }
    lines += ["", "Between the clients"]
    lines += report.gates.flatMap { gateLines($0) }
    lines += report.differences.map { "        \($0.name), second − first: \($0.value)" }
    lines += ["", "Mechanisms of seed 000"]
    lines += tableLines(report.mechanisms)
    lines += ["", "verdict: \(report.isPassed ? "PASS" : "FAIL")"]
    if !report.untold.isEmpty {
      lines += ["cannot be told without receipts:"] + report.untold.map { "  \($0)" }
    }
    lines += failures(report).map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The failed gates, by file.
  private static func failures(_ report: ParityReport) -> [String] {
    report.clients.flatMap { client in
      client.gates.filter { !$0.isPassed }.map { "\(plain(client.recording.name)): \($0.id)" }
    } + report.gates.filter { !$0.isPassed }.map { "between: \($0.id)" }
  }

  private static func clientLines(_ client: ClientReport) -> [String] {
    let recording = client.recording
    var lines = ["\(plain(recording.name)): \(Figures.count(recording.samples.count, "sample"))"]
    if let first = recording.samples.first, let last = recording.samples.last {
      lines[0] +=
        ", \(Figures.instant(first.startedAt)), \(Figures.span(last.endedAt - first.startedAt))"
    }
    lines += recording.firstBroken.map { "        line \($0.line): \($0.problem)" }
    if recording.broken > recording.firstBroken.count {
      lines.append("        and \(recording.broken - recording.firstBroken.count) more")
    }
    lines += client.gates.flatMap { gateLines($0) }
    lines.append("        \(pad("", 10))   least     p50     p95     p99    most    mean")
    for (name, figures) in [
      ("interval", client.intervalLengths), ("duration", client.durations), ("age", client.ages),
    ] {
      lines.append(row(name, figures) { Figures.span($0) })
    }
    lines.append(row("bytes", client.bytes) { Figures.bytes($0) })
    if let age = client.ageOnScreen {
      lines.append(
        "        age on screen: mean \(Figures.span(age.mean)), at most \(Figures.span(age.greatest))"
      )
    }
    for (name, member) in [("rtStatus", \RecordedSample.realtime), ("responseMode", \.mode)] {
      let counted = client.counts(member).prefix(8).map { "\(plain($0.value)) \($0.count)" }
      lines.append("        \(name): \(counted.isEmpty ? "–" : counted.joined(separator: ", "))")
    }
    return lines
  }

  private static func row(
    _ name: String,
    _ figures: Distribution,
    _ word: (Int64) -> String
  ) -> String {
    let values = [
      figures.least, figures.percentile(50), figures.percentile(95), figures.percentile(99),
      figures.greatest, figures.mean.map { Int64($0.rounded()) },
    ]
    let cells = values.map { pad($0.map(word) ?? "–", 8, atEnd: true) }
    return "        \(pad(name, 10))\(cells.joined())"
  }

  /// Returns a gate with its problems.
  static func gateLines(_ gate: Gate) -> [String] {
    let mark = gate.isPassed ? "pass" : "FAIL"
    var lines = ["  \(mark)  \(pad(gate.id, 21)) \(plain(gate.measured))"]
    for finding in gate.findings {
      lines.append("        \(plain(finding.says))")
      if let place = place(finding) { lines.append("        \(place)") }
    }
    return lines
  }

  /// The lines of a finding, in words.
  static func place(_ finding: Gate.Finding) -> String? {
    guard !finding.lines.isEmpty else { return nil }
    let numbers = finding.lines.map { String($0) }.joined(separator: ", ")
    let more = finding.count - finding.lines.count
    let file = finding.file.map { " of \(plain($0))" } ?? ""
    return "line\(finding.count == 1 ? "" : "s") \(numbers)"
      + (more > 0 ? " and \(more) more" : "") + file
  }

  private static func tableLines(_ table: MechanismTable) -> [String] {
    var lines = table.proofs.map { "        \($0.build): \(plain($0.source))" }
    for row in table.rows {
      let verdicts = zip(table.proofs, row.verdicts).map { "\($0.build) \(word($1))" }
      let number = pad(String(row.mechanism.row), 2, atEnd: true)
      lines.append(
        "  \(row.isProved ? "pass" : "FAIL")  \(number) \(pad(row.mechanism.title, 37))"
          + " \(plain(verdicts.joined(separator: ", ")))"
      )
    }
    return lines
  }

  /// A verdict in words.
  static func word(_ verdict: MechanismTable.Verdict) -> String {
    switch verdict {
    case .proved(let count): "proved by \(count)"
    case .failed(let ids): "failed: \(ids.prefix(3).joined(separator: ", "))"
    case .notProved: "not proved"
    }
  }

  /// Returns text without control and direction characters: untrusted text must not control a
  /// terminal.
  static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { scalar in
          let category = scalar.properties.generalCategory
          return category != .control && category != .format
        }
      )
    )
  }

  private static func pad(_ text: String, _ width: Int, atEnd: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(width - text.count, 0))
    return atEnd ? spaces + text : text + spaces
  }
}
