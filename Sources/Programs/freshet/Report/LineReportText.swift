import Commands
import GTFS
import StationboardServer

/// A ``LineReport`` for a terminal: the shares of delays as bars, and a row for each day if there are several.
struct LineReportText {
  private let report: LineReport
  private let width: Int

  /// Creates a text for so many columns.
  init(_ report: LineReport, columns: Int) {
    self.report = report
    width = min(max(columns, 40), 100)
  }

  private static let shares: [(DelayHistogram.Share, String)] = [
    (.early, "over 1 min early"), (.onTime, "on time"), (.upTo3, "1 to 3 min late"),
    (.upTo5, "3 to 5 min late"), (.upTo10, "5 to 10 min late"), (.over10, "10 min and more"),
  ]

  /// The text.
  var text: String {
    let total = report.total
    let name = [report.lines.first?.line.map { "Line \($0)" }, report.lines.first?.operator]
      .compactMap(\.self).joined(separator: ", ")
    var lines = [Terminal.plain(name), period, ""]
    lines += summary(LineSummary(total), total)
    lines.append("")
    lines += distribution(total.delays)
    lines.append("")
    lines += rest(total)
    if report.days.count > 1 { lines += [""] + table }
    lines += [
      "", "By the last word before each departure, which is a prediction unless the source",
    ]
    lines.append("tells departures of the past.")
    return lines.map { $0 + "\n" }.joined()
  }

  private var period: String {
    guard let first = report.days.first?.day, let last = report.days.last?.day else { return "" }
    let routes = report.lines.count
    let days = first == last ? "\(first)" : "\(first) to \(last), \(report.days.count) days"
    return days + (routes > 1 ? ", \(routes) routes" : "")
  }

  private func summary(_ summary: LineSummary, _ counts: LineCounts) -> [String] {
    let predicted = counts.delays.total
    let observed = counts.planned - counts.unobserved
    let punctual = counts.delays.count(.onTime) + counts.delays.count(.upTo3)
    func row(_ name: String, _ value: String, _ of: String) -> String {
      "  " + Terminal.fit(name, 18) + Terminal.fit(value, 10, atEnd: true) + "   " + of
    }
    func percent(_ part: Int, _ whole: Int) -> String {
      LineSummary.percent(part, of: whole).map { "\($0) %" } ?? "–"
    }
    return [
      row(
        "punctual",
        percent(punctual, predicted),
        "of \(Quantity.count(predicted)) departures: 1 min early to 3 min late"
      ),
      row(
        "with realtime",
        percent(observed - counts.unpredicted, observed),
        "of \(Quantity.count(observed)) planned departures"
      ),
      row("median delay", delay(counts.delays.quantile(0.5)), "as far as the ranges tell"),
      row("9 of 10 at most", delay(counts.delays.quantile(0.9)), ""),
    ].map { $0.trimmedAtEnd }
  }

  private func delay(_ seconds: Int?) -> String {
    guard let seconds else { return "–" }
    let sign = seconds < 0 ? "−" : "+"
    let rest = abs(seconds) % 60
    return "\(sign)\(abs(seconds) / 60):\(rest < 10 ? "0" : "")\(rest)"
  }

  private func distribution(_ delays: DelayHistogram) -> [String] {
    let counts = Self.shares.map { delays.count($0.0) }
    let most = max(counts.max() ?? 0, 1)
    let room = max(width - 42, 8)
    return zip(Self.shares, counts).map { share, count in
      let percent = LineSummary.percent(count, of: delays.total).map { "\($0) %" } ?? ""
      return
        ("  " + Terminal.fit(share.1, 18) + Terminal.fit(Quantity.count(count), 10, atEnd: true)
        + Terminal.fit(percent, 9, atEnd: true) + "  "
        + Self.bar(Double(count) / Double(most), room)).trimmedAtEnd
    }
  }

  /// A bar in eighths of a column.
  private static func bar(_ share: Double, _ room: Int) -> String {
    let eighths = Int((share * Double(room * 8)).rounded(.up))
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }

  private func rest(_ counts: LineCounts) -> [String] {
    func list(_ entries: [(Int, String)]) -> String {
      entries.filter { $0.0 > 0 }.map { "\(Quantity.count($0.0)) \($0.1)" }.joined(separator: ", ")
    }
    let departures = list([
      (counts.cancelled, "canceled"), (counts.skipped, "left out"),
      (counts.replaced, "replaced"), (counts.unpredicted, "without realtime"),
      (counts.unobserved, "not observed"),
    ])
    let trips = list([
      (counts.tripsSeen, "with realtime"), (counts.tripsMissing, "missing"),
      (counts.tripsUnobserved, "not observed"), (counts.tripsCancelled, "canceled"),
      (counts.tripsAdded, "added"),
    ])
    return [
      "  other departures  " + (departures.isEmpty ? "none" : departures),
      "  trips             " + (trips.isEmpty ? "none" : trips),
    ]
  }

  private var table: [String] {
    let room = max(width - 54, 8)
    let head =
      "  " + Terminal.fit("day", 12) + Terminal.fit("departures", 10, atEnd: true)
      + Terminal.fit("punctual", 10, atEnd: true) + Terminal.fit("median", 9, atEnd: true)
      + Terminal.fit("missing", 9, atEnd: true)
    return [head]
      + report.days.map { entry in
        let summary = LineSummary(entry.counts)
        let punctual =
          entry.counts.delays.count(.onTime) + entry.counts.delays.count(.upTo3)
        let share = Double(punctual) / Double(max(entry.counts.delays.total, 1))
        let percent = LineSummary.percent(punctual, of: entry.counts.delays.total)
        return
          ("  " + Terminal.fit(entry.day.description, 12)
          + Terminal.fit(Quantity.count(entry.counts.planned), 10, atEnd: true)
          + Terminal.fit(percent.map { "\($0) %" } ?? "–", 10, atEnd: true)
          + Terminal.fit(delay(summary.median), 9, atEnd: true)
          + Terminal.fit(Quantity.count(entry.counts.tripsMissing), 9, atEnd: true) + "  "
          + Self.bar(share, room)).trimmedAtEnd
      }
  }
}

extension LineSummary {
  fileprivate var median: Int? { counts?.delays.quantile(0.5) }
}

extension String {
  fileprivate var trimmedAtEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
