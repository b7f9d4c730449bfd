import GTFS
import GTFSRealtime
import Timetable

/// A large feed is merged in two parts at once: with a second processor in about half the time.
///
/// Which update is of which trip and day has been found for all before (``TripTargets``), so that no target
/// needs to know of another one. Each part has a builder of its own, and what it made is appended with new
/// numbers: the result is the same, whatever the number of parts.
extension RealtimeBuilder {
  /// Merges what all targets are about, in their order, in parts of about as many stop time updates each.
  mutating func merge(_ targets: [TripTarget], parts: Int) {
    let count = feed.stopTimeUpdates.count
    let starts = (0...parts).map { part in
      part == parts
        ? targets.count
        : targets.firstIndex {
          feed.trips[$0.update].stopTimeUpdates.lowerBound >= count / parts * part
        } ?? targets.count
    }
    let empty = self
    var builders = BackgroundExecutor.results(parts) { part in
      let own = targets[starts[part]..<starts[part + 1]]
      var builder = empty
      if part > 0 { builder.counters = RealtimeCounters() }
      builder.reserve(own, times: part == 0 ? parts : 1)
      for target in own { builder.merge(target) }
      return builder
    }
    self = builders.removeFirst()
    for part in builders { append(part) }
  }

  /// Makes room for the calls of targets: an array that grows while it is filled is copied again and again.
  ///
  /// - Parameters:
  ///   - targets: The targets.
  ///   - times: For how many times as many.
  private mutating func reserve(_ targets: ArraySlice<TripTarget>, times: Int) {
    var count = 0
    for target in targets {
      switch target.action {
      case .run, .cancel, .duplicate: count += timetable.callCount(of: target.trip)
      case .add, .replace: count += feed.trips[target.update].stopTimeUpdates.count
      case .delete: break
      }
    }
    trips.reserveCapacity(targets.count * times)
    calls.reserveCapacity(count * times)
  }

  /// Appends what was made of the targets that follow.
  private mutating func append(_ part: RealtimeBuilder) {
    let firstTrip = UInt32(trips.count)
    let firstCall = UInt32(calls.count)
    let firstArrival = UInt32(arrivals.count)
    let firstExtra = Int32(extraTrips.count)
    let firstSkip = UInt32(skips.count)
    let firstClosed = UInt32(closed.count)
    let numbers = part.texts.map { number(of: $0) }
    func renumbered(_ number: UInt32) -> UInt32 {
      guard number >= RealtimeCall.firstText, number != RealtimeCall.usualPlatform else {
        return number
      }
      return numbers[Int(number - RealtimeCall.firstText)]
    }
    calls.reserveCapacity(calls.count + part.calls.count)
    for var call in part.calls {
      call.trip += firstTrip
      call.platform = renumbered(call.platform)
      calls.append(call)
    }
    trips.reserveCapacity(trips.count + part.trips.count)
    for var trip in part.trips {
      trip.firstCall += firstCall
      trip.firstArrival += firstArrival
      trip.firstSkip += firstSkip
      trip.firstClosed += firstClosed
      trip.headsign = renumbered(trip.headsign)
      if trip.extra >= 0 { trip.extra += firstExtra }
      trips.append(trip)
    }
    for (call, headsign) in part.headsigns { headsigns[call + firstCall] = renumbered(headsign) }
    skips += part.skips
    closed += part.closed
    arrivals += part.arrivals
    extraTrips += part.extraTrips
    counters.append(part.counters)
  }
}
