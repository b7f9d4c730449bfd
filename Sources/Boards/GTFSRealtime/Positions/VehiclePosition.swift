/// Where the vehicle of a trip is, and how full (`VehiclePosition`).
///
/// The trip and the instant are in the ``TripUpdate`` of the same number in ``VehiclePositionFeed/carriers``.
package struct VehiclePosition: Hashable, Sendable {
  /// Where the vehicle is in relation to its current stop (`VehicleStopStatus`).
  package enum StopStatus: Hashable, Sendable {
    /// It is about to arrive.
    case incomingAt
    /// It is at the stop.
    case stoppedAt
    /// It has left the stop before, or passed it.
    case inTransitTo
    /// A number that the reference does not define.
    case unknown(Int32)

    /// The case of a number of the schema.
    package init(number: Int32) {
      self =
        switch number {
        case 0: .incomingAt
        case 1: .stoppedAt
        case 2: .inTransitTo
        default: .unknown(number)
        }
    }
  }

  /// How full a vehicle is (`OccupancyStatus`); the raw value is the name in the reference.
  package enum Occupancy: String, Hashable, Sendable {
    case empty = "EMPTY"
    case manySeats = "MANY_SEATS_AVAILABLE"
    case fewSeats = "FEW_SEATS_AVAILABLE"
    case standingRoom = "STANDING_ROOM_ONLY"
    case crushedStandingRoom = "CRUSHED_STANDING_ROOM_ONLY"
    case full = "FULL"
    case notAccepting = "NOT_ACCEPTING_PASSENGERS"
    case notBoardable = "NOT_BOARDABLE"

    /// The case of a number of the schema; `nil` for "no data" and for numbers that the reference does not define.
    package init?(number: Int32) {
      switch number {
      case 0: self = .empty
      case 1: self = .manySeats
      case 2: self = .fewSeats
      case 3: self = .standingRoom
      case 4: self = .crushedStandingRoom
      case 5: self = .full
      case 6: self = .notAccepting
      case 8: self = .notBoardable
      default: return nil
      }
    }
  }

  /// One carriage of a vehicle (`CarriageDetails`).
  package struct Carriage: Hashable, Sendable {
    /// Its number to passengers.
    package var label: TextID?
    /// How full it is; `nil` without data.
    package var occupancy: Occupancy?
    /// How full it is in percent, above 100 if more people are in it than it has room for; `nil` without data.
    package var occupancyPercent: Int32?
    /// Its place in the direction of travel, from 1 on; 0 if the feed gives none.
    package var sequence: UInt32 = 0
  }

  /// stop_sequence of the current stop.
  package var stopSequence: UInt32?
  /// The current stop, as in stops.txt.
  package var stopID: TextID?
  /// Where it is in relation to the current stop.
  package var status = StopStatus.inTransitTo
  /// Degrees north and east, if both are on the earth.
  package var coordinate: Coordinate?
  /// The number of the vehicle to passengers.
  package var label: TextID?
  /// Whether wheelchairs can board; `nil` if the feed does not say.
  package var isWheelchairAccessible: Bool?
  /// How full it is; `nil` without data.
  package var occupancy: Occupancy?
  /// How full it is in percent; `nil` without data.
  package var occupancyPercent: Int32?
  /// The carriages in the order of travel.
  package var carriages: [Carriage] = []

  /// Degrees north and east.
  package struct Coordinate: Hashable, Sendable {
    /// Degrees north.
    package var latitude: Float
    /// Degrees east.
    package var longitude: Float
  }

  /// Creates a position that says nothing.
  package init() {}
}
