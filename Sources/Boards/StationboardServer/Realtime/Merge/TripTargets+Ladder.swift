import GTFS
import GTFSRealtime
import Timetable

/// The ladder for trip updates that their ids do not resolve (design rule SB5).
///
/// ```
/// 1 id ──► 2 id with a piece exchanged, as in most ids of the feed ──► 3 route, start, date, last stop
/// ```
///
/// A wrong match is worse than none: a trip must be the only one that fits the update, the update the only one that
/// fits the trip, and stops and times must agree. Updates that rung 1 resolves cost nothing here.
extension TripTargets {
  /// Whether an update without a target may be of a trip of another id.
  func mayBeOtherwise(_ update: TripUpdate, _ reason: RealtimeCounters.Reason) -> Bool {
    switch update.relationship {
    case .scheduled, .unscheduled, .canceled, .deleted: break
    default: return false
    }
    return reason == .unknownTrip || reason == .notRunning || reason == .ambiguous
  }

  /// Looks for the trips of updates that their ids do not resolve, and counts those that stay without one.
  mutating func climb(_ unresolved: [WithoutTarget]) {
    learn(from: unresolved)
    var claims: [TripTarget] = []
    var left: [WithoutTarget] = []
    for one in unresolved {
      switch byRenaming(one) {
      case .one(let target): claims.append(target)
      case .several: leaveOut(feed.trips[one.update], .ambiguous)
      case .none: left.append(one)
      }
    }
    enter(claims)
    claims = []
    for one in left {
      switch byStart(one) {
      case .one(let target): claims.append(target)
      case .several: leaveOut(feed.trips[one.update], .ambiguous)
      case .none: leaveOut(feed.trips[one.update], one.reason)
      }
    }
    enter(claims)
  }

  /// The trips that an update may be of.
  private enum Found {
    case none
    case one(TripTarget)
    case several
  }

  /// Enters the trips found on one rung, unless an update of a rung before or another one of this rung has them.
  private mutating func enter(_ claims: [TripTarget]) {
    var claimants: [UInt64: Set<TextID?>] = [:]
    var taken: Set<UInt64> = []
    for target in claims {
      let key = Self.key(target)
      if places[key] != nil { taken.insert(key) }
      claimants[key, default: []].insert(feed.trips[target.update].tripID)
    }
    for target in claims {
      let key = Self.key(target)
      let update = feed.trips[target.update]
      if taken.contains(key) {
        leaveOut(update, .claimed)
      } else if claimants[key]?.count != 1 {
        leaveOut(update, .ambiguous)
      } else {
        let isFirst = places[key] == nil
        enter(target)
        guard isFirst else { continue }
        let texts = feed.texts
        counters.found(target.rung) {
          RealtimeCounters.Proof(
            rung: target.rung,
            given: texts[update.tripID],
            found: String(decoding: timetable.tripId(of: target.trip), as: UTF8.self)
          )
        }
      }
    }
  }

  // MARK: Rung 2

  /// The trip of an update by its id with a piece exchanged.
  private func byRenaming(_ one: WithoutTarget) -> Found {
    guard one.reason == .unknownTrip, !renamings.renamings.isEmpty,
      let id = cutID(of: feed.trips[one.update])
    else { return .none }
    var found: [UInt64: TripTarget] = [:]
    for renaming in renamings.renamings {
      guard let target = target(of: one.update, id, renaming).fitting else { continue }
      found[Self.key(target)] = target
    }
    guard let target = found.values.first else { return .none }
    return found.count == 1 ? .one(target) : .several
  }

  private func cutID(of update: TripUpdate) -> CutID? {
    guard let id = update.tripID ?? update.originalTripID else { return nil }
    return feed.texts.withBytes(of: id) { CutID($0, policy) }
  }

  /// Whether an id with a piece exchanged is one of the timetable, and the target if everything else fits.
  private func target(
    of number: Int,
    _ id: CutID,
    _ renaming: TripRenaming
  ) -> (isKnown: Bool, fitting: TripTarget?) {
    guard let other = renaming.apply(id) else { return (false, nil) }
    let runs = other.withUnsafeBytes { timetable.trips(id: $0) }
    guard !runs.isEmpty else { return (false, nil) }
    let update = feed.trips[number]
    do throws(Unmatched) {
      var target = try target(of: update, number, runs, directory)
      guard target.estimate == nil,
        fit(update, target.trip, on: Int(target.day), toLast: false) != nil
      else { return (true, nil) }
      target.rung = .affix
      return (true, target)
    } catch {
      return (true, nil)
    }
  }

  /// Learns how the ids of the feed differ from those of the timetable, from those that differ in the same way.
  private mutating func learn(from unresolved: [WithoutTarget]) {
    var ids: [(update: Int, id: CutID)] = []
    var seen: Set<TextID> = []
    for one in unresolved where one.reason == .unknownTrip {
      let update = feed.trips[one.update]
      guard !update.stopTimeUpdates.isEmpty, let text = update.tripID ?? update.originalTripID,
        seen.insert(text).inserted, let id = cutID(of: update)
      else { continue }
      ids.append((one.update, id))
    }
    let before = renamings.renamings
    renamings.renamings = []
    // What was learned before is kept for as long as it proves itself.
    for renaming in before { keep(renaming, &ids) }
    guard ids.count >= policy.fewestRenamed,
      renamings.renamings.count < policy.mostRenamings
    else { return }
    guard renamings.pause == 0 else {
      renamings.pause -= 1
      return
    }
    var hasLearned = false
    while renamings.renamings.count < policy.mostRenamings, ids.count >= policy.fewestRenamed {
      let step = (ids.count + policy.sampledIDs - 1) / policy.sampledIDs
      let sample = stride(from: 0, to: ids.count, by: step).map { ids[$0].id }
      var search = RenamingSearch(sample, policy)
      let isKept = search.renamings(in: timetable).contains { keep($0, &ids) }
      guard isKept else { break }
      hasLearned = true
    }
    if hasLearned {
      renamings.noteSuccess()
    } else {
      renamings.notePause(most: policy.longestLearningPause)
    }
  }

  /// Learns a renaming if a large share of the ids fits by it, hardly any contradicts it, and hardly any would fit the
  /// trip of another one as well; the ids that it explains are taken away.
  @discardableResult
  private mutating func keep(
    _ renaming: TripRenaming,
    _ ids: inout [(update: Int, id: CutID)]
  ) -> Bool {
    var known = 0
    var left: [(update: Int, id: CutID)] = []
    var fitting: [TripTarget] = []
    for one in ids {
      let result = target(of: one.update, one.id, renaming)
      if result.isKnown { known += 1 }
      if let target = result.fitting { fitting.append(target) } else { left.append(one) }
    }
    guard fitting.count >= policy.fewestRenamed,
      fitting.count * 100 >= ids.count * policy.leastRenamedPercent,
      fitting.count * 100 >= known * policy.leastFittingPercent,
      chances(of: fitting) * 100 <= fitting.count * policy.mostChancePercent
    else { return false }
    renamings.renamings.append(renaming)
    ids = left
    return true
  }

  /// How many updates fit the trip of another one at least as well as their own: updates that say little fit any
  /// trip, and prove nothing.
  private func chances(of found: [TripTarget]) -> Int {
    found.indices.count { place in
      let own = found[place]
      let other = found[(place + found.count / 2) % found.count]
      let update = feed.trips[own.update]
      guard let chance = fit(update, other.trip, on: Int(other.day), toLast: false) else {
        return false
      }
      return fit(update, own.trip, on: Int(own.day), toLast: false).map { chance <= $0 } ?? true
    }
  }

  // MARK: Rung 3

  /// The only trip of a route that starts when an update says, ends where it ends, and stops where it stops.
  private func byStart(_ one: WithoutTarget) -> Found {
    let update = feed.trips[one.update]
    guard let id = update.routeID, let route = directory.route(id: feed.texts[id]),
      let start = update.startTime, let date = update.startDate, !update.stopTimeUpdates.isEmpty
    else { return .none }
    var found: TripTarget?
    // 1:00 of a date is 25:00 of the service day before.
    for (start, date) in [(Int64(start), date), (Int64(start) + 86_400, date + -1)] {
      guard let start = Int32(exactly: start) else { continue }
      for trip in directory.trips(route: route, start: start)
      where timetable.runs(trip, on: date) && !timetable.isHeadway(trip)
        && fit(update, trip, on: date.daysSinceEpoch, toLast: true) != nil
      {
        guard found == nil else { return .several }
        found = TripTarget(
          update: one.update,
          action: Self.action(of: update),
          trip: trip,
          day: Int32(date.daysSinceEpoch),
          rung: .start
        )
      }
    }
    return found.map { .one($0) } ?? .none
  }

  private static func action(of update: TripUpdate) -> TripTarget.Action {
    switch update.relationship {
    case .canceled: .cancel
    case .deleted: .delete
    default: .run
    }
  }
}
