import ConditionalHTTP
import Hummingbird
import NIOCore
import Serving
import Timetable

/// `GET /api/stops/search` and `GET /api/stops/nearby`.
struct StopEndpoints {
  let store: FeedStore
  /// Queries that found nothing.
  let misses = MissedSearches()

  /// Stops by name; a search ends when its client is gone.
  func search(_ request: Request, _ context: some RequestContext) async throws -> Response {
    let query = QueryItems(request)
    guard
      let text = query[first: ["q", "query"]], text.count >= StopSearch.shortestQuery,
      !SearchText.normalized(text).isEmpty
    else {
      throw Problem(
        .badRequest,
        "query_too_short",
        detail: "q has fewer than \(StopSearch.shortestQuery) letters",
        extensions: ["minLength": .integer(StopSearch.shortestQuery)]
      )
    }
    let limit = try self.limit(query)
    let feeds = try store.serving()
    if misses.contains(text, in: feeds) { return Self.answer([], language(request, query)) }
    let results = try await context.whileConnected {
      try await StopSearch(feeds: feeds).find(text, limit: limit)
    }
    if results.isEmpty, text.utf8.count <= MissedSearches.longest { misses.insert(text, in: feeds) }
    return Self.answer(results, language(request, query))
  }

  /// Stops around a place.
  func nearby(_ request: Request) async throws -> Response {
    let query = QueryItems(request)
    let latitude = try query.number("lat") ?? query.number("latitude")
    let longitude = try query.number("lon") ?? query.number("longitude")
    guard
      let latitude, let longitude, (-90.0...90).contains(latitude),
      (-180.0...180).contains(longitude)
    else {
      throw Problem(
        .badRequest,
        "invalid_coordinates",
        detail: "lat and lon must be degrees north (-90 to 90) and east (-180 to 180)"
      )
    }
    let limit = try self.limit(query)
    let results = try await StopSearch(feeds: try store.serving())
      .nearby(latitude: latitude, longitude: longitude, limit: limit)
    return Self.answer(results, language(request, query))
  }

  private func limit(_ query: QueryItems) throws(Problem) -> Int {
    let asked = try query.integer("limit") ?? StopSearch.usualResults
    return min(max(asked, 1), StopSearch.mostResults)
  }

  private func language(_ request: Request, _ query: QueryItems) -> String? {
    RequestLanguage.choose(
      parameter: query["lang"],
      acceptLanguage: request.headers[.acceptLanguage]
    )
  }

  private static func answer(_ results: [StopSearch.Result], _ language: String?) -> Response {
    var json = JSONBytes()
    json.raw("{\"stops\":[")
    for (index, result) in results.enumerated() {
      if index > 0 { json.raw(",") }
      write(result, language, &json)
    }
    json.raw("]}")
    return JSONAnswer.response(json.buffer, vary: "Accept-Encoding, Accept-Language")
  }

  private static func write(
    _ result: StopSearch.Result,
    _ language: String?,
    _ json: inout JSONBytes
  ) {
    let timetable = result.feed.timetable
    let prefix = result.feed.idPrefix
    let tag = language.flatMap { timetable.language($0) }
    let name = String(decoding: timetable.name(of: result.stop, language: tag), as: UTF8.self)
    let id = timetable.id(of: result.stop)
    json.raw("{\"id\":")
    json.string(id, prefix: prefix)
    json.raw(",\"name\":")
    json.string(name)
    json.raw(",\"stop_id\":")
    json.string(id, prefix: prefix)
    json.raw(",\"stationId\":")
    json.string(id, prefix: prefix)
    json.raw(",\"stationName\":")
    json.string(name)
    json.raw(",\"group_id\":")
    json.string(id, prefix: prefix)
    json.raw(",\"raw_stop_id\":")
    json.string(id, prefix: prefix)
    json.raw(",\"stop_name\":")
    json.string(timetable.name(of: result.stop))
    json.raw(",\"parent_station\":null,\"location_type\":")
    // A string, as the seed's clients decode it.
    json.string("\(timetable.locationType(of: result.stop))")
    json.raw(",\"nb_stop_times\":")
    json.integer(timetable.departureCount(of: result.stop))
    json.raw(",\"city\":")
    json.string(String(name.prefix { $0 != "," }))
    json.raw(",\"canton\":null,\"isParent\":")
    json.flag(timetable.locationType(of: result.stop) == 1)
    json.raw(",\"isPlatform\":false,\"aliasesMatched\":[")
    for (index, alias) in result.aliases.enumerated() {
      if index > 0 { json.raw(",") }
      json.string(alias)
    }
    json.raw("]")
    json.coordinate(of: result.stop, in: timetable)
    if let distance = result.distance {
      json.raw(",\"distance_m\":")
      json.integer(Int(distance.rounded()))
    }
    json.raw("}")
  }
}
