import GTFSRealtime
import Timetable

/// The stops of a trip after trip modifications: closed ones gone, others in their place, later times shifted.
struct ModifiedSchedule {
  /// A stop of the changed trip.
  struct Stop: Hashable {
    /// The stop and its times; ``TimetableDirectory/none`` for a replacement stop that the timetable lacks or that has no
    /// time, which only counts.
    var call: ScheduledCall
    /// Its place in the trip of the timetable; `nil` if it is a replacement stop.
    var origin: Int?
    /// The platform that the feed names and the timetable lacks.
    var platform: String?
    /// By how many seconds its times are later than those of the timetable; 0 for a replacement stop.
    var shift: Int32

    /// Whether its times differ from those of the timetable, or it is not in it.
    var isMoved: Bool { shift != 0 || origin == nil }
  }

  /// The stops in order.
  private(set) var stops: [Stop] = []
  /// Modifications whose stops are not those of the trip, or that overlap others, and replacement stops that the
  /// timetable lacks or that have no time.
  private(set) var unusable = 0

  private struct Span {
    /// The first stop that is replaced, and the first after those.
    var start: Int
    var end: Int
    var modification: TripModifications.Modification
  }

  /// Changes a trip.
  ///
  /// Modifications that do not fit are left out, the others count. A time is that of the stop before the modification
  /// plus the travel time; all times after it shift by its delay, and by those of the modifications before. `nil` if no
  /// modification fits, if no two stops are left, or if the timetable has none of them.
  ///
  /// - Parameters:
  ///   - schedule: The stops of the trip as the timetable has them.
  ///   - modifications: The changes.
  ///   - resolve: The stop of the timetable that an id means.
  ///   - isSame: Whether two stops belong to one station.
  init?(
    _ schedule: [ScheduledCall],
    _ modifications: [TripModifications.Modification],
    resolve: (String) -> ResolvedStop,
    isSame: (UInt32, UInt32) -> Bool
  ) {
    func place(_ selector: TripModifications.StopSelector, from first: Int) -> Int? {
      let stop = selector.stopID.map { resolve($0) }
      if let stop, !stop.isKnown { return nil }
      return (first..<schedule.count).first { place in
        let call = schedule[place]
        if let sequence = selector.sequence, call.sequence != sequence { return false }
        guard let stop else { return selector.sequence != nil }
        return stop.stop == call.stop || selector.sequence != nil && isSame(stop.stop, call.stop)
      }
    }
    var spans: [Span] = []
    for modification in modifications {
      guard let selector = modification.start, let start = place(selector, from: 0),
        modification.propagatedDelay.magnitude <= Self.mostSeconds
      else {
        unusable += 1
        continue
      }
      var span = Span(start: start, end: start, modification: modification)
      if let selector = modification.end {
        guard let end = place(selector, from: start) else {
          unusable += 1
          continue
        }
        span.end = end + 1
      }
      spans.append(span)
    }
    let order = spans.indices.sorted { (spans[$0].start, $0) < (spans[$1].start, $1) }
    var next = 0
    var shift: Int32 = 0
    var isChanged = false
    for span in order.map({ spans[$0] }) {
      guard span.start >= next, !isChanged || span.start > next || span.end > span.start else {
        unusable += 1
        continue
      }
      for place in next..<span.start { append(schedule[place], place, shift) }
      let reference = schedule[max(0, span.start - 1)].arrival + shift
      for replacement in span.modification.replacements {
        var stop = ResolvedStop()
        var time = reference
        if let id = replacement.stopID, let travel = replacement.travelTime,
          travel.magnitude <= Self.mostSeconds
        {
          stop = resolve(id)
          time += travel
        }
        if !stop.isKnown { unusable += 1 }
        var platform: String?
        if case .unknownPlatform(let name) = stop.names { platform = name }
        let call = ScheduledCall(stop: stop.stop, sequence: 0, arrival: time, departure: time)
        stops.append(Stop(call: call, origin: nil, platform: platform, shift: 0))
      }
      shift += span.modification.propagatedDelay
      next = span.end
      isChanged = true
    }
    for place in next..<schedule.count { append(schedule[place], place, shift) }
    guard isChanged, stops.count > 1,
      stops.contains(where: { $0.call.stop != TimetableDirectory.none })
    else { return nil }
    number(schedule)
  }

  /// The farthest that a modification moves a time, in seconds.
  private static let mostSeconds: UInt32 = 86_400

  private mutating func append(_ call: ScheduledCall, _ place: Int, _ shift: Int32) {
    var call = call
    call.arrival += shift
    call.departure += shift
    stops.append(Stop(call: call, origin: place, shift: shift))
  }

  /// Gives replacement stops numbers behind those of the timetable, so that the others keep theirs.
  private mutating func number(_ schedule: [ScheduledCall]) {
    var sequence = schedule.last?.sequence ?? 0
    for place in stops.indices where stops[place].origin == nil {
      sequence &+= 1
      stops[place].call.sequence = sequence
    }
  }
}
