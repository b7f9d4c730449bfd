import GTFS
import Timetable

/// What is counted of one feed.
struct FeedCounting: Sendable {
  /// The import that is counted.
  let feed: Feed
  var recorder: HistoryRecorder
  let lines: FeedLines

  /// Begins to count, or continues where the file ends.
  init(_ feed: Feed, from instant: Double, store: HistoryStore?) {
    self.feed = feed
    lines = FeedLines(feed)
    let key = feed.entry.key
    // A clock that was set back begins again; what was counted stays.
    let checkpoint = (try? store?.checkpoint(of: key)).flatMap { found in
      found.settled <= instant ? found : nil
    }
    let start = checkpoint ?? HistoryCheckpoint(settled: instant)
    recorder = HistoryRecorder(feed.timetable, after: start, lines: [:])
    let days = recorder.plans.keys.map { Int($0) }
    if let store, let counts = try? store.counts(of: key, on: days) { recorder.resume(counts) }
  }

  /// Continues with another import.
  init(_ feed: Feed, after other: FeedCounting) {
    self.feed = feed
    lines = FeedLines(feed)
    recorder = HistoryRecorder(
      feed.timetable,
      after: other.recorder.checkpoint,
      lines: other.recorder.lines
    )
  }

  /// The counts that have changed since the last call.
  mutating func takeChanges() -> [HistoryStore.Batch.Entry] {
    recorder.takeChanges().compactMap { key, counts in
      lines.line(key.route).map { (line: $0, day: key.day, source: key.source, counts: counts) }
    }
  }

  /// What was counted since the last call; `nil` if nothing.
  mutating func takeRecentCounts() -> LineCounts? {
    guard recorder.recentCounts != LineCounts() else { return nil }
    defer { recorder.recentCounts = LineCounts() }
    return recorder.recentCounts
  }
}

extension HistoryPoint {
  /// Adds departures and trips that were counted.
  mutating func add(departures counts: LineCounts) {
    delays.add(counts.delays)
    cancelled += counts.cancelled + counts.skipped
    unpredicted += counts.unpredicted
    unobserved += counts.unobserved
    missing += counts.tripsMissing
  }
}

/// Names the lines of a feed.
struct FeedLines: Sendable {
  private let feed: Feed
  private let routes: [String: Int]

  init(_ feed: Feed) {
    self.feed = feed
    var routes: [String: Int] = [:]
    for route in 0..<feed.timetable.routeCount {
      routes[String(decoding: feed.timetable.routeId(route), as: UTF8.self)] = route
    }
    self.routes = routes
  }

  /// The line with a route_id, as it is named.
  func line(_ route: String) -> HistoryStore.Line? {
    guard let number = routes[route] else { return nil }
    let described = feed.timetable.route(number)
    return HistoryStore.Line(
      feed: feed.entry.key,
      route: route,
      name: feed.routes[number].line,
      agency: described.agency,
      type: described.type,
      color: described.color,
      textColor: described.textColor
    )
  }
}
