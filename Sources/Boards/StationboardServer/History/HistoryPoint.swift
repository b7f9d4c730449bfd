/// What a point of the history is of.
package struct HistorySubject: Hashable, Sendable {
  /// The key of the feed; empty for what all clients of the server saw.
  package var feed: String
  /// `trip-updates`, `alerts`, `vehicle-positions`; `served` for what clients saw, `departures` for what was counted.
  package var kind: String
  /// The number of the source among those of its kind, from 1 on; 0 for what no single source has.
  package var number: Int

  /// What clients saw.
  package static let served = HistorySubject(feed: "", kind: "served", number: 0)

  /// What was counted of a feed.
  package static func departures(_ feed: String) -> Self {
    HistorySubject(feed: feed, kind: "departures", number: 0)
  }
}

/// A few minutes of a source, or of what clients saw.
///
/// Every count and sum adds up, so that points become longer ones without any loss but that of time.
package struct HistoryPoint: Hashable, Sendable {
  /// For how many seconds the age is known.
  package var seconds = 0.0
  /// The least age, in seconds; meaningless without ``seconds`` or answers.
  package var least = Double.infinity
  /// The greatest age, likewise.
  package var most = 0.0
  /// The age summed over time, in square seconds; of what clients saw, over answers.
  package var ageSum = 0.0
  /// Requests that a source answered, or answers with an age that clients got.
  package var good = 0
  /// Requests that a source failed.
  package var bad = 0
  /// Trip updates of the publications that match a trip, summed over publications.
  package var matched = 0
  /// Those that should match one and do not, likewise.
  package var unmatched = 0
  /// Of departures, their delays; of what clients saw, empty.
  package var delays = DelayHistogram()
  /// Departures that were canceled or left out.
  package var cancelled = 0
  /// Departures without a report of their time while the source was live.
  package var unpredicted = 0
  /// Departures without any realtime in use.
  package var unobserved = 0
  /// Trips without a report while the source was live.
  package var missing = 0
  /// Of what clients saw, the answers by age (``ages``).
  package var answers = [Int](repeating: 0, count: ages.count + 1)

  /// The upper bounds of the ranges of ``answers``, in seconds.
  package static let ages: [Double] = [1, 2.5, 5, 10, 30, 60, 300]

  /// A point of nothing.
  package init() {}

  /// Whether nothing is known.
  var isEmpty: Bool { self == HistoryPoint() }

  /// The mean age in seconds; `nil` if it is not known.
  package var mean: Double? {
    if seconds > 0 { return ageSum / seconds }
    let count = answers.reduce(0, +)
    return count > 0 ? ageSum / Double(count) : nil
  }

  /// Adds an age that grew from one value as time passed.
  mutating func add(age: Double, for duration: Double) {
    guard duration > 0 else { return }
    let (first, last) = (max(age, 0), max(age + duration, 0))
    seconds += duration
    least = min(least, first)
    most = max(most, last)
    ageSum += (first + last) / 2 * duration
  }

  /// Adds another point.
  package mutating func add(_ other: HistoryPoint) {
    seconds += other.seconds
    least = min(least, other.least)
    most = max(most, other.most)
    ageSum += other.ageSum
    good += other.good
    bad += other.bad
    matched += other.matched
    unmatched += other.unmatched
    delays.add(other.delays)
    cancelled += other.cancelled
    unpredicted += other.unpredicted
    unobserved += other.unobserved
    missing += other.missing
    for place in answers.indices { answers[place] += other.answers[place] }
  }

  /// The age that a share of the answers does not exceed, in seconds, interpolated within its range; of the last range its bound.
  package func answeredAge(_ share: Double) -> Double? {
    let total = answers.reduce(0, +)
    guard total > 0 else { return nil }
    let rank = share * Double(total)
    var before = 0.0
    for (place, count) in answers.enumerated() where count > 0 {
      if before + Double(count) >= rank {
        guard place < Self.ages.count else { return Self.ages[Self.ages.count - 1] }
        let low = place == 0 ? 0 : Self.ages[place - 1]
        return low + (Self.ages[place] - low) * (rank - before) / Double(count)
      }
      before += Double(count)
    }
    return nil
  }
}

/// Puts what happens into points of fixed length.
///
/// A value; instants are arguments, in seconds since 1970-01-01T00:00:00Z.
struct HistorySeries: Sendable {
  /// A point's place: its beginning and what it is of.
  struct Place: Hashable, Sendable {
    var start: Int64
    var subject: HistorySubject
  }

  /// The points that have changed since they were last taken, whole.
  private(set) var changed: Set<Place> = []
  private(set) var points: [Place: HistoryPoint] = [:]
  /// Until when the age of each source is in its points.
  private var agedUntil: [HistorySubject: Double] = [:]

  /// The beginning of the point that an instant belongs to.
  static func start(of instant: Double, length: Int64 = HistoryLimits.pointSeconds) -> Int64 {
    Int64((instant / Double(length)).rounded(.down)) * length
  }

  /// Continues with points that were written before.
  mutating func resume(_ known: [(start: Int64, subject: HistorySubject, point: HistoryPoint)]) {
    for entry in known {
      points[Place(start: entry.start, subject: entry.subject)] = entry.point
    }
  }

  /// Notes how old a source was until an instant, since it was last noted.
  ///
  /// - Parameters:
  ///   - subject: The source.
  ///   - made: The instant its content is of; `nil` without content.
  ///   - instant: The instant.
  mutating func age(of subject: HistorySubject, made: Double?, until instant: Double) {
    let from = agedUntil.updateValue(instant, forKey: subject) ?? instant
    // A source without content has no age, and after an absence its age is unknown.
    guard let made, instant > from, instant - from <= Double(HistoryLimits.pointSeconds) else {
      return
    }
    var begin = from
    while begin < instant {
      let start = Self.start(of: begin)
      let end = min(instant, Double(start + HistoryLimits.pointSeconds))
      change(subject, at: begin) { $0.add(age: begin - made, for: end - begin) }
      begin = end
    }
  }

  /// Changes the point of an instant.
  mutating func change(
    _ subject: HistorySubject,
    at instant: Double,
    _ change: (inout HistoryPoint) -> Void
  ) {
    let place = Place(start: Self.start(of: instant), subject: subject)
    change(&points[place, default: HistoryPoint()])
    changed.insert(place)
  }

  /// The points that have changed since the last call, whole; those that are over are forgotten.
  mutating func takeChanges(
    at instant: Double
  ) -> [(start: Int64, subject: HistorySubject, point: HistoryPoint)] {
    let taken = changed.compactMap { place in
      points[place].map { (place.start, place.subject, $0) }
    }
    changed = []
    let now = Self.start(of: instant)
    points = points.filter { $0.key.start >= now }
    return taken
  }
}
