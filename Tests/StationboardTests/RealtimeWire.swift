/// Trip updates as a producer writes them, down to the bytes of protobuf.
enum RealtimeWire {
  /// An arrival or a departure.
  struct Event {
    var time: Int64?
    var delay: Int?
    var scheduled: Int64?
    var uncertainty: Int?

    static func delay(_ seconds: Int) -> Event { Event(delay: seconds) }
    static func time(_ instant: Int64) -> Event { Event(time: instant) }

    fileprivate var bytes: [UInt8] {
      number(1, delay.map { Int64($0) }) + number(2, time)
        + number(3, uncertainty.map { Int64($0) }) + number(4, scheduled)
    }
  }

  /// The numbers of the schema for stops.
  enum StopRelationship: Int64 {
    case scheduled = 0
    case skipped = 1
    case noData = 2
    case unscheduled = 3
  }

  /// The numbers of the schema for trips.
  enum TripRelationship: Int64 {
    case scheduled = 0
    case added = 1
    case unscheduled = 2
    case canceled = 3
    case undefined = 4
    case replacement = 5
    case duplicated = 6
    case deleted = 7
    case new = 8
  }

  /// A stop time update.
  struct Stop {
    var sequence: Int?
    var stop: String?
    var arrival: Event?
    var departure: Event?
    var relationship: StopRelationship?
    var assigned: String?
    var headsign: String?
    var pickup: Int64?
    var occupancy: Int64?

    init(
      _ sequence: Int? = nil,
      _ stop: String? = nil,
      arrival: Event? = nil,
      departure: Event? = nil,
      _ relationship: StopRelationship? = nil,
      assigned: String? = nil,
      headsign: String? = nil,
      pickup: Int64? = nil,
      occupancy: Int64? = nil
    ) {
      self.sequence = sequence
      self.stop = stop
      self.arrival = arrival
      self.departure = departure
      self.relationship = relationship
      self.assigned = assigned
      self.headsign = headsign
      self.pickup = pickup
      self.occupancy = occupancy
    }

    init(_ sequence: Int, _ relationship: StopRelationship, assigned: String? = nil) {
      self.sequence = sequence
      self.relationship = relationship
      self.assigned = assigned
    }

    fileprivate var bytes: [UInt8] {
      let properties = text(1, assigned) + text(2, headsign) + number(3, pickup)
      return number(1, sequence.map { Int64($0) }) + message(2, arrival?.bytes)
        + message(3, departure?.bytes) + text(4, stop) + number(5, relationship?.rawValue)
        + message(6, properties.isEmpty ? nil : properties) + number(7, occupancy)
    }
  }

  /// A trip update.
  struct Trip {
    var trip: String?
    var date: String?
    var start: String?
    var relationship: TripRelationship?
    var route: String?
    var direction: Int64?
    var original: String?
    var timestamp: Int64?
    var delay: Int?
    var newTrip: String?
    var newDate: String?
    var newStart: String?
    var headsign: String?
    var modifies: String?
    var affected: String?
    var affectedDate: String?
    var affectedStart: String?
    var stops: [Stop] = []

    init(_ trip: String?, _ relationship: TripRelationship? = nil, date: String? = nil) {
      self.trip = trip
      self.relationship = relationship
      self.date = date
    }

    /// The TripDescriptor.
    fileprivate var descriptor: [UInt8] {
      let selector = modifies.map {
        text(1, $0) + text(2, affected) + text(3, affectedStart) + text(4, affectedDate)
      }
      return text(1, trip) + text(2, start) + text(3, date) + number(4, relationship?.rawValue)
        + text(5, route) + number(6, direction) + message(7, selector) + text(8, original)
    }

    fileprivate var bytes: [UInt8] {
      let properties = text(1, newTrip) + text(2, newDate) + text(3, newStart) + text(5, headsign)
      return message(1, descriptor) + stops.flatMap { message(2, $0.bytes) }
        + number(4, timestamp) + number(5, delay.map { Int64($0) })
        + message(6, properties.isEmpty ? nil : properties)
    }
  }

  /// A vehicle position.
  struct Vehicle {
    var trip: Trip?
    var sequence: Int?
    var stop: String?
    var status: Int64?
    var timestamp: Int64?
    var occupancy: Int64?
    var percent: Int64?
    var wheelchair: Int64?
    var label: String?
    /// Degrees north and east.
    var place: (Float, Float)?
    /// The label, the load and the percentage of each carriage.
    var carriages: [(label: String?, occupancy: Int64?, percent: Int64?)] = []

    init(
      _ trip: Trip?,
      _ sequence: Int? = nil,
      _ stop: String? = nil,
      status: Int64? = nil,
      timestamp: Int64? = nil,
      occupancy: Int64? = nil,
      percent: Int64? = nil,
      wheelchair: Int64? = nil
    ) {
      self.trip = trip
      self.sequence = sequence
      self.stop = stop
      self.status = status
      self.timestamp = timestamp
      self.occupancy = occupancy
      self.percent = percent
      self.wheelchair = wheelchair
    }

    fileprivate var bytes: [UInt8] {
      let vehicle = text(2, label) + number(4, wheelchair)
      return message(1, trip?.descriptor) + message(2, place.map { float(1, $0) + float(2, $1) })
        + number(3, sequence.map { Int64($0) }) + number(4, status)
        + number(5, timestamp) + text(7, stop)
        + message(8, vehicle.isEmpty ? nil : vehicle) + number(9, occupancy)
        + number(10, percent)
        + carriages.flatMap {
          message(11, text(2, $0.label) + number(3, $0.occupancy) + number(4, $0.percent))
        }
    }
  }

  /// A feed of vehicle positions.
  static func feed(vehicles: [Vehicle], at timestamp: Int64?) -> [UInt8] {
    let header = text(1, "2.0") + number(3, timestamp)
    return vehicles.enumerated().reduce(into: message(1, header)) { bytes, vehicle in
      bytes += message(2, text(1, "vehicle-\(vehicle.offset)") + message(4, vehicle.element.bytes))
    }
  }

  /// A modification of a span of stops; a stop is chosen by number, id, or both.
  struct Change {
    var from: (Int?, String?)
    var to: (Int?, String?)?
    var delay = 0
    var stops: [(id: String, time: Int?)] = []

    fileprivate var bytes: [UInt8] {
      func selector(_ stop: (Int?, String?)) -> [UInt8] {
        number(1, stop.0.map { Int64($0) }) + text(2, stop.1)
      }
      return message(1, selector(from)) + message(2, to.map { selector($0) })
        + number(3, Int64(delay))
        + stops.flatMap { message(4, number(1, $0.time.map { Int64($0) }) + text(2, $0.id)) }
    }
  }

  /// Trip modifications.
  struct Modifications {
    var id: String
    var trips: [String]
    var dates: [String]
    var changes: [Change]
    var shape: String?

    init(_ id: String, trips: [String], dates: [String], _ changes: [Change]) {
      self.id = id
      self.trips = trips
      self.dates = dates
      self.changes = changes
    }

    fileprivate var bytes: [UInt8] {
      message(1, trips.flatMap { text(1, $0) } + text(2, shape)) + dates.flatMap { text(3, $0) }
        + changes.flatMap { message(4, $0.bytes) }
    }
  }

  /// A stop of the feed.
  struct AddedStop {
    var id: String
    var parent: String?
    var platform: String?

    fileprivate var bytes: [UInt8] {
      text(1, id) + text(11, parent) + message(15, platform.map { message(1, text(1, $0)) })
    }
  }

  /// A feed.
  static func feed(
    _ trips: [Trip],
    at timestamp: Int64?,
    modifications: [Modifications] = [],
    stops: [AddedStop] = [],
    shapes: [(id: String, polyline: String)] = []
  ) -> [UInt8] {
    let header = text(1, "2.0") + number(3, timestamp)
    var feed = trips.enumerated().reduce(into: message(1, header)) { bytes, trip in
      bytes += message(2, text(1, "entity-\(trip.offset)") + message(3, trip.element.bytes))
    }
    for stop in stops { feed += message(2, text(1, "stop-\(stop.id)") + message(7, stop.bytes)) }
    for (id, polyline) in shapes {
      feed += message(2, text(1, "shape-\(id)") + message(6, text(1, id) + text(2, polyline)))
    }
    for each in modifications { feed += message(2, text(1, each.id) + message(8, each.bytes)) }
    return feed
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest > 127 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  private static func number(_ field: UInt64, _ value: Int64?) -> [UInt8] {
    value.map { varint(field << 3) + varint(UInt64(bitPattern: $0)) } ?? []
  }

  private static func float(_ field: UInt64, _ value: Float) -> [UInt8] {
    varint(field << 3 | 5) + withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
  }

  private static func text(_ field: UInt64, _ value: String?) -> [UInt8] {
    message(field, value.map { Array($0.utf8) })
  }

  private static func message(_ field: UInt64, _ value: [UInt8]?) -> [UInt8] {
    value.map { varint(field << 3 | 2) + varint(UInt64($0.count)) + $0 } ?? []
  }
}
