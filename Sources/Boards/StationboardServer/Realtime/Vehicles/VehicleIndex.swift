import GTFS
import GTFSRealtime
import Timetable

/// Where the vehicles of a timetable's trips are: immutable, for any number of threads.
///
/// A position is of a run by the ladder of trip updates (``TripTargets``); where trip updates have found the run of a
/// name that does not say it by itself, the position of that name is of the same run.
final class VehicleIndex: Sendable {
  /// A vehicle on a trip.
  struct Vehicle: Hashable, Sendable {
    /// When it was there, in seconds since 1970-01-01T00:00:00Z.
    var seenAt: Int64
    /// Its current stop; ``TimetableDirectory/none`` if the feed gives none.
    var stop: UInt32
    /// What it says.
    var position: VehiclePosition
    /// The place of the current stop among those of the trip of the timetable; `nil` if that is not known.
    var place: Int?
    /// The number of the vehicle to passengers.
    var label: String?
    /// The labels of its carriages.
    var carriageLabels: [String?]

    /// Whether it says anything of a row besides its place.
    var saysMore: Bool {
      position.occupancy != nil || position.occupancyPercent != nil
        || position.isWheelchairAccessible != nil
    }

    /// The place of the current stop among the stops of a trip that the timetable lacks.
    func place(among stops: [ExtraTrip.Stop], _ directory: TimetableDirectory) -> Int? {
      VehicleIndex.place(
        of: stop,
        position.stopSequence,
        count: stops.count,
        directory,
        sequence: { stops[$0].isNumbered ? stops[$0].sequence : nil },
        stop: { stops[$0].stop }
      )
    }
  }

  /// The timetable it belongs to.
  let timetable: Timetable
  /// When the content was made at its source, in seconds since 1970-01-01T00:00:00Z.
  let sourceTime: Int64
  /// Counts the positions by outcome: those of trips of the timetable as applied, those of other trips as added.
  let counters: RealtimeCounters
  let directory: TimetableDirectory
  let vehicles: [Vehicle]
  private let instances: [UInt64: Int]
  private let extras: [String: Int]
  /// The versions of stations, by the number of the stop.
  private let versions: [UInt64]
  /// What counts for every station.
  private let common: UInt64

  /// Builds the index of a feed.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - timetable: The timetable its ids mean.
  ///   - arrivedAt: When it arrived by the service clock, in seconds since 1970-01-01T00:00:00Z.
  ///   - trips: The trip updates in use, which know trips that the timetable lacks, and ids that it lacks.
  ///   - shared: A directory of the same timetable, if there is one.
  ///   - policy: Limits and choices.
  convenience init(
    _ feed: VehiclePositionFeed,
    timetable: Timetable,
    arrivedAt: Int64,
    trips: RealtimeIndex? = nil,
    sharing shared: TimetableDirectory? = nil,
    policy: RealtimePolicy = .standard
  ) {
    let trips = trips.flatMap { $0.timetable === timetable ? $0 : nil }
    let common = shared.flatMap { $0.timetable === timetable ? $0 : nil }
    let directory = trips?.directory ?? common ?? TimetableDirectory(timetable)
    let carriers = feed.carriers
    let sourceTime = feed.header.sourceTime(arrivedAt: arrivedAt) ?? arrivedAt
    var counters = RealtimeCounters()
    counters.leaveOutUnreadable(feed.counters.rejectedTotal)
    let found = TripTargets.of(
      carriers,
      directory,
      reference: sourceTime,
      after: trips,
      parts: 1,
      policy,
      counters,
      resolved: trips?.resolved ?? [:]
    )
    counters = found.counters
    var vehicles: [Vehicle] = []
    var instances: [UInt64: Int] = [:]
    var hasTarget = Set<Int>()
    func vehicle(_ number: Int) -> Vehicle {
      Self.vehicle(feed, number, directory, sourceTime: sourceTime, arrivedAt: arrivedAt)
    }
    for target in found.targets where target.action == .run {
      var vehicle = vehicle(target.update)
      vehicle.place = Self.place(
        of: vehicle.stop,
        vehicle.position.stopSequence,
        count: timetable.callCount(of: target.trip),
        directory,
        sequence: { timetable.sequence($0, of: target.trip) },
        stop: { timetable.call($0, of: target.trip).stop }
      )
      if vehicle.place == nil,
        vehicle.position.stopID != nil || vehicle.position.stopSequence != nil
      {
        counters.unlinkedStops += 1
      }
      instances[Self.key(target.trip, Int(target.day))] = vehicles.count
      vehicles.append(vehicle)
      hasTarget.insert(target.update)
      counters.applied += 1
    }
    // Trips that only trip updates have: by their ids.
    let known = Set((trips?.extraTrips ?? []).compactMap(\.tripID))
    var extras: [String: Int] = [:]
    if !known.isEmpty {
      for (number, update) in carriers.trips.enumerated() where !hasTarget.contains(number) {
        guard let id = update.tripID else { continue }
        let text: String = carriers.texts[id]
        guard known.contains(text) else { continue }
        if update.relationship == .scheduled || update.relationship == .unscheduled,
          timetable.trips(id: text).isEmpty
        {
          counters.takeBack(.unknownTrip)
        }
        let vehicle = vehicle(number)
        if let other = extras[text] {
          if vehicles[other].seenAt <= vehicle.seenAt { vehicles[other] = vehicle }
        } else {
          extras[text] = vehicles.count
          vehicles.append(vehicle)
          counters.added += 1
        }
      }
    }
    self.init(directory, sourceTime, counters, vehicles, instances, extras)
  }

  private init(
    _ directory: TimetableDirectory,
    _ sourceTime: Int64,
    _ counters: RealtimeCounters,
    _ vehicles: [Vehicle],
    _ instances: [UInt64: Int],
    _ extras: [String: Int]
  ) {
    self.directory = directory
    timetable = directory.timetable
    self.sourceTime = sourceTime
    self.counters = counters
    self.vehicles = vehicles
    self.instances = instances
    self.extras = extras
    (versions, common) = Self.versions(directory.timetable, vehicles, instances, extras)
  }

  /// Unites the indexes of sources: of each trip what the first source says that has it.
  ///
  /// - Parameter sources: The indexes in their order of precedence, all of one timetable.
  /// - Returns: What they say together; `nil` without a source.
  static func combined(_ sources: [VehicleIndex]) -> VehicleIndex? {
    guard let first = sources.first, sources.count > 1 else { return sources.first }
    var vehicles: [Vehicle] = []
    var instances: [UInt64: Int] = [:]
    var extras: [String: Int] = [:]
    var counters = RealtimeCounters()
    for source in sources {
      counters.append(source.counters)
      for (key, number) in source.instances where instances[key] == nil {
        instances[key] = vehicles.count
        vehicles.append(source.vehicles[number])
      }
      for (id, number) in source.extras where extras[id] == nil {
        extras[id] = vehicles.count
        vehicles.append(source.vehicles[number])
      }
    }
    let time = sources.map(\.sourceTime).max() ?? first.sourceTime
    return VehicleIndex(first.directory, time, counters, vehicles, instances, extras)
  }

  // MARK: What boards ask

  /// The vehicle of a run of the timetable.
  func vehicle(of trip: Timetable.Trip, day: Int) -> Vehicle? {
    instances[Self.key(trip, day)].map { vehicles[$0] }
  }

  /// The vehicle of a trip that the timetable lacks, by its id.
  func vehicle(ofExtra id: String) -> Vehicle? { extras[id].map { vehicles[$0] } }

  /// A hash of everything here that rows of a station can show; 0 if nothing concerns the station.
  ///
  /// It is the same over publications while nothing of that changes, and leaves out when vehicles were seen.
  func version(ofStation station: Timetable.Stop) -> UInt64 {
    versions[Int(station)] &+ common
  }

  // MARK: Making

  private static func key(_ trip: UInt32, _ day: Int) -> UInt64 {
    UInt64(trip) << 32 | UInt64(UInt32(truncatingIfNeeded: day))
  }

  private static func vehicle(
    _ feed: VehiclePositionFeed,
    _ number: Int,
    _ directory: TimetableDirectory,
    sourceTime: Int64,
    arrivedAt: Int64
  ) -> Vehicle {
    let texts = feed.carriers.texts
    let position = feed.positions[number]
    let stamp = feed.carriers.trips[number].timestamp.flatMap { Int64(exactly: $0) }
    // A timestamp before 2000 is not in seconds since 1970.
    let own = stamp.flatMap { $0 >= 946_684_800 ? min($0, max(sourceTime, arrivedAt)) : nil }
    return Vehicle(
      seenAt: own ?? sourceTime,
      stop: position.stopID.map { directory.resolve(texts[$0]).stop } ?? TimetableDirectory.none,
      position: position,
      place: nil,
      label: texts[position.label],
      carriageLabels: position.carriages.map { texts[$0.label] }
    )
  }

  /// The place of the current stop among the stops of a trip.
  ///
  /// By stop_sequence, unless stop_id names a stop of another station; else the only visit of the stop, or of its
  /// station. A vehicle that may be at one of several visits is at none.
  private static func place(
    of stop: UInt32,
    _ wanted: UInt32?,
    count: Int,
    _ directory: TimetableDirectory,
    sequence: (Int) -> UInt32?,
    stop stopAt: (Int) -> UInt32
  ) -> Int? {
    func only(_ fits: (Int) -> Bool) -> (count: Int, place: Int?) {
      let places = (0..<count).filter(fits)
      return (places.count, places.count == 1 ? places[0] : nil)
    }
    let none = TimetableDirectory.none
    if let wanted, let place = (0..<count).first(where: { sequence($0) == wanted }) {
      let other = stopAt(place)
      if stop == none || other == none || directory.isSameStation(stop, other) { return place }
    }
    guard stop != none else { return nil }
    let exact = only { stopAt($0) == stop }
    if exact.count > 0 { return exact.place }
    return only { stopAt($0) != none && directory.isSameStation(stopAt($0), stop) }.place
  }

  /// The versions of stations; those of trips that the timetable lacks count for every station.
  private static func versions(
    _ timetable: Timetable,
    _ vehicles: [Vehicle],
    _ instances: [UInt64: Int],
    _ extras: [String: Int]
  ) -> (stations: [UInt64], common: UInt64) {
    var stations = [UInt64](repeating: 0, count: timetable.stopCount)
    var common: UInt64 = 0
    func hash(_ vehicle: Vehicle) -> ContentHash {
      var hash = ContentHash()
      hash.add(UInt64(truncatingIfNeeded: vehicle.place ?? -1))
      hash.add(UInt64(vehicle.stop))
      hash.add(UInt64(vehicle.position.stopSequence ?? .max))
      hash.add(RowVehicle.word(vehicle.position.status))
      hash.add(vehicle.position.occupancy?.rawValue)
      hash.add(UInt64(truncatingIfNeeded: vehicle.position.occupancyPercent ?? -1))
      hash.add(vehicle.position.isWheelchairAccessible.map { $0 ? 2 : 1 } ?? 0)
      return hash
    }
    for (key, number) in instances {
      let vehicle = vehicles[number]
      var hash = hash(vehicle)
      hash.add(key)
      let value = hash.value
      let trip = UInt32(key >> 32)
      var last = TimetableDirectory.none
      for place in (vehicle.place ?? 0)..<timetable.callCount(of: trip) {
        let station = timetable.station(of: timetable.call(place, of: trip).stop)
        if station != last { stations[Int(station)] &+= value }
        last = station
      }
    }
    for (id, number) in extras {
      var hash = hash(vehicles[number])
      hash.add(id)
      common &+= hash.value
    }
    return (stations, common)
  }
}
