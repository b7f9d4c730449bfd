import GTFS
package import GTFSRealtime
package import Timetable

/// What one feed says at one tick, ready to be read by boards: immutable, for any number of threads.
///
/// ```
/// TripUpdateFeed ──► TripTargets ──► StopTimeMerge, ExtraTripBuilder ──► calls ──► StopLists, versions
///                    which trip,      when it leaves each stop                      what a board reads
///                    which day
/// ```
///
/// A tick is one feed read and indexed. Most of it is waiting for memory, so what was measured to matter is:
/// trips and calls in two parts at once (``RealtimeBuilder/merge(_:parts:)``), no search where a lookup of
/// what is most likely will do (``TripFinder``, ``RealtimeBuilder/isPlainly(_:_:)``), arrays that never grow
/// while they are filled, and loops that go through little memory (``StopLists``). A nested function that
/// changes a variable around it is checked for exclusive access at every call: a closure written where it is
/// used is not.
package final class RealtimeIndex: Sendable {
  /// The timetable it belongs to.
  package let timetable: Timetable
  /// What ids are looked up in.
  package let directory: TimetableDirectory
  /// When the content was made at its source, in seconds since 1970-01-01T00:00:00Z: the header's
  /// timestamp if it is plausible, else the arrival.
  package let sourceTime: Int64
  /// Seconds between this publication and the one before it; `nil` for the first one.
  package let gap: Int64?
  /// Counts the trip updates by outcome.
  package let counters: RealtimeCounters

  /// What times of calls are counted from, in seconds since 1970-01-01T00:00:00Z.
  let base: Int64
  let trips: [RealtimeTrip]
  let calls: [RealtimeCall]
  let arrivals: [RealtimeArrival]
  let extraTrips: [ExtraTrip]
  let texts: [String]
  let headsigns: [UInt32: UInt32]
  let skips: [UInt16]
  let closed: [UInt16]
  /// The numbers of the new trips, by their ids.
  let newTrips: [String: Int]
  /// How ids of the feed differ from those of the timetable.
  let renamings: LearnedRenamings
  /// The runs of names that do not say them by themselves, for feeds of other kinds that use the same names.
  let resolved: [TripName: ResolvedTrip]
  private let instances: InstanceTable
  private let lists: StopLists
  private let versions: StopVersions

  /// Builds the index of a feed.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - timetable: The timetable its ids mean.
  ///   - arrivedAt: When it arrived by the service clock, in seconds since 1970-01-01T00:00:00Z.
  ///   - previous: The index of the publication before this one: its directory is used again if it is
  ///     of the same timetable, and trips that this feed no longer has are kept as
  ///     ``RealtimePolicy/keptPublications`` says.
  ///   - shared: A directory of the same timetable, if there is one.
  ///   - policy: Limits and choices.
  package convenience init(
    _ feed: TripUpdateFeed,
    timetable: Timetable,
    arrivedAt: Int64,
    previous: RealtimeIndex? = nil,
    sharing shared: TimetableDirectory? = nil,
    policy: RealtimePolicy = .standard
  ) {
    let earlier = previous.flatMap { $0.timetable === timetable ? $0 : nil }
    let common = shared.flatMap { $0.timetable === timetable ? $0 : nil }
    let directory = earlier?.directory ?? common ?? TimetableDirectory(timetable)
    var builder = RealtimeBuilder(feed, directory, arrivedAt: arrivedAt, policy)
    builder.build(after: earlier)
    self.init(builder)
  }

  init(_ builder: RealtimeBuilder) {
    directory = builder.directory
    timetable = directory.timetable
    sourceTime = builder.sourceTime
    gap = builder.gap
    counters = builder.counters
    base = builder.sourceTime
    trips = builder.trips
    calls = builder.calls
    arrivals = builder.arrivals
    extraTrips = builder.extraTrips
    var newTrips: [String: Int] = [:]
    for (number, trip) in builder.trips.enumerated() where trip.extra >= 0 {
      let extra = builder.extraTrips[Int(trip.extra)]
      if extra.kind == .new, let id = extra.tripID { newTrips[id] = number }
    }
    self.newTrips = newTrips
    texts = builder.texts
    headsigns = builder.headsigns
    skips = builder.skips
    closed = builder.closed
    renamings = builder.renamings
    resolved = builder.resolved
    instances = builder.instances
    // The two do not need each other: with a second processor they are made in the time of one.
    (lists, versions) = BackgroundExecutor.both(
      { StopLists(builder.calls, builder.directory) },
      { StopVersions(builder) }
    )
  }

  // MARK: What boards ask

  /// Whether the feed says anything of a trip of the timetable on a service day, so that its rows come
  /// from here.
  @inline(__always)
  package func touches(_ trip: Timetable.Trip, day: Int) -> Bool {
    instances.find(trip, Int32(truncatingIfNeeded: day)) != nil
  }

  /// A hash of everything here that can change the board of a stop: the same over ticks while nothing
  /// of it changes, 0 if nothing concerns the stop.
  ///
  /// It leaves out source times: a publication that says the same again changes no version. Equal only
  /// within one timetable.
  package func version(of stop: Int) -> UInt64 { versions.versions[stop] }

  /// The oldest source time of what the feed says of a stop's departures, in seconds since
  /// 1970-01-01T00:00:00Z; nothing is as old as that if it says nothing.
  func oldestSourceTime(at stop: Int) -> Int64 { versions.oldest[stop] }

  /// The realtime of a trip on a service day.
  func trip(_ trip: Timetable.Trip, day: Int) -> RealtimeTrip? {
    instances.find(trip, Int32(truncatingIfNeeded: day)).map { trips[Int($0)] }
  }

  /// The rows of a stop and all stops below it, ordered by effective departure only.
  ///
  /// - Parameters:
  ///   - stop: The stop.
  ///   - from: The first instant, included, in seconds since 1970-01-01T00:00:00Z.
  ///   - until: The last instant, not included.
  ///   - limit: The most rows, and those that depart with the last of them.
  /// - Returns: The rows, without their freshness.
  func rows(at stop: Timetable.Stop, from: Int64, until: Int64, limit: Int) -> [BoardRow] {
    let list = lists[Int(stop)]
    var low = list.startIndex
    var high = list.endIndex
    while low < high {
      let middle = (low + high) / 2
      if effective(list[middle]) < from { low = middle + 1 } else { high = middle }
    }
    var rows: [BoardRow] = []
    rows.reserveCapacity(min(limit, list.endIndex - low))
    var last: Int64?
    for place in low..<list.endIndex {
      let number = list[place]
      let time = effective(number)
      guard time < until, rows.count < limit || time == last else { break }
      last = time
      rows.append(row(Int(number)))
    }
    return rows
  }

  @inline(__always)
  private func effective(_ call: UInt32) -> Int64 { base + Int64(calls[Int(call)].effective) }

  /// The row of a call.
  func row(_ number: Int) -> BoardRow {
    let call = calls[number]
    let trip = trips[Int(call.trip)]
    return BoardRow(call, trip, number: number, base: base)
  }

  /// The stop that a row departs from instead of its own, or the platform's name.
  func platform(of row: BoardRow) -> RealtimePlatform {
    guard let call = row.call else { return .usual }
    let platform = calls[call].platform
    if platform == RealtimeCall.usualPlatform { return .usual }
    if platform < RealtimeCall.firstText { return .stop(platform) }
    return .named(texts[Int(platform - RealtimeCall.firstText)])
  }

  /// By how many seconds the prediction of a row may be off; `nil` if that is not known.
  func uncertainty(of row: BoardRow) -> Int? {
    guard let call = row.call, calls[call].uncertainty != RealtimeCall.unknownUncertainty else {
      return nil
    }
    return Int(calls[call].uncertainty)
  }

  /// How full the vehicle leaves by prediction, as a value of the reference; `nil` if that is not known.
  func occupancy(of row: BoardRow) -> String? {
    guard let call = row.call, calls[call].occupancy != RealtimeCall.unknownOccupancy else {
      return nil
    }
    return VehiclePosition.Occupancy(number: Int32(calls[call].occupancy))?.rawValue
  }

  /// The headsign of a row by realtime; `nil` if realtime has none.
  func headsign(of row: BoardRow) -> String? {
    guard let call = row.call else { return nil }
    return text(headsigns[UInt32(call)] ?? trips[Int(calls[call].trip)].headsign)
  }

  /// The string with a number; `nil` for the usual platform.
  func text(_ number: UInt32) -> String? {
    number == RealtimeCall.usualPlatform ? nil : texts[Int(number - RealtimeCall.firstText)]
  }

  /// The places of the stops that the trip of a row leaves out, in order.
  func skippedPlaces(of row: BoardRow) -> ArraySlice<UInt16> {
    guard let call = row.call else { return [] }
    let trip = trips[Int(calls[call].trip)]
    return skips[Int(trip.firstSkip)..<Int(trip.firstSkip + trip.skipCount)]
  }

  /// stop_sequence of a row.
  func sequence(of row: BoardRow) -> Int {
    if let extra = row.extra, !extraTrips[extra].stops.isEmpty {
      return Int(extraTrips[extra].stops[row.position].sequence)
    }
    return row.trip.map { Int(timetable.sequence(row.position, of: $0)) } ?? row.position
  }

  /// Negative, zero or positive as the trip id of a row sorts before, equals or sorts after that of another, byte by
  /// byte.
  func compareTripIds(_ left: BoardRow, _ right: BoardRow) -> Int {
    withTripId(of: left) { first in
      withTripId(of: right) { second in
        let shared = min(first.count, second.count)
        for place in 0..<shared where first[place] != second[place] {
          return Int(first[place]) - Int(second[place])
        }
        return first.count - second.count
      }
    }
  }

  /// Lends the bytes of a row's trip id; empty if it has none.
  func withTripId<Result>(of row: BoardRow, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let extra = row.extra, var id = extraTrips[extra].tripID {
      return id.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
    guard let trip = row.trip else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return body(timetable.tripId(of: trip))
  }
}

/// Where a row departs.
enum RealtimePlatform: Hashable, Sendable {
  /// Where the timetable says.
  case usual
  /// From another stop of the timetable.
  case stop(UInt32)
  /// From a platform that the timetable does not have.
  case named(String)
}

extension BoardRow {
  /// A departure that realtime says something of.
  init(_ call: RealtimeCall, _ trip: RealtimeTrip, number: Int, base: Int64) {
    self.trip = trip.trip == TimetableDirectory.none ? nil : trip.trip
    position = Int(call.position)
    stop = call.stop
    day = Int(trip.day)
    scheduled =
      call.scheduled == RealtimeCall.unscheduled ? nil : base + Int64(call.scheduled)
    effective = base + Int64(call.effective)
    flags = call.flags
    self.call = number
    extra = trip.extra < 0 ? nil : Int(trip.extra)
    sourceTime = trip.sourceTime
  }
}
