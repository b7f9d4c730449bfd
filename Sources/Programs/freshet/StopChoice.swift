import Commands
import Foundation
import Stationboard
import StationboardClient

/// The stop that the user means.
enum StopChoice {
  /// One stop, by its id.
  case stop(String)
  /// Several that match equally well.
  case several([StopMatch])
  /// None.
  case none

  /// Asks the server.
  ///
  /// A stop whose id or name was typed exactly is chosen, and so is a single match.
  static func find(
    _ wanted: String,
    _ client: BoardClient,
    language: String?
  ) async throws(StationboardFailure) -> StopChoice {
    let stops = try await client.stops(matching: wanted, limit: 10, language: language)
    guard let first = stops.first else { return .none }
    let exact = stops.filter { stop in
      let names = [stop.name, stop.feedName ?? stop.name] + (stop.aliases ?? [])
      return names.contains { isSame($0, wanted) }
    }
    if first.id == wanted || stops.count == 1 { return .stop(first.id) }
    if exact.count == 1 { return .stop(exact[0].id) }
    // For an id of another form the server returns its station, first and alone.
    if wanted.contains(where: \.isNumber), !wanted.contains(" "), exact.isEmpty,
      !stops.contains(where: { $0.name.contains(wanted) })
    {
      return .stop(first.id)
    }
    return .several(stops)
  }

  /// Returns whether two names are equal except for case and accents.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    left.compare(
      right,
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
    ) == .orderedSame
  }

  /// Asks the person which of several stops is meant; without a terminal, they are listed.
  ///
  /// - Returns: The id; `nil` if none was chosen.
  static func ask(_ wanted: String, _ stops: [StopMatch]) -> String? {
    let width = min(48, stops.map { Terminal.width(of: $0.name) }.max() ?? 0)
    let title = "\"\(Terminal.plain(wanted))\" can be:"
    let lines = stops.map { "\(Terminal.fit($0.name, width))  \(Terminal.plain($0.id))" }
    if TerminalChoice.isPossible { return TerminalChoice.ask(title, lines).map { stops[$0].id } }
    Terminal.complain(title + "\n" + lines.map { "  \($0)\n" }.joined())
    return nil
  }
}
