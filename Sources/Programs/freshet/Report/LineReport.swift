import Commands
import Foundation
import GTFS
import StationboardServer

/// How punctual a line was, day by day.
struct LineReport {
  /// The line, and all routes it has.
  let lines: [LineName]
  /// The days in order.
  let days: [(day: ServiceDate, counts: LineCounts)]

  /// Creates a report.
  init(_ days: [ServiceDate: LineCounts], _ lines: [LineName]) {
    self.lines = lines
    self.days = days.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// All days together.
  var total: LineCounts { days.reduce(into: LineCounts()) { $0.add($1.counts) } }

  private struct Day: Encodable {
    var day: String
    var summary: LineSummary

    enum Keys: CodingKey { case day }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(day, forKey: .day)
      try summary.encode(to: encoder)
    }
  }

  private struct Content: Encodable {
    var line: String?
    var `operator`: String?
    var routes: [String]
    var basis = "last_known"
    var total: LineSummary
    var days: [Day]
  }

  /// The report as JSON.
  var json: String {
    get throws {
      let content = Content(
        line: lines.first?.line,
        operator: lines.first?.operator,
        routes: lines.map(\.routeID),
        total: LineSummary(total),
        days: days.map { Day(day: $0.day.description, summary: LineSummary($0.counts)) }
      )
      return try PrintedJSON.document(content)
    }
  }

  /// The report as CSV, a row for each day.
  var csv: String {
    let names = LineSummary(LineCounts()).columns.map(\.0)
    var lines = [(["day"] + names).joined(separator: ",")]
    for entry in days {
      let values = LineSummary(entry.counts).columns.map(\.1)
      lines.append(([entry.day.description] + values).joined(separator: ","))
    }
    return lines.map { $0 + "\r\n" }.joined()
  }
}
