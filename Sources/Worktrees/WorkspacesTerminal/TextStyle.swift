package import TerminalText

/// Writes lines of a width with the colours there are; whatever is written is plain text first.
package struct TextStyle: Sendable {
  /// The columns of the terminal.
  package let columns: Int
  /// How many colours there are.
  package let colours: ColourDepth

  /// Creates a text style.
  ///
  /// - Parameters:
  ///   - columns: The columns of the terminal.
  ///   - colours: How many colours there are.
  package init(columns: Int, colours: ColourDepth) {
    self.columns = max(columns, 1)
    self.colours = colours
  }

  /// A text cut to the width, in a style.
  func line(_ text: String, _ style: String = "0") -> String {
    colours.paint(style, TerminalText.trimmed(TerminalText.fit(text, columns)))
  }

  /// A text of exactly so many columns, in a style.
  func cell(_ text: String, _ width: Int, _ style: String = "0", atEnd: Bool = false) -> String {
    width > 0 ? colours.paint(style, TerminalText.fit(text, width, atEnd: atEnd)) : ""
  }

  /// A heading with a line behind it.
  func rule(_ text: String = "") -> String {
    let head = text.isEmpty ? "" : "\(text) "
    let left = max(columns - TerminalText.width(of: head), 0)
    return line(head + String(repeating: "─", count: left), "2")
  }

  /// A text in lines, indented by two columns.
  func paragraph(_ text: String, most: Int) -> [String] {
    let indent = columns > 30 ? "  " : ""
    let width = max(columns - indent.count, 1)
    return TerminalText.wrapped(text, width, most: most).map { indent + $0 }
  }
}
