import GTFS
import Hashing
import Timetable

/// What the timetable lacks: added trips, and trip updates that match nothing.
extension HistoryRecorder {
  /// Counts trips that the timetable does not have, each once.
  mutating func countAdded(_ index: RealtimeIndex) {
    for trip in index.trips where trip.extra >= 0 && plans[trip.day] != nil {
      let extra = index.extraTrips[Int(trip.extra)]
      guard extra.kind != .replacement else { continue }
      let route =
        trip.trip == TimetableDirectory.none ? extra.route : timetable.route(of: trip.trip)
      guard let route, added[trip.day, default: []].count < HistoryLimits.addedTrips else {
        continue
      }
      var hash = FNV1a.hash((extra.tripID ?? extra.entityID).utf8)
      hash ^= UInt64(bitPattern: Int64(extra.start ?? -1))
      guard added[trip.day, default: []].insert(hash).inserted else { continue }
      let key = RunKey(trip: trip.trip, day: trip.day)
      let source = sources.count > 1 ? extraSource(extra, key) : sources.first?.number ?? 0
      add(day: trip.day, route: route, source: source) { $0.tripsAdded += 1 }
    }
  }

  private func extraSource(_ extra: ExtraTrip, _ key: RunKey) -> Int {
    let found = sources.first { source in
      extra.tripID.flatMap { source.index.extraTrip(id: $0, day: key.day) } != nil
    }
    return found?.number ?? sources.first?.number ?? 0
  }

  /// Notes how many updates of each line match no trip.
  mutating func countUnmatched(_ index: RealtimeIndex, at instant: Double) {
    guard !index.counters.unmatchedByRoute.isEmpty else { return }
    let today = ServiceDay(zone: timetable.zone).date(at: Int64(instant)).daysSinceEpoch
    guard plans[Int32(today)] != nil else { return }
    for (route, unmatched) in index.counters.unmatchedByRoute {
      let key = Key(day: Int32(today), route: Int32(route), source: 0)
      guard counts[key]?.mostUnmatched ?? 0 < unmatched else { continue }
      counts[key, default: LineCounts()].mostUnmatched = unmatched
      changed.insert(key)
    }
  }
}
