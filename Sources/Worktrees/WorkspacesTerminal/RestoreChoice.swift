package import TerminalText
package import Workspaces
package import WorkspacesClient

/// What can be taken back, from which a person chooses one: worktrees in the trash, merges, syncs.
package struct RestoreChoice: Equatable, Sendable {
  /// How far it is.
  package enum Stage: Equatable, Sendable {
    /// The server is asked what there is.
    case requesting
    /// The person chooses.
    case ready
    /// The server takes it back.
    case running
    /// The server refused.
    case refused(WorkspaceFailure)
  }

  /// The word that confirms what the server refused because of programs that run there.
  static let word = "restore"

  /// How far it is.
  package private(set) var stage = Stage.requesting
  /// What there is, the newest first.
  package private(set) var points: [RestorePoint] = []
  /// The index of the cursor.
  package private(set) var place = 0
  /// The text typed to confirm.
  private(set) var typed = ""
  /// Processes that were named and passed over, by their numbers.
  private var processes: [Int] = []

  /// Nothing is known yet.
  package init() {}

  /// The point at the cursor.
  package var chosen: RestorePoint? { points.indices.contains(place) ? points[place] : nil }

  /// Takes what there is, or why that is not known.
  package mutating func handle(_ result: Result<[RestorePoint], WorkspaceFailure>) {
    switch result {
    case .success(let points):
      self.points = points
      place = min(place, max(points.count - 1, 0))
      stage = .ready
    case .failure(let failure): stage = .refused(failure)
    }
  }

  /// Takes why the server did not take it back.
  package mutating func refused(_ failure: WorkspaceFailure) {
    typed = ""
    stage = .refused(failure)
  }

  // MARK: Keys

  /// Takes a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - room: The number of rows of a page.
  /// - Returns: The outcome of the key.
  package mutating func handle(_ key: Key, room: Int) -> WorkspaceDialogue.Outcome {
    if key == .escape || key == .control("c") { return leave() }
    switch stage {
    case .requesting, .running: return .stay
    case .refused(let failure): return insisting(key, failure)
    case .ready: break
    }
    switch key {
    case .character("y"): return run()
    case .character("n"), .character("q"): return .close
    default: key.move(&place, room: room, end: points.count - 1)
    }
    place = min(max(place, 0), max(points.count - 1, 0))
    return .stay
  }

  /// Whether the word may be typed that makes the server do it all the same.
  var mayInsist: Bool {
    guard case .refused(let failure) = stage, chosen != nil else { return false }
    return failure.yields(.processes, of: .restore) && !failure.processes.isEmpty
  }

  /// From a refusal back to the list; from the list away.
  private mutating func leave() -> WorkspaceDialogue.Outcome {
    guard case .refused = stage, !points.isEmpty else { return .close }
    (stage, typed, processes) = (.ready, "", [])
    return .stay
  }

  private mutating func insisting(
    _ key: Key,
    _ failure: WorkspaceFailure
  ) -> WorkspaceDialogue.Outcome {
    guard mayInsist else { return key == .enter ? leave() : .stay }
    switch key {
    case .character(let character) where typed.count < Self.word.count: typed.append(character)
    case .backspace where !typed.isEmpty: typed.removeLast()
    case .enter where typed == Self.word:
      processes += failure.processes.map(\.pid)
      return run()
    default: break
    }
    return .stay
  }

  private mutating func run() -> WorkspaceDialogue.Outcome {
    guard let chosen else { return .stay }
    stage = .running
    return .make(.restore(chosen.id, processes: processes))
  }

  // MARK: Drawing

  /// The available keys.
  var hints: [(key: String, label: String)] {
    switch stage {
    case .requesting, .running: [("esc", "back")]
    case .ready:
      points.isEmpty
        ? [("esc", "back")] : [("y", "take it back"), ("↑ ↓", "choose"), ("esc", "back")]
    case .refused: mayInsist ? [("enter", "confirm"), ("esc", "leave it")] : [("esc", "back")]
    }
  }

  /// The most files of a refusal that are named; the rest are counted.
  private static let mostFiles = 200

  /// The list, no more lines than there are rows.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - now: The server's time, in seconds since 1970.
  ///   - textStyle: The width and the colors.
  /// - Returns: The lines.
  func lines(rows: Int, at now: Double, _ textStyle: TextStyle) -> [String] {
    var lines = [textStyle.line("What can be taken back", "1"), ""]
    switch stage {
    case .requesting: lines.append(textStyle.line("  Asking …", "2"))
    case .running: lines.append(textStyle.line("  Taking it back …", "2"))
    case .ready: lines += list(max(rows - lines.count, 1), now, textStyle)
    case .refused(let failure):
      lines += textStyle.paragraph(failure.description, most: 8).map {
        textStyle.colours.paint("1;31", $0)
      }
      lines += failure.files.prefix(Self.mostFiles).map {
        textStyle.line("  \(TerminalText.line($0))")
      }
      if mayInsist {
        let prompt = "To do it all the same, type \(Self.word) and press enter."
        let tail =
          [""] + textStyle.paragraph(prompt, most: 3) + [textStyle.line("  \(typed)▏", "1")]
        lines = Array(lines.prefix(max(rows - tail.count, 1))) + tail
      }
    }
    return Array(lines.prefix(max(rows, 1)))
  }

  private func list(_ room: Int, _ now: Double, _ textStyle: TextStyle) -> [String] {
    guard !points.isEmpty else {
      return textStyle.paragraph("There is nothing to take back.", most: 2)
    }
    let top = max(min(place - room / 2, points.count - room), 0)
    return points.enumerated().dropFirst(top).prefix(room).map { index, point in
      let isHere = index == place
      let age = StateStyle.longAge(WorkspaceInstant.read(point.createdAt).map { now - $0 })
      let left = StateStyle.longAge(WorkspaceInstant.read(point.keptUntil).map { $0 - now })
      let text = TerminalText.line(
        Self.summary(of: point) + (age.isEmpty ? "" : ", \(age) ago")
          + (left.isEmpty ? "" : "; kept for \(left)")
      )
      return textStyle.line((isHere ? "› " : "  ") + text, isHere ? "1" : "0")
    }
  }

  /// What the action was.
  private static func summary(of point: RestorePoint) -> String {
    let branch = point.branch ?? "HEAD"
    switch point.kind {
    case .delete: return "\(point.name) deleted (\(branch), \(point.path))"
    case .merge: return "a merge into \(branch) in \(point.path)"
    case .sync: return "a sync of \(branch) in \(point.path)"
    case .restore: return "\(branch) in \(point.path) put back"
    default: return "\(point.kind.rawValue) of \(branch) in \(point.path)"
    }
  }
}
