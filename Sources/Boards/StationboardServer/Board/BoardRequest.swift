import ConditionalHTTP
import Foundation
import HTTPTypes
import Hummingbird
import Serving
import Timetable

/// A request for a board, understood: the stop, the window, the language.
struct BoardRequest {
  /// The parameters that name a stop, in the order of their precedence.
  static let stopParameters = ["stop_id", "stationId", "station_id"]

  var stop: StopResolver.Resolved
  var limit: Int
  /// Minutes.
  var window: Int
  /// The language tag asked for; `nil` for the feed's own names.
  var language: String?
  var includeAlerts: Bool
  var isDebug: Bool
  /// The instant of the board when it is not now.
  var instant: Double?
  /// The source time of the realtime that the client has, in seconds since 1970-01-01T00:00:00Z.
  var since: Double?
  /// Whether the client says that it has a board.
  var hasBoard = false

  /// Reads a request.
  ///
  /// - Throws: ``Problem`` as the contract says: 400 `missing_stop_id`, `conflicting_stop_id`,
  ///   `unknown_stop`, `invalid_since_rt`, `invalid_parameter`; 404 `stop_not_found`; 503
  ///   `no_timetable`.
  init(
    _ query: QueryItems,
    acceptLanguage: String?,
    feeds: [Feed]
  ) async throws {
    limit = BoardLimits.usualLimit
    if let value = try query.integer("limit") {
      limit = min(max(value, BoardLimits.limits.lowerBound), BoardLimits.limits.upperBound)
    }
    window = BoardLimits.usualWindow
    if let value = try query.integer("window_minutes"), value != 0 {
      window = min(max(value, BoardLimits.windows.lowerBound), BoardLimits.windows.upperBound)
    }
    includeAlerts = try query.flag("include_alerts", "includeAlerts") ?? true
    isDebug = try query.flag("debug") ?? false
    hasBoard = try query.flag("if_board", "has_board") ?? false
    since = query["since_rt"].flatMap { Self.since($0) }
    if let since = query["since_rt"], self.since == nil {
      throw Problem(
        .badRequest,
        "invalid_since_rt",
        detail: "since_rt is \"\(since.prefix(80))\"; expected: an RFC 3339 instant, or"
          + " milliseconds since 1970 in 12 to 16 digits"
      )
    }
    if let text = query["datetime"] {
      guard let value = InstantText.read(text) else {
        throw QueryItems.invalid("datetime", text, "an RFC 3339 instant")
      }
      instant = value
    }
    language = RequestLanguage.choose(parameter: query["lang"], acceptLanguage: acceptLanguage)
    stop = try await Self.stop(query, StopResolver(feeds: feeds))
  }

  private static func since(_ text: String) -> Double? {
    if (12...16).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return Double(text).map { $0 / 1_000 }
    }
    return InstantText.read(text)
  }

  private static func stop(
    _ query: QueryItems,
    _ resolver: StopResolver
  ) async throws -> StopResolver.Resolved {
    var received: [(name: String, id: String)] = []
    for name in stopParameters { if let id = query[name] { received.append((name, id)) } }
    for (name, id) in received where id.count > BoardLimits.longestId {
      throw QueryItems.invalid(name, id, "at most \(BoardLimits.longestId) characters")
    }
    guard !received.isEmpty else {
      if let name = query["stationName"] { return try await named(name, resolver) }
      throw Problem(
        .badRequest,
        "missing_stop_id",
        detail: "stop_id is missing",
        extensions: ["expected": .array((stopParameters + ["stationName"]).map { .string($0) })]
      )
    }
    let resolved = received.compactMap { received in
      resolver.resolve(received.id).map { (name: received.name, stop: $0) }
    }
    guard let first = resolved.first else { throw notFound(received[0].id, received.map(\.id)) }
    guard resolved.allSatisfy({ $0.stop.canonicalId == first.stop.canonicalId }) else {
      throw Problem(
        .badRequest,
        "conflicting_stop_id",
        detail: "\(received.map(\.name).joined(separator: " and ")) name different places",
        extensions: [
          "precedence": .array(stopParameters.map { .string($0) }),
          "received": .object(
            Dictionary(uniqueKeysWithValues: received.map { ($0.name, .string($0.id)) })
          ),
          "resolved": .object(
            Dictionary(
              uniqueKeysWithValues: resolved.map { ($0.name, .string($0.stop.canonicalId)) }
            )
          ),
        ]
      )
    }
    return first.stop
  }

  private static func notFound(_ id: String, _ tried: [String]) -> Problem {
    let kind = id.hasPrefix("Parent") ? "parent_stop_id" : "stop_id"
    return Problem(
      .notFound,
      "stop_not_found",
      detail: "\(kind)_not_found_in_static_db",
      extensions: ["tried": .array(tried.map { .string($0) })]
    )
  }

  /// A station by its exact name or id; search is for everything else.
  private static func named(
    _ name: String,
    _ resolver: StopResolver
  ) async throws -> StopResolver.Resolved {
    guard name.count <= BoardLimits.longestId else {
      throw QueryItems.invalid("stationName", name, "at most \(BoardLimits.longestId) characters")
    }
    let normalized = SearchText.normalized(name)
    if let stop = resolver.resolve(name) ?? resolver.aliased(normalized) { return stop }
    for feed in resolver.feeds {
      if let stop = try await feed.stops.stop(named: normalized) {
        return StopResolver.Resolved(feed: feed, stop: stop, source: .alias)
      }
    }
    throw Problem(
      .badRequest,
      "unknown_stop",
      detail: "stationName \"\(name.prefix(80))\" names no stop; search with /api/stops/search?q=",
      extensions: ["tried": .array([.string(name)])]
    )
  }
}
