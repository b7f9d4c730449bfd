import GTFS
import GTFSRealtime
import Timetable

/// Whether what an update says of its stops fits a trip that has another id.
extension TripTargets {
  /// How well an update fits a trip on a service day: route, direction and start where given, every stop in order,
  /// and no time far away from the timetable.
  ///
  /// - Parameters:
  ///   - update: The update.
  ///   - trip: The trip.
  ///   - day: The service day, as days since 1970-01-01.
  ///   - toLast: Whether the last stop of the update must be the last of the trip.
  /// - Returns: How far its first time is from the timetable in seconds, ``noTime`` if it has none; `nil` if it cannot be
  ///   of the trip.
  func fit(_ update: TripUpdate, _ trip: UInt32, on day: Int, toLast: Bool) -> UInt64? {
    if let id = update.routeID, let route = directory.route(id: feed.texts[id]),
      route != timetable.route(of: trip)
    {
      return nil
    }
    if let wanted = update.directionID, let own = timetable.direction(of: trip),
      UInt32(own) != wanted
    {
      return nil
    }
    let start = timetable.start(of: trip)
    if let given = update.startTime, given != start, Int64(given) + 86_400 != Int64(start) {
      return nil
    }
    let updates = feed.updates(of: update)
    guard !updates.isEmpty else { return toLast ? nil : Self.noTime }
    var calls: [ScheduledCall] = []
    timetable.readCalls(of: trip, into: &calls)
    let midnight = timetable.start(of: ServiceDate(daysSinceEpoch: day), for: trip)
    var next = 0
    var first: UInt64?
    for (number, stopTime) in zip(updates.indices, updates) {
      let isLast = toLast && number == updates.endIndex - 1
      guard let place = place(of: stopTime, calls, from: next, isLast: isLast) else { return nil }
      for (event, planned) in [
        (stopTime.arrival, calls[place].arrival), (stopTime.departure, calls[place].departure),
      ] {
        guard let deviation = deviation(of: event, midnight + Int64(planned)) else { return nil }
        if first == nil, deviation != Self.noTime { first = deviation }
      }
      next = place + 1
    }
    return toLast && next != calls.count ? nil : first ?? Self.noTime
  }

  /// The stop of an update at or after a place, by number and id where both are given.
  private func place(
    of stopTime: StopTimeUpdate,
    _ calls: [ScheduledCall],
    from next: Int,
    isLast: Bool
  ) -> Int? {
    // The number alone does not prove which stop is the last.
    guard stopTime.stopID != nil || stopTime.stopSequence != nil && !isLast else { return nil }
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
    guard next < calls.count else { return nil }
    // A trip may come by its last stop before.
    if isLast, isThere(calls.count - 1) { return calls.count - 1 }
    return calls.indices[next...].first(where: isThere)
  }

  /// Means an event without a time.
  static let noTime = UInt64.max

  /// How far the time of an event is from the timetable; `nil` if it, or the time less the delay, is too far.
  private func deviation(of event: StopTimeEvent?, _ scheduled: Int64) -> UInt64? {
    guard let event, let time = event.time else { return Self.noTime }
    let (deviation, isTooFar) = time.subtractingReportingOverflow(scheduled)
    guard !isTooFar,
      (-policy.mostFittingEarliness...policy.mostFittingDeviation).contains(deviation)
    else { return nil }
    if let delay = event.delay,
      (deviation - Int64(delay)).magnitude > policy.mostPlannedDeviation.magnitude
    {
      return nil
    }
    return deviation.magnitude
  }
}
