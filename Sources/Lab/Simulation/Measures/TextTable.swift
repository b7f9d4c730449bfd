/// A table of plain text.
enum TextTable {
  /// Returns a table; the first column is aligned left, figures right.
  static func lines(_ head: [String], _ rows: [[String]]) -> String {
    let all = [head] + rows
    let widths = head.indices.map { column in
      all.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return all.map { row in
      let cells = row.enumerated().map { column, cell -> String in
        let spaces = String(repeating: " ", count: max(widths[column] - cell.count, 0))
        let isFigure = cell.first.map { "-0123456789".contains($0) } ?? false
        let isHead = row == head && column > 1
        return isFigure || isHead ? spaces + cell : cell + spaces
      }
      let line = "  " + cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
    .joined(separator: "\n")
  }
}
