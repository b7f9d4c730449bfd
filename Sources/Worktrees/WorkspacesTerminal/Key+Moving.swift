import TerminalText

extension Key {
  /// Moves a place by a line, by a page, to the start or to the end, if that is what the key means.
  ///
  /// - Parameters:
  ///   - place: The place; the caller keeps it within its list.
  ///   - room: The number of rows of a page.
  ///   - end: The place at the end.
  func move(_ place: inout Int, room: Int, end: Int) {
    switch self {
    case .down, .character("j"): place += 1
    case .up, .character("k"): place -= 1
    case .pageDown, .control("f"): place += room
    case .pageUp, .control("b"): place -= room
    case .home, .character("g"): place = 0
    case .end, .character("G"): place = end
    default: break
    }
  }
}
