import ConditionalHTTP
import Foundation
import ParityReport

/// A recording that a test edits.
struct EditedRecording {
  /// The lines as members.
  var lines: [[String: Any]]

  init(_ lines: [String]) throws {
    self.lines = try lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return object as? [String: Any] ?? [:]
    }
  }

  /// The lines as text.
  func text() throws -> String {
    try lines.map { line in
      let data = try JSONSerialization.data(withJSONObject: line, options: .sortedKeys)
      return String(decoding: data, as: UTF8.self) + "\n"
    }.joined()
  }

  /// The report of the recording.
  func report(
    _ name: String = "edited.jsonl",
    key: ReceiptKey? = nil,
    terms: ReportTerms = ReportTerms()
  ) throws -> ClientReport {
    ClientReport(Recording(name: name, try text().utf8, key: key), terms: terms)
  }

  /// Adds to numbers of all lines.
  mutating func shift(_ names: [String], by span: Int64, where holds: (Int) -> Bool = { _ in true })
  {
    for index in lines.indices where holds(index) {
      for name in names {
        if let number = lines[index][name] as? Int64 { lines[index][name] = number + span }
      }
    }
  }

  /// A number of a line.
  func number(_ name: String, _ index: Int) -> Int64 { lines[index][name] as? Int64 ?? 0 }

  /// The indices of the responses with a body.
  var contents: [Int] { lines.indices.filter { lines[$0]["outcome"] as? String == "content" } }
}

extension ClientReport {
  /// The names of the gates that are not passed.
  var failed: [String] { gates.filter { !$0.isPassed }.map(\.id) }

  /// A gate by its name.
  func gate(_ id: String) -> Gate? { gates.first { $0.id == id } }
}

extension ParityReport {
  /// The names of all gates that are not passed.
  var failed: [String] {
    clients.flatMap(\.failed) + gates.filter { !$0.isPassed }.map(\.id)
  }
}
