import Timetable

/// The trips of a timetable by route and start: 4 bytes a trip, made when the first update needs it.
struct TripStarts: Sendable {
  /// The trips, route by route, those of a route by start.
  private let trips: [UInt32]
  /// Where each route begins in ``trips``; one more than there are routes.
  private let firsts: [Int]

  init(_ timetable: Timetable) {
    var firsts = Array(repeating: 0, count: timetable.routeCount + 1)
    let all = 0..<UInt32(timetable.tripCount)
    for trip in all { firsts[timetable.route(of: trip) + 1] += 1 }
    for route in 0..<timetable.routeCount { firsts[route + 1] += firsts[route] }
    var trips = Array(repeating: UInt32(0), count: timetable.tripCount)
    var next = firsts
    for trip in all {
      let route = timetable.route(of: trip)
      trips[next[route]] = trip
      next[route] += 1
    }
    for route in 0..<timetable.routeCount {
      trips[firsts[route]..<firsts[route + 1]].sort { left, right in
        (timetable.start(of: left), left) < (timetable.start(of: right), right)
      }
    }
    self.trips = trips
    self.firsts = firsts
  }

  /// The trips of a route that start at a time.
  func trips(route: Int, start: Int32, _ timetable: Timetable) -> ArraySlice<UInt32> {
    func first(from least: Int64) -> Int {
      var (low, high) = (firsts[route], firsts[route + 1])
      while low < high {
        let middle = (low + high) / 2
        if Int64(timetable.start(of: trips[middle])) < least {
          low = middle + 1
        } else {
          high = middle
        }
      }
      return low
    }
    return trips[first(from: Int64(start))..<first(from: Int64(start) + 1)]
  }
}
