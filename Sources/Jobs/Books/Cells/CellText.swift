/// The text of a cell without what programs put around it.
package enum CellText {
  /// A cell without whitespace at its ends, without Excel's `="…"`, and without the apostrophe that keeps a text
  /// that looks like a formula from being run as one.
  package static func plain(_ cell: String) -> String {
    let bytes = cell.utf8
    guard let first = bytes.first, let last = bytes.last else { return "" }
    if 0x21...0x7E ~= first, 0x21...0x7E ~= last, first != 0x3D, first != 0x27 { return cell }
    let text = trimmed(cell[...])
    // Guarded text is meant literally.
    if let meant = FormulaGuard.removed(text) { return String(trimmed(meant)) }
    guard isQuoted(text) else { return String(text) }
    let inner = trimmed(text.dropFirst(2).dropLast())
    return String(FormulaGuard.removed(inner).map(trimmed) ?? inner)
  }

  private static func isQuoted(_ text: Substring) -> Bool {
    text.first == "=" && text.dropFirst().first == "\"" && text.last == "\""
      && text.utf8.count >= 3
  }

  /// Whether a cell is one that Excel writes as `="…"`: a formula that is a text, and calls nothing.
  static func isQuotedConstant(_ cell: String) -> Bool {
    guard cell.hasPrefix("=\""), cell.hasSuffix("\""), cell.utf8.count >= 3 else { return false }
    return !cell.utf8.dropFirst(2).dropLast().contains(0x22)
  }

  /// A cell without the square brackets that LibraryThing writes.
  package static func withoutBrackets(_ cell: String) -> String {
    let plain = plain(cell)
    guard plain.utf8.first == 0x5B else { return plain }
    var text = plain[...]
    while text.first == "[", text.last == "]", text.utf8.count >= 2 {
      text = trimmed(text.dropFirst().dropLast())
    }
    return String(text)
  }

  /// Text without whitespace at its ends: spaces, tabs, line ends, no-break spaces, byte order marks.
  package static func trimmed(_ text: Substring) -> Substring {
    if let first = text.utf8.first, let last = text.utf8.last, 0x21...0x7E ~= first,
      0x21...0x7E ~= last
    {
      return text
    }
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isWhitespace($0) }),
      let last = scalars.lastIndex(where: { !isWhitespace($0) })
    else { return text.prefix(0) }
    return Substring(scalars[first...last])
  }

  /// Text with each run of whitespace as one space.
  package static func onOneLine(_ text: String) -> String {
    var isPlain = true
    var previous: UInt8 = 0x20
    for byte in text.utf8 {
      if byte < 0x20 || byte == 0xC2 || byte == 0xEF || (byte == 0x20 && previous == 0x20) {
        isPlain = false
        break
      }
      previous = byte
    }
    if isPlain, previous != 0x20 { return text }
    return text.unicodeScalars.split(whereSeparator: isWhitespace).map { String($0) }
      .joined(separator: " ")
  }

  /// The parts of a list in one cell, without whitespace at their ends and without empty ones.
  ///
  /// - Parameters:
  ///   - cell: The cell.
  ///   - separators: The characters between parts; ASCII.
  /// - Returns: The parts.
  package static func list(_ cell: String, separators: String) -> [String] {
    var parts: [String] = []
    for bytes in cell.utf8.split(whereSeparator: separators.utf8.contains) {
      let part = onOneLine(String(trimmed(Substring(bytes))))
      if !part.isEmpty { parts.append(part) }
    }
    return parts
  }

  /// A review with line ends where the file has `<br/>`.
  package static func paragraphs(_ cell: String) -> String {
    guard cell.utf8.contains(0x3C) else { return String(trimmed(cell[...])) }
    var text = ""
    var rest = cell[...]
    while let open = rest.firstIndex(of: "<") {
      text += rest[..<open]
      let tag = rest[open...].prefix(6).lowercased()
      guard let mark = ["<br/>", "<br />", "<br>"].first(where: { tag.hasPrefix($0) }) else {
        text.append("<")
        rest = rest[rest.index(after: open)...]
        continue
      }
      text.append("\n")
      rest = rest[rest.index(open, offsetBy: mark.count)...]
    }
    text += rest
    return String(trimmed(text[...]))
  }

  private static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value <= 0x20 || scalar == "\u{A0}" || scalar == "\u{FEFF}" || scalar == "\u{85}"
  }
}
