import GTFS
import GTFSRealtime
import Timetable

/// Vehicles of a frequency without exact times, which need not start at one of its runs.
extension TripTargets {
  /// The run that a vehicle takes the place of: the one that starts when it does, else the nearest.
  ///
  /// Without exact times `start_time` may be arbitrary (reference, "TripDescriptor"): one that is not among
  /// the starts of the day is replaced by what the predictions say.
  func vehicle(
    _ update: TripUpdate,
    _ number: Int,
    _ action: TripTarget.Action,
    _ runs: Range<UInt32>,
    _ directory: TimetableDirectory
  ) throws(Unmatched) -> TripTarget {
    do throws(Unmatched) {
      let (trip, day) = try instance(of: update, runs, directory)
      return TripTarget(update: number, action: action, trip: trip, day: Int32(day))
    } catch {
      guard error.reason == .unknownStart else { throw error }
    }
    guard let first = runs.first, let last = runs.last else {
      throw Unmatched(reason: .unknownStart)
    }
    let starts =
      timetable.start(of: first) - policy.headwaySlack...timetable.start(of: last)
      + policy.headwaySlack
    if let given = update.startTime, starts.contains(given) {
      let run = nearest(runs, to: given)[0]
      var target = TripTarget(
        update: number,
        action: action,
        trip: run,
        day: Int32(try day(of: run, update))
      )
      target.start = given
      target.estimate = given
      return target
    }
    guard let passing = passing(update, first, directory) else {
      throw Unmatched(reason: .unknownStart)
    }
    let dates =
      if let date = update.startDate { [date, date + -1] } else {
        [0, -1, 1].map { ServiceDate(daysSinceEpoch: today + $0) }
      }
    for date in dates where timetable.runs(first, on: date) {
      let seconds = passing.instant - timetable.start(of: date, for: first) - Int64(passing.offset)
      guard let estimate = Int32(exactly: seconds), starts.contains(estimate) else { continue }
      let run = nearest(runs, to: estimate)[0]
      var target = TripTarget(
        update: number,
        action: action,
        trip: run,
        day: Int32(date.daysSinceEpoch)
      )
      target.estimate = estimate
      return target
    }
    throw Unmatched(reason: .unknownStart)
  }

  /// The first predicted instant of an update, and how long after its start the trip is at that stop.
  private func passing(
    _ update: TripUpdate,
    _ trip: UInt32,
    _ directory: TimetableDirectory
  ) -> (instant: Int64, offset: Int32)? {
    var calls: [ScheduledCall] = []
    timetable.readCalls(of: trip, into: &calls)
    for stopTime in feed.updates(of: update) {
      // An instant decades away is not valid.
      guard let instant = stopTime.departure?.time ?? stopTime.arrival?.time,
        (instant &- reference).magnitude < 1 << 30
      else { continue }
      let call = calls.first { call in
        if let sequence = stopTime.stopSequence { return call.sequence == sequence }
        guard let id = stopTime.stopID else { return false }
        return directory.resolve(feed.texts[id]).stop == call.stop
      }
      if let call { return (instant, call.departure - timetable.start(of: trip)) }
    }
    return nil
  }

  /// The runs nearest to a start, the nearest first, of two as near the earlier.
  private func nearest(_ runs: Range<UInt32>, to start: Int32) -> [UInt32] {
    var low = runs.lowerBound
    var high = runs.upperBound
    while low < high {
      let middle = low + (high - low) / 2
      if timetable.start(of: middle) < start { low = middle + 1 } else { high = middle }
    }
    var (before, after) = (Int64(low) - 1, Int64(low))
    var found: [UInt32] = []
    while found.count < policy.triedRuns {
      let isBefore = before >= Int64(runs.lowerBound)
      let isAfter = after < Int64(runs.upperBound)
      guard isBefore || isAfter else { break }
      let takesBefore =
        isBefore
        && (!isAfter
          || start - timetable.start(of: UInt32(before)) <= timetable.start(of: UInt32(after))
            - start)
      if takesBefore {
        found.append(UInt32(before))
        before -= 1
      } else {
        found.append(UInt32(after))
        after += 1
      }
    }
    return found
  }

  /// Enters a vehicle for the nearest run that no other vehicle has.
  mutating func enterVehicle(_ vehicle: TripTarget) {
    let update = feed.trips[vehicle.update]
    guard let estimate = vehicle.estimate else { return enter(vehicle) }
    let id = timetable.tripId(of: vehicle.trip)
    for run in nearest(timetable.trips(id: id), to: estimate) {
      var target = vehicle
      target.trip = run
      if let place = places[Self.key(target)] {
        let other = feed.trips[targets[place].update]
        guard let start = update.startTime, start == other.startTime else { continue }
      }
      return enter(target)
    }
    leaveOut(update, .unknownStart)
  }
}
