import Commands
import Foundation
import GTFS
import Timetable

/// The closing report of an import, for people and for programs.
enum ImportReportText {
  /// Returns the report as JSON, ended by a line feed.
  static func json(_ report: ImportReport) -> String {
    (try? PrintedJSON.document(report)) ?? ""
  }

  /// Returns the report as a table.
  static func text(_ report: ImportReport) -> String {
    var text = "\n" + Terminal.fit("file", 20)
    text += Terminal.fit("rows", 14, atEnd: true) + Terminal.fit("rejected", 11, atEnd: true)
    text += Terminal.fit("left out", 11, atEnd: true) + Terminal.fit("size", 12, atEnd: true) + "\n"
    for file in report.files {
      text += Terminal.fit(file.file, 20)
      text += Terminal.fit(Quantity.count(file.rows), 14, atEnd: true)
      text += Terminal.fit(Quantity.count(file.rejected), 11, atEnd: true)
      text += Terminal.fit(Quantity.count(file.dropped), 11, atEnd: true)
      text += Terminal.fit(Quantity.bytes(file.bytes), 12, atEnd: true) + "\n"
    }
    text += readings(report)
    text += rejected(report.files)
    let onDemand = report.files.reduce(0) { $0 + $1.onDemand }
    if onDemand > 0 {
      text += "\nOn demand: \(Quantity.count(onDemand)) stop times set aside;"
      text += " boards show the stops that are served at a time\n"
    }
    text += rows("Warnings", report.warnings, of: report.warningCount)
    let rate = Double(report.files.first { $0.file == "stop_times.txt" }?.rows ?? 0)
    text += """

      Service     \(report.serviceFrom) to \(report.serviceUntil), \(report.timeZone)
      Timetable   \(Quantity.count(report.stops)) stops, \(Quantity.count(report.routes)) routes, \
      \(Quantity.count(report.trips)) trips, \(Quantity.count(report.departures)) departures \
      (\(Quantity.count(report.patterns)) patterns)
      Size        \(Quantity.bytes(report.timetableBytes)) timetable, \
      \(Quantity.bytes(report.searchBytes)) search
      Time        \(Quantity.tenths(report.seconds)) s, \
      \(Quantity.count(Int(rate / max(0.001, report.seconds)))) stop times a second
      Memory      \(Quantity.bytes(report.peakMemoryBytes)) at most

      """
    return text
  }

  /// Returns how files were read that are not UTF-8 with commas.
  private static func readings(_ report: ImportReport) -> String {
    var text = ""
    for file in report.files {
      if let reading = file.reading { text += "\(file.file): \(reading)\n" }
    }
    if let encoding = report.encoding {
      text += "Not UTF-8: \(Quantity.count(encoding.texts)) texts, read as \(encoding.name):"
      text += " \(encoding.reason). --encoding names another one.\n"
    }
    return text.isEmpty ? "" : "\n" + text
  }

  /// Returns what is wrong with the rejected rows: each kind of fault with its first row and the number of the others.
  private static func rejected(_ files: [ImportReport.File]) -> String {
    let count = files.reduce(0) { $0 + $1.rejected }
    guard count > 0 else { return "" }
    var text = "\nRejected rows: \(Quantity.count(count))\n"
    for file in files {
      for reason in file.reasons {
        text += Terminal.plain("  \(file.file):\(reason.line)\(reason.sentence)") + "\n"
      }
    }
    return text
  }

  /// Returns the first ten rows of a list; the JSON report and report.json have more.
  private static func rows(_ title: String, _ rows: [RejectedRow], of count: Int) -> String {
    guard count > 0 else { return "" }
    let shown = rows.prefix(10)
    var text = "\n\(title): \(Quantity.count(count))\n"
    for row in shown {
      let column = row.column.map { ", \($0)" } ?? ""
      text += Terminal.plain("  \(row.file):\(row.line)\(column): \(row.reason)") + "\n"
    }
    if count > shown.count { text += "  … and \(Quantity.count(count - shown.count)) more\n" }
    return text
  }
}
