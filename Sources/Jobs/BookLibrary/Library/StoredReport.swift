import Books
import StrictJSON

/// The report of a row as it is stored.
enum StoredReport {
  /// The text of problems.
  static func problemText(_ report: RowReport) -> String {
    report.problems.isEmpty ? "[]" : problems(report).description
  }

  private static func problems(_ report: RowReport) -> JSONValue {
    .list(
      report.problems.map {
        var members: [String: JSONValue] = [
          "code": .string($0.code.rawValue), "column": .string($0.column),
          "value": .string($0.value),
        ]
        members["proposal"] = $0.proposal.map { .string($0) }
        return .object(members)
      }
    )
  }

  /// The problems in a text.
  static func problems(_ text: String) -> [RowProblem] {
    guard text != "[]", let value = try? JSONReader.value(of: Array(text.utf8)) else { return [] }
    return problems(value)
  }

  private static func problems(_ value: JSONValue) -> [RowProblem] {
    (value.list ?? []).compactMap { problem in
      guard let word = problem["code"]?.string, let code = RowProblem.Code(rawValue: word) else {
        return nil
      }
      return RowProblem(
        code,
        column: problem["column"]?.string ?? "",
        value: problem["value"]?.string ?? "",
        proposal: problem["proposal"]?.string
      )
    }
  }

  /// The text of a report, without its row, its outcome, its entry and its bytes.
  static func text(_ report: RowReport) -> String {
    var members: [String: JSONValue] = [
      "line": .whole(Int64(report.line)), "title": .string(report.title),
      "author": .string(report.author),
    ]
    members["duplicateOf"] = report.duplicateOf.map { .whole(Int64($0)) }
    members["isbn"] = report.isbn.map { .string($0.description) }
    if !report.problems.isEmpty { members["problems"] = problems(report) }
    return String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
  }

  /// The report in a text.
  static func report(row: Int, outcome: String, _ text: String) -> RowReport {
    let value = try? JSONReader.value(of: Array(text.utf8))
    func number(_ name: String) -> Int? { value?[name]?.int64.flatMap { Int(exactly: $0) } }
    var report = RowReport(
      row: row,
      line: number("line") ?? 0,
      outcome: RowReport.Outcome(rawValue: outcome) ?? .failed
    )
    report.duplicateOf = number("duplicateOf")
    report.title = value?["title"]?.string ?? ""
    report.author = value?["author"]?.string ?? ""
    report.isbn = value?["isbn"]?.string.flatMap { ISBN($0) }
    report.problems = value?["problems"].map(problems) ?? []
    return report
  }
}
