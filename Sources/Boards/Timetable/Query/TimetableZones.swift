import Foundation
import GTFS

/// The time zones of the agencies of a timetable, and when its service days begin in each.
///
/// The times of a trip are those of its agency (GTFS reference, agency_timezone). Zones in which all service days begin
/// at the same instants are one.
struct TimetableZones: Sendable {
  /// The zones; the first one is the timetable's.
  private(set) var all: [TimeZone] = []
  /// Their names.
  private(set) var names: [String] = []
  /// For each zone, 0:00 of each service day, seconds since 1970-01-01T00:00:00Z, beginning with the first day.
  private(set) var dayStarts: [[Int64]] = []
  /// For each route the number of its zone; empty if there is one zone.
  private(set) var routes: [UInt8] = []

  /// Finds the zones of a timetable.
  ///
  /// - Throws: ``FeedError`` with code `unknownTimeZone` or `damagedTimetable`.
  init(_ image: TimetableImage, path: String) throws(FeedError) {
    let metadata = image.metadata
    let given = metadata.timeZones ?? [metadata.timeZone]
    let agencies = metadata.agencyZones ?? []
    guard given.first == metadata.timeZone, given.count <= FeedLimits.timeZones,
      given.count == 1 || agencies.count == image.agencies.count,
      agencies.allSatisfy({ given.indices.contains($0) })
    else {
      throw FeedError(.damagedTimetable, "\(path): the time zones of the agencies are damaged")
    }
    var places: [UInt8] = []
    for name in given {
      guard let zone = TimeZone(identifier: name) else {
        throw FeedError(.unknownTimeZone, "\(path): the time zone \"\(name)\" is not known here")
      }
      let rule = ServiceDay(zone: zone)
      let starts = (0..<metadata.dayCount).map { day in
        rule.start(of: ServiceDate(daysSinceEpoch: metadata.firstDay + day))
      }
      if let known = dayStarts.firstIndex(of: starts) {
        places.append(UInt8(known))
      } else {
        places.append(UInt8(all.count))
        all.append(zone)
        names.append(name)
        dayStarts.append(starts)
      }
    }
    guard all.count > 1 else { return }
    routes = image.routes.map { route in
      agencies.indices.contains(Int(route.agency)) ? places[agencies[Int(route.agency)]] : 0
    }
  }
}
