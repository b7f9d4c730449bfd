package import Foundation

/// Turns service days into instants: 0:00 of a service day is noon minus twelve hours in the
/// agency's time zone (GTFS reference, field type Time), so that it is an hour before or after
/// midnight on the two days a year when clocks change.
package struct ServiceDay: Sendable {
  /// The agency's time zone.
  package let zone: TimeZone

  /// Creates the rule for a time zone.
  package init(zone: TimeZone) { self.zone = zone }

  /// The instant of 0:00 of a service day.
  ///
  /// - Returns: Seconds since 1970-01-01T00:00:00Z.
  package func start(of date: ServiceDate) -> Int64 {
    let noon = Int64(date.daysSinceEpoch) * 86_400 + 43_200
    // The offset in force at noon, found from a first guess; no zone changes its clocks at noon.
    let guess = noon - Int64(offset(at: noon))
    return noon - Int64(offset(at: guess)) - 43_200
  }

  /// The calendar date that the clocks of the zone show at an instant.
  package func date(at instant: Int64) -> ServiceDate {
    let local = instant + Int64(offset(at: instant))
    let days = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
    return ServiceDate(daysSinceEpoch: Int(days))
  }

  /// Seconds the zone's clocks are ahead of UTC at an instant.
  package func offset(at instant: Int64) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(instant)))
  }
}
