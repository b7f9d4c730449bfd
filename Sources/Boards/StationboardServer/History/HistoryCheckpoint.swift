import Timetable

/// What a recorder has to know to continue after a restart, or with another import of its timetable.
///
/// Trips are named by their ids: their numbers are those of one import.
struct HistoryCheckpoint: Codable, Hashable, Sendable {
  /// A trip under way.
  struct Run: Codable, Hashable, Sendable {
    var trip: String
    /// The first departure after 0:00 of the service day, in seconds: tells the runs of a frequency apart.
    var start: Int32
    var day: Int32
    var counted: [UInt64]
    var source: Int
    var kind: UInt8
    var last: [OpenRun.Last]
  }

  /// Until when everything is counted, in seconds since 1970-01-01T00:00:00Z.
  var settled: Double
  var live = LivePeriods()
  var runs: [Run] = []
  /// Hashes of the added trips that have been counted, by service day.
  var added: [Int32: Set<UInt64>] = [:]
}

extension HistoryRecorder {
  /// What it needs to continue.
  var checkpoint: HistoryCheckpoint {
    var kept = runs.map { key, run in
      HistoryCheckpoint.Run(
        trip: String(decoding: timetable.tripId(of: key.trip), as: UTF8.self),
        start: timetable.start(of: key.trip),
        day: key.day,
        counted: run.counted.words,
        source: run.source,
        kind: run.kind.rawValue,
        last: run.last
      )
    }
    // Late trips of which nothing is counted yet.
    for (day, plan) in plans {
      for trip in plan.late where runs[RunKey(trip: trip, day: day)] == nil {
        kept.append(
          HistoryCheckpoint.Run(
            trip: String(decoding: timetable.tripId(of: trip), as: UTF8.self),
            start: timetable.start(of: trip),
            day: day,
            counted: CallSet(count: timetable.callCount(of: trip)).words,
            source: source(of: RunKey(trip: trip, day: day)),
            kind: RealtimeTrip.Kind.running.rawValue,
            last: []
          )
        )
      }
    }
    return HistoryCheckpoint(settled: settled, live: live, runs: kept, added: added)
  }

  /// Continues where another recorder ended.
  ///
  /// Nothing is counted twice: what the other one counted until its end stays counted. Trips that this timetable
  /// no longer has are left as they are.
  ///
  /// - Parameters:
  ///   - timetable: The timetable.
  ///   - checkpoint: What the other one knew.
  ///   - lines: Its counts of days that are not over.
  init(
    _ timetable: Timetable,
    after checkpoint: HistoryCheckpoint,
    lines: [LineDay: LineCounts]
  ) {
    self.init(timetable, from: checkpoint.settled)
    isResuming = true
    live = checkpoint.live
    // Of a day whose other trips are over, only late ones are left.
    for run in checkpoint.runs where plans[run.day] == nil && Int(run.day) < nextDay {
      plans[run.day] = DayPlan(trips: [])
    }
    added = checkpoint.added.filter { plans[$0.key] != nil }
    resume(lines)
    for run in checkpoint.runs {
      guard
        let trip = timetable.trips(id: run.trip).first(where: {
          timetable.start(of: $0) == run.start
        }),
        plans[run.day] != nil
      else { continue }
      restore(run, trip)
    }
  }

  /// Takes over what was counted of days that are not over.
  mutating func resume(_ lines: [LineDay: LineCounts]) {
    guard !lines.isEmpty else { return }
    var routes: [String: Int] = [:]
    for route in 0..<timetable.routeCount {
      routes[String(decoding: timetable.routeId(route), as: UTF8.self)] = route
    }
    for (line, counted) in lines {
      guard let day = Int32(exactly: line.day), plans[day] != nil, let route = routes[line.route]
      else { continue }
      counts[Key(day: day, route: Int32(route), source: Int32(line.source))] = counted
    }
  }

  private mutating func restore(_ old: HistoryCheckpoint.Run, _ trip: Timetable.Trip) {
    let key = RunKey(trip: trip, day: old.day)
    var run = openRun(key)
    // Another import may have other stops.
    guard old.counted.count == run.counted.words.count else { return }
    run.counted = CallSet(words: old.counted)
    run.source = old.source
    run.kind = RealtimeTrip.Kind(rawValue: old.kind) ?? .running
    run.last = old.last
    keep(run, key)
    if Double(run.end + HistoryLimits.settleSeconds) <= settled {
      plans[key.day]?.late.insert(trip)
    }
  }

  /// The counts of lines that have changed since the last call, whole; those of days that are over are forgotten.
  mutating func takeChanges() -> [LineDay: LineCounts] {
    var changes: [LineDay: LineCounts] = [:]
    for key in changed {
      guard let counted = counts[key] else { continue }
      changes[lineDay(key)] = counted
    }
    changed = []
    counts = counts.filter { plans[$0.key.day] != nil }
    return changes
  }

  /// Lets the next ``takeChanges()`` give all counts.
  mutating func writeAgain() { changed.formUnion(counts.keys) }

  /// The counts of the days that are not over.
  var lines: [LineDay: LineCounts] {
    Dictionary(uniqueKeysWithValues: counts.map { (lineDay($0.key), $0.value) })
  }

  private func lineDay(_ key: Key) -> LineDay {
    LineDay(
      day: Int(key.day),
      route: String(decoding: timetable.routeId(Int(key.route)), as: UTF8.self),
      source: Int(key.source)
    )
  }
}
