import Stationboard

/// Which departures a person wants to see: lines and platforms, separated by blanks or commas.
///
/// `9 S1` are lines or platforms of these names; `l:9` is the line, `p:9` the platform.
struct BoardFilter: Equatable {
  /// What was typed.
  var text = ""

  private var wishes: [String] {
    text.lowercased().split { $0 == "," || $0.isWhitespace }.map { String($0) }
  }

  /// Whether a departure is wanted; without wishes all are.
  func fits(_ departure: Departure) -> Bool {
    let wishes = wishes
    guard !wishes.isEmpty else { return true }
    let line = departure.line?.lowercased()
    let platform = departure.platform?.lowercased()
    return wishes.contains { wish in
      if wish.hasPrefix("l:") { return line == String(wish.dropFirst(2)) }
      if wish.hasPrefix("p:") { return platform == String(wish.dropFirst(2)) }
      return line == wish || platform == wish
    }
  }
}
