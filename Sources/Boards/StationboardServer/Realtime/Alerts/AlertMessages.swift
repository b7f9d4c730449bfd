import GTFSRealtime

/// The contract's values for severity, effect and cause, and the order they put alerts in.
///
/// The values are the names of the GTFS-Realtime reference in lower case. A number that the reference
/// does not define reads as the value for "not said".
///
/// | place | severity | place | effect |
/// |---|---|---|---|
/// | 0 | `severe` | 0 | `no_service` |
/// | 1 | `warning` | 1 | `reduced_service` |
/// | 2 | `info` | 2 | `significant_delays` |
/// | 3 | `unknown_severity` | 3 | `detour` |
/// | | | 4 | `stop_moved` |
/// | | | 5 | `modified_service` |
/// | | | 6 | `additional_service` |
/// | | | 7 | `accessibility_issue` |
/// | | | 8 | `other_effect` |
/// | | | 9 | `unknown_effect` |
/// | | | 10 | `no_effect` |
///
/// None of them changes a departure: only trip updates cancel, skip or delay.
enum AlertMessages {
  /// The value for a severity, and its place in the order.
  static func severity(_ severity: AlertSeverity) -> (name: StaticString, place: Int) {
    switch severity {
    case .severe: ("severe", 0)
    case .warning: ("warning", 1)
    case .info: ("info", 2)
    case .unknownSeverity, .unknown: ("unknown_severity", 3)
    }
  }

  /// The value for an effect, and its place in the order.
  static func effect(_ effect: AlertEffect) -> (name: StaticString, place: Int) {
    switch effect {
    case .noService: ("no_service", 0)
    case .reducedService: ("reduced_service", 1)
    case .significantDelays: ("significant_delays", 2)
    case .detour: ("detour", 3)
    case .stopMoved: ("stop_moved", 4)
    case .modifiedService: ("modified_service", 5)
    case .additionalService: ("additional_service", 6)
    case .accessibilityIssue: ("accessibility_issue", 7)
    case .otherEffect: ("other_effect", 8)
    case .unknownEffect, .unknown: ("unknown_effect", 9)
    case .noEffect: ("no_effect", 10)
    }
  }

  /// The value for a cause.
  static func cause(_ cause: AlertCause) -> StaticString {
    switch cause {
    case .unknownCause, .unknown: "unknown_cause"
    case .otherCause: "other_cause"
    case .technicalProblem: "technical_problem"
    case .strike: "strike"
    case .demonstration: "demonstration"
    case .accident: "accident"
    case .holiday: "holiday"
    case .weather: "weather"
    case .maintenance: "maintenance"
    case .construction: "construction"
    case .policeActivity: "police_activity"
    case .medicalEmergency: "medical_emergency"
    case .specialEvent: "special_event"
    }
  }

  /// Whether an alert sorts before another one: by severity, effect, then id.
  static func precedes(_ left: Alert, _ right: Alert) -> Bool {
    let first = (severity(left.severity).place, effect(left.effect).place)
    let second = (severity(right.severity).place, effect(right.effect).place)
    if first != second { return first < second }
    return left.entityID.utf8.lexicographicallyPrecedes(right.entityID.utf8)
  }
}
