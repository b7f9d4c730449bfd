/// A report as one HTML file: without scripts, self-contained, light and dark.
package enum ReportPage {
  /// The report of one client.
  package static func page(_ client: ClientReport) -> String {
    page(
      "Freshness report",
      isPassed: client.isPassed,
      section(client, style: "a") + plots([client])
    )
  }

  /// The report of two clients.
  package static func page(_ report: ParityReport) -> String {
    var body = ""
    for (client, style) in zip(report.clients, ["a", "b"]) { body += section(client, style: style) }
    body += "<section><h2>Between the clients</h2>\(gates(report.gates))<table><tbody>"
    for difference in report.differences {
      body += "<tr><th scope=\"row\">\(text(difference.name)), second − first</th>"
      body += "<td class=\"n\">\(text(difference.value))</td></tr>"
    }
    body += "</tbody></table>"
    if !report.untold.isEmpty {
      let items = report.untold.map { "<li>\(text($0))</li>" }.joined()
      body += "<p>Cannot be told without receipts:</p><ul>\(items)</ul>"
    }
    body += "</section>" + plots(report.clients) + table(report.mechanisms)
    return page("Freshness parity report", isPassed: report.isPassed, body)
  }

  private static func text(_ text: String) -> String { PageText.escaped(text) }

  private static func page(_ title: String, isPassed: Bool, _ body: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>\(title)</title>
    <style>\(style)</style>
    </head>
    <body>
    <header><h1>\(title)</h1><p class="verdict \(isPassed ? "pass" : "fail")">\
    \(isPassed ? "Pass" : "Fail")</p></header>
    <main>\(body)</main>
    </body>
    </html>

    """
  }

  // MARK: Sections

  private static func section(_ client: ClientReport, style: String) -> String {
    let recording = client.recording
    var html = "<section><h2><span class=\"key \(style)\"></span>\(text(recording.name))</h2><p>"
    html += Figures.count(recording.samples.count, "sample")
    if let first = recording.samples.first, let last = recording.samples.last {
      html += ", from \(Figures.instant(first.startedAt)), "
      html += Figures.span(last.endedAt - first.startedAt)
    }
    html += "</p>"
    if !recording.firstBroken.isEmpty {
      html += "<ul>"
      for broken in recording.firstBroken {
        html += "<li>line \(broken.line): \(text(broken.problem))</li>"
      }
      let more = recording.broken - recording.firstBroken.count
      html += (more > 0 ? "<li>and \(more) more</li>" : "") + "</ul>"
    }
    return html + gates(client.gates) + figures(client) + counts(client) + "</section>"
  }

  private static func gates(_ gates: [Gate]) -> String {
    var html = "<table><thead><tr><th scope=\"col\"></th><th scope=\"col\">Gate</th>"
    html += "<th scope=\"col\">Measured</th></tr></thead><tbody>"
    for gate in gates {
      let word = gate.isPassed ? "pass" : "fail"
      html +=
        "<tr><td class=\"\(word)\">\(word)</td><th scope=\"row\"><code>\(text(gate.id))</code>"
      html += " \(text(gate.says))\(gate.isOfSeed ? " <small>(seed)</small>" : "")"
      for finding in gate.findings {
        html += "<p class=\"finding\">\(text(finding.says))"
        html += ReportText.place(finding).map { "<br>\(text($0))" } ?? ""
        html += "</p>"
      }
      html += "</th><td>\(text(gate.measured))</td></tr>"
    }
    return html + "</tbody></table>"
  }

  private static func figures(_ client: ClientReport) -> String {
    var html = "<table><thead><tr><th scope=\"col\"></th>"
    for head in ["count", "least", "p50", "p95", "p99", "most", "mean", "deviation"] {
      html += "<th scope=\"col\" class=\"n\">\(head)</th>"
    }
    html += "</tr></thead><tbody>"
    let span = { (value: Int64) in Figures.span(value) }
    for (name, figures, word) in [
      ("interval", client.intervalLengths, span), ("duration", client.durations, span),
      ("age on arrival", client.ages, span),
      ("bytes of a board", client.bytes, { Figures.bytes($0) }),
    ] {
      let values: [Int64?] = [
        figures.least, figures.percentile(50), figures.percentile(95), figures.percentile(99),
        figures.greatest, figures.mean.map { Int64($0.rounded()) },
        figures.deviation.map { Int64($0.rounded()) },
      ]
      html += "<tr><th scope=\"row\">\(name)</th><td class=\"n\">\(figures.count)</td>"
      for value in values { html += "<td class=\"n\">\(value.map(word) ?? "–")</td>" }
      html += "</tr>"
    }
    html += "</tbody></table>"
    if let age = client.ageOnScreen {
      html += "<p>Age on screen: \(Figures.span(age.mean)) on average,"
      html += " \(Figures.span(age.greatest)) at most.</p>"
    }
    return html
  }

  private static func counts(_ client: ClientReport) -> String {
    var html = ""
    for (name, member) in [("rtStatus", \RecordedSample.realtime), ("responseMode", \.mode)] {
      let counted = client.counts(member).prefix(12).map { "\(text($0.value)) \($0.count)" }
      html +=
        "<p><code>\(name)</code>: \(counted.isEmpty ? "–" : counted.joined(separator: ", "))</p>"
    }
    return html
  }

  private static func table(_ table: MechanismTable) -> String {
    var html = "<section><h2>Mechanisms of seed 000</h2><ul>"
    for proof in table.proofs { html += "<li>\(text(proof.build)): \(text(proof.source))</li>" }
    html += "</ul><table><thead><tr><th scope=\"col\"></th><th scope=\"col\">Mechanism</th>"
    for proof in table.proofs { html += "<th scope=\"col\">\(text(proof.build))</th>" }
    html += "</tr></thead><tbody>"
    for row in table.rows {
      let word = row.isProved ? "pass" : "fail"
      html += "<tr><td class=\"\(word)\">\(word)</td><th scope=\"row\">\(row.mechanism.row)."
      html += " \(text(row.mechanism.title)) <small>\(row.mechanism.rules.joined(separator: ", "))"
      html += "</small></th>"
      for verdict in row.verdicts { html += "<td>\(text(ReportText.word(verdict)))</td>" }
      html += "</tr>"
    }
    return html + "</tbody></table></section>"
  }

  // MARK: Plots

  private static func plots(_ clients: [ClientReport]) -> String {
    let styles = ["a", "b"]
    let start = clients.compactMap { $0.recording.samples.first?.startedAt }.min() ?? 0
    func seconds(_ at: Int64) -> Double { Double(at - start) / 1_000 }
    let cadences = zip(clients, styles).map { client, style in
      Plot.Series(
        style: style,
        points: client.intervals.map { (seconds($0.at), Double($0.length) / 1_000) },
        isJoined: false
      )
    }
    let ages = zip(clients, styles).map { client, style in
      Plot.Series(style: style, points: sawtooth(client, seconds))
    }
    var limits: Set<Double> = []
    for client in clients {
      for interval in client.intervals where interval.cadence > 0 && limits.count < 4 {
        limits.insert(Double(interval.least) / 1_000)
      }
    }
    let entries = Array(zip(styles, clients))
    var html = "<section><h2>Cadence</h2>"
    html += Plot.overTime(
      "The time between requests, over time",
      cadences,
      limits: limits.sorted()
    )
    html +=
      "<p>Seconds between the starts of two requests. Dashed: the least the cadence allows.</p>"
    html += "<h2>Age on screen</h2>"
    html += Plot.overTime("The age of the data on screen, over time", ages, limits: [45])
    html += "<p>How old the data was on screen: it grows until an answer brings newer data.</p>"
    for (title, word, member) in [
      ("Intervals", { Figures.span($0) }, \ClientReport.intervalLengths),
      ("Durations", { Figures.span($0) }, \.durations),
      ("Ages on arrival", { Figures.span($0) }, \.ages),
      ("Bytes of a board", { Figures.bytes($0) }, \.bytes),
    ] as [(String, (Int64) -> String, KeyPath<ClientReport, Distribution>)] {
      let figures = entries.map { (style: $0.0, figures: $0.1[keyPath: member]) }
      html += "<h2>\(title)</h2>" + Plot.histogram(title, figures, word: word)
    }
    return html + "</section>"
  }

  /// Returns the age on screen: it drops at each response and grows in between.
  private static func sawtooth(
    _ client: ClientReport,
    _ seconds: (Int64) -> Double
  ) -> [(x: Double, y: Double)] {
    var points: [(x: Double, y: Double)] = []
    var shown: (at: Int64, age: Int64)?
    for sample in client.answers {
      if let shown {
        let age = shown.age + max(sample.endedAt - shown.at, 0)
        points.append((seconds(sample.endedAt), Double(age) / 1_000))
      }
      guard let age = sample.age else { continue }
      shown = (sample.endedAt, age)
      points.append((seconds(sample.endedAt), Double(age) / 1_000))
    }
    return points
  }

  private static let style = """
    :root{--ink:#1b1f24;--faint:#59636e;--paper:#fff;--line:#d1d9e0;--a:#01577f;--b:#b35900;\
    --good:#1a7f37;--bad:#c0152b}
    @media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--faint:#9aa4af;--paper:#0f1419;\
    --line:#3a434d;--a:#5fb7e0;--b:#f0a04b;--good:#4ac26b;--bad:#ff7b85}}
    body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--paper);color:var(--ink);\
    font:1rem/1.5 system-ui,sans-serif}
    header{display:flex;gap:1rem;align-items:baseline;flex-wrap:wrap}
    h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem;overflow-wrap:anywhere}
    table{border-collapse:collapse;width:100%;margin:.5rem 0;font-size:.9rem}
    th,td{border-bottom:1px solid var(--line);padding:.3rem .5rem;text-align:left;\
    vertical-align:top;font-weight:normal;overflow-wrap:anywhere}
    thead th{color:var(--faint)}.n{text-align:right;font-variant-numeric:tabular-nums;\
    white-space:nowrap}
    .pass{color:var(--good)}.fail{color:var(--bad);font-weight:bold}
    .verdict{font-size:1.25rem;font-weight:bold}.finding{margin:.25rem 0;color:var(--bad)}
    small{color:var(--faint)}.key{display:inline-block;width:.8em;height:.8em;margin-right:.4em;\
    border-radius:2px}.key.a{background:var(--a)}.key.b{background:var(--b)}
    svg{width:100%;height:auto;font-size:11px}svg text{fill:var(--faint)}
    svg .y{text-anchor:end;dominant-baseline:middle}svg .x{text-anchor:middle}svg .x.end{text-anchor:end}
    .grid{stroke:var(--line);stroke-width:.5}.limit{stroke:var(--bad);stroke-dasharray:4 3}
    polyline{fill:none;stroke-width:1.2}polyline.a{stroke:var(--a)}polyline.b{stroke:var(--b)}
    circle.a,rect.a{fill:var(--a)}circle.b,rect.b{fill:var(--b)}
    """
}
