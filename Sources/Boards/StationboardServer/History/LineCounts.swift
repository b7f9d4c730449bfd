/// The outcomes of the trips and departures of one line on one service day, as one source reports them.
///
/// Every planned departure that has been counted is in exactly one of ``delays``, ``cancelled``, ``skipped``, ``replaced``,
/// ``unpredicted`` and ``unobserved``; every planned trip in exactly one of ``tripsSeen``, ``tripsMissing`` and
/// ``tripsUnobserved``.
package struct LineCounts: Hashable, Sendable {
  /// The delays of the departures that had one.
  package var delays = DelayHistogram()
  /// Departures of trips that were canceled, or not to be shown.
  package var cancelled = 0
  /// Departures that their trip left out.
  package var skipped = 0
  /// Departures of trips that another run took the place of.
  package var replaced = 0
  /// Departures without a report of their time while the source was live.
  package var unpredicted = 0
  /// Departures at a time when no realtime was in use.
  package var unobserved = 0
  /// Trips of which realtime said something while they ran.
  package var tripsSeen = 0
  /// Trips of which realtime said nothing while they ran, though it was live.
  package var tripsMissing = 0
  /// Trips that ran while no realtime was in use.
  package var tripsUnobserved = 0
  /// Of the trips seen, those that were canceled or not to be shown.
  package var tripsCancelled = 0
  /// Trips that the timetable does not have.
  package var tripsAdded = 0
  /// The most trip updates of one publication that match no trip.
  package var mostUnmatched = 0

  /// Counts of nothing.
  package init() {}

  /// The planned trips that have been counted.
  package var trips: Int { tripsSeen + tripsMissing + tripsUnobserved }

  /// The planned departures that have been counted.
  package var planned: Int {
    delays.total + cancelled + skipped + replaced + unpredicted + unobserved
  }

  /// Adds the counts of another source, or of another line.
  package mutating func add(_ other: LineCounts) {
    delays.add(other.delays)
    for field in Self.sums { self[keyPath: field] += other[keyPath: field] }
    mostUnmatched = max(mostUnmatched, other.mostUnmatched)
  }

  /// The counts that are added up.
  private static var sums: [WritableKeyPath<LineCounts, Int>] {
    [
      \.cancelled, \.skipped, \.replaced, \.unpredicted, \.unobserved, \.tripsSeen, \.tripsMissing,
      \.tripsUnobserved, \.tripsCancelled, \.tripsAdded,
    ]
  }

  /// The counts with their names in the database, in the order of its columns.
  static var columns: [(name: String, field: WritableKeyPath<LineCounts, Int>)] {
    [
      ("cancelled", \.cancelled), ("skipped", \.skipped), ("replaced", \.replaced),
      ("unpredicted", \.unpredicted), ("unobserved", \.unobserved), ("trips_seen", \.tripsSeen),
      ("trips_missing", \.tripsMissing), ("trips_unobserved", \.tripsUnobserved),
      ("trips_cancelled", \.tripsCancelled), ("trips_added", \.tripsAdded),
      ("most_unmatched", \.mostUnmatched),
    ]
  }
}

/// A line on a service day, and the source that reported it.
package struct LineDay: Hashable, Sendable {
  /// The service day, as days since 1970-01-01.
  package var day: Int
  /// route_id, without the prefix of its feed.
  package var route: String
  /// The number of the source of trip updates, from 1 on; 0 for what no source reported.
  package var source: Int

  /// A line on a service day.
  package init(day: Int, route: String, source: Int) {
    self.day = day
    self.route = route
    self.source = source
  }
}
