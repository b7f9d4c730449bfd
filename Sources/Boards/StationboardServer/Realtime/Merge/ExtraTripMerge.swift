import GTFS
import GTFSRealtime
import Timetable

/// Trips that the timetable does not have as they run.
extension RealtimeBuilder {
  /// Merges a copy of a trip: its template, moved so that its first departure is at the new start.
  mutating func mergeDuplicate(_ target: TripTarget, _ update: TripUpdate) {
    let start = target.start ?? timetable.start(of: target.trip)
    var extra = ExtraTrip(kind: .duplicated)
    extra.tripID = feed.texts[update.properties?.tripID ?? update.tripID]
    extra.headsign = feed.texts[update.properties?.headsign]
    extra.start = start
    begin(extra, target, update)
    let shift = midnight(target) + Int64(start) - Int64(timetable.start(of: target.trip))
    _ = appendMerged(target, update, shift: shift, flags: [.covered, .extra])
    if trips.last?.callCount == 0 {
      leaveOut(update, .saysNothing)
    } else {
      counters.duplicated += 1
    }
  }

  /// Merges a trip that takes the place of one of the timetable.
  mutating func mergeReplacement(_ target: TripTarget, _ update: TripUpdate) {
    add(.replaced, target, sourceTime)
    endTrip()
    var extra = ExtraTrip(kind: .replacement)
    extra.tripID = String(decoding: timetable.tripId(of: target.trip), as: UTF8.self)
    extra.headsign = feed.texts[update.properties?.headsign]
    let updates = ownStops(of: update)
    let end = end(of: updates, insteadOf: target.trip)
    extra.isDiverted = end == .elsewhere
    begin(extra, target, update)
    readSchedule(target.trip)
    let stops = updates.map { feed.stopTimeUpdates[$0].stopID.map { stop($0).stop } }
    let leftOut = LeftOutStops(
      stops.map { $0 ?? TimetableDirectory.none },
      insteadOf: schedule,
      isDiverted: extra.isDiverted,
      directory
    )
    appendOwnStops(updates, [.covered, .replacement], endsEarly: end == .before, leftOut)
    counters.replaced += 1
  }

  /// Merges a trip that is unrelated to those of the timetable.
  mutating func mergeNew(_ target: TripTarget, _ update: TripUpdate) {
    var extra = ExtraTrip(kind: .new)
    extra.tripID = feed.texts[update.tripID ?? update.originalTripID]
    extra.headsign = feed.texts[update.properties?.headsign]
    var target = target
    if target.day == TripTarget.unknownDay, let id = extra.tripID,
      let before = previous?.newTrip(id: id)
    {
      // The stops behind it are no longer in the feed: it keeps the day on which it began.
      target.day = before.day
    } else if target.day == TripTarget.unknownDay {
      let times = feed.updates(of: update).compactMap { ownDeparture($0)?.effective }
      let first = times.filter { relative($0) != nil }.min()
      let date = ServiceDay(zone: timetable.zone).date(at: first ?? sourceTime)
      target.day = Int32(date.daysSinceEpoch)
    }
    begin(extra, target, update)
    appendOwnStops(ownStops(of: update), [.covered, .extra], endsEarly: false)
    if let trip = trips.last, trip.callCount + trip.arrivalCount == 0 {
      leaveOut(update, .noStopTimes)
    } else {
      counters.added += 1
    }
  }

  mutating func begin(_ extra: ExtraTrip, _ target: TripTarget, _ update: TripUpdate?) {
    var extra = extra
    extra.entityID = update.map { feed.texts[$0.entityID] } ?? ""
    if extra.shape == nil, let id = feed.texts[update?.properties?.shapeID] {
      extra.shape = feed.shapes[id]
    }
    if let id = feed.texts[update?.routeID] {
      extra.routeID = id
      extra.route = directory.route(id: id)
    }
    // A trip that copies or replaces another one runs on its route.
    if extra.route == nil, target.trip != TimetableDirectory.none {
      if extra.kind != .new || extra.routeID == nil {
        extra.route = timetable.route(of: target.trip)
        extra.routeID = nil
      }
    }
    add(.extra, target, update.map { sourceTime(of: $0) } ?? sourceTime)
    trips[trips.count - 1].extra = Int32(extraTrips.count)
    extraTrips.append(extra)
  }

  /// Where a replacement ends, as the trip that it replaces goes.
  private enum End {
    /// At its last stop, or at one that the timetable does not have.
    case atLast
    /// At one of its other stops.
    case before
    /// At a place that is not one of its stops.
    case elsewhere
  }

  /// Where a trip of its own stops ends, as a trip of the timetable goes.
  private mutating func end(of updates: [Int], insteadOf trip: UInt32) -> End {
    guard let last = updates.last(where: { feed.stopTimeUpdates[$0].relationship != .skipped }),
      let named = feed.stopTimeUpdates[last].stopID.map({ stop($0) }), named.isKnown
    else { return .atLast }
    readSchedule(trip)
    let place = schedule.lastIndex { directory.isSameStation($0.stop, named.stop) }
    guard let place else { return .elsewhere }
    return place == schedule.count - 1 ? .atLast : .before
  }

  /// The stop time updates of a trip in its order.
  private func ownStops(of update: TripUpdate) -> [Int] {
    var updates = feed.updates(of: update).indices.map { $0 }
    if updates.allSatisfy({ feed.stopTimeUpdates[$0].stopSequence != nil }) {
      updates.sort { left, right in
        (feed.stopTimeUpdates[left].stopSequence ?? 0, left)
          < (feed.stopTimeUpdates[right].stopSequence ?? 0, right)
      }
    }
    return updates
  }

  /// Appends the departures of a trip whose stop time updates are all its stops.
  ///
  /// - Parameters:
  ///   - updates: Its stop time updates, in its order.
  ///   - flags: What all its departures are.
  ///   - endsEarly: Whether it ends before the last stop of the trip that it replaces.
  ///   - leftOut: The stops of that trip that it does not list.
  private mutating func appendOwnStops(
    _ updates: [Int],
    _ flags: BoardRow.RealtimeFlags,
    endsEarly: Bool,
    _ leftOut: LeftOutStops? = nil
  ) {
    defer { endTrip() }
    let number = extraTrips.count - 1
    extraTrips[number].leftOut = leftOut?.places ?? []
    let lastLeftOut = leftOut?.places.last.map { Int32($0) } ?? -1
    let isLeftOut = updates.map { feed.stopTimeUpdates[$0].relationship == .skipped }
    let end = isLeftOut.lastIndex(of: false)
    // A stop that the timetable does not have cannot be named as the end.
    let isEndKnown =
      end.flatMap { feed.stopTimeUpdates[updates[$0]].stopID }.map { stop($0).isKnown } ?? false
    var leftOutAhead = isLeftOut.count { $0 }
    for (place, index) in updates.enumerated() {
      let stopTime = feed.stopTimeUpdates[index]
      let details = feed.details(of: stopTime)
      let named = stopTime.stopID.map { stop($0) } ?? ResolvedStop()
      extraTrips[number].stops.append(
        ExtraTrip.Stop(
          stop: named.stop,
          sequence: stopTime.stopSequence ?? UInt32(place),
          isNumbered: stopTime.stopSequence != nil,
          headsign: feed.texts[details?.headsign],
          reached: leftOut?.reached[place] ?? -1
        )
      )
      if isLeftOut[place] {
        leftOutAhead -= 1
        skips.append(UInt16(truncatingIfNeeded: place))
      }
      guard named.isKnown else {
        counters.unlinkedStops += 1
        continue
      }
      guard !isLeftOut[place] else { continue }
      let isBoarded = if case .some(.none) = details?.pickup { false } else { true }
      guard place < updates.count - 1, isBoarded else {
        if let time = ownInstant(stopTime.arrival ?? stopTime.departure, details?.scheduledArrival)
        {
          appendArrival(time, place)
        }
        continue
      }
      guard let departure = ownDeparture(stopTime) else { continue }
      var (platform, flags) = ownPlatform(stopTime, named, flags)
      if leftOutAhead > 0 || extraTrips[number].stops[place].reached < lastLeftOut {
        flags.insert(.skipsLater)
      }
      if isEndKnown, endsEarly || end != updates.count - 1 { flags.insert(.endsEarly) }
      if place == end { flags.insert(.lastServed) }
      if let pickup = details?.pickup { flags.formUnion(.init(boarding: pickup, insteadOf: 0)) }
      let count = calls.count
      append(
        named.stop,
        place,
        scheduled: departure.scheduled,
        effective: departure.effective,
        departure.isPredicted ? flags.union(.predicted) : flags,
        platform
      )
      if calls.count > count {
        noteOutlook(stopTime, departure.isPredicted ? .predicted : [])
      }
    }
  }

  /// When a trip leaves a stop for which the timetable has no time.
  private func ownDeparture(
    _ update: StopTimeUpdate
  ) -> (scheduled: Int64?, effective: Int64, isPredicted: Bool)? {
    let details = feed.details(of: update)
    let scheduled = details?.scheduledDeparture
    if update.relationship != .noData {
      if let time = ownInstant(update.departure, scheduled) {
        return (scheduled ?? ownSchedule(update.departure), time, true)
      }
      let planned = details?.scheduledArrival
      if let time = ownInstant(update.arrival, planned) {
        guard let scheduled else { return (planned ?? ownSchedule(update.arrival), time, true) }
        guard let planned else { return (scheduled, time, true) }
        return (scheduled, max(time, scheduled &+ time &- planned), true)
      }
    }
    return scheduled.map { ($0, $0, false) }
  }

  /// When an event is scheduled for which the feed gives no scheduled time: its time less its delay.
  private func ownSchedule(_ event: StopTimeEvent?) -> Int64? {
    guard let event, let time = event.time, let delay = event.delay, time > 0,
      relative(time) != nil
    else { return nil }
    return Int64(delay).magnitude <= policy.mostDeviation.magnitude ? time - Int64(delay) : nil
  }

  private func ownInstant(_ event: StopTimeEvent?, _ scheduled: Int64?) -> Int64? {
    guard let event else { return nil }
    let byDelay = event.delay.flatMap { delay in scheduled.map { $0 &+ Int64(delay) } }
    guard let time = event.time, time > 0 else { return byDelay }
    if let byDelay, disagree(byDelay, time) { return byDelay }
    return time
  }

  private mutating func ownPlatform(
    _ update: StopTimeUpdate,
    _ named: ResolvedStop,
    _ flags: BoardRow.RealtimeFlags
  ) -> (UInt32, BoardRow.RealtimeFlags) {
    if let id = update.assignedStopID {
      let assigned = stop(id)
      if assigned.isKnown, assigned.names == .platform, assigned.stop != named.stop {
        return (assigned.stop, flags.union(.platformChanged))
      }
    }
    guard case .unknownPlatform(let name) = named.names else {
      return (RealtimeCall.usualPlatform, flags)
    }
    return (number(of: name), flags)
  }
}
