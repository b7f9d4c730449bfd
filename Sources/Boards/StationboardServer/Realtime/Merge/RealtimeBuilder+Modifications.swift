import GTFSRealtime
import Timetable

/// Trips whose stops trip modifications change.
extension RealtimeBuilder {
  /// Merges the changed trips that no trip update of their own id has brought in.
  ///
  /// - Parameter targets: The targets that are merged.
  mutating func mergeModified(after targets: [TripTarget]) {
    guard !modified.entries.isEmpty else { return }
    var merged: Set<UInt64> = []
    for target in targets where target.action != .add && target.action != .duplicate {
      merged.insert(TripTargets.key(target))
    }
    for entry in modified.entries {
      var target = TripTarget(
        update: entry.update ?? -1,
        action: .run,
        trip: entry.trip,
        day: entry.day
      )
      guard let number = entry.update else {
        if !merged.contains(TripTargets.key(target)) { _ = mergeModified(target, entry, nil) }
        continue
      }
      let update = feed.trips[number]
      switch update.relationship {
      case .canceled, .deleted:
        target.action = update.relationship == .deleted ? .delete : .cancel
        mergeOff(target)
      default:
        if !mergeModified(target, entry, update) { leaveOut(update, .modifiedTrip) }
      }
    }
  }

  /// Merges a trip of the timetable with its modifications.
  ///
  /// - Parameters:
  ///   - target: The trip.
  ///   - entry: Its modifications.
  ///   - update: The trip update of the changed trip, or of the trip as the timetable has it; `nil` for none.
  /// - Returns: Whether any modification fits the trip.
  mutating func mergeModified(
    _ target: TripTarget,
    _ entry: ModifiedTrips.Entry,
    _ update: TripUpdate?
  ) -> Bool {
    guard let plan = plan(of: entry) else {
      counters.unusableModifications += 1
      return false
    }
    let before = schedule
    counters.unusableModifications += plan.unusable
    counters.modified += 1

    let nominal = midnight(target)
    let moved = target.start.map { Int64($0) - Int64(timetable.start(of: target.trip)) } ?? 0
    link(update, plan, nominal + moved)
    add(.replaced, target, sourceTime)
    let base = trips.count - 1
    trips[base].modification = update == nil ? .planned : .updated
    endTrip()
    var extra = ExtraTrip(kind: .replacement)
    extra.isModification = true
    extra.shape = entry.shape
    extra.tripID = String(decoding: timetable.tripId(of: target.trip), as: UTF8.self)
    let served = plan.stops.indices.last { !isSkipped(linked[$0]) }
    let last = plan.stops[served ?? plan.stops.count - 1].call.stop
    let end = before.lastIndex { directory.isSameStation($0.stop, last) }
    // A stop that the timetable does not have cannot be named as the end.
    extra.isDiverted = end == nil && last != TimetableDirectory.none
    let leftOut = LeftOutStops(
      plan.stops.map(\.call.stop),
      insteadOf: before,
      isDiverted: extra.isDiverted,
      directory
    )
    extra.leftOut = leftOut.places
    extra.stops = zip(plan.stops, leftOut.reached).map { ExtraTrip.Stop($0, reached: $1) }
    begin(extra, target, update)
    schedule = plan.stops.map(\.call)
    let isCancelled = appendLinked(
      update,
      shift: nominal + moved,
      nominal: nominal,
      flags: timetable.isHeadway(target.trip)
        ? [.covered, .detoured, .headway] : [.covered, .detoured],
      plan,
      endsBefore: end.map { $0 < before.count - 1 } ?? false
    )
    guard update != nil else { return true }
    if isCancelled {
      trips[base].modification = .cancelled
      counters.cancelled += 1
    } else {
      counters.applied += 1
    }
    return true
  }

  /// The stops of a trip after its modifications; `nil` if none fits.
  ///
  /// It leaves the stops of the timetable in ``schedule``.
  private mutating func plan(of entry: ModifiedTrips.Entry) -> ModifiedSchedule? {
    readSchedule(entry.trip)
    let directory = directory
    // Taken out, so that it is not copied for every new id.
    var found: [String: ResolvedStop] = [:]
    swap(&found, &modifiedStops)
    defer { swap(&found, &modifiedStops) }
    return ModifiedSchedule(
      schedule,
      feed.modifications[entry.modifications].modifications,
      resolve: { id in
        if let stop = found[id] { return stop }
        let stop = directory.resolve(id)
        found[id] = stop
        return stop
      },
      isSame: { directory.isSameStation($0, $1) }
    )
  }

  /// Whether the update of a changed trip says something: that the trip does not run, or else of modifications that fit.
  mutating func isUsable(_ update: Int, _ entry: ModifiedTrips.Entry) -> Bool {
    switch feed.trips[update].relationship {
    case .canceled, .deleted: true
    default: plan(of: entry) != nil
    }
  }

  /// Merges a trip that does not run.
  mutating func mergeOff(_ target: TripTarget) {
    if target.action == .delete {
      add(.deleted, target, sourceTime)
      counters.deleted += 1
    } else {
      add(.cancelled, target, sourceTime)
      counters.cancelled += 1
      appendCancelled(target)
    }
  }

  /// Finds the update of every stop of a changed trip.
  ///
  /// An update of the changed trip numbers its stops from 1; one of the trip as the timetable has it is of the stops that
  /// both have.
  private mutating func link(_ update: TripUpdate?, _ plan: ModifiedSchedule, _ shift: Int64) {
    guard let update else {
      linked = Array(repeating: -1, count: plan.stops.count)
      return
    }
    if update.modifiedTrip == nil {
      link(feed.updates(of: update), shift: shift)
      let before = linked
      linked = plan.stops.map { $0.origin.map { before[$0] } ?? -1 }
    } else {
      schedule = plan.stops.enumerated().map { place, stop in
        var call = stop.call
        call.sequence = UInt32(place + 1)
        return call
      }
      link(feed.updates(of: update), shift: shift)
    }
  }

  /// Finds the stops of the feed that the timetable lacks: each is a platform of the station that it is below.
  mutating func resolveStops() {
    for stop in feed.stops where modifiedStops[stop.id] == nil {
      var found = directory.resolve(stop.id)
      if !found.isKnown, let parent = stop.parent {
        found = directory.resolve(parent)
        if found.isKnown { found.names = stop.platform.map { .unknownPlatform($0) } ?? .station }
      }
      modifiedStops[stop.id] = found
    }
  }
}

extension ExtraTrip.Stop {
  /// A stop of a trip with modifications.
  fileprivate init(_ stop: ModifiedSchedule.Stop, reached: Int32) {
    self.init(stop: stop.call.stop, sequence: stop.call.sequence, isNumbered: true)
    self.reached = reached
    plan = ExtraTrip.Plan(
      arrival: stop.call.arrival,
      departure: stop.call.departure,
      origin: stop.origin.map { Int32($0) } ?? -1,
      isMoved: stop.isMoved,
      allowsPickup: stop.call.allowsPickup,
      allowsDropOff: stop.call.allowsDropOff
    )
  }
}
