import Commands
import Foundation
import GTFS
import StationboardServer
import Timetable

/// A diagnosis as a page in one file, without scripts and without anything from elsewhere.
struct DiagnosisPage {
  private let diagnosis: FeedDiagnosis

  /// Takes a diagnosis.
  init(_ diagnosis: FeedDiagnosis) { self.diagnosis = diagnosis }

  /// The page.
  var text: String {
    """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>\(Self.plain(diagnosis.feed))</title>
    <style>\(Self.style)</style>
    <main>
    <h1>\(Self.plain(diagnosis.feed))</h1>
    <p class="verdict \(verdictClass)">\(Self.plain(diagnosis.verdict))</p>
    \(facts)\(days)\(findings)\(realtime)
    </main>
    </html>

    """
  }

  private var verdictClass: String {
    diagnosis.facts == nil ? "refused" : diagnosis.isGood ? "good" : "lost"
  }

  private var facts: String {
    let rows = DiagnosisText.facts(diagnosis)
      .map { "<dt>\(Self.plain($0.name))</dt><dd>\(Self.plain($0.value))</dd>" }
    return rows.isEmpty ? "" : "<dl>\(rows.joined())</dl>\n"
  }

  /// The departures of each day as bars.
  private var days: String {
    guard let service = diagnosis.facts?.service else { return "" }
    let most = max(service.departures.max() ?? 0, 1)
    let rows = service.departures.enumerated()
      .map { offset, count in
        let date = ServiceDate(daysSinceEpoch: service.firstDay + offset)
        let width = count == 0 ? 0 : max(1, count * 100 / most)
        return "<tr><th>\(Self.weekdays[date.weekday]) \(date)</th>"
          + "<td><i style=\"width:\(width)%\"></i></td><td>\(Quantity.count(count))</td></tr>"
      }
    return "<h2>Departures</h2>\n<table>\(rows.joined())</table>\n"
  }

  private var findings: String {
    guard !diagnosis.findings.isEmpty else { return "" }
    let items = diagnosis.findings.map { finding in
      "<li class=\"\(finding.weight.rawValue)\">\(Self.plain(finding.sentence))"
        + Self.list(finding.details, more: finding.more) + "</li>"
    }
    return "<h2>Findings</h2>\n<ul>\(items.joined(separator: "\n"))</ul>\n"
  }

  private var realtime: String {
    guard !diagnosis.realtime.isEmpty else { return "" }
    let items = diagnosis.realtime.map { source in
      "<li class=\"\(source.isGood ? "noted" : "lost")\">\(Self.plain(source.source))"
        + Self.list(source.sentences, more: 0) + "</li>"
    }
    return "<h2>Realtime</h2>\n<ul>\(items.joined(separator: "\n"))</ul>\n"
  }

  private static func list(_ details: [String], more: Int) -> String {
    guard !details.isEmpty else { return "" }
    let rest = more > 0 ? "<li>… and \(Quantity.count(more)) more</li>" : ""
    return "<ul>\(details.map { "<li>\(plain($0))</li>" }.joined())\(rest)</ul>"
  }

  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  /// A text of a feed, which may be hostile, as text of the page.
  private static func plain(_ text: String) -> String {
    Terminal.plain(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }

  private static let style = """
    :root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --lost: #b35900; --refused: #c0392b }
    @media (prefers-color-scheme: dark) { :root { --good: #4cc26a; --lost: #f0a040; --refused: #ff7b6b } }
    body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; overflow-wrap: anywhere }
    main { max-width: 46rem; margin: auto; padding: 1.5rem 1rem 4rem }
    h1 { font-size: 1.2rem; margin: 0 0 .5rem } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
    .verdict { font-size: 1.15rem; font-weight: 600; border-left: .3rem solid; padding-left: .7rem; margin: 0 0 1.5rem }
    .verdict.good { color: var(--good) } .verdict.lost { color: var(--lost) } .verdict.refused { color: var(--refused) }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0 }
    dt { opacity: .7 } dd { margin: 0 }
    table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
    th { font-weight: 400; text-align: left; white-space: nowrap; padding-right: 1rem }
    td:nth-child(2) { width: 100% } td:last-child { text-align: right; padding-left: 1rem; white-space: nowrap }
    td i { display: block; height: .8rem; background: currentColor; opacity: .45; border-radius: .15rem }
    ul { padding: 0; list-style: none; margin: 0 } main > ul > li { border-left: .3rem solid var(--line); padding: .2rem 0 .2rem .7rem; margin: .6rem 0 }
    main > ul > li.lost { border-color: var(--lost) } main > ul > li.refused { border-color: var(--refused) }
    ul ul { opacity: .75; font-size: .92rem } ul ul li { margin: .1rem 0 }
    """
}
