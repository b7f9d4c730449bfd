import GTFSRealtime
import Timetable

/// When a trip leaves each of its stops (reference, "Stop Time Updates").
extension RealtimeBuilder {
  /// Merges the update of a trip that runs as scheduled, or close to it.
  mutating func mergeScheduled(_ target: TripTarget, _ update: TripUpdate) {
    add(.running, target, sourceTime(of: update))
    let nominal = midnight(target)
    // A vehicle between the runs of a frequency counts its delays from its own start.
    let moved = target.start.map { Int64($0) - Int64(timetable.start(of: target.trip)) } ?? 0
    let isCancelled = appendMerged(
      target,
      update,
      shift: nominal + moved,
      nominal: nominal,
      flags: timetable.isHeadway(target.trip) ? [.covered, .headway] : .covered
    )
    if isCancelled {
      trips[trips.count - 1].kind = .cancelled
      counters.cancelled += 1
    } else if saysSomething {
      counters.applied += 1
    } else {
      // Of stops that the trip does not have, it is of another timetable.
      let isOfOtherStops = !update.stopTimeUpdates.isEmpty && linked.allSatisfy { $0 < 0 }
      leaveOut(update, isOfOtherStops ? .unknownStop : .saysNothing)
      if isOfOtherStops { counters.miss(route: timetable.route(of: target.trip)) }
      if target.rung != .id { counters.byRung[target.rung, default: 0] -= 1 }
    }
  }

  /// Appends the departures of a cancelled trip.
  mutating func appendCancelled(_ target: TripTarget) {
    let midnight = midnight(target)
    readSchedule(target.trip)
    for (position, call) in schedule.dropLast().enumerated() where call.allowsPickup {
      append(
        call.stop,
        position,
        scheduled: midnight + Int64(call.departure),
        effective: midnight + Int64(call.departure),
        timetable.isHeadway(target.trip)
          ? [.covered, .cancelled, .headway] : [.covered, .cancelled]
      )
    }
    endTrip()
  }

  /// Appends the departures of a trip with its update.
  ///
  /// - Parameters:
  ///   - target: The trip.
  ///   - update: Its update.
  ///   - shift: The instant from which the times of the trip count, in seconds since
  ///     1970-01-01T00:00:00Z.
  ///   - nominal: The instant from which the scheduled times of its departures count, likewise; that of
  ///     `shift` unless it is another.
  ///   - flags: What all its departures are.
  /// - Returns: Whether every stop is skipped, which is a cancellation.
  mutating func appendMerged(
    _ target: TripTarget,
    _ update: TripUpdate,
    shift: Int64,
    nominal: Int64? = nil,
    flags: BoardRow.RealtimeFlags
  ) -> Bool {
    readSchedule(target.trip)
    link(feed.updates(of: update), shift: shift)
    return appendLinked(update, shift: shift, nominal: nominal, flags: flags)
  }

  /// Appends the departures of a trip whose stops and their updates are known: ``schedule``, ``linked``.
  ///
  /// - Parameters:
  ///   - update: Its update, if there is one.
  ///   - shift: As for a merged trip.
  ///   - nominal: Likewise.
  ///   - flags: Likewise.
  ///   - plan: The schedule of a trip with modifications, the extra trip begun last.
  ///   - endsBefore: Whether that trip ends at a stop before its last one of the timetable.
  /// - Returns: Whether every stop is skipped, which is a cancellation.
  mutating func appendLinked(
    _ update: TripUpdate?,
    shift: Int64,
    nominal: Int64?,
    flags: BoardRow.RealtimeFlags,
    _ plan: ModifiedSchedule? = nil,
    endsBefore: Bool = false
  ) -> Bool {
    defer { endTrip() }
    let own = plan == nil ? nil : extraTrips.last
    // An update of the trip's own id is of its schedule before the modifications.
    let base = update?.modifiedTrip == nil ? plan : nil
    let lastLeftOut = own?.leftOut.last.map { Int32($0) } ?? -1
    if let headsign = update?.properties?.headsign {
      trips[trips.count - 1].headsign = number(of: feed.texts[headsign])
    }
    var skipped = 0
    for (position, number) in linked.enumerated() where isSkipped(number) {
      skipped += 1
      skips.append(UInt16(truncatingIfNeeded: position))
    }
    let isCancelled = skipped == linked.count
    // A trip that only leaves out stops on its way still reaches its last one. An end that the timetable lacks has no
    // name.
    let end = linked.lastIndex { !isSkipped($0) } ?? linked.count - 1
    let endsEarly = end < linked.count - 1 && schedule[end].stop != TimetableDirectory.none
    // Until the first stop time update with a time, the delay of the trip itself is what is known.
    var carried = update?.delay.flatMap { plausible(Int64($0)) }
    var isOfTrip = carried != nil
    var skippedAhead = skipped
    for (position, call) in schedule.enumerated() {
      var flags = flags
      var platform = RealtimeCall.usualPlatform
      let scheduled = shift + Int64(call.departure)
      let before = carried
      var arrival: Int64?
      var headsign: TextID?
      var isBoarded = position < schedule.count - 1 && call.allowsPickup
      let isKnown = call.stop != TimetableDirectory.none
      let changed = base?.stops[position]
      let moved = Int64(changed?.shift ?? 0)
      let isPredictable = changed == nil || changed?.origin != nil
      if linked[position] >= 0 {
        let stopTime = feed.stopTimeUpdates[Int(linked[position])]
        if let details = feed.details(of: stopTime) {
          headsign = details.headsign
          if let pickup = details.pickup {
            isBoarded = position < schedule.count - 1 && pickup != StopTimeDetails.Access.none
            let place = plan == nil ? position : plan?.stops[position].origin
            let template = trips[trips.count - 1].trip
            let usual = place.map { timetable.pickupType($0, of: template) } ?? 0
            flags.formUnion(.init(boarding: pickup, insteadOf: usual))
          }
        }
        if isKnown { (platform, flags) = self.platform(of: stopTime, call.stop, flags) }
        switch stopTime.relationship {
        case .skipped:
          flags.insert(.skipped)
          skippedAhead -= 1
        case .noData:
          carried = nil
          isOfTrip = false
        case .scheduled, .unscheduled, .unknown:
          let planned = shift + Int64(call.arrival)
          if stopTime.departure == nil || !isBoarded {
            arrival = stopTime.arrival.flatMap { instant($0, planned, moved) }
          }
          if let time = departure(stopTime, arrival, planned, scheduled, moved) {
            carried = time - scheduled
            isOfTrip = false
          } else if !isOfTrip {
            // An update without a time ends what was known before it.
            carried = nil
          }
        }
      }
      guard isKnown else { continue }
      guard isBoarded else {
        if plan == nil, call.allowsPickup, position < schedule.count - 1 {
          closed.append(UInt16(truncatingIfNeeded: position))
        }
        // Without a time of its own a stop is reached as late as the one before it was left.
        let planned = shift + Int64(call.arrival)
        let isLate = carried != nil && isPredictable && !isCancelled
        guard let time = arrival ?? (isLate ? planned + (before ?? carried ?? 0) : nil) else {
          continue
        }
        appendArrival(time, position)
        continue
      }
      if isCancelled {
        flags.insert(.cancelled)
      } else if skippedAhead > 0 {
        flags.insert(.skipsLater)
        if endsEarly { flags.insert(.endsEarly) }
        if skippedAhead == schedule.count - 1 - position, !flags.contains(.skipped) {
          flags.insert(.lastServed)
        }
      }
      if let own, !isCancelled {
        if endsBefore { flags.insert(.endsEarly) }
        if own.stops[position].reached < lastLeftOut { flags.insert(.skipsLater) }
        if platform == RealtimeCall.usualPlatform, let name = plan?.stops[position].platform {
          platform = number(of: name)
        }
      }
      let late = isPredictable && !isCancelled ? carried : nil
      if late != nil { flags.insert(.predicted) }
      let planned = (nominal ?? shift) + Int64(call.departure)
      let count = calls.count
      append(
        call.stop,
        position,
        scheduled: planned,
        effective: late.map { scheduled + $0 } ?? planned,
        flags,
        platform
      )
      guard calls.count > count else { continue }
      if let headsign { headsigns[UInt32(count)] = number(of: feed.texts[headsign]) }
      if linked[position] >= 0, !isCancelled, !flags.contains(.skipped) {
        noteOutlook(feed.stopTimeUpdates[Int(linked[position])], flags)
      }
    }
    return isCancelled
  }

  /// Notes by how much the prediction of the departure appended last may be off, and how full the vehicle leaves.
  mutating func noteOutlook(_ update: StopTimeUpdate, _ flags: BoardRow.RealtimeFlags) {
    let place = calls.count - 1
    if flags.contains(.predicted), update.relationship != .noData,
      let seconds = (update.departure ?? update.arrival)?.uncertainty, seconds >= 0
    {
      calls[place].uncertainty = UInt16(
        clamping: min(seconds, Int32(RealtimeCall.unknownUncertainty) - 1)
      )
    }
    if let number = feed.details(of: update)?.occupancy,
      VehiclePosition.Occupancy(number: number) != nil
    {
      calls[place].occupancy = UInt8(clamping: number)
    }
  }

  /// Whether the update of a stop, if there is one, says that it is skipped.
  func isSkipped(_ number: Int32) -> Bool {
    number >= 0 && feed.stopTimeUpdates[Int(number)].relationship == .skipped
  }

  /// Reads the stops of a trip of the timetable.
  mutating func readSchedule(_ trip: UInt32) {
    timetable.readCalls(of: trip, into: &schedule)
  }

  /// Appends a departure of the trip begun last.
  mutating func append(
    _ stop: UInt32,
    _ position: Int,
    scheduled: Int64?,
    effective: Int64,
    _ flags: BoardRow.RealtimeFlags,
    _ platform: UInt32 = RealtimeCall.usualPlatform
  ) {
    guard let effective = relative(effective) else { return }
    var planned = RealtimeCall.unscheduled
    if let scheduled {
      guard let instant = relative(scheduled) else { return }
      planned = instant
    }
    calls.append(
      RealtimeCall(
        effective: effective,
        scheduled: planned,
        trip: UInt32(trips.count - 1),
        stop: stop,
        platform: platform,
        position: UInt16(truncatingIfNeeded: position),
        flags: flags
      )
    )
  }

  /// Appends an arrival to the current trip, at a stop without boarding.
  mutating func appendArrival(_ time: Int64, _ position: Int) {
    guard let effective = relative(time) else { return }
    arrivals.append(
      RealtimeArrival(effective: effective, position: UInt16(truncatingIfNeeded: position))
    )
  }

  // MARK: The time of one stop

  private func plausible(_ deviation: Int64) -> Int64? {
    deviation.magnitude <= policy.mostDeviation.magnitude ? deviation : nil
  }

  /// The departure that an update of a stop predicts; `nil` if it predicts none.
  ///
  /// An arrival alone says when the vehicle can leave at the earliest, and how late it is.
  ///
  /// - Parameters:
  ///   - update: The update.
  ///   - arrival: The arrival it predicts, if it matters.
  ///   - planned: The arrival as scheduled.
  ///   - departure: The departure as scheduled.
  ///   - moved: By how much both are later than the schedule of which the delays of the update are.
  /// - Returns: The departure, in seconds since 1970-01-01T00:00:00Z.
  private mutating func departure(
    _ update: StopTimeUpdate,
    _ arrival: Int64?,
    _ planned: Int64,
    _ departure: Int64,
    _ moved: Int64
  ) -> Int64? {
    if let event = update.departure {
      if let time = instant(event, departure, moved) { return time }
      guard let time = arrival ?? update.arrival.flatMap({ instant($0, planned, moved) }) else {
        return nil
      }
      return max(time, departure + time - planned)
    }
    return arrival.map { max($0, departure + $0 - planned) }
  }

  /// The instant of an event that the timetable has at another one: its time, unless the delay
  /// contradicts it by hours.
  ///
  /// The delay is that against a schedule that was `moved` seconds earlier.
  private mutating func instant(
    _ event: StopTimeEvent,
    _ scheduled: Int64,
    _ moved: Int64
  ) -> Int64? {
    let byDelay = event.delay.map { scheduled - moved + Int64($0) }
    guard var instant = event.time ?? byDelay else { return nil }
    if let byDelay, disagree(byDelay, instant) { instant = byDelay }
    let (deviation, isTooFar) = instant.subtractingReportingOverflow(scheduled)
    guard !isTooFar, plausible(deviation) != nil else {
      counters.implausibleTimes += 1
      return nil
    }
    return instant
  }

  /// Whether the time and the delay of one event are too far apart to be both true.
  func disagree(_ byDelay: Int64, _ time: Int64) -> Bool {
    let (distance, isTooFar) = time.subtractingReportingOverflow(byDelay)
    return isTooFar || distance.magnitude > policy.disagreement.magnitude
  }

  // MARK: Platforms

  /// Where an update lets the trip stop instead of a stop of the timetable.
  private mutating func platform(
    of update: StopTimeUpdate,
    _ scheduled: UInt32,
    _ flags: BoardRow.RealtimeFlags
  ) -> (UInt32, BoardRow.RealtimeFlags) {
    guard let id = update.assignedStopID ?? update.stopID else {
      return (RealtimeCall.usualPlatform, flags)
    }
    if plainStops[id.index] == scheduled { return (RealtimeCall.usualPlatform, flags) }
    let named = stop(id)
    guard named.isKnown else { return (RealtimeCall.usualPlatform, flags) }
    switch named.names {
    case .station: return (RealtimeCall.usualPlatform, flags)
    case .platform:
      if named.stop == scheduled { return (RealtimeCall.usualPlatform, flags) }
      return (named.stop, flags.union(.platformChanged))
    case .unknownPlatform(let name):
      let usual = timetable.platform(of: scheduled)
      if usual == name { return (RealtimeCall.usualPlatform, flags) }
      return (number(of: name), usual == nil ? flags : flags.union(.platformChanged))
    }
  }

  // MARK: Which update is of which stop

  /// Finds the stop of every update: ``linked`` has, for each stop, the number of its update.
  mutating func link(_ updates: ArraySlice<StopTimeUpdate>, shift: Int64) {
    linked.removeAll(keepingCapacity: true)
    linked.append(contentsOf: repeatElement(-1, count: schedule.count))
    var next = 0
    for number in updates.indices {
      let update = updates[number]
      guard let position = position(of: update, from: next, updates[(number + 1)...], shift) else {
        counters.unlinkedStops += 1
        continue
      }
      linked[position] = Int32(number)
      next = position + 1
    }
  }

  /// The stop of an update.
  ///
  /// Where stop_sequence and stop_id disagree, another stop of the same station is a platform change;
  /// else the stop_id counts, if it means a stop. Without a stop_sequence, a stop that the trip visits more
  /// than once is the visit nearest to the time of the update, of those that have no update yet.
  private mutating func position(
    of update: StopTimeUpdate,
    from next: Int,
    _ following: ArraySlice<StopTimeUpdate>,
    _ shift: Int64
  ) -> Int? {
    // Of the parts, not of the whole: a method that only reads would copy all that is being built.
    var bySequence: Int?
    if let sequence = update.stopSequence {
      bySequence = schedule.position(ofSequence: sequence, from: next)
    }
    guard let id = update.stopID else { return bySequence }
    let scheduled = bySequence.map { schedule[$0].stop }
    if let scheduled, scheduled != TimetableDirectory.none, isPlainly(id, scheduled) {
      return bySequence
    }
    let named = stop(id)
    guard named.isKnown else { return bySequence }
    if let scheduled {
      if scheduled == named.stop || directory.isSameStation(scheduled, named.stop) {
        return bySequence
      }
      // Of a stop that the timetable lacks only the number is known.
      if scheduled == TimetableDirectory.none,
        !schedule.contains(where: { $0.stop == named.stop })
      {
        return bySequence
      }
    }
    if let visit = schedule.nearestVisit(of: named.stop, update, from: next, following, shift) {
      return visit
    }
    return schedule.position(ofStop: named.stop, from: next, directory)
  }
}

extension [ScheduledCall] {
  /// The stop with a stop_sequence: most often the next one.
  fileprivate func position(ofSequence sequence: UInt32, from next: Int) -> Int? {
    if next < count, self[next].sequence == sequence { return next }
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].sequence == sequence ? low : nil
  }

  /// The visit that the time of an update is of, where the trip comes to its stop several times; `nil` if it
  /// does not, or if the update has no time.
  ///
  /// As many visits are left as the updates that follow need.
  fileprivate func nearestVisit(
    of stop: UInt32,
    _ update: StopTimeUpdate,
    from next: Int,
    _ following: ArraySlice<StopTimeUpdate>,
    _ shift: Int64
  ) -> Int? {
    guard next < count, let first = self[next...].firstIndex(where: { $0.stop == stop }),
      self[(first + 1)...].contains(where: { $0.stop == stop }),
      let time = update.departure?.time ?? update.arrival?.time
    else { return nil }
    var visits = indices[first...].filter { self[$0].stop == stop }
    visits.removeLast(Swift.min(visits.count - 1, following.count { $0.stopID == update.stopID }))
    let isDeparture = update.departure?.time != nil
    func distance(_ place: Int) -> UInt64 {
      let planned = shift + Int64(isDeparture ? self[place].departure : self[place].arrival)
      let (distance, isTooFar) = time.subtractingReportingOverflow(planned)
      return isTooFar ? .max : distance.magnitude
    }
    return visits.min { distance($0) < distance($1) }
  }

  /// The next visit of a stop or its station; else an earlier one.
  fileprivate func position(
    ofStop stop: UInt32,
    from next: Int,
    _ directory: TimetableDirectory
  ) -> Int? {
    let ahead = self[Swift.min(next, count)...]
    if let exact = ahead.firstIndex(where: { $0.stop == stop }) { return exact }
    if let near = ahead.firstIndex(where: { directory.isSameStation($0.stop, stop) }) {
      return near
    }
    if let exact = firstIndex(where: { $0.stop == stop }) { return exact }
    return firstIndex { directory.isSameStation($0.stop, stop) }
  }
}
