/// Writes one flat JSON object on one line.
struct JSONLine {
  private var body = ""

  /// The object.
  var text: String { "{\(body)}" }

  /// Adds a string; omits the member if it is `nil`.
  mutating func add(_ name: String, _ value: String?) {
    if let value { put(name, Self.quoted(value)) }
  }

  /// Adds a number; omits the member if it is `nil`.
  mutating func add(_ name: String, _ value: Int64?) {
    if let value { put(name, String(value)) }
  }

  /// Adds a Boolean.
  mutating func add(_ name: String, _ value: Bool) { put(name, value ? "true" : "false") }

  private mutating func put(_ name: String, _ value: String) {
    if !body.isEmpty { body += "," }
    body += "\(Self.quoted(name)):\(value)"
  }

  /// Returns a quoted string (RFC 8259 section 7).
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{0}"..."\u{1F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
