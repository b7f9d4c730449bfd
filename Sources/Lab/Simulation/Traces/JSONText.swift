import StrictJSON

/// A JSON value that is only written: members keep their order, so equal runs give equal bytes.
indirect enum JSONText: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number with a fixed count of digits after the point, given in units of its last digit.
  case decimal(Int64, digits: Int)
  case string(String)
  case array([JSONText])
  case object([(String, JSONText)])

  /// The value on one line.
  var line: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// The value with one element or member of the outer two levels on each line.
  var lines: String {
    guard case .object(let members) = self else { return line }
    let written = members.map { name, value in
      guard case .array(let elements) = value, !elements.isEmpty else {
        return "  \(JSONValue.quoted(name)): \(value.line)"
      }
      let inner = elements.map { "    \($0.line)" }.joined(separator: ",\n")
      return "  \(JSONValue.quoted(name)): [\n\(inner)\n  ]"
    }
    return "{\n\(written.joined(separator: ",\n"))\n}"
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += "\(value)"
    case .decimal(let value, let digits): text += Self.fixed(value, digits: digits)
    case .string(let value): text += JSONValue.quoted(value)
    case .array(let elements):
      text += "["
      for (place, element) in elements.enumerated() {
        if place > 0 { text += ", " }
        element.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (place, member) in members.enumerated() {
        if place > 0 { text += ", " }
        text += JSONValue.quoted(member.0) + ": "
        member.1.write(to: &text)
      }
      text += "}"
    }
  }

  /// Writes a fixed-point number.
  static func fixed(_ value: Int64, digits: Int) -> String {
    guard digits > 0 else { return "\(value)" }
    var scale: Int64 = 1
    for _ in 0..<digits { scale *= 10 }
    let fraction = "\(abs(value % scale))"
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(value < 0 ? "-" : "")\(abs(value / scale)).\(zeros)\(fraction)"
  }
}
