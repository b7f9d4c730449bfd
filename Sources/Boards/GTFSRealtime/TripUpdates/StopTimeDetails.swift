/// The rarer fields of a stop time update, which most updates of most feeds do not have.
package struct StopTimeDetails: Hashable, Sendable {
  /// Whether people may board or alight (`DropOffPickupType`).
  package enum Access: Hashable, Sendable {
    /// As always.
    case regular
    /// Not at all.
    case none
    /// After a call to the agency.
    case phoneAgency
    /// As agreed with the driver.
    case coordinateWithDriver
    /// A number that the reference does not define.
    case unknown(Int32)

    /// The case of a number of the schema.
    package init(number: Int32) {
      self =
        switch number {
        case 0: .regular
        case 1: .none
        case 2: .phoneAgency
        case 3: .coordinateWithDriver
        default: .unknown(number)
        }
    }
  }

  /// The arrival as the producer's timetable has it, in seconds since 1970-01-01T00:00:00Z; for new,
  /// replacement and duplicated trips.
  package var scheduledArrival: Int64?
  /// The departure as the producer's timetable has it, likewise.
  package var scheduledDeparture: Int64?
  /// The headsign at this stop.
  package var headsign: TextID?
  /// Whether people may board here.
  package var pickup: Access?
  /// Whether people may alight here.
  package var dropOff: Access?
  /// `departure_occupancy_status`: how full the vehicle leaves, as the number of the schema (0 empty
  /// … 5 full, 6 not accepting passengers, 7 no data, 8 not boardable).
  package var occupancy: Int32?

  /// Creates details without a value.
  package init() {}
}
