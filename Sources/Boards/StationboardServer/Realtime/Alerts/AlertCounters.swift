package import GTFSRealtime

/// Counts the alerts of one feed, and their selectors, by outcome.
package struct AlertCounters: Hashable, Sendable {
  /// Why a selector has no effect; the raw value is the label of its counter.
  package enum Reason: String, Error, Hashable, Sendable, CaseIterable {
    /// No field is given.
    case empty
    /// No route of the timetable is run by the agency.
    case unknownAgency = "unknown_agency"
    /// The timetable has no route of the type.
    case unknownRouteType = "unknown_route_type"
    /// The timetable has no route of that id.
    case unknownRoute = "unknown_route"
    /// The timetable has no trip of that id. It still concerns an added trip of that id.
    case unknownTrip = "unknown_trip"
    /// The timetable has no run that starts at the time.
    case unknownStart = "unknown_start"
    /// The trip does not run on that service day.
    case notRunning = "not_running"
    /// A trip is given by neither its id nor its route.
    case incompleteTrip = "incomplete_trip"
    /// The timetable has no stop of that id, in any of its shapes.
    case unknownStop = "unknown_stop"
    /// A direction without a route means nothing.
    case directionWithoutRoute = "direction_without_route"
    /// The fields are known, and nothing matches all of them.
    case contradiction
  }

  /// A selector without effect, for diagnosis.
  package struct Example: Hashable, Sendable {
    /// Why it has no effect.
    package var reason: Reason
    /// The id of the alert's entity.
    package var alert: String
    /// The selector as the feed has it.
    package var selector: EntitySelector
  }

  /// Alerts in the index.
  package internal(set) var alerts = 0
  /// Alerts left out because an earlier one of the feed has the same id.
  package internal(set) var repeatedIDs = 0
  /// Alerts that are about nothing the timetable knows, those without any selector included; no board
  /// shows them.
  package internal(set) var withoutEffect = 0
  /// Selectors that are resolved.
  package internal(set) var resolved = 0
  /// Selectors of a platform that the timetable does not have, which mean its station.
  package internal(set) var platformsAsStations = 0
  /// Selectors without effect, by reason.
  package private(set) var unresolved: [Reason: Int] = [:]
  /// The first selectors without effect (``AlertLimits/examples``).
  package private(set) var examples: [Example] = []

  init() {}

  /// Selectors without effect, for all reasons.
  package var unresolvedTotal: Int { unresolved.values.reduce(0, +) }

  /// Counts a selector without effect.
  mutating func leaveOut(_ reason: Reason, _ alert: String, _ selector: EntitySelector) {
    unresolved[reason, default: 0] += 1
    guard examples.count < AlertLimits.examples else { return }
    examples.append(Example(reason: reason, alert: alert, selector: selector))
  }
}
