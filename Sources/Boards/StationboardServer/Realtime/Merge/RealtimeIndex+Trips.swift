import Timetable

/// What realtime says of one trip, by the places of its stops.
struct TripRealtime {
  /// The trip.
  let trip: RealtimeTrip
  /// The parts that the timetable lacks; `nil` if the trip is in the timetable.
  let extra: ExtraTrip?
  /// The headsign by realtime; `nil` if realtime has none.
  let headsign: String?
  /// Whether the trip does not run: it is cancelled or not to be shown, or all stops that modifications leave it are
  /// skipped.
  let isCancelled: Bool
  private let skips: Set<Int>
  private let closed: Set<Int>
  private let rows: [Int: BoardRow]
  private let arrivals: [Int: Int64]

  /// Reads a trip; `base` is the trip of the timetable that it replaces.
  fileprivate init(
    _ trip: RealtimeTrip,
    insteadOf base: RealtimeTrip? = nil,
    _ index: RealtimeIndex
  ) {
    self.trip = trip
    isCancelled =
      trip.kind == .cancelled || trip.kind == .deleted || base?.modification == .cancelled
    extra = trip.extra < 0 ? nil : index.extraTrips[Int(trip.extra)]
    headsign = index.text(trip.headsign)
    skips = Set(
      index.skips[Int(trip.firstSkip)..<Int(trip.firstSkip + trip.skipCount)].map { Int($0) }
    )
    closed = Set(
      index.closed[Int(trip.firstClosed)..<Int(trip.firstClosed + trip.closedCount)].map { Int($0) }
    )
    var rows: [Int: BoardRow] = [:]
    for number in Int(trip.firstCall)..<Int(trip.firstCall + trip.callCount) {
      let row = index.row(number)
      rows[row.position] = row
    }
    self.rows = rows
    var arrivals: [Int: Int64] = [:]
    for number in Int(trip.firstArrival)..<Int(trip.firstArrival + trip.arrivalCount) {
      let arrival = index.arrivals[number]
      arrivals[Int(arrival.position)] = index.base + Int64(arrival.effective)
    }
    self.arrivals = arrivals
  }

  /// Whether it is a trip of the timetable, with modifications or without.
  var isOfTimetable: Bool { extra?.isModification ?? true }

  /// The departure at a stop where people board.
  func row(at position: Int) -> BoardRow? { rows[position] }

  /// The predicted arrival at a stop without boarding.
  func arrival(at position: Int) -> Int64? { arrivals[position] }

  /// Whether it ends before its last stop.
  var endsEarly: Bool {
    rows.values.contains { !$0.flags.isDisjoint(with: [.endsEarly, .lastServed]) }
  }

  /// Whether realtime forbids boarding at a stop, though the timetable allows it.
  func isClosed(at position: Int) -> Bool { closed.contains(position) }

  /// Whether the trip leaves a stop out.
  func isSkipped(at position: Int) -> Bool {
    skips.contains(position)
  }
}

extension RealtimeIndex {
  /// The realtime of a trip of the timetable on a service day, or of its replacement if it has one.
  func details(of trip: Timetable.Trip, day: Int) -> TripRealtime? {
    guard let found = self.trip(trip, day: day) else { return nil }
    guard found.kind == .replaced else { return TripRealtime(found, self) }
    let replacement = trips.first { other in
      other.extra >= 0 && other.trip == trip && other.day == found.day
        && extraTrips[Int(other.extra)].kind == .replacement
    }
    return TripRealtime(replacement ?? found, insteadOf: found, self)
  }

  /// The realtime of a trip that the timetable lacks.
  func details(ofExtra trip: RealtimeTrip) -> TripRealtime { TripRealtime(trip, self) }

  /// The new trip with an id, of whatever day.
  func newTrip(id: String) -> RealtimeTrip? {
    newTrips[id].map { trips[$0] }
  }

  /// A new or duplicated trip by its id; without a day the first.
  func extraTrip(id: String, day: Int32?) -> RealtimeTrip? {
    trips.first { trip in
      guard trip.extra >= 0, day == nil || trip.day == day else { return false }
      let extra = extraTrips[Int(trip.extra)]
      return extra.kind != .replacement && extra.tripID == id
    }
  }
}
