/// A line of key hints: as many complete hints as fit, the most important first.
package enum KeyHints {
  /// A key and what it does.
  package typealias Hint = (key: String, label: String)

  /// Returns the line.
  ///
  /// - Parameters:
  ///   - hints: The keys, the most important first.
  ///   - columns: The available columns; the first hint is always included.
  /// - Returns: Such as `? help   q quit …`, where the sign at the end means that there are more.
  package static func line(_ hints: [Hint], _ columns: Int) -> String {
    let all = hints.map { "\($0.key) \($0.label)" }
    let whole = all.joined(separator: "   ")
    guard TerminalText.width(of: whole) > columns else { return whole }
    var text = all.first ?? ""
    for hint in all.dropFirst() {
      // Two columns are reserved for the sign that there are more.
      guard TerminalText.width(of: "\(text)   \(hint)") + 2 <= columns else { break }
      text += "   \(hint)"
    }
    return TerminalText.width(of: text) + 2 <= columns ? text + " …" : text
  }
}
