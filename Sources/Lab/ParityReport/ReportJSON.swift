import StrictJSON

/// A report as JSON.
package enum ReportJSON {
  /// The report of one client.
  package static func text(_ client: ClientReport) -> String {
    object([
      ("verdict", quoted(client.isPassed ? "pass" : "fail")), ("client", self.client(client)),
    ])
      + "\n"
  }

  /// The report of two clients.
  package static func text(_ report: ParityReport) -> String {
    object([
      ("verdict", quoted(report.isPassed ? "pass" : "fail")),
      ("clients", list(report.clients.map { client($0) })),
      ("gates", list(report.gates.map { gate($0) })),
      (
        "differences",
        object(report.differences.map { ($0.name, quoted($0.value)) })
      ),
      ("cannotBeTold", list(report.untold.map { quoted($0) })),
      ("mechanisms", mechanisms(report.mechanisms)),
    ]) + "\n"
  }

  private static func client(_ client: ClientReport) -> String {
    let recording = client.recording
    let broken = recording.firstBroken.map {
      object([("line", "\($0.line)"), ("problem", quoted($0.problem))])
    }
    return object([
      ("file", quoted(recording.name)), ("passed", "\(client.isPassed)"),
      ("samples", "\(recording.samples.count)"), ("lines", "\(recording.lines)"),
      ("broken", "\(recording.broken)"), ("firstBroken", list(broken)),
      ("torn", "\(recording.isTorn)"), ("leftOut", "\(recording.leftOut)"),
      ("gates", list(client.gates.map { gate($0) })),
      ("intervalMs", distribution(client.intervalLengths)),
      ("durationMs", distribution(client.durations)), ("ageMs", distribution(client.ages)),
      ("bytes", distribution(client.bytes)), ("appliedAgeP95Ms", number(client.appliedAge)),
      ("meanAgeOnScreenMs", number(client.ageOnScreen?.mean)),
      ("greatestAgeOnScreenMs", number(client.ageOnScreen?.greatest)),
      ("notAppliedPercent", number(client.notAppliedPercent)),
      ("rtStatus", object(client.counts(\.realtime).map { ($0.value, "\($0.count)") })),
      ("responseMode", object(client.counts(\.mode).map { ($0.value, "\($0.count)") })),
    ])
  }

  static func gate(_ gate: Gate) -> String {
    let findings = gate.findings.map { finding in
      object([
        ("says", quoted(finding.says)), ("lines", list(finding.lines.map { "\($0)" })),
        ("count", "\(finding.count)"), ("file", finding.file.map { quoted($0) } ?? "null"),
      ])
    }
    return object([
      ("id", quoted(gate.id)), ("passed", "\(gate.isPassed)"), ("says", quoted(gate.says)),
      ("measured", quoted(gate.measured)), ("seed", "\(gate.isOfSeed)"),
      ("findings", list(findings)),
    ])
  }

  static func distribution(_ figures: Distribution) -> String {
    object([
      ("count", "\(figures.count)"), ("least", number(figures.least)),
      ("p50", number(figures.percentile(50))), ("p95", number(figures.percentile(95))),
      ("p99", number(figures.percentile(99))), ("most", number(figures.greatest)),
      ("mean", number(figures.mean)), ("deviation", number(figures.deviation)),
    ])
  }

  private static func mechanisms(_ table: MechanismTable) -> String {
    list(
      table.rows.map { row in
        let builds = zip(table.proofs, row.verdicts).map { proof, verdict in
          (proof.build, quoted(ReportText.word(verdict)))
        }
        return object([
          ("row", "\(row.mechanism.row)"), ("title", quoted(row.mechanism.title)),
          ("proved", "\(row.isProved)"), ("vectors", list(row.vectors.map { quoted($0) })),
          ("builds", object(builds)),
        ])
      }
    )
  }

  // MARK: Syntax

  static func number(_ value: Int64?) -> String { value.map { "\($0)" } ?? "null" }

  static func number(_ value: Double?) -> String {
    value.map { Figures.decimal($0, places: 3) } ?? "null"
  }

  static func list(_ elements: [String]) -> String {
    "[\(elements.joined(separator: ","))]"
  }

  static func object(_ members: [(String, String)]) -> String {
    "{\(members.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ","))}"
  }

  static func quoted(_ text: String) -> String { JSONValue.quoted(text) }
}
