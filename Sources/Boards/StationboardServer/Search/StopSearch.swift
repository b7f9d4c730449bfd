import Foundation
import Timetable

/// Searches all feeds for stops.
struct StopSearch: Sendable {
  /// The fewest letters of a query.
  static let shortestQuery = 2
  /// The most letters of a query that are used.
  static let longestQuery = 100
  /// The most results.
  static let mostResults = 50
  /// Queries up to this length are compared with the words of all names if nothing else is found.
  static let shortQuery = 5
  /// The most names that are ranked for one query, however many feeds there are.
  static let mostNames = 4_000
  /// How many letters at the end of a query are given up if nothing is found.
  static let droppedLetters = 3
  /// The results unless asked otherwise.
  static let usualResults = 20
  /// How far away a stop can be nearby, in metres.
  static let farthest = 50_000.0

  /// A stop that was found.
  struct Result: Sendable {
    let feed: Feed
    let stop: Timetable.Stop
    /// The aliases and translations that answered the query better than the name.
    var aliases: [String] = []
    /// Metres from the place asked for.
    var distance: Double?
  }

  let feeds: [Feed]
  /// The cost of the search so far.
  let work = SearchWork()

  /// The stops that answer a query, best first; each station once.
  ///
  /// The search is limited (``mostNames``, ``StopWords/mostCompared``, ``StopWords/mostGroupNames``), so that a query
  /// without a match costs little more than one with a match.
  ///
  /// - Throws: An error of the database; `CancellationError` once the task is canceled.
  func find(_ query: String, limit: Int) async throws -> [Result] {
    let text = String(
      query.trimmingCharacters(in: .whitespacesAndNewlines).prefix(Self.longestQuery)
    )
    let normalized = SearchText.normalized(query: text)
    guard !normalized.isEmpty else { return [] }
    let work = work
    var found = try await ranked(normalized) { try await $0.likely(normalized) }
    if let other = SearchText.withoutUmlautSpelling(normalized) {
      merge(try await ranked(other, penalty: 40) { try await $0.likely(other) }, into: &found)
    }
    // Errors are searched for only where too few names have the words themselves.
    if found.values.count(where: { $0.score.tier >= 2 }) < limit {
      merge(try await ranked(normalized) { try await $0.similar(normalized) }, into: &found)
    }
    // No index helps with an error in so few letters.
    if found.isEmpty, normalized.count <= Self.shortQuery {
      found = try await ranked(normalized) { try await $0.misspelled(normalized, work: work) }
    }
    // The last letters may be the wrong ones.
    var shorter = normalized
    while found.isEmpty, shorter.count > 3, normalized.count - shorter.count < Self.droppedLetters {
      shorter = String(shorter.dropLast()).trimmingCharacters(in: .whitespaces)
      let query = shorter
      found = try await ranked(query, penalty: 100) { try await $0.likely(query) }
    }
    var results = order(found)
    promote(id: text, normalized, in: &results)
    return Array(results.prefix(limit))
  }

  private struct Place: Hashable {
    var feed: Int
    var stop: Timetable.Stop
  }

  private struct Found {
    var score: StopRanking.Score
    var departures: Int
    var aliases: [(score: StopRanking.Score, text: String)] = []
  }

  /// Names after which a search yields the processor to shorter requests (sched_yield(2)).
  private static let namesBetweenYields = 32

  private func ranked(
    _ query: String,
    penalty: Double = 0,
    among candidates: (StopIndex) async throws -> [StopIndex.Candidate]
  ) async throws -> [Place: Found] {
    let ranking = StopRanking(query: query)
    var found: [Place: Found] = [:]
    for (number, feed) in feeds.enumerated() {
      try Task.checkCancellation()
      let distinct = Self.distinct(try await candidates(feed.stops))
      try Task.checkCancellation()
      for (count, candidate) in distinct.prefix(work.rank(distinct.count)).enumerated() {
        if count % Self.namesBetweenYields == 0 { sched_yield() }
        guard
          var score = ranking.score(
            name: candidate.text,
            normalized: candidate.normalized,
            departures: candidate.departures,
            isAlias: candidate.kind != StopIndex.NameKind.name.rawValue
          )
        else { continue }
        score.points -= penalty
        let place = Place(feed: number, stop: candidate.stop)
        var entry = found[place] ?? Found(score: score, departures: candidate.departures)
        entry.score = max(entry.score, score)
        if candidate.kind != StopIndex.NameKind.name.rawValue {
          entry.aliases.append((score, candidate.text))
        }
        found[place] = entry
      }
    }
    return found
  }

  /// Each candidate once, in the order in which they came.
  private static func distinct(_ candidates: [StopIndex.Candidate]) -> [StopIndex.Candidate] {
    var seen: Set<StopIndex.Candidate> = []
    return candidates.filter { seen.insert($0).inserted }
  }

  private func merge(_ other: [Place: Found], into found: inout [Place: Found]) {
    for (place, entry) in other {
      if let known = found[place], known.score >= entry.score { continue }
      found[place] = entry
    }
  }

  private func order(_ found: [Place: Found]) -> [Result] {
    let ordered = found.sorted { left, right in
      if left.value.score != right.value.score { return left.value.score > right.value.score }
      if left.value.departures != right.value.departures {
        return left.value.departures > right.value.departures
      }
      return (left.key.feed, left.key.stop) < (right.key.feed, right.key.stop)
    }
    return ordered.map { place, entry in
      let aliases = entry.aliases.sorted { $0.score > $1.score }.prefix(5).map(\.text)
      return Result(feed: feeds[place.feed], stop: place.stop, aliases: aliases)
    }
  }

  /// A stop id or an alias typed in full is the first answer.
  private func promote(id: String, _ normalized: String, in results: inout [Result]) {
    let resolver = StopResolver(feeds: feeds)
    guard let stop = resolver.resolve(id) ?? resolver.aliased(normalized) else { return }
    var first = Result(feed: stop.feed, stop: stop.station)
    if let place = results.firstIndex(where: { $0.feed === first.feed && $0.stop == first.stop }) {
      first = results.remove(at: place)
    }
    results.insert(first, at: 0)
  }

  /// The stops around a place, nearest first.
  func nearby(latitude: Double, longitude: Double, limit: Int) async throws -> [Result] {
    var found: [Result] = []
    for feed in feeds {
      // The box doubles until it holds enough stops or reaches the farthest.
      var radius = 500.0
      while true {
        let height = radius / 111_195
        let width = height / max(0.01, cos(latitude * .pi / 180))
        var stops: [Timetable.Stop] = []
        for longitudes in Self.longitudes(around: longitude, width, latitude, height) {
          stops += try await feed.stops.stops(
            latitudes: latitude - height...latitude + height,
            longitudes: longitudes
          )
        }
        let near = stops.compactMap { stop -> Result? in
          guard let place = feed.timetable.coordinate(of: stop) else { return nil }
          let metres = Self.distance(
            (latitude, longitude),
            (place.latitude, place.longitude)
          )
          return metres <= radius
            ? Result(feed: feed, stop: stop, distance: metres) : nil
        }
        if near.count >= limit || radius >= Self.farthest {
          found += near
          break
        }
        radius = min(radius * 2, Self.farthest)
      }
    }
    found.sort { ($0.distance ?? 0, $0.stop) < ($1.distance ?? 0, $1.stop) }
    return Array(found.prefix(limit))
  }

  /// The longitudes within a width: on both sides of the date line, all of them around a pole.
  private static func longitudes(
    around longitude: Double,
    _ width: Double,
    _ latitude: Double,
    _ height: Double
  ) -> [ClosedRange<Double>] {
    if abs(latitude) + height >= 89 || width >= 180 { return [-180...180] }
    let west = longitude - width
    let east = longitude + width
    if west < -180 { return [-180...east, west + 360...180] }
    if east > 180 { return [west...180, -180...east - 360] }
    return [west...east]
  }

  /// Metres along the great circle (haversine, mean earth radius 6,371,008.8 m).
  static func distance(
    _ from: (latitude: Double, longitude: Double),
    _ to: (latitude: Double, longitude: Double)
  ) -> Double {
    let radians = Double.pi / 180
    let height = sin((to.latitude - from.latitude) * radians / 2)
    let width = sin((to.longitude - from.longitude) * radians / 2)
    let part =
      height * height
      + cos(from.latitude * radians) * cos(to.latitude * radians) * width * width
    return 2 * 6_371_008.8 * asin(min(1, part.squareRoot()))
  }
}
