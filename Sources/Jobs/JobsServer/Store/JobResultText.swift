import Jobs
import StrictJSON
import TolerantDecoding

/// Results as JSON.
enum JobResultText {
  /// A result as clients read it.
  static func json(_ item: JobItem) -> JSONValue {
    var members: [String: JSONValue] = [
      "number": .whole(Int64(item.number)), "outcome": .string(item.outcome.rawValue),
    ]
    members["line"] = item.line.map { .whole(Int64($0)) }
    members["value"] = item.value
    if !item.problems.isEmpty { members["problems"] = problems(item.problems) }
    if let raw = item.raw { members["raw"] = .string(String(decoding: raw, as: UTF8.self)) }
    return .object(members)
  }

  /// The problems of an item as they are stored; `nil` for none.
  static func problemText(_ item: JobItem) -> String? {
    guard !item.problems.isEmpty else { return nil }
    return String(decoding: problems(item.problems).bytes, as: UTF8.self)
  }

  /// The value of an item as it is stored.
  static func valueText(_ item: JobItem) -> String? {
    item.value.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  static func problems(_ problems: [JobItem.Problem]) -> JSONValue {
    .list(
      problems.map { problem in
        var members: [String: JSONValue] = [
          "code": .string(problem.code), "message": .string(problem.message),
        ]
        members["field"] = problem.field.map { .string($0) }
        if problem.isRetryable { members["retryable"] = .bool(true) }
        members["proposal"] = problem.proposal.map { .string($0) }
        return .object(members)
      }
    )
  }

  static func problems(of text: String?) -> [JobItem.Problem] {
    text.flatMap { value($0) }?.list?.map { problem in
      JobItem.Problem(
        code: problem["code"]?.string ?? "",
        message: problem["message"]?.string ?? "",
        field: problem["field"]?.string,
        isRetryable: problem["retryable"]?.bool ?? false,
        proposal: problem["proposal"]?.string
      )
    } ?? []
  }

  static func value(_ text: String) -> JSONValue? {
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    return try? JSONReader.value(of: Array(text.utf8), rules: rules)
  }
}
