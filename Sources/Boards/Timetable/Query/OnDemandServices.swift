import GTFS

/// Services of a feed that run only for passengers who book them, by the stops where they are available.
///
/// They are kept as JSON beside the timetable, which has only what runs at a time. Stops are named by their ids.
package struct OnDemandServices: Codable, Hashable, Sendable {
  /// When and how to book (booking_rules.txt).
  package struct Rule: Codable, Hashable, Sendable {
    /// The least seconds between the booking and the ride; `nil` if nothing is said.
    package var noticeSeconds: Int?
    /// How many days before the ride is the last one for a booking; `nil` if nothing is said.
    package var lastDay: Int?
    /// The days among which those days count (prior_notice_service_id); `nil` for all days.
    package var noticeDays: DayRuns?
    /// Until when on that day, in seconds after 0:00.
    package var lastTime: Int?
    /// pickup_message, else message.
    package var message: String?
    /// phone_number.
    package var phone: String?
    /// info_url and booking_url; only http and https.
    package var infoURL: String?
    package var bookingURL: String?

    /// Creates a rule that says nothing.
    package init() {}
  }

  /// A service within a window of the day.
  package struct Service: Codable, Hashable, Sendable {
    /// route_short_name, else route_long_name, else route_id.
    package var line: String
    /// agency_name.
    package var agency: String
    /// agency_timezone.
    package var zone: String
    /// The window in seconds after 0:00 of the service day.
    package var opens: Int
    package var closes: Int
    /// The days on which it runs.
    package var days: DayRuns
    /// The place of its rule in ``OnDemandServices/rules``; `nil` without one.
    package var rule: Int?
    /// The place of its stops in ``OnDemandServices/areas``.
    package var area: Int
  }

  /// How departures with a time are booked that have to be arranged (pickup_type 2), by route and stop.
  package struct Call: Codable, Hashable, Sendable {
    /// stop_id and route_id.
    package var stop: String
    package var route: String
    /// The place of the rule in ``OnDemandServices/rules``.
    package var rule: Int
  }

  /// The rules that services refer to.
  package var rules: [Rule] = []
  /// The ids of the stops of each area.
  package var areas: [[String]] = []
  /// The services.
  package var services: [Service] = []
  /// How departures with a time are booked.
  package var calls: [Call] = []

  /// Creates no services.
  package init() {}

  /// Whether there is nothing to keep.
  package var isEmpty: Bool { services.isEmpty && calls.isEmpty }

  /// Whether every place that is named exists.
  package var isSound: Bool {
    services.allSatisfy { service in
      areas.indices.contains(service.area) && service.days.isSound
        && service.rule.map(rules.indices.contains) ?? true
        && [service.opens, service.closes].allSatisfy { abs($0) <= FeedLimits.latestTime }
    } && calls.allSatisfy { rules.indices.contains($0.rule) }
      && rules.allSatisfy { rule in
        rule.noticeDays?.isSound ?? true
          && [rule.noticeSeconds, rule.lastDay, rule.lastTime]
            .allSatisfy { (0...1 << 30).contains($0 ?? 0) }
      }
  }
}
