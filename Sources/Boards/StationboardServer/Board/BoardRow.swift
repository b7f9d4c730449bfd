import Timetable

/// One departure of a board: its scheduled and its realtime values.
///
/// Texts (ids, names, platforms) are not here; ``DepartureRows`` takes them from the feed and from the
/// realtime index of the board.
struct BoardRow: Hashable, Sendable {
  /// What realtime says of a departure.
  struct RealtimeFlags: OptionSet, Hashable, Sendable {
    var rawValue: UInt16

    /// The departure time is a prediction or a measurement.
    static let predicted = RealtimeFlags(rawValue: 1)
    /// The trip does not run.
    static let cancelled = RealtimeFlags(rawValue: 2)
    /// The trip does not stop here.
    static let skipped = RealtimeFlags(rawValue: 4)
    /// The trip does not reach its last stop.
    static let endsEarly = RealtimeFlags(rawValue: 8)
    /// The trip leaves out all stops after this one, the last one included.
    static let lastServed = RealtimeFlags(rawValue: 16)
    /// The departure is from another platform than the timetable's.
    static let platformChanged = RealtimeFlags(rawValue: 32)
    /// The trip is not in the timetable: new, added or duplicated.
    static let extra = RealtimeFlags(rawValue: 64)
    /// The trip takes the place of one of the timetable.
    static let replacement = RealtimeFlags(rawValue: 128)
    /// The feed has an update of the trip, even if it says nothing of this stop.
    static let covered = RealtimeFlags(rawValue: 256)
    /// The run of a frequency without exact times: nothing schedules it to the minute.
    static let headway = RealtimeFlags(rawValue: 512)
    /// The trip leaves out a stop after this one.
    static let skipsLater = RealtimeFlags(rawValue: 1_024)

    /// People board after a call to the agency.
    static let phonesAgency = RealtimeFlags(rawValue: 2_048)
    /// People board as agreed with the driver.
    static let asksDriver = RealtimeFlags(rawValue: 4_096)
    /// People board without arranging it, whatever the timetable says.
    static let boardsFreely = RealtimeFlags(rawValue: 8_192)

    /// The trip goes another way than the timetable's, by trip modifications.
    static let detoured = RealtimeFlags(rawValue: 16_384)

    /// How people board by realtime.
    static let boarding: RealtimeFlags = [.phonesAgency, .asksDriver, .boardsFreely]

    /// What stops a trip leaves out.
    static let ofStops: RealtimeFlags = [.skipped, .endsEarly, .lastServed, .skipsLater]

    /// What the timetable alone does not say.
    static let telling: RealtimeFlags = applied.union(boarding)

    /// What counts as realtime applied to a row.
    static let applied: RealtimeFlags = [
      .predicted, .cancelled, .skipped, .platformChanged, .extra, .replacement, .detoured,
    ]
  }

  /// Why a departure is cancelled; the values of the contract's `cancelReasonCode`.
  enum CancelReason: String, Sendable, CaseIterable {
    /// The whole trip does not run.
    case trip = "CANCELED_TRIP"
    /// The trip runs but does not stop here.
    case stop = "SKIPPED_STOP"
  }

  /// Where a row comes from; the values of the contract's `rowSources`.
  enum Origin: String, CaseIterable, Sendable {
    /// The timetable alone.
    case scheduled
    /// The timetable and a trip update.
    case tripUpdate = "tripupdate"
    /// A trip update alone.
    case added = "rt_added"
  }

  /// The trip of the timetable, of a duplicated trip its template; `nil` for new trips.
  var trip: Timetable.Trip?
  /// The place among the stops of ``trip``; of new and replacement trips, among their own stops.
  var position: Int
  /// The stop as scheduled.
  var stop: Timetable.Stop
  /// The service day, as days since 1970-01-01.
  var day: Int
  /// The departure as scheduled, in seconds since 1970-01-01T00:00:00Z; `nil` if nothing schedules it.
  var scheduled: Int64?
  /// The departure as far as it is known: predicted if there is a prediction, else scheduled.
  var effective: Int64
  /// What realtime says.
  var flags: RealtimeFlags
  /// The departure's number in the realtime index; `nil` without realtime.
  var call: Int?
  /// The trip's number among those that the timetable lacks (``RealtimeIndex/extraTrips``).
  var extra: Int?
  /// When its realtime was known at the source, in seconds since 1970-01-01T00:00:00Z.
  var sourceTime: Int64?
  /// How fresh its realtime is; `nil` without realtime.
  var freshness: RealtimeFreshness?
  /// The vehicle that comes; `nil` if nothing recent is known of it.
  var vehicle: RowVehicle?

  /// A departure as the timetable has it.
  init(_ departure: ScheduledDeparture) {
    trip = departure.trip
    position = departure.position
    stop = departure.stop
    day = departure.day
    scheduled = departure.time
    effective = departure.time
    flags = []
  }

  /// The predicted departure; `nil` if none is known.
  var predicted: Int64? { flags.contains(.predicted) ? effective : nil }

  /// Seconds after the schedule, negative before it; `nil` if no delay is known, or if nothing schedules it
  /// to the minute.
  var delay: Int? {
    guard flags.contains(.predicted), !flags.contains(.headway), let scheduled else { return nil }
    return Int(effective - scheduled)
  }

  /// Whether boarding is not possible: the trip does not run, or does not stop here.
  var isCancelled: Bool { !flags.isDisjoint(with: [.cancelled, .skipped]) }

  /// Why it is cancelled; `nil` if it is not.
  var cancelReason: CancelReason? {
    flags.contains(.cancelled) ? .trip : flags.contains(.skipped) ? .stop : nil
  }

  /// Whether realtime says anything of this row.
  var hasRealtime: Bool { !flags.isDisjoint(with: .applied) }

  /// Where the row comes from.
  var origin: Origin {
    flags.contains(.extra) ? .added : flags.contains(.covered) ? .tripUpdate : .scheduled
  }
}
