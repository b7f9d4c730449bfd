import GTFSRealtime
import Timetable

/// How exact the scheduled departure of a row is: one value, and what belongs to it.
struct ScheduleCertainty: Hashable {
  /// The values of the contract's `certainty`.
  enum Value: String, Hashable, CaseIterable {
    /// The timetable has a time.
    case exact
    /// The timetable has a time before which vehicles do not leave.
    case timepoint
    /// The timetable has no time of the stop, or an approximate one.
    case interpolated
    /// Vehicles come every so often.
    case headway
    /// It leaves here only by arrangement.
    case onDemand = "on_demand"
    /// Trip modifications change the time, or add the stop.
    case detoured
  }

  /// How boarding is arranged; the values of the contract's `boarding`.
  enum Boarding: String, Hashable, CaseIterable {
    /// By a call to the agency (pickup_type 2).
    case phoneAgency = "phone_agency"
    /// With the driver, as by a sign at the stop (pickup_type 3).
    case askDriver = "ask_driver"
  }

  /// The value; `nil` if nothing schedules the departure, or if it is not known.
  var value: Value?
  /// The most seconds by which the scheduled departure may be off; `nil` if it is exact or nothing bounds it.
  var uncertainty: Int?
  /// Seconds between vehicles, of a frequency without exact times.
  var headway: Int?
  /// How boarding is arranged; `nil` if it need not be.
  var boarding: Boarding?
  /// The value for the time alone, however boarding is arranged.
  private var timeValue: Value?

  /// Nothing schedules the departure.
  static let unscheduled = ScheduleCertainty()

  /// A stop of a trip that realtime lists with its times.
  static let listed = ScheduleCertainty(value: .exact)

  /// A stop that trip modifications add, or whose times they change.
  static let detoured = ScheduleCertainty(value: .detoured)

  /// The certainty of a stop of a trip with modifications.
  init(_ plan: ExtraTrip.Plan, of trip: Timetable.Trip, _ timetable: Timetable) {
    guard plan.origin >= 0 else {
      self = .detoured
      return
    }
    self.init(Int(plan.origin), of: trip, timetable)
    guard plan.isMoved, timeValue != .headway else { return }
    timeValue = .detoured
    uncertainty = nil
    if boarding == nil { value = .detoured }
  }

  private init(value: Value? = nil) {
    self.value = value
    timeValue = value
  }

  /// Reads the certainty of a stop of a trip of the timetable.
  ///
  /// - Parameters:
  ///   - position: The place of the stop.
  ///   - trip: The trip.
  ///   - timetable: Its timetable.
  ///   - isCopy: Whether a duplicated trip has its own start, so that no frequency spaces it out.
  init(_ position: Int, of trip: Timetable.Trip, _ timetable: Timetable, isCopy: Bool = false) {
    let pickup = timetable.pickupType(position, of: trip)
    boarding = pickup == 2 ? .phoneAgency : pickup == 3 ? .askDriver : nil
    switch timetable.certainty(position, of: trip) {
    case .exact: value = .exact
    case .timepoint: value = .timepoint
    case .interpolated:
      value = .interpolated
      uncertainty = timetable.uncertainty(position, of: trip).map { Int($0) }
    case nil: value = nil
    }
    if !isCopy, timetable.isHeadway(trip) {
      value = .headway
      uncertainty = nil
      headway = timetable.headway(of: trip).map { Int($0) }
    }
    timeValue = value
    if boarding != nil { value = .onDemand }
  }

  /// The same with what realtime says of how people board.
  func boarding(by flags: BoardRow.RealtimeFlags) -> ScheduleCertainty {
    guard !flags.isDisjoint(with: .boarding) else { return self }
    var changed = self
    changed.boarding =
      flags.contains(.phonesAgency) ? .phoneAgency : flags.contains(.asksDriver) ? .askDriver : nil
    changed.value = changed.boarding == nil ? timeValue : .onDemand
    return changed
  }

  /// Writes the members `certainty`, `uncertaintySec`, `headwaySec` and `boarding`.
  func write(_ json: inout JSONBytes) {
    json.raw("\"certainty\":")
    json.string(value?.rawValue)
    json.raw(",\"uncertaintySec\":")
    if let uncertainty { json.integer(uncertainty) } else { json.raw("null") }
    json.raw(",\"headwaySec\":")
    if let headway { json.integer(headway) } else { json.raw("null") }
    json.raw(",\"boarding\":")
    json.string(boarding?.rawValue)
  }
}

extension DepartureRows {
  /// Writes how exact the scheduled departure is, and the number of the train.
  func writeCertainty(_ row: BoardRow, _ extra: ExtraTrip?, _ json: inout JSONBytes) {
    let certainty: ScheduleCertainty =
      if row.scheduled == nil {
        .unscheduled
      } else if let trip = row.trip, extra?.stops.isEmpty ?? true {
        ScheduleCertainty(row.position, of: trip, feed.timetable, isCopy: extra != nil)
      } else if let trip = row.trip, let plan = extra?.stops[row.position].plan {
        ScheduleCertainty(plan, of: trip, feed.timetable)
      } else {
        .listed
      }
    let marked = certainty.boarding(by: row.flags)
    marked.write(&json)
    json.raw(",\"tripShortName\":")
    // A trip beside the timetable has not the number of its template.
    if let trip = row.trip, extra == nil || extra?.kind == .replacement {
      let name = feed.timetable.shortName(of: trip)
      if name.count > 0 { json.string(name) } else { json.raw("null") }
    } else {
      json.raw("null")
    }
    if marked.boarding == .phoneAgency, !feed.onDemand.isEmpty { writeBooking(row, &json) }
  }
}

extension BoardRow.RealtimeFlags {
  /// Marks how passengers board according to the `pickup_type` of a stop time update; empty if the timetable agrees.
  ///
  /// - Parameters:
  ///   - access: The pickup_type of the update.
  ///   - usual: That of the timetable, 0 to 3.
  init(boarding access: StopTimeDetails.Access, insteadOf usual: UInt8) {
    self =
      switch access {
      case .regular: usual > 1 ? .boardsFreely : []
      case .phoneAgency: usual == 2 ? [] : .phonesAgency
      case .coordinateWithDriver: usual == 3 ? [] : .asksDriver
      case .none, .unknown: []
      }
  }
}
