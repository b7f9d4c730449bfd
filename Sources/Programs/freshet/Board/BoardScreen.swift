import Commands
import Freshness
import FreshnessRuntime
import Stationboard
import StationboardClient
import TerminalText

/// The user interface: the board, or a panel opened over it.
///
/// It performs no actions itself; it returns what a key asks for to the program.
struct BoardScreen {
  /// The open panel.
  enum Panel: Equatable {
    /// The board.
    case board
    /// A search for another stop.
    case search
    /// The filter is being edited.
    case filter
    /// The text of the disruptions.
    case alerts
    /// The keys.
    case help
  }

  /// The action that a key asks for.
  enum Action: Equatable {
    /// Quit.
    case quit
    /// Refresh.
    case refresh
    /// Find stops.
    case search(String)
    /// Show another stop.
    case open(String)
  }

  /// The maximum length of typed text.
  private static let longest = 100

  /// The open panel.
  private(set) var panel = Panel.board
  /// The departures to show.
  private(set) var filter = BoardFilter()
  /// The search query.
  private(set) var query = ""
  /// The search results.
  private(set) var matches: [StopMatch] = []
  /// The reason why a search failed.
  private(set) var problem: String?
  /// The query that the results are of.
  private var answered = ""
  /// Whether Return was pressed before the results came.
  private var opensFirst = false
  private var chosen = 0
  private var typed = ""
  private var scrolled = 0

  /// The language.
  let messages: BoardMessages

  init(messages: BoardMessages) { self.messages = messages }

  /// Handles a key.
  mutating func handle(_ key: Key) -> Action? {
    switch (panel, key) {
    case (.search, _): return searching(key)
    case (.filter, _): return filtering(key)
    case (_, .character("q")), (_, .control("c")): return .quit
    case (.board, .escape): filter = BoardFilter()
    case (_, .escape), (.help, .character("?")), (.alerts, .character("a")): open(.board)
    case (_, .character("/")):
      query = ""
      matches = []
      answered = ""
      opensFirst = false
      open(.search)
    case (_, .character("f")):
      typed = filter.text
      open(.filter)
    case (_, .character("r")), (_, .control("l")): return .refresh
    case (_, .character("a")): open(.alerts)
    case (_, .character("?")), (_, .character("h")): open(.help)
    case (.alerts, .down), (.help, .down): scrolled += 1
    case (.alerts, .up), (.help, .up): scrolled = max(scrolled - 1, 0)
    default: break
    }
    return nil
  }

  /// Shows the results of a search, if its query is still current.
  ///
  /// - Returns: What to do if Return was pressed before they came.
  mutating func found(
    _ stops: [StopMatch],
    for query: String,
    problem: String? = nil
  ) -> Action? {
    guard panel == .search, query == self.query else { return nil }
    matches = stops
    answered = query
    self.problem = problem
    chosen = 0
    guard opensFirst else { return nil }
    opensFirst = false
    return opening()
  }

  private mutating func opening() -> Action? {
    guard matches.indices.contains(chosen) else { return nil }
    open(.board)
    filter = BoardFilter()
    return .open(matches[chosen].id)
  }

  private mutating func open(_ panel: Panel) {
    self.panel = panel
    scrolled = 0
    problem = nil
  }

  private mutating func searching(_ key: Key) -> Action? {
    opensFirst = false
    switch key {
    case .escape, .control("c"): open(.board)
    case .down: chosen = min(chosen + 1, max(matches.count - 1, 0))
    case .up: chosen = max(chosen - 1, 0)
    case .enter:
      // The results of what was typed last may still be on their way.
      if query == answered || chosen > 0, let action = opening() { return action }
      guard !query.isEmpty else { return nil }
      opensFirst = true
      return .search(query)
    case .backspace where !query.isEmpty:
      query.removeLast()
      return asked
    case .character(let character), .pasted(let character):
      guard query.count < Self.longest else { return nil }
      query.append(character)
      return asked
    default: break
    }
    return nil
  }

  private var asked: Action? { query.count >= 2 ? .search(query) : nil }

  private mutating func filtering(_ key: Key) -> Action? {
    switch key {
    case .escape, .control("c"): open(.board)
    case .enter:
      filter = BoardFilter(text: typed)
      open(.board)
    case .backspace: if !typed.isEmpty { typed.removeLast() }
    case .character(let character), .pasted(let character):
      if typed.count < Self.longest { typed.append(character) }
    default: break
    }
    return nil
  }

  // MARK: Drawing

  /// The state to draw.
  struct Scene {
    /// The board; `nil` before the first one.
    var board: Board?
    /// The freshness of the board.
    var freshness: FreshnessReport?
    /// The most recent failure.
    var failure: LiveFailure?
    /// The server's time, in seconds since 1970.
    var now: Double
  }

  /// Returns the screen, with at most as many lines as there are rows.
  func lines(_ scene: Scene, size: (columns: Int, rows: Int), colours: ColourDepth) -> [String] {
    let text = BoardText(columns: size.columns, colours: colours, messages: messages)
    let bottom = [
      text.freshness(scene.freshness, of: scene.board, failure: scene.failure), prompt(text),
    ]
    let room = max(size.rows - bottom.count, 1)
    var lines: [String]
    switch panel {
    case .board, .filter:
      var shown = filter
      if panel == .filter { shown.text = typed }
      lines =
        scene.board.map { text.lines($0, at: scene.now, rows: max(room - 2, 1), filter: shown) }
        ?? [messages.noCopy]
    case .search: lines = found(text)
    case .alerts: lines = alerts(scene.board, text)
    case .help:
      let all = help(text)
      lines = Array(all.dropFirst(min(scrolled, max(all.count - room, 0))))
    }
    lines = Array(lines.prefix(room))
    lines += [String](repeating: "", count: room - lines.count)
    return lines + bottom
  }

  /// The width from which signs are shown beside the keys.
  private static let columnsForTwo = 84

  private func help(_ text: BoardText) -> [String] {
    func lines(_ hints: [KeyHints.Hint]) -> [String] {
      hints.map { "  " + Terminal.fit($0.key, 7) + $0.label }
    }
    let (keys, signs) = (lines(messages.allKeys), lines(messages.signs))
    let width = max(text.columns - 1, 20)
    let head = text.paint("1", Terminal.fit(messages.keysTitle, width))
    guard width >= Self.columnsForTwo else {
      return [head] + (keys + [""] + signs).map { Terminal.fit($0, width) }
    }
    return [head]
      + keys.indices.map { index in
        Terminal.fit(keys[index], width / 2)
          + Terminal.fit(index < signs.count ? signs[index] : "", width - width / 2)
      }
  }

  private func prompt(_ text: BoardText) -> String {
    let width = max(text.columns - 1, 20)
    switch panel {
    case .search:
      return typedLine("/ \(messages.searchPrompt): \(query)▏", messages.searchKeys, text, width)
    case .filter:
      return typedLine("f \(messages.filterPrompt): \(typed)▏", messages.filterKeys, text, width)
    case .alerts, .help: return text.paint("2", KeyHints.line(messages.readingKeys, width))
    case .board:
      let active = filter.text.isEmpty ? "" : "[\(Terminal.plain(filter.text))]  "
      let hints = KeyHints.line(messages.keys, width - Terminal.width(of: active))
      return text.paint("2", Terminal.fit(active + hints, width))
    }
  }

  /// Returns the typed text, followed by key hints if they fit.
  private func typedLine(
    _ typed: String,
    _ hints: [KeyHints.Hint],
    _ text: BoardText,
    _ width: Int
  ) -> String {
    let line = Terminal.plain(typed)
    let room = width - Terminal.width(of: line) - 3
    let keys = KeyHints.line(hints, room)
    guard Terminal.width(of: keys) <= room else { return Terminal.fit(line, width) }
    return "\(line)   " + text.paint("2", keys)
  }

  private func found(_ text: BoardText) -> [String] {
    var lines = [""]
    if let problem { lines.append("  \(Terminal.plain(problem))") }
    for (index, stop) in matches.enumerated() {
      let line = Terminal.fit("  \(stop.name)", max(text.columns - 1, 20))
      lines.append(index == chosen ? text.paint("7", "›" + line.dropFirst()) : line)
    }
    return lines
  }

  private func alerts(_ board: Board?, _ text: BoardText) -> [String] {
    var alerts = board?.banners ?? []
    for departure in board?.departures ?? [] {
      for alert in departure.alerts ?? [] where !alerts.contains(where: { $0.id == alert.id }) {
        alerts.append(alert)
      }
    }
    guard !alerts.isEmpty else { return ["", "  \(messages.noAlerts)"] }
    let lines = alerts.flatMap { alert in
      [text.paint("1;33", Terminal.fit("⚠ \(alert.header ?? "")", max(text.columns - 1, 20)))]
        + TerminalText.wrapped(alert.body, max(text.columns - 4, 20)).map { "  \($0)" }
        + [""]
    }
    return Array(lines.dropFirst(min(scrolled, max(lines.count - 1, 0))))
  }
}

extension ServiceAlert {
  /// The text below the header, a paragraph a line: the description, effect and cause in the agency's words, and where
  /// there is more to read and to see.
  fileprivate var body: String {
    let details = [effectDetail, causeDetail].compactMap(\.self)
      .filter { !$0.isEmpty && $0 != header && $0 != description }
    let picture = image.map { image in
      [image.alternativeText, image.url].compactMap(\.self).joined(separator: ": ")
    }
    return [description, details.joined(separator: " · "), url, picture].compactMap(\.self)
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }
}
