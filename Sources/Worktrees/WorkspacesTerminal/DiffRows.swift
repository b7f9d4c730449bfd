import TerminalText
package import Workspaces

/// A diff as rows that can be scrolled: each with its style, cut to the width when it is drawn.
package struct DiffRows: Sendable {
  /// The most rows that are made; a diff may be larger than is useful.
  package static let most = 20_000
  /// The most characters of a line that are kept.
  private static let longest = 500

  /// A row.
  struct Row: Hashable, Sendable {
    var text: String
    var style: String
  }

  let rows: [Row]
  /// The rows at which files begin.
  package let files: [Int]

  /// Makes the rows.
  package init(_ diff: WorkspaceDiff) {
    var rows: [Row] = []
    var files: [Int] = []
    for file in diff.fileDiffs {
      guard rows.count < Self.most else { break }
      if !rows.isEmpty { rows.append(Row(text: "", style: "0")) }
      files.append(rows.count)
      rows.append(Row(text: Self.heading(file), style: "1"))
      if let text = file.diffText {
        let room = Self.most - rows.count
        var isHead = true
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for line in lines.prefix(room) {
          if line.hasPrefix("@@") { isHead = false }
          // Before the first hunk git repeats what the heading says; only changed modes are new.
          if isHead, !["old mode", "new mode"].contains(where: { line.hasPrefix($0) }) { continue }
          rows.append(Self.row(line))
        }
        if rows.last?.text.isEmpty == true { rows.removeLast() }
      } else {
        let why =
          switch file.omitted {
          case "binary": "  a binary file"
          case "too_large": "  too large to be shown"
          case "symbolic_link": "  a symbolic link"
          case "repository": "  a repository of its own"
          case "unreadable": "  cannot be read"
          case let other?: "  not shown: \(other)"
          case nil: "  no text"
          }
        rows.append(Row(text: why, style: "2"))
      }
    }
    if rows.count >= Self.most {
      rows.append(Row(text: "… the rest is not shown here", style: "2"))
    } else if diff.isTruncated {
      rows.append(Row(text: "… files or texts were left out by the server", style: "2"))
    }
    self.rows = rows
    self.files = files
  }

  private static func heading(_ file: WorkspaceDiff.File) -> String {
    let name = file.oldPath.map { "\($0) → \(file.filePath)" } ?? file.filePath
    var counts = ""
    if let added = file.added, let removed = file.removed { counts = "  +\(added) -\(removed)" }
    return "\(TerminalText.line(name))  \(TerminalText.line(file.changeType))\(counts)"
  }

  /// A line of a unified diff.
  private static func row(_ line: Substring) -> Row {
    // Tabs have no width of their own.
    let text = TerminalText.plain(String(line.prefix(longest)).replacing("\t", with: "    "))
    let style =
      switch line.first {
      case "+": "32"
      case "-": "31"
      case "@": "36"
      case "\\": "2"
      default: "0"
      }
    return Row(text: text, style: style)
  }

  /// Draws the rows from an index on.
  func lines(from first: Int, count: Int, _ textStyle: TextStyle) -> [String] {
    rows.dropFirst(first).prefix(max(count, 0)).map { textStyle.line($0.text, $0.style) }
  }
}
