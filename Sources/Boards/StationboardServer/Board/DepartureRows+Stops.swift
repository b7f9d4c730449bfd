import Timetable

/// What rows say of the later stops of their trips.
extension DepartureRows {
  /// Writes the names of later stops that the trip leaves out, the bracket, and where it ends instead of at its
  /// last stop.
  func writeSkippedStops(_ row: BoardRow, _ extra: ExtraTrip?, _ json: inout JSONBytes) {
    guard !row.flags.isDisjoint(with: [.skipsLater, .endsEarly]), let realtime else {
      return json.raw("],\"endsAt\":null")
    }
    let skipped = Set(realtime.skippedPlaces(of: row).map { Int($0) })
    let end = end(of: row, extra, skipped)
    let leftOut = leftOut(row, extra, skipped, before: end)
    for (number, stop) in leftOut.prefix(BoardLimits.skippedStops).enumerated() {
      if number > 0 { json.raw(",") }
      writeStation(of: stop, &json)
    }
    json.raw("],\"endsAt\":")
    if row.flags.contains(.endsEarly), let stop = stop(end, of: row, extra) {
      writeStation(of: stop, &json)
    } else {
      json.raw("null")
    }
  }

  /// Where the trip of a row ends instead of at its last stop, if it continues from the row at all.
  ///
  /// A row whose stop is skipped shows the cancelled departure, so it keeps its destination.
  func ending(of row: BoardRow, _ extra: ExtraTrip?) -> (place: Int, stop: Timetable.Stop)? {
    guard row.flags.contains(.endsEarly), !row.flags.contains(.skipped), let realtime else {
      return nil
    }
    let skipped = Set(realtime.skippedPlaces(of: row).map { Int($0) })
    let place = end(of: row, extra, skipped)
    guard place > row.position else { return nil }
    return stop(place, of: row, extra).map { (place, $0) }
  }

  private func writeStation(of stop: Timetable.Stop, _ json: inout JSONBytes) {
    let timetable = feed.timetable
    json.string(timetable.name(of: timetable.station(of: stop), language: language))
  }

  /// The place of the last stop that the trip of a row serves: before the row if the row's stop is left out too.
  private func end(of row: BoardRow, _ extra: ExtraTrip?, _ skipped: Set<Int>) -> Int {
    let own = extra?.stops.count ?? 0
    let count = own > 0 ? own : row.trip.map { feed.timetable.callCount(of: $0) } ?? 0
    var end = count - 1
    while end > 0, skipped.contains(end) { end -= 1 }
    return end
  }

  /// The stop at a place of the trip of a row; `nil` if the timetable does not have it.
  func stop(_ place: Int, of row: BoardRow, _ extra: ExtraTrip?) -> Timetable.Stop? {
    if let own = extra?.stops, !own.isEmpty {
      return own[place].stop == TimetableDirectory.none ? nil : own[place].stop
    }
    return row.trip.map { feed.timetable.call(place, of: $0).stop }
  }

  /// The stops between a row and the end of its trip at which the trip does not stop, in its order: those that it skips,
  /// and of a replacement those that only the trip has that it replaces.
  private func leftOut(
    _ row: BoardRow,
    _ extra: ExtraTrip?,
    _ skipped: Set<Int>,
    before end: Int
  ) -> [Timetable.Stop] {
    guard let extra, extra.kind == .replacement, !extra.leftOut.isEmpty, let trip = row.trip else {
      return skipped.filter { $0 > row.position && $0 < end }.sorted()
        .compactMap { stop($0, of: row, extra) }
    }
    var found: [Timetable.Stop] = []
    var reached = extra.stops[row.position].reached
    func add(until next: Int32) {
      for place in extra.leftOut where Int32(place) > reached && Int32(place) < next {
        found.append(feed.timetable.call(Int(place), of: trip).stop)
      }
      reached = max(reached, next)
    }
    for place in stride(from: row.position + 1, through: end, by: 1) {
      add(until: extra.stops[place].reached)
      if place < end, skipped.contains(place), let stop = stop(place, of: row, extra) {
        found.append(stop)
      }
    }
    // Behind its end nothing is left out on the way, unless it ends at another place.
    if extra.isDiverted { add(until: .max) }
    return found
  }
}
