import GTFS
import GTFSRealtime
import Timetable

/// Whether what an update says of its stops fits a trip that has another id.
extension TripTargets {
  /// Whether an update can be of a trip on a service day: route, direction and start where given, every stop in
  /// order, and no time far away from the timetable.
  ///
  /// - Parameters:
  ///   - update: The update.
  ///   - trip: The trip.
  ///   - day: The service day, as days since 1970-01-01.
  ///   - toLast: Whether the last stop of the update must be the last of the trip.
  /// - Returns: Whether it can.
  func fits(_ update: TripUpdate, _ trip: UInt32, on day: Int, toLast: Bool) -> Bool {
    if let id = update.routeID, let route = directory.route(id: feed.texts[id]),
      route != timetable.route(of: trip)
    {
      return false
    }
    if let wanted = update.directionID, let own = timetable.direction(of: trip),
      UInt32(own) != wanted
    {
      return false
    }
    let start = timetable.start(of: trip)
    if let given = update.startTime, given != start, Int64(given) + 86_400 != Int64(start) {
      return false
    }
    let updates = feed.updates(of: update)
    guard !updates.isEmpty else { return !toLast }
    var calls: [ScheduledCall] = []
    timetable.readCalls(of: trip, into: &calls)
    let midnight = timetable.start(of: ServiceDate(daysSinceEpoch: day))
    var next = 0
    for (number, stopTime) in zip(updates.indices, updates) {
      let isLast = toLast && number == updates.endIndex - 1
      guard let place = place(of: stopTime, calls, from: next, isLast: isLast),
        isPlausible(stopTime.arrival, midnight + Int64(calls[place].arrival)),
        isPlausible(stopTime.departure, midnight + Int64(calls[place].departure))
      else { return false }
      next = place + 1
    }
    return !toLast || next == calls.count
  }

  /// The stop of an update at or after a place, by number and id where both are given.
  private func place(
    of stopTime: StopTimeUpdate,
    _ calls: [ScheduledCall],
    from next: Int,
    isLast: Bool
  ) -> Int? {
    var named: ResolvedStop?
    if let id = stopTime.stopID {
      let stop = directory.resolve(feed.texts[id])
      guard stop.isKnown else { return nil }
      named = stop
    }
    func isThere(_ place: Int) -> Bool {
      guard let named else { return true }
      return calls[place].stop == named.stop
        || directory.isSameStation(calls[place].stop, named.stop)
    }
    if let sequence = stopTime.stopSequence {
      let place = calls.firstIndex { $0.sequence == sequence }
      return place.flatMap { $0 >= next && isThere($0) ? $0 : nil }
    }
    guard named != nil, next < calls.count else { return nil }
    // A trip may come by its last stop before.
    if isLast, isThere(calls.count - 1) { return calls.count - 1 }
    return calls.indices[next...].first(where: isThere)
  }

  /// Whether the time of an event, and its time less its delay, are near the timetable.
  private func isPlausible(_ event: StopTimeEvent?, _ scheduled: Int64) -> Bool {
    guard let event, let time = event.time else { return true }
    let (deviation, isTooFar) = time.subtractingReportingOverflow(scheduled)
    guard !isTooFar, deviation.magnitude <= policy.mostFittingDeviation.magnitude else {
      return false
    }
    guard let delay = event.delay else { return true }
    return (deviation - Int64(delay)).magnitude <= policy.mostPlannedDeviation.magnitude
  }
}
