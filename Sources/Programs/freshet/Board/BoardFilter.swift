import Stationboard

/// The departures to show: lines and platforms, separated by spaces or commas.
///
/// `9 S1` are lines or platforms with these names; `l:9` is the line, `p:9` the platform.
struct BoardFilter: Equatable {
  /// The typed text.
  var text = ""

  private var terms: [String] {
    text.lowercased().split { $0 == "," || $0.isWhitespace }.map { String($0) }
  }

  /// Returns whether a departure is shown; an empty filter shows all.
  func fits(_ departure: Departure) -> Bool {
    let terms = terms
    guard !terms.isEmpty else { return true }
    let line = departure.line?.lowercased()
    let platform = departure.platform?.lowercased()
    return terms.contains { term in
      if term.hasPrefix("l:") { return line == String(term.dropFirst(2)) }
      if term.hasPrefix("p:") { return platform == String(term.dropFirst(2)) }
      return line == term || platform == term
    }
  }
}
