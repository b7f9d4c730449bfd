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

  /// A trip of the timetable on a service day.
  private struct Run {
    var trip: UInt32
    var day: Int32
  }

  /// The timetable it belongs to.
  let timetable: Timetable
  /// When the content was made at its source, in seconds since 1970-01-01T00:00:00Z.
  let sourceTime: Int64
  /// Counts the positions by outcome: those of trips of the timetable as applied, those of other trips as added.
  let counters: RealtimeCounters
  let directory: TimetableDirectory
  /// The vehicles: those of runs of the timetable first, by their places in ``runs``, then those of other trips.
  let vehicles: [Vehicle]
  private let runs: [Run]
  private let instances: InstanceTable
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
    var runs: [Run] = []
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
      runs.append(Run(trip: target.trip, day: target.day))
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
    self.init(directory, sourceTime, counters, vehicles, runs, extras)
  }

  private init(
    _ directory: TimetableDirectory,
    _ sourceTime: Int64,
    _ counters: RealtimeCounters,
    _ vehicles: [Vehicle],
    _ runs: [Run],
    _ extras: [String: Int]
  ) {
    self.directory = directory
    timetable = directory.timetable
    self.sourceTime = sourceTime
    self.counters = counters
    self.vehicles = vehicles
    self.runs = runs
    // Of a run with several vehicles the last one counts.
    var instances = InstanceTable(tripCount: timetable.tripCount, capacity: runs.count)
    for (number, run) in runs.enumerated() { instances.insert(run.trip, run.day, UInt32(number)) }
    self.instances = instances
    self.extras = extras
    (versions, common) = Self.versions(timetable, vehicles, runs, instances, extras)
  }

  /// Unites the indexes of sources: of each trip what the first source says that has it.
  ///
  /// - Parameter sources: The indexes in their order of precedence, all of one timetable.
  /// - Returns: What they say together; `nil` without a source.
  static func combined(_ sources: [VehicleIndex]) -> VehicleIndex? {
    guard let first = sources.first, sources.count > 1 else { return sources.first }
    var vehicles: [Vehicle] = []
    var runs: [Run] = []
    var extras: [String: Int] = [:]
    var counters = RealtimeCounters()
    for (place, source) in sources.enumerated() {
      counters.append(source.counters)
      for (number, run) in source.runs.enumerated()
      where source.instances.find(run.trip, run.day) == UInt32(number)
        && !sources[..<place].contains(where: { $0.instances.find(run.trip, run.day) != nil })
      {
        runs.append(run)
        vehicles.append(source.vehicles[number])
      }
    }
    for source in sources {
      for (id, number) in source.extras where extras[id] == nil {
        extras[id] = vehicles.count
        vehicles.append(source.vehicles[number])
      }
    }
    let time = sources.map(\.sourceTime).max() ?? first.sourceTime
    return VehicleIndex(first.directory, time, counters, vehicles, runs, extras)
  }

  // MARK: What boards ask

  /// Finds the vehicle of a trip that realtime describes, or of a trip of the timetable on a day.
  ///
  /// - Parameters:
  ///   - trip: The trip of the timetable; `nil` if it lacks the trip.
  ///   - day: The service day, in days since 1970-01-01.
  ///   - extra: The trip as realtime has it, if it is not one of the timetable or takes the place of one.
  /// - Returns: Its place in ``vehicles``; `nil` if none is known.
  func find(_ trip: Timetable.Trip?, day: Int, _ extra: ExtraTrip?) -> Int? {
    if let extra, extra.kind != .replacement { return extra.tripID.flatMap { extras[$0] } }
    return trip.flatMap { instances.find($0, Int32(truncatingIfNeeded: day)) }.map(Int.init)
  }

  /// A hash of everything here that rows of a station can show; 0 if nothing concerns the station.
  ///
  /// It is the same over publications while nothing of that changes, and leaves out when vehicles were seen.
  func version(ofStation station: Timetable.Stop) -> UInt64 {
    versions[Int(station)] &+ common
  }

  // MARK: Making

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
    _ runs: [Run],
    _ instances: InstanceTable,
    _ extras: [String: Int]
  ) -> (stations: [UInt64], common: UInt64) {
    var stations = [UInt64](repeating: 0, count: timetable.stopCount)
    var common: UInt64 = 0
    func hash(_ vehicle: Vehicle) -> ContentHash {
      var hash = ContentHash()
      hash.add(UInt64(truncatingIfNeeded: vehicle.place ?? -1))
      hash.add(UInt64(vehicle.stop))
      hash.add(UInt64(vehicle.position.stopSequence ?? .max))
      hash.add(RowVehicle.name(of: vehicle.position.status))
      hash.add(vehicle.position.occupancy?.rawValue)
      hash.add(UInt64(truncatingIfNeeded: vehicle.position.occupancyPercent ?? -1))
      hash.add(vehicle.position.isWheelchairAccessible.map { $0 ? 2 : 1 } ?? 0)
      return hash
    }
    for (number, run) in runs.enumerated()
    where instances.find(run.trip, run.day) == UInt32(number) {
      let vehicle = vehicles[number]
      var hash = hash(vehicle)
      hash.add(UInt64(run.trip))
      hash.add(UInt64(truncatingIfNeeded: run.day))
      let value = hash.value
      var last = TimetableDirectory.none
      for place in (vehicle.place ?? 0)..<timetable.callCount(of: run.trip) {
        let station = timetable.station(of: timetable.call(place, of: run.trip).stop)
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
