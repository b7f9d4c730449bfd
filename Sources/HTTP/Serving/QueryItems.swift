import ConditionalHTTP
package import Hummingbird
import HummingbirdCore

/// The parameters of a request's query, decoded as forms write them (`+` is a space).
package struct QueryItems: Sendable {
  private let items: FlatDictionary<Substring, Substring>

  /// Reads the query of a request.
  package init(_ request: Request) {
    guard let query = request.uri.query, query.utf8.contains(UInt8(ascii: "+")) else {
      items = request.uri.queryParameters
      return
    }
    items = Self.decoded(query)
  }

  /// Reads a query, the part of an address after `?`.
  package init(query: String) {
    items = Self.decoded(query)
  }

  private static func decoded(_ query: String) -> FlatDictionary<Substring, Substring> {
    URI("/?" + query.replacing("+", with: "%20")).queryParameters
  }

  /// Whether a parameter is present, with or without a value.
  package func contains(_ name: String) -> Bool { items.has(name[...]) }

  /// The first value of a parameter without surrounding whitespace; `nil` if it is missing or empty.
  package subscript(name: String) -> String? {
    guard let value = items[name[...]] else { return nil }
    // Most values need no trimming, and whitespace is checked one character at a time.
    if let first = value.utf8.first, let last = value.utf8.last, (0x21...0x7E).contains(first),
      (0x21...0x7E).contains(last)
    {
      return String(value)
    }
    var text = value
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text.isEmpty ? nil : String(text)
  }

  /// The first of several spellings of a parameter that has a value.
  package subscript(first names: [String]) -> String? {
    for name in names { if let value = self[name] { return value } }
    return nil
  }

  /// A whole number.
  ///
  /// - Throws: ``Problem`` 400 `invalid_parameter` if the value is not one.
  package func integer(_ name: String) throws(Problem) -> Int? {
    guard let text = self[name] else { return nil }
    guard let value = Int(text) else { throw Self.invalid(name, text, "a whole number") }
    return value
  }

  /// A number.
  ///
  /// - Throws: ``Problem`` 400 `invalid_parameter` if the value is not one.
  package func number(_ name: String) throws(Problem) -> Double? {
    guard let text = self[name] else { return nil }
    let isDecimal = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
    guard isDecimal, let value = Double(text), value.isFinite else {
      throw Self.invalid(name, text, "a number")
    }
    return value
  }

  /// A Boolean: 1, true, yes, on; 0, false, no, off.
  ///
  /// - Throws: ``Problem`` 400 `invalid_parameter` for any other value.
  package func flag(_ names: String...) throws(Problem) -> Bool? {
    guard let text = self[first: names] else { return nil }
    switch text.lowercased() {
    case "1", "true", "yes", "on": return true
    case "0", "false", "no", "off": return false
    default: throw Self.invalid(names[0], text, "1 or 0")
    }
  }

  /// The problem of a parameter with a wrong value.
  package static func invalid(_ name: String, _ value: String, _ expected: String) -> Problem {
    Problem(
      .badRequest,
      "invalid_parameter",
      detail: "\(name) is \"\(value.prefix(80))\"; expected: \(expected)",
      extensions: ["parameter": .string(name), "expected": .string(expected)]
    )
  }
}
