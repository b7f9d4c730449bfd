import TerminalText
package import Workspaces
import WorkspacesClient

/// Worktrees as rows: on a narrow terminal the columns that matter least go first.
package struct WorkspaceTable: Sendable {
  private let textStyle: TextStyle
  private let now: Double
  private let name: Int
  private let hasNames: Bool
  private let state: Int
  private let age: Int
  private let branch: Int
  private let git: Int
  private let todos: Int
  private let about: Int

  /// Finds the columns.
  ///
  /// - Parameters:
  ///   - worktrees: The rows.
  ///   - now: The server's time, in seconds since 1970.
  ///   - textStyle: The width and the colours.
  package init(_ worktrees: [Workspace], at now: Double, _ textStyle: TextStyle) {
    self.textStyle = textStyle
    self.now = now
    let columns = textStyle.columns
    func widest(_ most: Int, _ text: (Workspace) -> String) -> Int {
      // No column needs more of a text than its width to know its width.
      let width = worktrees.map { TerminalText.width(of: String(text($0).prefix(most + 1))) }.max()
      return min(width ?? 0, most)
    }
    age = columns >= 14 ? 5 : 0
    state = columns >= 56 ? 11 : 1
    let fixed = 3 + age + state
    let least = max(columns - fixed, 1)
    name = min(max(widest(30) { $0.name }, 6), columns >= 72 ? columns / 3 : least)
    hasNames = widest(name + 1) { $0.name } <= name
    var left = max(columns - fixed - name, 0)
    func reserve(_ width: Int, from start: Int) -> Int {
      guard columns >= start, width > 0, left > width + 2 else { return 0 }
      left -= width + 2
      return width
    }
    let gitWidth = max(widest(22, StateStyle.git), 3)
    let leastGit = reserve(min(gitWidth, columns >= 90 ? 22 : 12), from: 40)
    todos = reserve(worktrees.contains { !$0.todos.isEmpty } ? 5 : 0, from: 48)
    let widestBranch = widest(min(24, columns / 6)) { Self.branch($0) }
    branch = reserve(widestBranch > 0 ? max(widestBranch, 6) : 0, from: 120)
    about = left >= 10 ? left - 2 : 0
    git = leastGit > 0 && about == 0 ? min(gitWidth, leastGit + left) : leastGit
  }

  /// The names of the columns.
  package var header: String {
    let text =
      "  " + TerminalText.fit(state > 1 ? "" : " ", state) + " "
      + TerminalText.fit("worktree", name)
      + TerminalText.fit(age > 0 ? "age" : "", age, atEnd: true) + column("branch", branch)
      + column("git", git) + column("todo", todos) + column("about", about)
    return textStyle.line(text, "2")
  }

  private func column(_ text: String, _ width: Int) -> String {
    width > 0 ? "  " + TerminalText.fit(text, width) : ""
  }

  /// A row.
  ///
  /// - Parameters:
  ///   - it: The worktree.
  ///   - isSelected: Whether the cursor is on it.
  /// - Returns: The line.
  package func row(_ it: Workspace, isSelected: Bool) -> String {
    guard age > 0 else {
      let sign = StateStyle.sign(it.activity.state)
      return textStyle.line("\(isSelected ? "›" : sign) \(title(it))", isSelected ? "7" : "0")
    }
    // The selected row has one color, so that it can be recognized with sixteen colors; without colors the sign shows
    // it.
    let textStyle = isSelected ? TextStyle(columns: textStyle.columns, colours: .none) : textStyle
    let style = StateStyle.style(it.activity.state)
    let word = state > 1 ? " \(StateStyle.label(of: it.activity))" : ""
    let since = it.activity.since.flatMap(WorkspaceInstant.read)
    let names = it.activity.state == .needsYou || it.activity.state == .doneUnseen ? "1" : "0"
    var line =
      (isSelected ? "› " : "  ")
      + textStyle.cell(StateStyle.sign(it.activity.state) + word, state, style)
      + " " + textStyle.cell(title(it), name, names)
    if age > 0 {
      line += textStyle.cell(StateStyle.age(since.map { now - $0 }), age, "2", atEnd: true)
    }
    if branch > 0 { line += "  " + textStyle.cell(Self.branch(it), branch, "34") }
    if git > 0 {
      let isBad = it.git.conflictCount > 0 || it.git.problem != nil
      line += "  " + textStyle.cell(StateStyle.git(it), git, isBad ? "31" : "35")
    }
    if todos > 0 { line += "  " + textStyle.cell(StateStyle.todos(it.todos), todos) }
    if about > 0 { line += "  " + textStyle.cell(TerminalText.line(StateStyle.about(it)), about) }
    guard isSelected else { return line }
    return self.textStyle.colours.paint("7", TerminalText.fit(line, self.textStyle.columns))
  }

  /// The name; only the folder if the names are too wide.
  private func title(_ it: Workspace) -> String {
    guard !hasNames, let slash = it.name.lastIndex(of: "/") else { return it.name }
    let folder = String(it.name[it.name.index(after: slash)...])
    return it.machine.map { "\($0.name):\(folder)" } ?? folder
  }

  /// The branch, where the name does not say it already.
  private static func branch(_ it: Workspace) -> String {
    it.name.hasSuffix("/\(it.branch)") ? "" : it.branch
  }
}
