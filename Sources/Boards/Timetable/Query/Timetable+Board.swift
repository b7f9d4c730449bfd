/// A departure as the timetable has it.
package struct ScheduledDeparture: Hashable, Sendable {
  /// The trip, or the run of a frequency.
  package var trip: Timetable.Trip
  /// The place in the trip's stops, from 0.
  package var position: Int
  /// The stop (of a station: the platform).
  package var stop: Timetable.Stop
  /// The service day, as days since 1970-01-01.
  package var day: Int
  /// The departure, in seconds since 1970-01-01T00:00:00Z.
  package var time: Int64
}

extension Timetable {
  /// The scheduled departures of a stop and all stops below it.
  ///
  /// Ordered by time, trip id and stop sequence. Leaves out a trip's last stop and stops without
  /// boarding (pickup_type 1). The work grows with the departures in the window at this stop, not
  /// with the timetable.
  ///
  /// - Parameters:
  ///   - stop: A platform, a station, or any stop between them.
  ///   - from: The first instant, included, in seconds since 1970-01-01T00:00:00Z.
  ///   - until: The last instant, not included.
  ///   - limit: The most departures.
  ///   - excluding: Which trips of which service days (days since 1970-01-01) are left out; `nil` for
  ///     none.
  /// - Returns: The departures, at most `limit`.
  package func departures(
    at stop: Stop,
    from: Int64,
    until: Int64,
    limit: Int,
    excluding: ((Trip, Int) -> Bool)? = nil
  ) -> [ScheduledDeparture] {
    guard from < until, limit > 0 else { return [] }
    var queue = DepartureQueue()
    for (zone, starts) in zones.dayStarts.enumerated() {
      let days = serviceDays(starts, from: from, until: until)
      for served in servedStops(of: stop) {
        let slice = places(of: served)
        for day in days {
          let start = starts[day]
          let first = place(of: from - start, in: slice)
          let end = place(of: until - start, in: slice)
          guard let next = nextRunning(from: first, to: end, day: day, zone: zone, excluding) else {
            continue
          }
          queue.push(
            DepartureQueue.Cursor(
              time: start + image.departures[next].time,
              order: image.departures[next].key & DepartureQueue.orderMask,
              next: next,
              end: end,
              day: day,
              zone: zone,
              stop: served
            )
          )
        }
      }
    }
    var result: [ScheduledDeparture] = []
    while var cursor = queue.first {
      let entry = image.departures[cursor.next]
      if result.count >= limit, !isRun(of: result.last, cursor.time, entry.trip) { break }
      result.append(
        ScheduledDeparture(
          trip: entry.trip,
          position: entry.position,
          stop: cursor.stop,
          day: metadata.firstDay + cursor.day,
          time: cursor.time
        )
      )
      let following = cursor.next + 1
      if let next = nextRunning(
        from: following,
        to: cursor.end,
        day: cursor.day,
        zone: cursor.zone,
        excluding
      ) {
        cursor.next = next
        cursor.time = zones.dayStarts[cursor.zone][cursor.day] + image.departures[next].time
        cursor.order = image.departures[next].key & DepartureQueue.orderMask
        queue.replaceFirst(cursor)
      } else {
        queue.removeFirst()
      }
    }
    orderRuns(&result)
    return Array(result.prefix(limit))
  }

  /// Whether a departure is at the time of another, by another run of the same frequency.
  private func isRun(of last: ScheduledDeparture?, _ time: Int64, _ trip: Trip) -> Bool {
    guard let last, last.time == time, image.trips[Int(trip)].frequency != 0 else { return false }
    return ByteOrder.compare(image.tripId(last.trip), image.tripId(trip)) == 0
  }

  /// Orders runs of one frequency that depart at the same time by stop sequence.
  private func orderRuns(_ departures: inout [ScheduledDeparture]) {
    var first = 0
    while first < departures.count {
      var end = first + 1
      while end < departures.count,
        isRun(of: departures[first], departures[end].time, departures[end].trip)
      { end += 1 }
      if end - first > 1 {
        departures[first..<end].sort { left, right in
          (left.position, left.trip, left.day) < (right.position, right.trip, right.day)
        }
      }
      first = end
    }
  }

  /// How many days ahead a next departure is searched for.
  package static let horizonDays: Int64 = 60

  /// The next departure after an instant at a stop and all stops below it.
  ///
  /// Within ``horizonDays`` after the instant, or after the timetable's first day if that is later.
  package func nextDeparture(at stop: Stop, after instant: Int64) -> Int64? {
    // Most stops are served again soon.
    let day: Int64 = 86_400
    let begin = max(instant, zones.dayStarts.compactMap(\.first).min() ?? instant)
    var from = begin
    for days in [1, 7, Self.horizonDays] {
      let until = begin + days * day
      if let next = departures(at: stop, from: from, until: until, limit: 1).first {
        return next.time
      }
      from = until
    }
    return nil
  }

  /// The days, counted from the first, whose trips can depart in a window.
  private func serviceDays(_ starts: [Int64], from: Int64, until: Int64) -> Range<Int> {
    let latest = Int64(metadata.latestTime)
    let low = partition(starts.count) { starts[$0] + latest < from }
    let high = partition(starts.count) { starts[$0] < until }
    return low..<max(low, high)
  }

  /// The first departure of a slice at or after a time of day.
  private func place(of time: Int64, in slice: Range<Int>) -> Int {
    slice.lowerBound
      + partition(slice.count) { image.departures[slice.lowerBound + $0].time < time }
  }

  /// The first number that does not belong to the front part.
  private func partition(_ count: Int, isFront: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isFront(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func nextRunning(
    from first: Int,
    to end: Int,
    day: Int,
    zone: Int,
    _ excluding: ((Trip, Int) -> Bool)?
  ) -> Int? {
    var place = first
    while place < end {
      let trip = image.departures[place].trip
      let record = image.trips[Int(trip)]
      if image.daySet(record.daySet, contains: day),
        zones.routes.isEmpty || Int(zones.routes[Int(record.route)]) == zone
      {
        guard let excluding, excluding(trip, metadata.firstDay + day) else { return place }
      }
      place += 1
    }
    return nil
  }
}

/// A binary heap of the places where each stop and service day is in its departures.
private struct DepartureQueue {
  struct Cursor {
    var time: Int64
    /// Trip and position of the departure, which decide between equal times.
    var order: UInt64
    var next: Int
    var end: Int
    var day: Int
    var zone: Int
    var stop: UInt32

    func precedes(_ other: Cursor) -> Bool {
      guard time == other.time else { return time < other.time }
      return order == other.order ? day < other.day : order < other.order
    }
  }

  static let orderMask: UInt64 = (1 << 43) - 1
  private var heap: [Cursor] = []

  var first: Cursor? { heap.first }

  mutating func push(_ cursor: Cursor) {
    heap.append(cursor)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func replaceFirst(_ cursor: Cursor) {
    heap[0] = cursor
    sink()
  }

  mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    sink()
  }

  private mutating func sink() {
    var parent = 0
    while true {
      let left = parent * 2 + 1
      guard left < heap.count else { return }
      let right = left + 1
      let child = right < heap.count && heap[right].precedes(heap[left]) ? right : left
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
