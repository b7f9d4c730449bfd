import Commands
import Foundation
import GTFS
import StationboardServer
import Timetable

/// A diagnosis for a terminal and for programs.
enum DiagnosisText {
  /// Returns the diagnosis as JSON, ended by a line feed.
  static func json(_ diagnosis: FeedDiagnosis) -> String {
    (try? PrintedJSON.document(diagnosis)) ?? ""
  }

  /// Returns the diagnosis as lines of text.
  static func text(_ diagnosis: FeedDiagnosis) -> String {
    var lines = [diagnosis.verdict, ""]
    for (name, value) in facts(diagnosis) { lines.append(Terminal.fit(name, 14) + value) }
    if diagnosis.facts != nil { lines.append("") }
    for finding in diagnosis.findings {
      lines.append("\(finding.weight == .noted ? "·" : "!") \(finding.sentence)")
      let more = finding.more > 0 ? ["… and \(Quantity.count(finding.more)) more"] : []
      let details = finding.details + more
      lines += (finding.areNames ? rows(details) : details).map { "    \($0)" }
    }
    for source in diagnosis.realtime {
      lines.append("\(source.isGood ? "·" : "!") Realtime \(source.source)")
      lines += source.sentences.map { "    \($0)" }
    }
    while lines.last == "" { lines.removeLast() }
    return lines.map { Terminal.plain($0) + "\n" }.joined()
  }

  /// Names in lines that are short enough to read.
  private static func rows(_ names: [String]) -> [String] {
    names.reduce(into: []) { rows, name in
      if let last = rows.last, last.count + name.count < 90 {
        rows[rows.count - 1] = last + ", " + name
      } else {
        rows.append(name)
      }
    }
  }

  /// Names and values of the facts, in the order in which they are shown.
  static func facts(_ diagnosis: FeedDiagnosis) -> [(name: String, value: String)] {
    guard let facts = diagnosis.facts else { return [] }
    let service = facts.service
    let total = service.departures.reduce(0, +)
    var found = [
      ("Operators", facts.agencies.joined(separator: ", ")),
      ("Service", "\(facts.serviceFrom) to \(facts.serviceUntil), \(facts.timeZone)"),
      ("Routes", Quantity.count(service.lines)),
      ("Stations", Quantity.count(service.stations)),
      ("Trips", Quantity.count(facts.trips)),
      ("Departures", "\(Quantity.count(total)) in the next \(ServiceSummary.days) days"),
    ]
    if let version = facts.version { found.insert(("Version", version), at: 1) }
    return found
  }
}
