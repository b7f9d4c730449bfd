/// A stop that a search found (`GET /api/stops/search`, `GET /api/stops/nearby`).
public struct StopMatch: Codable, Hashable, Sendable {
  /// stop_id of the station or lone stop.
  public var id: String
  /// The name, in the language asked for if the feed has it.
  public var name: String
  /// The name as the feed has it.
  public var feedName: String?
  /// Aliases and translations that answered better than the name.
  public var aliases: [String]?
  /// How many departures the timetable has there.
  public var departures: Int?
  /// Metres from the place asked for.
  public var distance: Int?

  private enum CodingKeys: String, CodingKey {
    case id, name
    case feedName = "stop_name"
    case aliases = "aliasesMatched"
    case departures = "nb_stop_times"
    case distance = "distance_m"
  }
}

/// The answer of a search.
public struct StopMatches: Codable, Hashable, Sendable {
  /// The stops, best or nearest first.
  public var stops: [StopMatch]
}
