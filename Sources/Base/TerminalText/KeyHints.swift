/// What keys do, in one line: as many as fit, whole, the ones that matter most first.
package enum KeyHints {
  /// A key and what it does.
  package typealias Hint = (key: String, word: String)

  /// The line.
  ///
  /// - Parameters:
  ///   - hints: The keys, the ones that matter most first.
  ///   - columns: The columns there are; the first hint is there in any case.
  /// - Returns: Such as `? help   q quit …`: the sign at the end says that there are more.
  package static func line(_ hints: [Hint], _ columns: Int) -> String {
    let all = hints.map { "\($0.key) \($0.word)" }
    let whole = all.joined(separator: "   ")
    guard TerminalText.width(of: whole) > columns else { return whole }
    var text = all.first ?? ""
    for hint in all.dropFirst() {
      // Two columns stay for the sign that there are more.
      guard TerminalText.width(of: "\(text)   \(hint)") + 2 <= columns else { break }
      text += "   \(hint)"
    }
    return TerminalText.width(of: text) + 2 <= columns ? text + " …" : text
  }
}
