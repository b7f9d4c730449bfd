/// Measures text for a terminal, and removes what must not be written there.
///
/// Untrusted text must not send control sequences to the terminal: all of it goes through
/// ``plain(_:)``, ``line(_:)`` or ``fit(_:_:atEnd:)``.
package enum TerminalText {
  /// The maximum number of scalars of one character that are kept: a letter may have a few
  /// combining marks, not stacks of them.
  private static let mostScalars = 16

  /// Returns the columns that text takes: 0 for combining marks, 2 for wide East Asian letters and
  /// emoji.
  package static func width(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x20..<0x7F: return 1
    case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0xFE00...0xFE0F: return 0
    // Two of them form one flag, which takes two columns.
    case 0x1F1E6...0x1F1FF: return 1
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default:
      if scalar.properties.isEmojiPresentation { return 2 }
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark: return 0
      default: return 1
      }
    }
  }

  /// Returns text without control characters.
  ///
  /// A character that reorders the following text (an embedding, an override or an isolate) is
  /// shown as `<U+202E>`, so that the displayed order is the real order.
  package static func plain(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if reorders(scalar) {
        plain.append(
          contentsOf: "<U+\(String(scalar.value, radix: 16, uppercase: true))>".unicodeScalars
        )
      } else if !isControl(scalar) {
        plain.append(scalar)
      }
    }
    return String(plain)
  }

  private static func reorders(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    if (0x20..<0x7F).contains(scalar.value) { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }

  /// Returns text as one line: without control characters, and with whitespace collapsed to one
  /// space.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - longest: The maximum number of characters that are read.
  /// - Returns: The line, without whitespace at its ends.
  package static func line(_ text: String, longest: Int = 1_000) -> String {
    let words = text.prefix(longest).split(whereSeparator: \.isWhitespace)
    return words.map { plain(String($0)) }.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Returns text that is cut or padded with spaces to a number of columns.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - columns: The columns; with 0, the result is empty.
  ///   - atEnd: Whether the text is aligned to the end of the columns.
  /// - Returns: Text of exactly that width, without control characters.
  package static func fit(_ text: String, _ columns: Int, atEnd: Bool = false) -> String {
    guard columns > 0 else { return "" }
    var cut = ""
    var used = 0
    // Where the text is cut if it is longer: one column is reserved for the sign of that.
    var end = (index: cut.endIndex, used: 0)
    var isWhole = true
    for character in text {
      let shown = plain(
        String(String.UnicodeScalarView(character.unicodeScalars.prefix(mostScalars)))
      )
      let more = width(of: shown)
      guard used + more <= columns else {
        isWhole = false
        break
      }
      cut += shown
      used += more
      if used < columns { end = (cut.endIndex, used) }
    }
    guard isWhole else {
      return cut[..<end.index] + "…" + spaces(columns - end.used - 1)
    }
    return atEnd ? spaces(columns - used) + cut : cut + spaces(columns - used)
  }

  /// Returns text in lines of a width, broken at spaces, and within words that are longer than a
  /// line.
  ///
  /// - Parameters:
  ///   - text: The text; its own line breaks are kept.
  ///   - width: The columns.
  ///   - most: The maximum number of lines; the last one then ends with the sign that there is
  ///     more.
  /// - Returns: The lines, without control characters.
  package static func wrapped(_ text: String, _ width: Int, most: Int = 1_000) -> [String] {
    let width = max(width, 1)
    var lines: [String] = []
    for paragraph in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      if lines.count > most { break }
      var line = ""
      var used = 0
      for word in paragraph.split(whereSeparator: \.isWhitespace) {
        for piece in pieces(plain(String(word)), width) where !piece.isEmpty {
          let more = Self.width(of: piece)
          if used > 0, used + 1 + more > width {
            lines.append(line)
            (line, used) = ("", 0)
          }
          line += used == 0 ? piece : " \(piece)"
          used += more + (used == 0 ? 0 : 1)
        }
      }
      // One empty line between paragraphs is enough.
      if !line.isEmpty || lines.last?.isEmpty == false { lines.append(line) }
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard lines.count > most else { return lines }
    lines = Array(lines.prefix(max(most, 1)))
    let last = trimmed(fit(lines[lines.count - 1], width - 1))
    lines[lines.count - 1] = last.hasSuffix("…") ? last : last + "…"
    return lines
  }

  /// Returns a word in pieces that are no wider than a line.
  private static func pieces(_ word: String, _ width: Int) -> [String] {
    guard Self.width(of: word) > width else { return [word] }
    var pieces: [String] = []
    var piece = ""
    var used = 0
    for character in word {
      let more = Self.width(of: String(character))
      if used > 0, used + more > width {
        pieces.append(piece)
        (piece, used) = ("", 0)
      }
      piece += more <= width ? String(character) : "…"
      used += min(more, width)
    }
    return pieces + [piece]
  }

  /// Returns a line without trailing spaces.
  package static func trimmed(_ line: String) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }

  private static func spaces(_ count: Int) -> String {
    String(repeating: " ", count: max(count, 0))
  }
}
