/// A disruption, in the language asked for (`banners[]`, `departures[].alerts[]`).
public struct ServiceAlert: Codable, Hashable, Sendable {
  /// Names the alert.
  public var id: String
  /// How bad it is, in the words of GTFS-Realtime.
  public var severity: String?
  /// What it does to the service, such as `DETOUR`.
  public var effect: String?
  /// Why, such as `CONSTRUCTION`.
  public var cause: String?
  /// One line.
  public var header: String?
  /// The whole text.
  public var description: String?
  /// Where there is more to read.
  public var url: String?
}
