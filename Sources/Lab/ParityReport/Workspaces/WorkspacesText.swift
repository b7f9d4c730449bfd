/// The report of workspaces as lines of text, and as JSON.
package enum WorkspacesText {
  /// The report for a terminal of 100 columns.
  package static func text(_ report: WorkspacesReport) -> String {
    var lines: [String] = []
    for (recording, gates) in zip(report.recordings, report.gatesOfRecordings) {
      let name = ReportText.plain(recording.name)
      lines.append("\(name): \(Figures.count(recording.samples.count, "sample"))")
      if let first = recording.samples.first, let last = recording.samples.last {
        lines[lines.count - 1] +=
          ", \(Figures.instant(first.startedAt)), \(Figures.span(last.endedAt - first.startedAt))"
      }
      lines += gates.flatMap { ReportText.gateLines($0) } + [""]
    }
    lines += traffic(report) + [""] + delays(report) + [""]
    lines += report.gates.flatMap { ReportText.gateLines($0) }
    lines += ["", "verdict: \(report.isPassed ? "PASS" : "FAIL")"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func traffic(_ report: WorkspacesReport) -> [String] {
    let list =
      report.wholeList > 0
      ? "a whole list is \(Figures.bytes(report.wholeList))" : "no whole list was asked for"
    var lines = [
      "Requests and bytes by state; \(list)",
      cells(["state", "measured", "requests/h", "seed", "304", "bytes/h", "without 304, deltas"]),
    ]
    for row in report.rows {
      lines.append(
        cells([
          row.state.rawValue, row.time > 0 ? Figures.span(row.time) : "–",
          row.requestsPerHour.map { Figures.decimal($0, places: 1) } ?? "–",
          "\(row.state.requests)", Figures.share(row.unchanged, of: row.answers),
          row.bytesPerHour.map { Figures.bytes(Int64($0)) } ?? "–",
          row.wholeBytesPerHour.map { Figures.bytes(Int64($0)) } ?? "–",
        ])
      )
    }
    let least = Figures.span(WorkspaceReportLimits.leastTime)
    if report.rows.contains(where: { $0.time > 0 && $0.requestsPerHour == nil }) {
      lines.append("  what was measured for less than \(least) shows no rate")
    }
    guard report.streamed.bytes > 0 else { return lines }
    let time = Figures.span(report.streamed.time)
    if let bytes = report.streamedPerHour {
      lines.append(
        "  over the stream: \(Figures.bytes(Int64(bytes))) in an hour, measured for \(time)"
      )
    } else {
      lines.append(
        "  over the stream: \(Figures.bytes(report.streamed.bytes)) in \(time), which shows no rate;"
          + " \(least) are the least"
      )
    }
    return lines
  }

  private static func delays(_ report: WorkspacesReport) -> [String] {
    var lines = [
      "From the change to the screen",
      "  " + pad("", 56)
        + ["changes", "p50", "p95", "most", "limit"].map { pad($0, 8, true) }.joined(),
    ]
    for row in report.delays {
      let figures = [
        "\(row.times.count)", Figures.span(row.times.percentile(50)),
        Figures.span(row.times.percentile(WorkspaceReportLimits.percentile)),
        Figures.span(row.times.greatest), Figures.span(row.limit),
      ]
      lines.append("  " + pad(row.name, 56) + figures.map { pad($0, 8, true) }.joined())
    }
    lines.append("  \(Figures.count(report.superseded, "change")) over before they were late")
    return lines
  }

  private static func cells(_ words: [String]) -> String {
    let widths = [12, 14, 12, 7, 9, 12, 21]
    return zip(words, widths).enumerated().map { index, cell in
      pad(cell.0, cell.1, index > 0)
    }
    .reduce("  ", +)
  }

  private static func pad(_ text: String, _ width: Int, _ atEnd: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(width - text.count, 0))
    return atEnd ? spaces + text : text + spaces
  }

  /// The report as JSON.
  package static func json(_ report: WorkspacesReport) -> String {
    let files = zip(report.recordings, report.gatesOfRecordings).map { recording, gates in
      ReportJSON.object([
        ("file", ReportJSON.quoted(recording.name)), ("samples", "\(recording.samples.count)"),
        ("gates", ReportJSON.list(gates.map { ReportJSON.gate($0) })),
      ])
    }
    let rows = report.rows.map { row in
      ReportJSON.object([
        ("state", ReportJSON.quoted(row.state.rawValue)), ("ms", "\(row.time)"),
        ("requestsPerHour", ReportJSON.number(row.requestsPerHour)),
        ("seedRequestsPerHour", "\(row.state.requests)"), ("answers", "\(row.answers)"),
        ("notModified", "\(row.unchanged)"), ("withNews", "\(row.changes)"),
        ("bytesPerHour", ReportJSON.number(row.bytesPerHour)),
        ("wholeBytesPerHour", ReportJSON.number(row.wholeBytesPerHour)),
      ])
    }
    let delays = report.delays.map { row in
      ReportJSON.object([
        ("name", ReportJSON.quoted(row.name)), ("limitMs", ReportJSON.number(row.limit)),
        ("ms", ReportJSON.distribution(row.times)),
      ])
    }
    return ReportJSON.object([
      ("verdict", ReportJSON.quoted(report.isPassed ? "pass" : "fail")),
      ("recordings", ReportJSON.list(files)),
      ("wholeListBytes", report.wholeList > 0 ? "\(report.wholeList)" : "null"),
      ("streamedBytes", "\(report.streamed.bytes)"), ("streamedMs", "\(report.streamed.time)"),
      ("states", ReportJSON.list(rows)), ("delays", ReportJSON.list(delays)),
      ("superseded", "\(report.superseded)"),
      ("gates", ReportJSON.list(report.gates.map { ReportJSON.gate($0) })),
    ]) + "\n"
  }
}
