/// The apostrophe that keeps a spreadsheet from running a text as a formula.
///
/// A text that begins with apostrophes followed by a formula gets one more, so that removing one always restores the
/// original.
enum FormulaGuard {
  /// The characters that a formula begins with, in their fullwidth and small forms too: some programs read those alike.
  private static let signs: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{FE66}", "\u{FE62}",
    "\u{FE63}",
    "\u{FE6B}",
  ]

  /// Whether a spreadsheet would take a text for a formula: it begins with a sign of one, perhaps behind whitespace that
  /// some programs cut off, and is not a number; or it begins with a tab or a line end.
  static func isFormula(_ text: Substring) -> Bool {
    guard let first = text.unicodeScalars.first else { return false }
    if 0x30...0x7E ~= first.value, first != "=", first != "@" { return false }
    let rest = text.unicodeScalars.drop(while: isWhitespace)
    if ["\t", "\r", "\n"].contains(first) { return !isNumber(rest) }
    guard let sign = rest.first, signs.contains(sign) else { return false }
    return !isNumber(rest)
  }

  private static func isNumber(_ text: Substring.UnicodeScalarView) -> Bool {
    guard let last = text.lastIndex(where: { !isWhitespace($0) }) else { return false }
    return Double(Substring(text[...last])) != nil
  }

  private static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value <= 0x20 || scalar.properties.isWhitespace || scalar == "\u{FEFF}"
      || 0x200B...0x200F ~= scalar.value || scalar == "\u{2060}"
  }

  /// Where a text gets an apostrophe, as a number of bytes; `nil` if it needs none.
  static func place(in text: String) -> Int? {
    if isFormula(text[...]) { return 0 }
    // A reader trims whitespace before it checks for the apostrophe.
    let core = CellText.trimmed(text[...])
    guard core.utf8.first == 0x27, isFormula(withoutApostrophes(core)) else { return nil }
    return text.utf8.distance(from: text.startIndex, to: core.startIndex)
  }

  /// A text without its apostrophe; `nil` if it has none.
  static func removed(_ text: Substring) -> Substring? {
    guard text.utf8.first == 0x27, isFormula(withoutApostrophes(text)) else { return nil }
    return Substring(text.unicodeScalars.dropFirst())
  }

  private static func withoutApostrophes(_ text: Substring) -> Substring {
    Substring(text.unicodeScalars.drop { $0 == "'" })
  }
}
