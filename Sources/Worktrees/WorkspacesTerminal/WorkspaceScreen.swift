package import TerminalText
package import Workspaces
package import WorkspacesClient

/// The state of the screen: the list, a worktree, its diff, or a dialogue over them.
///
/// A value without side effects: takes lists and keys; returns lines, and the requests of a key to the program.
package struct WorkspaceScreen: Sendable {
  /// The page on screen.
  package enum Page: Hashable, Sendable {
    /// All worktrees.
    case list
    /// One worktree.
    case worktree
    /// The diff of a worktree.
    case diff
  }

  /// What lies over it.
  package enum Overlay: Equatable, Sendable {
    /// The keys.
    case help
    /// The filter is being typed.
    case filter
    /// Something is about to be changed.
    case dialogue(WorkspaceDialogue)
    /// What can be taken back.
    case restores(RestoreChoice)
  }

  /// A request of a key to the program.
  package enum Action: Equatable, Sendable {
    /// Leave.
    case quit
    /// A fresh copy of everything that is shown, and git is asked about this worktree.
    case refresh(String?)
    /// Ask whether it would end in conflicts.
    case check(WorkspaceCheck, String)
    /// Change something.
    case make(WorkspaceChange)
    /// Ask what can be taken back.
    case restorePoints
  }

  /// The longest filter.
  private static let longest = 100

  /// The page on screen.
  package internal(set) var page = Page.list
  /// What lies over it.
  package internal(set) var overlay: Overlay?
  /// The worktree at the cursor, or the open one.
  package internal(set) var selected: String?
  /// Which worktrees are wanted: each word of it occurs in what is known of them.
  package internal(set) var filter = ""
  /// The result of the last action, or why it failed.
  package internal(set) var message: (text: String, isProblem: Bool)?
  /// The action in progress.
  package internal(set) var running: WorkspaceChange?

  /// The list.
  package internal(set) var list: WorkspaceList?
  /// The rows, filtered, those that need attention first.
  package internal(set) var shown: [Workspace] = []
  var session: WorkspaceSession?
  var diff: DiffRows?
  var summary = ""
  var diffProblem: String?
  /// What of the diff could not be read.
  private var diffLosses: String?
  /// The first row of the list that is drawn, the first line of a page that is scrolled.
  var top = 0
  var scrolled = 0
  /// How many rows and lines there were when it was drawn.
  var room = 20
  var length = 0
  private var typed = ""
  private var place = 0
  /// Whether the cursor was moved; until then it is at what needs attention most.
  private var isPlaced = false

  /// Nothing is known yet.
  package init() {}

  /// The worktree at the cursor, or the open one.
  package var current: Workspace? { list?.worktrees.first { $0.id == selected } }

  /// The worktree that is open.
  package var opened: String? { page == .list ? nil : selected }

  /// The parts of the shown page that could not be read, in one line.
  var losses: String? {
    switch page {
    case .list: list?.losses
    case .worktree: session?.losses ?? list?.losses
    case .diff: diffLosses ?? list?.losses
    }
  }

  // MARK: Updates from the server

  /// Takes the newest list; the cursor stays on its worktree, wherever that goes.
  package mutating func handle(_ list: WorkspaceList) {
    self.list = list
    arrange()
    if page != .list, current == nil {
      close()
      message = ("The worktree is gone.", true)
    }
  }

  /// Shows the session of the open worktree, or that it has none.
  package mutating func handle(_ session: WorkspaceSession?) { self.session = session }

  /// Shows the diff of the open worktree, or why it is not available.
  package mutating func handle(_ diff: WorkspaceDiff?, problem: String?) {
    diffProblem = problem
    guard let diff else { return }
    self.diff = DiffRows(diff)
    diffLosses = diff.losses
    let files = StateStyle.counted(diff.totalFiles, "file")
    let added = diff.fileDiffs.compactMap(\.added).reduce(0, +)
    let removed = diff.fileDiffs.compactMap(\.removed).reduce(0, +)
    summary = "\(files) · +\(added) -\(removed)"
    if !diff.sourceBranch.isEmpty { summary += " · against \(diff.sourceBranch)" }
  }

  /// Shows a message until the next key.
  package mutating func show(_ text: String, isProblem: Bool) { message = (text, isProblem) }

  /// Takes what a check found.
  package mutating func checked(
    _ id: String,
    _ result: Result<ConflictReport, WorkspaceFailure>
  ) {
    guard case .dialogue(var dialogue) = overlay, dialogue.worktree.id == id else { return }
    dialogue.checked(result)
    overlay = .dialogue(dialogue)
  }

  /// Takes what can be taken back.
  package mutating func handle(_ points: Result<[RestorePoint], WorkspaceFailure>) {
    guard case .restores(var choice) = overlay, choice.stage == .requesting else { return }
    choice.handle(points)
    overlay = .restores(choice)
  }

  /// Handles the outcome of a change.
  package mutating func made(
    _ change: WorkspaceChange,
    _ result: Result<String, WorkspaceFailure>
  ) {
    if running == change { running = nil }
    switch result {
    case .success(let text):
      if case .dialogue(let dialogue) = overlay, dialogue.stage == .running { overlay = nil }
      if case .restores(let choice) = overlay, choice.stage == .running { overlay = nil }
      message = (text.isEmpty ? Self.word(change) : text, false)
    case .failure(let failure):
      if case .dialogue(var dialogue) = overlay, dialogue.stage == .running {
        dialogue.refused(failure)
        overlay = .dialogue(dialogue)
      } else if case .restores(var choice) = overlay, choice.stage == .running {
        choice.refused(failure)
        overlay = .restores(choice)
      } else {
        let files =
          failure.files.isEmpty ? "" : ": \(failure.files.prefix(5).joined(separator: ", "))"
        message = (failure.description + files, true)
      }
    }
  }

  private static func word(_ change: WorkspaceChange) -> String {
    if case .seen = change { "Marked as seen." } else { "Done." }
  }

  /// Orders and filters; the cursor stays on its worktree, or in its place.
  mutating func arrange() {
    let words = (isFiltering ? typed : filter).lowercased().split(whereSeparator: \.isWhitespace)
    shown = (list?.byAttention ?? []).filter { it in
      let text = [
        it.name, it.branch, it.repoId, StateStyle.label(it.activity.state), StateStyle.about(it),
      ].joined(separator: "\n").lowercased()
      return words.allSatisfy { text.contains($0) }
    }
    if !isPlaced, page == .list { selected = nil }
    if let found = shown.firstIndex(where: { $0.id == selected }) {
      place = found
    } else if page == .list {
      place = isPlaced ? min(place, max(shown.count - 1, 0)) : 0
      selected = shown.indices.contains(place) ? shown[place].id : nil
    }
  }

  private var isFiltering: Bool { overlay == .filter }
  /// The filter, as it is or as it is being typed.
  var filterText: String { isFiltering ? typed : filter }

  // MARK: Keys

  /// Takes a key.
  package mutating func handle(_ key: Key) -> Action? {
    if case .pasted = key, overlay == nil || overlay == .help { return nil }
    message = nil
    switch overlay {
    case .dialogue(var dialogue):
      let outcome = dialogue.handle(key)
      overlay = .dialogue(dialogue)
      return follow(outcome)
    case .restores(var choice):
      let outcome = choice.handle(key, room: room)
      overlay = .restores(choice)
      return follow(outcome)
    case .filter: return filtering(key)
    case .help: return helping(key)
    case nil: break
    }
    isPlaced = true
    switch key {
    case .character("q"), .control("c"): return .quit
    case .character("?"), .character("h"):
      overlay = .help
      scrolled = 0
    case .character("r"), .control("l"): return .refresh(current?.id)
    case .character("/"):
      typed = filter
      if page != .list { close() }
      overlay = .filter
      arrange()
    case .character("s"): return mark()
    case .character("n"): return begin(.create)
    case .character("m"): return begin(.merge)
    case .character("u"): return begin(.sync)
    case .character("D"): return begin(.delete)
    case .character("t"): return begin(.trust)
    case .character("z"):
      guard isFree() else { return nil }
      overlay = .restores(RestoreChoice())
      return .restorePoints
    default: if page == .list { pointing(key) } else { scrolling(key) }
    }
    return nil
  }

  /// Does what a dialogue decided.
  private mutating func follow(_ outcome: WorkspaceDialogue.Outcome) -> Action? {
    switch outcome {
    case .stay: return nil
    case .close:
      overlay = nil
      return nil
    case .make(let change):
      running = change
      return .make(change)
    }
  }

  private mutating func helping(_ key: Key) -> Action? {
    switch key {
    case .character("q"), .control("c"): return .quit
    case .up, .down, .pageUp, .pageDown, .home, .end, .character("j"), .character("k"),
      .character(" "):
      scrolling(key)
    default:
      overlay = nil
      scrolled = 0
    }
    return nil
  }

  private mutating func mark() -> Action? {
    guard let current, isFree() else { return nil }
    running = .seen(current.id)
    return .make(.seen(current.id))
  }

  private mutating func begin(_ kind: WorkspaceDialogue.Kind) -> Action? {
    guard let list, let current, isFree() else { return nil }
    if current.isMain, kind == .delete || kind == .merge {
      message = ("\(current.name) came with its repository: it stays, and is merged nowhere.", true)
      return nil
    }
    if kind == .trust, current.git.trust == nil {
      message = ("The configuration of \(current.repoId) names no program.", false)
      return nil
    }
    let dialogue = WorkspaceDialogue(kind, current, of: list)
    overlay = .dialogue(dialogue)
    return dialogue.check.map { .check($0, current.id) }
  }

  /// Whether nothing is being done; one thing at a time.
  private mutating func isFree() -> Bool {
    guard running != nil else { return true }
    message = ("Wait: the server is still doing what was asked for before.", true)
    return false
  }

  private mutating func pointing(_ key: Key) {
    switch key {
    case .escape:
      filter = ""
      arrange()
    case .enter, .right, .character("l"): if current != nil { show(.worktree) }
    case .character("d"), .tab: if current != nil { show(.diff) }
    default: key.move(&place, room: room, end: shown.count - 1)
    }
    place = min(max(place, 0), max(shown.count - 1, 0))
    if shown.indices.contains(place) { selected = shown[place].id }
  }

  private mutating func scrolling(_ key: Key) {
    switch key {
    case .character(" "): scrolled += room
    case .tab, .character("d"): show(page == .diff ? .worktree : .diff)
    case .character("]") where page == .diff:
      scrolled = diff?.files.first { $0 > scrolled } ?? scrolled
    case .character("[") where page == .diff:
      scrolled = diff?.files.last { $0 < scrolled } ?? 0
    case .escape, .left, .backspace: close()
    default: key.move(&scrolled, room: room, end: length)
    }
    scrolled = min(max(scrolled, 0), max(length - room, 0))
  }

  private mutating func show(_ page: Page) {
    if self.page == .list {
      (session, diff, diffProblem, diffLosses, summary) = (nil, nil, nil, nil, "")
    }
    self.page = page
    (scrolled, length) = (0, 0)
  }

  private mutating func close() {
    page = .list
    (scrolled, length) = (0, 0)
    arrange()
  }

  private mutating func filtering(_ key: Key) -> Action? {
    switch key {
    case .escape, .control("c"): overlay = nil
    case .enter:
      filter = typed
      overlay = nil
    case .backspace: if !typed.isEmpty { typed.removeLast() }
    case .character(let character), .pasted(let character):
      if typed.count < Self.longest { typed.append(character) }
    default: break
    }
    arrange()
    return nil
  }
}
