import StrictJSON

/// Writes one flat JSON object on one line.
struct JSONLine {
  private var body = ""

  /// The object.
  var text: String { "{\(body)}" }

  /// Adds a string; omits the member if it is `nil`.
  mutating func add(_ name: String, _ value: String?) {
    if let value { put(name, JSONValue.quoted(value)) }
  }

  /// Adds a number; omits the member if it is `nil`.
  mutating func add(_ name: String, _ value: Int64?) {
    if let value { put(name, String(value)) }
  }

  /// Adds a Boolean.
  mutating func add(_ name: String, _ value: Bool) { put(name, value ? "true" : "false") }

  private mutating func put(_ name: String, _ value: String) {
    if !body.isEmpty { body += "," }
    body += "\(JSONValue.quoted(name)):\(value)"
  }
}
