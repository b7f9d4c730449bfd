import GTFS
import Timetable

/// Whether a trip reaches its last stop, so that its vehicle may continue from there as the timetable says.
enum Continuing: Hashable {
  /// It runs to its last stop.
  case asScheduled
  /// It does not run, ends elsewhere, or is not in the timetable.
  case never

  /// Judges the trip of a row.
  init(_ row: BoardRow, _ extra: ExtraTrip?) {
    let endsElsewhere = !row.flags.isDisjoint(with: [.cancelled, .endsEarly, .lastServed])
    self = endsElsewhere || !Self.isOfTimetable(extra) ? .never : .asScheduled
  }

  /// A replacement continues as the trip that it replaces, if it ends where that does.
  fileprivate static func isOfTimetable(_ extra: ExtraTrip?) -> Bool {
    extra.map { $0.kind == .replacement && !$0.isDiverted } ?? true
  }
}

extension TripRealtime {
  /// Whether the trip reaches its last stop.
  var continuing: Continuing {
    guard trip.kind == .running || trip.kind == .extra, !isCancelled,
      Continuing.isOfTimetable(extra)
    else { return .never }
    return endsEarly ? .never : .asScheduled
  }
}

/// The trips that the vehicle of a trip runs next, as passengers who stay in need them.
struct TripContinuations {
  private let continuations: [Timetable.Continuation]
  private let feed: Feed

  /// Finds the trips.
  ///
  /// - Parameters:
  ///   - trip: The trip of the timetable; `nil` for one that it lacks.
  ///   - day: Its service day.
  ///   - continuing: Whether it reaches its last stop.
  ///   - realtime: Which of the trips do not run.
  ///   - feed: The feed of the trip.
  init(
    of trip: Timetable.Trip?,
    on day: ServiceDate,
    _ continuing: Continuing,
    _ realtime: RealtimeIndex?,
    _ feed: Feed
  ) {
    self.feed = feed
    guard continuing == .asScheduled, let trip, feed.timetable.hasContinuations else {
      continuations = []
      return
    }
    let index = realtime.flatMap { $0.timetable === feed.timetable ? $0 : nil }
    continuations = feed.timetable.continuations(of: trip, on: day).filter { next in
      index?.trip(next.trip, day: next.day.daysSinceEpoch)?.endsContinuation != true
    }
  }

  /// Writes the member `continuesAs`, with a comma before it.
  func write(_ json: inout JSONBytes, _ language: UInt32?) {
    let timetable = feed.timetable
    json.raw(",\"continuesAs\":[")
    for (number, next) in continuations.prefix(BoardLimits.continuations).enumerated() {
      json.raw(number == 0 ? "{\"trip_id\":" : ",{\"trip_id\":")
      json.string(timetable.tripId(of: next.trip), prefix: feed.idPrefix)
      json.raw(",\"serviceDate\":\"")
      json.date(daysSinceEpoch: next.day.daysSinceEpoch)
      json.raw("\",\"line\":")
      let line = feed.routes[timetable.route(of: next.trip)].line
      json.string(line.isEmpty ? nil : line)
      json.raw(",\"destination\":")
      let destination = timetable.destination(of: next.trip, at: 0, language: language)
      if destination.count > 0 { json.string(destination) } else { json.raw("null") }
      json.raw(",\"scheduledDeparture\":\"")
      let departure = timetable.call(0, of: next.trip).departure
      json.instant(timetable.start(of: next.day, for: next.trip) + Int64(departure))
      json.raw("\"}")
    }
    json.raw("]")
  }
}

extension RealtimeTrip {
  /// Whether no vehicle continues as this trip as the timetable has it.
  var endsContinuation: Bool {
    kind == .cancelled || kind == .deleted
      || kind == .replaced && (modification == .none || modification == .cancelled)
  }
}
