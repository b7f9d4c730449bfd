/// What stands on a terminal, so that only what is different is drawn: nothing flickers, and little goes over ssh.
package struct ScreenDrawing: Sendable {
  private var drawn: [String] = []

  /// Nothing is drawn yet.
  package init() {}

  /// Forgets what stands there: everything is drawn again.
  package mutating func forget() { drawn = [] }

  /// What leads from the screen of before to these lines (ECMA-48).
  ///
  /// - Parameter lines: One for each row, no wider than the terminal.
  /// - Returns: What is to be written; empty if nothing is different.
  package mutating func update(_ lines: [String]) -> String {
    var text = ""
    if drawn.count != lines.count {
      drawn = []
      text = "\u{1B}[2J"
    }
    for (row, line) in lines.enumerated() where drawn.isEmpty || drawn[row] != line {
      // Cleared first: behind the last column, clearing would erase what was just drawn.
      text += "\u{1B}[\(row + 1);1H\u{1B}[K\(line)"
    }
    drawn = lines
    return text
  }
}
