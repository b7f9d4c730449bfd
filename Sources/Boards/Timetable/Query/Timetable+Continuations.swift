package import GTFS

extension Timetable {
  /// A trip that the vehicle of another one runs next, so that passengers may stay in.
  package struct Continuation: Hashable, Sendable {
    /// The trip.
    package var trip: Trip
    /// Its service day.
    package var day: ServiceDate

    /// Creates a continuation.
    package init(trip: Trip, day: ServiceDate) {
      self.trip = trip
      self.day = day
    }
  }

  /// Whether any trip continues as another one.
  package var hasContinuations: Bool { !image.continuations.isEmpty }

  /// The trips that the vehicle of a trip runs next, so that passengers may stay in (GTFS reference, linked trips and
  /// block_id).
  ///
  /// Those that transfers.txt links to it (transfer_type 4) and that run then: several if the vehicle is divided. Without
  /// one, the next trip of its block on that day, if it begins within half an hour and 200 m, and unless transfers.txt
  /// says that passengers may not stay in (transfer_type 5).
  ///
  /// - Parameters:
  ///   - trip: The trip.
  ///   - day: Its service day.
  /// - Returns: The trips, in the order of transfers.txt.
  package func continuations(of trip: Trip, on day: ServiceDate) -> [Continuation] {
    var linked: [Continuation] = []
    var place = firstContinuation(of: trip)
    while place < image.continuations.count, image.continuations[place].from == trip {
      let record = image.continuations[place]
      place += 1
      let day = record.flags.contains(.nextDay) ? day + 1 : day
      guard runs(record.to, on: day) else { continue }
      let continuation = Continuation(trip: record.to, day: day)
      guard record.flags.contains(.linked) else {
        guard linked.isEmpty else { break }
        // The vehicle runs one trip of its block next, whether or not passengers may stay in.
        return record.flags.contains(.inSeat) ? [continuation] : []
      }
      linked.append(continuation)
    }
    return linked
  }

  /// The trips that continue as a trip, each with its service day.
  package func predecessors(of trip: Trip, on day: ServiceDate) -> [Continuation] {
    let order = image.continuationsByTarget
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      if image.continuations[Int(order[middle])].to < trip {
        low = middle + 1
      } else {
        high = middle
      }
    }
    var found: [Continuation] = []
    while low < order.count, image.continuations[Int(order[low])].to == trip {
      let record = image.continuations[Int(order[low])]
      low += 1
      let before = record.flags.contains(.nextDay) ? day + -1 : day
      guard record.flags.contains(.inSeat), runs(record.from, on: before) else { continue }
      let wanted = Continuation(trip: trip, day: day)
      if continuations(of: record.from, on: before).contains(wanted) {
        found.append(Continuation(trip: record.from, day: before))
      }
    }
    return found
  }

  private func firstContinuation(of trip: Trip) -> Int {
    var low = 0
    var high = image.continuations.count
    while low < high {
      let middle = (low + high) / 2
      if image.continuations[middle].from < trip { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
