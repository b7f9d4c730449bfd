/// The contents of a terminal screen, so that only changes are drawn: no flicker, and little
/// traffic over ssh.
package struct ScreenDrawing: Sendable {
  /// Lets a terminal show a change as a whole (synchronized output, DEC private mode 2026); others ignore it.
  private static let begin = "\u{1B}[?2026h"
  private static let end = "\u{1B}[?2026l"

  private var drawn: [String] = []

  /// Creates an empty screen.
  package init() {}

  /// Discards the contents, so that everything is drawn again.
  package mutating func forget() { drawn = [] }

  /// Returns the control sequences that change the screen to these lines (ECMA-48).
  ///
  /// - Parameter lines: One for each row, no wider than the terminal.
  /// - Returns: The text to write; empty if nothing changed.
  package mutating func update(_ lines: [String]) -> String {
    var text = ""
    if drawn.count != lines.count {
      drawn = []
      text = "\u{1B}[2J"
    }
    for (row, line) in lines.enumerated() where drawn.isEmpty || drawn[row] != line {
      // Cleared first: after the last column, clearing would erase what was just drawn.
      text += "\u{1B}[\(row + 1);1H\u{1B}[K\(line)"
    }
    drawn = lines
    return text.isEmpty ? "" : Self.begin + text + Self.end
  }
}
