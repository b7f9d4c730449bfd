public import Foundation
public import Stationboard

/// A stop that a person wants to find again.
public struct FavouriteStop: Codable, Hashable, Sendable, Identifiable {
  /// stop_id.
  public var id: String
  /// The name, as it was when it was saved.
  public var name: String

  /// Creates a favourite.
  public init(id: String, name: String) {
    self.id = id
    self.name = name
  }

  /// Creates a favourite of a stop that was found.
  public init(_ stop: StopMatch) { self.init(id: stop.id, name: stop.name) }
}

/// The favourites of a person: unique by id, the newest first, at most ``most`` (mesdeparts.md 3.10).
public struct FavouriteStops: Hashable, Sendable {
  /// The most that are kept; the oldest makes room.
  public static let most = 50
  /// The name under which they are kept.
  static let key = "stationboard.favourites.v1"

  /// The stops, the newest first.
  public private(set) var stops: [FavouriteStop] = []

  /// Creates an empty list.
  public init() {}

  /// Reads the list that was saved; what cannot be read is an empty list.
  public init(savedIn defaults: UserDefaults) {
    guard let data = defaults.data(forKey: Self.key),
      let stops = try? JSONDecoder().decode([FavouriteStop].self, from: data)
    else { return }
    for stop in stops.reversed() { add(stop) }
  }

  /// Saves the list.
  public func save(in defaults: UserDefaults) {
    if let data = try? JSONEncoder().encode(stops) { defaults.set(data, forKey: Self.key) }
  }

  /// Whether a stop is among them.
  public func contains(_ id: String) -> Bool { stops.contains { $0.id == id } }

  /// Adds a stop in front, or moves it there.
  public mutating func add(_ stop: FavouriteStop) {
    stops.removeAll { $0.id == stop.id }
    stops.insert(stop, at: 0)
    stops.removeLast(max(stops.count - Self.most, 0))
  }

  /// Removes a stop.
  public mutating func remove(_ id: String) { stops.removeAll { $0.id == id } }
}
