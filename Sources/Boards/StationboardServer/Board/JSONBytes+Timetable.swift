import GTFS
import Timetable

/// Members that several documents have, each after others.
extension JSONBytes {
  /// When a timetable was imported, and its first and last day.
  mutating func validity(of timetable: Timetable) {
    raw(",\"importedAt\":")
    instant(fractional: timetable.metadata.importedAt)
    raw(",\"validFrom\":\"")
    date(daysSinceEpoch: timetable.firstDay.daysSinceEpoch)
    raw("\",\"validUntil\":\"")
    date(daysSinceEpoch: timetable.lastDay.daysSinceEpoch)
    raw("\"")
  }

  /// Where a stop is, in degrees; `null` if the feed does not say.
  mutating func coordinate(of stop: Timetable.Stop, in timetable: Timetable) {
    guard let place = timetable.coordinate(of: stop) else {
      return raw(",\"lat\":null,\"lon\":null")
    }
    raw(",\"lat\":")
    degrees(place.latitude)
    raw(",\"lon\":")
    degrees(place.longitude)
  }
}
