extension RealtimeCounters.Reason {
  /// Why a trip update has no effect, with the label of its counter.
  var sentence: String { "\(explanation) (\(rawValue))" }

  /// Why a trip update has no effect.
  var explanation: String {
    switch self {
    case .unknownTrip: "the timetable has no trip of that id"
    case .notRunning: "the trip does not run on that day"
    case .unknownStart: "no run of the trip starts then"
    case .noTrip: "no trip is named"
    case .ambiguous: "several trips fit, or several updates fit one trip"
    case .claimed: "another update names the only trip that fits"
    case .noStart: "a copy of a trip without a date to run on"
    case .noStopTimes: "a trip of its own without a stop that has a time"
    case .repeated: "another update is about the same trip"
    case .otherSource: "a source before this one has the trip"
    case .alsoDuplicated: "the feed has the trip as a copy too"
    case .modifiedTrip: "no trip modification in the feed fits the trip"
    case .unknownRelationship: "schedule_relationship is not defined"
    case .unknownStop: "no stop of the update is one of the trip"
    case .saysNothing: "nothing in it is shown"
    case .unreadable: "the entity cannot be read"
    }
  }
}

extension AlertCounters.Reason {
  /// Why a selector selects nothing, with the label of its counter.
  var sentence: String { "\(explanation) (\(rawValue))" }

  /// Why a selector selects nothing.
  var explanation: String {
    switch self {
    case .empty: "no field is given"
    case .unknownAgency: "the timetable has no line of that agency"
    case .unknownRouteType: "the timetable has no line of that type"
    case .unknownRoute: "the timetable has no line of that id"
    case .unknownTrip: "the timetable has no trip of that id"
    case .unknownStart: "no run of the trip starts then"
    case .notRunning: "the trip does not run on that day"
    case .incompleteTrip: "neither a trip nor a line is named"
    case .unknownStop: "the timetable has no stop of that id"
    case .directionWithoutRoute: "a direction without a line"
    case .contradiction: "nothing has all of its fields"
    }
  }
}
