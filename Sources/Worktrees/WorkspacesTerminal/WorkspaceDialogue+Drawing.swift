import TerminalText
import Workspaces
import WorkspacesClient

extension WorkspaceDialogue {
  /// The most files that are named; the rest are counted.
  private static let mostFiles = 200

  private var source: String {
    let name = worktree.sourceBranch.isEmpty ? worktree.git.compared : worktree.sourceBranch
    return name ?? "its source"
  }

  /// The dialogue, no more lines than there are rows.
  func lines(rows: Int, _ textStyle: TextStyle) -> [String] {
    let name = worktree.name
    let heading =
      switch kind {
      case .merge: "Merge \(worktree.branch) into \(source)?"
      case .sync: "Bring \(source) into \(worktree.branch)?"
      case .delete: "Delete the worktree \(name)?"
      case .create: "A new worktree"
      case .trust:
        isTrusted
          ? "Trust the configuration of \(worktree.repoId) no more?"
          : "Trust the configuration of \(worktree.repoId)?"
      }
    var lines = [textStyle.line(heading, "1"), ""]
    switch stage {
    case .checking:
      lines.append(textStyle.line("  Checking whether it would end in conflicts …", "2"))
    case .running: lines.append(textStyle.line("  \(running) …", "2"))
    case .ready:
      lines += kind == .trust ? trust(rows - lines.count, textStyle) : ready(textStyle)
    case .conflicts(let report):
      let count = StateStyle.counted(report.conflictFiles.count, "file")
      lines += textStyle.paragraph(
        "It would end in conflicts in \(count). Nothing was changed.",
        most: 4
      )
      .map { textStyle.colours.paint("1;31", $0) }
      lines += files(report.conflictFiles, rows - lines.count, textStyle)
    case .refused(let failure):
      lines += textStyle.paragraph(failure.description, most: 8).map {
        textStyle.colours.paint("1;31", $0)
      }
      let tail = mayInsist ? insistence(textStyle) : []
      lines += files(failure.files, rows - lines.count - tail.count, textStyle) + tail
    }
    return Array(lines.prefix(max(rows, 1)))
  }

  /// The available keys.
  var hints: [(key: String, label: String)] {
    switch (stage, kind) {
    case (.checking, _), (.running, _): [("esc", "back")]
    case (.conflicts, _): [("esc", "back")]
    case (.refused, .create): [("enter", "mend"), ("esc", "leave")]
    case (.refused, _): mayInsist ? [("enter", "confirm"), ("esc", "keep it")] : [("esc", "back")]
    case (.ready, .merge): [("y", "merge"), ("s", "squash"), ("c", "clean up"), ("esc", "no")]
    case (.ready, .sync):
      [("y", strategy.rawValue), ("s", "strategy"), ("f", "fetch"), ("esc", "no")]
    case (.ready, .delete): [("y", "delete"), ("b", "branch too"), ("esc", "no")]
    case (.ready, .trust): [("y", isTrusted ? "take it back" : "trust"), ("esc", "no")]
    case (.ready, .create): [("enter", "make it"), ("tab", "next"), ("esc", "no")]
    }
  }

  private var running: String {
    switch kind {
    case .merge: "Merging"
    case .sync: strategy == .rebase ? "Rebasing" : "Merging"
    case .delete: "Deleting"
    case .create: "Making it"
    case .trust: isTrusted ? "Taking it back" : "Trusting"
    }
  }

  private func ready(_ textStyle: TextStyle) -> [String] {
    switch kind {
    case .merge:
      let commits = StateStyle.counted(worktree.commitCount, "commit")
      return textStyle.paragraph("There are no conflicts. \(commits) would be merged.", most: 3) + [
        "", option("s", squashes, "squash: one commit instead of all", textStyle),
        option("c", cleansUp, "clean up: the worktree goes afterwards", textStyle),
      ]
    case .sync:
      let commits = StateStyle.counted(worktree.commitsBehind, "commit")
      return textStyle.paragraph("There are no conflicts. It lacks \(commits).", most: 3) + [
        "",
        option("s", strategy == .rebase, "rebase: its commits are made again on top", textStyle),
        option("s", strategy == .merge, "merge: a commit joins both", textStyle),
        option("f", fetches, "fetch: the remote is asked first", textStyle),
      ]
    case .delete:
      return deletion(textStyle)
    case .create:
      return form(textStyle)
    case .trust:
      return []
    }
  }

  private var isTrusted: Bool { worktree.git.trust?.state == .trusted }

  /// The programs that the configuration would run, and the meaning of the answer.
  private func trust(_ room: Int, _ textStyle: TextStyle) -> [String] {
    guard let trust = worktree.git.trust else {
      return textStyle.paragraph("It names no program.", most: 3)
    }
    let meaning =
      isTrusted
      ? "Git may run these programs now. Without trust none of them is run."
      : "Git may run these programs then, until one of them is another:"
    var named = trust.programs.map { program in
      "\(program.key) = \(program.command)" + (program.file.map { "  (\($0))" } ?? "")
    }
    if trust.count > named.count { named.append("… and \(trust.count - named.count) more") }
    let head = textStyle.paragraph(meaning, most: 4)
    return head + files(named, room - head.count, textStyle)
  }

  private func deletion(_ textStyle: TextStyle) -> [String] {
    var facts = ["\(worktree.path) goes with everything in it; it can be restored for seven days."]
    facts.append(
      removesBranch
        ? "The branch \(worktree.branch) goes too." : "The branch \(worktree.branch) stays."
    )
    if worktree.git.isDirty { facts.append("Something is not committed.") }
    if worktree.activity.state == .working { facts.append("An agent works there.") }
    if worktree.activity.state == .needsYou { facts.append("An agent waits for you there.") }
    return facts.flatMap { textStyle.paragraph($0, most: 3) } + [
      "", option("b", removesBranch, "the branch goes too", textStyle),
    ]
  }

  private func insistence(_ textStyle: TextStyle) -> [String] {
    [""]
      + textStyle.paragraph("To do it all the same, type \(word) and press enter.", most: 3)
      + [textStyle.line("  \(typed)▏", "1")]
  }

  private func form(_ textStyle: TextStyle) -> [String] {
    let names = ["branch", "from", "folder"]
    let empty = ["named after the folder", "the default branch", "named after the branch"]
    var lines: [String] = []
    let shown = repositories.isEmpty ? worktree.repoId : repositories[repository].shown
    let arrows = repositories.count > 1 ? "  ‹ › \(repository + 1) of \(repositories.count)" : ""
    lines.append(textStyle.line("  of     \(TerminalText.line(shown))\(arrows)"))
    for (index, name) in names.enumerated() {
      let isHere = index == field
      let label = (isHere ? "› " : "  ") + TerminalText.fit(name, 7)
      let text = fields[index]
      if text.isEmpty, !isHere {
        lines.append(textStyle.line(label + empty[index], "2"))
      } else {
        // The end of a long text is what is being typed.
        let room = max(textStyle.columns - 11, 1)
        lines.append(
          textStyle.line(
            label + String(text.suffix(room)) + (isHere ? "▏" : ""),
            isHere ? "1" : "0"
          )
        )
      }
    }
    return lines
  }

  private func option(
    _ key: String,
    _ isOn: Bool,
    _ label: String,
    _ textStyle: TextStyle
  ) -> String {
    textStyle.line("  \(key) \(isOn ? "[x]" : "[ ]") \(label)", isOn ? "1" : "0")
  }

  private func files(_ paths: [String], _ room: Int, _ textStyle: TextStyle) -> [String] {
    guard !paths.isEmpty, room > 1 else { return [] }
    let most = min(room - 1, Self.mostFiles)
    let isCut = paths.count > most
    var lines =
      [""]
      + paths.prefix(isCut ? most - 1 : most).map { textStyle.line("  \(TerminalText.line($0))") }
    if isCut { lines.append(textStyle.line("  … and \(paths.count - max(most - 1, 0)) more", "2")) }
    return lines
  }
}
