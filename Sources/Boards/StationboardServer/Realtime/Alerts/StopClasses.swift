import Timetable

/// Which classes of routes depart from each stop and the stops below it.
struct StopClasses: Sendable {
  private let starts: [UInt32]
  private let classes: [UInt32]

  /// Goes through all trips of a timetable.
  init(_ directory: AlertDirectory) {
    let timetable = directory.timetable
    var found = [[UInt32]](repeating: [], count: timetable.stopCount)
    for trip in 0..<Timetable.Trip(timetable.tripCount) {
      let routeClass = directory.routeClass(of: UInt32(timetable.route(of: trip)))
      // The last stop has no departures.
      for position in 0..<max(0, timetable.callCount(of: trip) - 1) {
        let call = timetable.call(position, of: trip)
        // What departs from a stop departs from all stops above it: known here is known there.
        guard call.allowsPickup, found[Int(call.stop)].last != routeClass,
          !found[Int(call.stop)].contains(routeClass)
        else { continue }
        directory.forEachLevel(of: call.stop) { stop in
          if !found[Int(stop)].contains(routeClass) { found[Int(stop)].append(routeClass) }
        }
      }
    }
    var starts: [UInt32] = [0]
    starts.reserveCapacity(found.count + 1)
    for list in found { starts.append(starts[starts.count - 1] + UInt32(list.count)) }
    self.starts = starts
    classes = Array(found.joined())
  }

  /// The classes of a stop.
  subscript(stop: UInt32) -> ArraySlice<UInt32> {
    classes[Int(starts[Int(stop)])..<Int(starts[Int(stop) + 1])]
  }
}
