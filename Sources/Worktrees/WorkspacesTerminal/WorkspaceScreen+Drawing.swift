import Freshness
package import FreshnessRuntime
import TerminalText
import Workspaces
import WorkspacesClient

extension WorkspaceScreen {
  /// When and how fresh it is drawn.
  package struct Scene {
    /// The server's address.
    package var server: String
    /// How fresh the list is.
    package var freshness: FreshnessReport?
    /// What went wrong last.
    package var failure: LiveFailure?
    /// Whether the network costs.
    package var isMetered: Bool
    /// The server's time, in seconds since 1970.
    package var now: Double

    /// Creates a scene.
    ///
    /// - Parameters:
    ///   - server: The server's address.
    ///   - freshness: How fresh the list is.
    ///   - failure: What went wrong last.
    ///   - isMetered: Whether the network costs.
    ///   - now: The server's time, in seconds since 1970.
    package init(
      server: String,
      freshness: FreshnessReport?,
      failure: LiveFailure?,
      isMetered: Bool = false,
      now: Double
    ) {
      self.server = server
      self.freshness = freshness
      self.failure = failure
      self.isMetered = isMetered
      self.now = now
    }
  }

  /// The fewest rows with which the selected worktree is described below the list.
  private static let rowsWithPreview = 16

  /// Draws the screen: exactly as many lines as there are rows, at least two.
  ///
  /// - Parameters:
  ///   - scene: When it is, and how fresh.
  ///   - rows: The rows of the terminal.
  ///   - textStyle: Its width and colours.
  /// - Returns: The lines.
  package mutating func draw(_ scene: Scene, rows: Int, _ textStyle: TextStyle) -> [String] {
    let bottom = [
      FreshnessLine.text(
        scene.freshness,
        failure: scene.failure,
        losses: losses,
        isMetered: scene.isMetered,
        textStyle
      ), prompt(scene, textStyle),
    ]
    let space = max(rows - bottom.count, 0)
    var lines: [String]
    switch overlay {
    case .help:
      let all = Self.help(textStyle)
      lines = scroll(all.count, space) { all.dropFirst($0).prefix($1).map { $0 } }
    case .dialogue(let dialogue): lines = dialogue.lines(rows: space, textStyle)
    case .restores(let choice):
      room = max(space - 2, 1)
      lines = choice.lines(rows: space, at: scene.now, textStyle)
    case .filter, nil:
      switch page {
      case .list: lines = listed(scene, space, textStyle)
      case .worktree: lines = sheet(scene, space, textStyle)
      case .diff: lines = changes(space, textStyle)
      }
    }
    lines = Array(lines.prefix(space))
    lines += [String](repeating: "", count: space - lines.count)
    return lines + bottom
  }

  // MARK: The list

  private mutating func listed(_ scene: Scene, _ space: Int, _ textStyle: TextStyle) -> [String] {
    guard let list else {
      let why =
        scene.failure.map { TerminalText.line($0.description) } ?? "connecting to \(scene.server) …"
      let hint =
        scene.failure?.kind == .unreachable
        ? [""]
          + textStyle.paragraph(
            "Is it running? Start it with: freshet serve --workspaces FOLDER",
            most: 4
          )
        : []
      return [textStyle.line("Workspaces", "1"), ""]
        + textStyle.paragraph(why, most: max(space - 2, 1)) + hint
    }
    var lines = space >= 4 ? [title(list, scene, textStyle)] : []
    // Rows that are in view matter more than text about one of them.
    let most = max(min(space - lines.count - 1 - shown.count, 5), 3)
    let hasRoom = space >= Self.rowsWithPreview && textStyle.columns > 20
    let preview = hasRoom ? current.map { told($0, most: most, textStyle) } ?? [] : []
    let table = WorkspaceTable(shown, at: scene.now, textStyle)
    if space >= 9, !shown.isEmpty { lines.append(table.header) }
    room = max(space - lines.count - preview.count, 1)
    length = shown.count
    guard !shown.isEmpty else {
      let text =
        list.worktrees.isEmpty
        ? "There are no worktrees in the folders the server looks in."
        : "No worktree fits the filter."
      return lines + [""] + textStyle.paragraph(text, most: 3)
    }
    let place = shown.firstIndex { $0.id == selected } ?? 0
    top = min(max(top, place - room + 1), place)
    top = max(min(top, shown.count - room), 0)
    let rows = shown.dropFirst(top).prefix(room).map {
      table.row($0, isSelected: $0.id == selected)
    }
    lines += rows
    guard !preview.isEmpty else { return lines }
    let gap = space - lines.count - preview.count
    return lines + [String](repeating: "", count: max(gap, 0)) + preview
  }

  private func title(_ list: WorkspaceList, _ scene: Scene, _ textStyle: TextStyle) -> String {
    func count(_ state: AgentActivity.State) -> Int {
      list.worktrees.count { $0.activity.state == state }
    }
    let counts: [(AgentActivity.State, String)] = [
      (.needsYou, "need you"), (.doneUnseen, "done"), (.working, "working"),
    ]
    let isNarrow = textStyle.columns < 64
    var parts = counts.compactMap { state, word -> (String, String)? in
      let number = count(state)
      guard number > 0 else { return nil }
      let word = state == .needsYou && number == 1 ? "needs you" : word
      let text = isNarrow ? "\(number)\(StateStyle.sign(state))" : "\(number) \(word)"
      return (text, StateStyle.style(state))
    }
    let all = StateStyle.counted(list.worktrees.count, "worktree")
    parts.append((isNarrow ? "\(list.worktrees.count)" : all, "2"))
    let gap = isNarrow ? " " : " · "
    let width =
      parts.map { TerminalText.width(of: $0.0) }.reduce(0, +) + gap.count * (parts.count - 1)
    let left = textStyle.columns - width - 2
    guard left >= 4 else { return textStyle.line(parts.map(\.0).joined(separator: gap), "1") }
    let name = left >= 14 ? "Workspaces" : ""
    let place = left - TerminalText.width(of: name) - 2
    let server = place >= 12 && !isNarrow ? "  " + TerminalText.fit(scene.server, place) : ""
    let head = textStyle.cell(name, left - TerminalText.width(of: server), "1")
    return head + textStyle.colours.paint("2", server) + "  "
      + parts.map { textStyle.colours.paint($0.1, $0.0) }.joined(
        separator: textStyle.colours.paint("2", gap)
      )
  }

  /// Describes the selected worktree below the list.
  private func told(_ it: Workspace, most: Int, _ textStyle: TextStyle) -> [String] {
    var lines = [textStyle.rule(TerminalText.line(it.name, longest: 60))]
    let todo = it.todos.first { $0.status == .inProgress }
    let texts: [(String, String?)] = [
      ("needs", it.activity.state == .needsYou ? it.activity.reason : nil), ("now", todo?.content),
      ("about", it.latestSessionTitle ?? it.sessionTitle?.title), ("asked", it.latestUserPrompt),
      ("said", it.latestClaudeMessage),
    ]
    for (name, text) in texts {
      guard let text, lines.count < most else { continue }
      lines.append(
        textStyle.colours.paint("2", TerminalText.fit(name, 6)) + Self.rest(text, textStyle)
      )
    }
    if lines.count == 1 { lines.append(textStyle.line("\(it.branch) in \(it.path)", "2")) }
    return lines
  }

  private static func rest(_ text: String, _ textStyle: TextStyle) -> String {
    TerminalText.trimmed(TerminalText.fit(TerminalText.line(text), max(textStyle.columns - 6, 1)))
  }

  // MARK: One worktree

  private mutating func sheet(_ scene: Scene, _ space: Int, _ textStyle: TextStyle) -> [String] {
    guard let current else { return [] }
    let all = WorkspaceSheet.lines(current, session: session, at: scene.now, textStyle)
    return scroll(all.count, space) { all.dropFirst($0).prefix($1).map { $0 } }
  }

  private mutating func changes(_ space: Int, _ textStyle: TextStyle) -> [String] {
    guard let current else { return [] }
    let head = textStyle.line("\(current.name)  \(summary)", "1")
    if let diffProblem, diff == nil {
      return [head, ""] + textStyle.paragraph(diffProblem, most: 5)
    }
    guard let diff else { return [head, "", textStyle.line("  reading the diff …", "2")] }
    guard !diff.rows.isEmpty else {
      return [head, "", textStyle.line("  Nothing is changed.", "2")]
    }
    return [head]
      + scroll(diff.rows.count, space - 1) { diff.lines(from: $0, count: $1, textStyle) }
  }

  /// The part of a page that is in view.
  private mutating func scroll(
    _ count: Int,
    _ space: Int,
    _ lines: (Int, Int) -> [String]
  ) -> [String] {
    room = max(space, 1)
    length = count
    scrolled = min(max(scrolled, 0), max(count - room, 0))
    return lines(scrolled, room)
  }

  // MARK: The last line

  private func prompt(_ scene: Scene, _ textStyle: TextStyle) -> String {
    if overlay == .filter { return textStyle.line("/ \(filterText)▏") }
    // What the line above says already is not said twice.
    if let message, !message.isProblem || message.text != scene.failure?.description {
      return textStyle.line(TerminalText.line(message.text), message.isProblem ? "1;31" : "32")
    }
    let active =
      filter.isEmpty || page != .list || overlay != nil ? "" : "[\(TerminalText.line(filter))]  "
    var place = ""
    if length > room, overlay == .help || overlay == nil {
      let isList = overlay == nil && page == .list
      place = isList ? "\(top + 1)–\(top + room) of \(length)  " : "\(percent) %  "
    }
    let progress = running == nil ? "" : "working …  "
    let start = progress + active + place
    let left = textStyle.columns - TerminalText.width(of: start)
    return textStyle.line(start + KeyHints.line(hints, left), "2")
  }

  private var percent: Int { min((scrolled + room) * 100 / max(length, 1), 100) }

  /// The keys, the ones that matter most first.
  private var hints: [(key: String, label: String)] {
    switch overlay {
    case .dialogue(let dialogue): return dialogue.hints
    case .restores(let choice): return choice.hints
    case .help: return [("esc", "back"), ("q", "quit")]
    default: break
    }
    let common = [("?", "help"), ("q", "quit")]
    let changes = [
      ("s", "seen"), ("m", "merge"), ("u", "sync"), ("D", "delete"), ("n", "new"), ("z", "undo"),
      ("r", "refresh"),
    ]
    switch page {
    case .list: return common + [("enter", "open"), ("d", "diff"), ("/", "filter")] + changes
    case .worktree: return common + [("esc", "back"), ("d", "diff")] + changes
    case .diff:
      return common + [("esc", "back"), ("d", "worktree"), ("[ ]", "files"), ("r", "refresh")]
    }
  }

  private static func help(_ textStyle: TextStyle) -> [String] {
    let keys: [(String, String)] = [
      ("↑ ↓ j k", "the cursor, or scroll"), ("pgup pgdn g G", "farther, begin, end"),
      ("enter", "open the worktree"), ("esc", "back; the filter away"), ("d tab", "its diff"),
      ("[ ]", "the file before, the next file"), ("/", "filter: name, branch, state, text"),
      ("s", "I have seen what was done"), ("r", "ask again now"), ("m", "merge into its source"),
      ("u", "bring its source in"), ("n", "make a worktree"), ("D", "delete the worktree"),
      ("z", "what can be taken back: choose one"),
      ("t", "trust what its repository would run, or no more"),
      ("q ^C", "quit"),
    ]
    let signs: [AgentActivity.State] = [.needsYou, .doneUnseen, .working, .idle, .ended, .unknown]
    let width = textStyle.columns >= 44 ? 15 : 8
    let left = keys.map { "  " + TerminalText.fit($0.0, width) + $0.1 }
    let right =
      signs.map { state in
        let word = state == .unknown ? "no agent known" : StateStyle.label(state)
        return ("\(StateStyle.sign(state)) \(word)", StateStyle.style(state))
      }
      + [
        ("", "0"), ("+2 -1  commits ahead, behind", "2"), ("●3     paths not committed", "2"),
        ("✗1     paths in conflict", "2"), ("2/5    todos done", "2"),
      ]
    let head = [textStyle.line("Keys", "1"), ""]
    guard textStyle.columns >= 84 else {
      return head + left.map { textStyle.line($0) } + [""]
        + right.map { textStyle.line("  " + $0.0, $0.1) }
    }
    return head
      + left.indices.map { index in
        let sign = index < right.count ? right[index] : ("", "0")
        return textStyle.cell(left[index], 52) + textStyle.colours.paint(sign.1, sign.0)
      }
  }
}
