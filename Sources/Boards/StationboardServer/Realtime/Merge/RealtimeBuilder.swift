import GTFS
import GTFSRealtime
import Timetable

/// Builds what a ``RealtimeIndex`` holds.
struct RealtimeBuilder {
  let feed: TripUpdateFeed
  let directory: TimetableDirectory
  let policy: RealtimePolicy
  let sourceTime: Int64
  private let arrivedAt: Int64
  private(set) var gap: Int64?
  var counters = RealtimeCounters()
  var trips: [RealtimeTrip] = []
  var calls: [RealtimeCall] = []
  var arrivals: [RealtimeArrival] = []
  var extraTrips: [ExtraTrip] = []
  /// Platforms that the timetable lacks, and headsigns.
  private(set) var texts: [String] = []
  /// The headsigns of single departures, as numbers of texts, by the number of the call.
  var headsigns: [UInt32: UInt32] = [:]
  /// The places of the stops that trips leave out, trip by trip.
  var skips: [UInt16] = []
  /// The positions of the stops where realtime forbids boarding, though the timetable allows it; trip by trip.
  var closed: [UInt16] = []
  /// The index of the previous feed, for the same timetable.
  private(set) var previous: RealtimeIndex?
  private(set) var instances: InstanceTable
  /// How ids of the feed differ from those of the timetable.
  private(set) var renamings = LearnedRenamings()
  /// The runs of names that do not say them by themselves.
  var resolved: [TripName: ResolvedTrip] = [:]
  /// The trips that trip modifications change.
  private(set) var modified = ModifiedTrips()
  /// The stops that ids of trip modifications mean.
  var modifiedStops: [String: ResolvedStop] = [:]
  var timetable: Timetable { directory.timetable }

  /// The stop that each text of the feed refers to; −1 until it is looked up.
  private var stopNumbers: [Int32]
  /// The stop that each text of the feed plainly means, if it is known by now: what nearly every stop time
  /// update needs, in a quarter of the memory.
  private(set) var plainStops: [UInt32]
  private var stops: [ResolvedStop] = []
  private var textNumbers: [String: UInt32] = [:]
  /// The stops of the trip that is being merged, and which update each has (−1 for none).
  var schedule: [ScheduledCall] = []
  var linked: [Int32] = []

  init(
    _ feed: TripUpdateFeed,
    _ directory: TimetableDirectory,
    arrivedAt: Int64,
    _ policy: RealtimePolicy
  ) {
    self.feed = feed
    self.directory = directory
    self.policy = policy
    self.arrivedAt = arrivedAt
    sourceTime = feed.header.sourceTime(arrivedAt: arrivedAt) ?? arrivedAt
    stopNumbers = Array(repeating: -1, count: feed.texts.count)
    plainStops = Array(repeating: TimetableDirectory.none, count: feed.texts.count)
    instances = InstanceTable(tripCount: directory.timetable.tripCount, capacity: 0)
  }

  /// A builder of what several sources say, for which nothing more is looked up.
  init(combining first: RealtimeIndex, at time: Int64, _ policy: RealtimePolicy = .standard) {
    feed = .empty
    directory = first.directory
    self.policy = policy
    sourceTime = time
    arrivedAt = time
    stopNumbers = []
    plainStops = []
    instances = InstanceTable(tripCount: directory.timetable.tripCount, capacity: 0)
  }

  /// Enters the trips of the timetable into the table by which boards find them.
  mutating func enterInstances() {
    instances = InstanceTable(tripCount: timetable.tripCount, capacity: trips.count)
    for (number, trip) in trips.enumerated() where trip.extra < 0 {
      instances.insert(trip.trip, trip.day, UInt32(number))
    }
  }

  /// The trip updates and stop time updates from which a feed is merged in two parts at once: below, handing
  /// the work over takes as long as it saves.
  private static let divisibleUpdates = 20_000

  /// Merges every trip update, and keeps what `previous` says of trips that have just vanished.
  ///
  /// - Parameters:
  ///   - previous: The index of the feed before.
  ///   - parts: The number of parts; `nil` to choose by size.
  mutating func build(after previous: RealtimeIndex?, parts: Int? = nil) {
    counters.leaveOutUnreadable(feed.counters.rejectedTotal)
    let updates = feed.trips.count + feed.stopTimeUpdates.count
    let parts = parts ?? (updates < Self.divisibleUpdates ? 1 : 2)
    gap = previous.map { sourceTime - $0.sourceTime }
    self.previous = previous
    let today = ServiceDay(zone: timetable.zone).date(at: sourceTime).daysSinceEpoch
    modified = ModifiedTrips(feed, timetable, today: today, reference: sourceTime, policy)
    counters.unusableModifications += feed.invalidModifications + modified.oversized
    resolveStops()
    let found = TripTargets.of(
      feed,
      directory,
      reference: sourceTime,
      after: previous,
      parts: parts,
      policy,
      counters,
      aside: modified.updates
    )
    counters = found.counters
    renamings = found.renamings
    noteNames(of: found.targets)
    merge(found.targets, parts: parts)
    mergeModified(after: found.targets)
    enterInstances()
    if let previous { keepVanished(from: previous) }
  }

  /// Notes which run each name represents that does not say it by itself; a name of several runs represents none.
  private mutating func noteNames(of targets: [TripTarget]) {
    var ambiguous = Set<TripName>()
    for target in targets where target.action != .add && target.action != .duplicate {
      let update = feed.trips[target.update]
      guard
        target.rung != .id || timetable.isFrequency(target.trip) || update.originalTripID != nil,
        let name = TripName(update, feed.texts)
      else { continue }
      let run = ResolvedTrip(trip: target.trip, day: target.day, rung: target.rung)
      if resolved.updateValue(run, forKey: name) != nil { ambiguous.insert(name) }
    }
    for name in ambiguous { resolved[name] = nil }
  }

  mutating func merge(_ target: TripTarget) {
    let update = feed.trips[target.update]
    if target.action != .add, target.action != .duplicate,
      let entry = modified.find(target.trip, target.day)
    {
      // The update of the changed trip counts, if there is one and the modifications fit.
      if let own = entry.update {
        if isUsable(own, entry) { return leaveOut(update, .repeated) }
      } else if target.action == .run, mergeModified(target, entry, update) {
        return
      }
    }
    switch target.action {
    case .run: mergeScheduled(target, update)
    case .cancel, .delete: mergeOff(target)
    case .replace: mergeReplacement(target, update)
    case .duplicate: mergeDuplicate(target, update)
    case .add: mergeNew(target, update)
    }
  }

  /// Begins a trip; the calls appended until the next one are its.
  mutating func add(_ kind: RealtimeTrip.Kind, _ target: TripTarget, _ source: Int64) {
    var trip = RealtimeTrip(kind: kind, trip: target.trip, day: target.day, sourceTime: source)
    trip.firstCall = UInt32(calls.count)
    trip.firstArrival = UInt32(arrivals.count)
    trip.firstSkip = UInt32(skips.count)
    trip.firstClosed = UInt32(closed.count)
    trips.append(trip)
  }

  /// Ends the trip begun last.
  mutating func endTrip() {
    trips[trips.count - 1].callCount =
      UInt32(calls.count) - trips[trips.count - 1].firstCall
    trips[trips.count - 1].arrivalCount =
      UInt32(arrivals.count) - trips[trips.count - 1].firstArrival
    trips[trips.count - 1].skipCount = UInt32(skips.count) - trips[trips.count - 1].firstSkip
    trips[trips.count - 1].closedCount =
      UInt32(closed.count) - trips[trips.count - 1].firstClosed
  }

  /// Counts an update that has no effect.
  mutating func leaveOut(_ update: TripUpdate, _ reason: RealtimeCounters.Reason) {
    let texts = feed.texts
    counters.leaveOut(reason) { RealtimeCounters.Example(reason, update, texts) }
  }

  /// Whether the trip ended last has anything that the timetable alone does not say.
  var saysSomething: Bool {
    guard let trip = trips.last else { return false }
    if trip.arrivalCount > 0 || trip.skipCount > 0 || trip.closedCount > 0
      || trip.headsign != RealtimeCall.usualPlatform
    {
      return true
    }
    return (trip.firstCall..<trip.firstCall + trip.callCount).contains { number in
      let call = calls[Int(number)]
      return !call.flags.isDisjoint(with: .telling) || call.platform != RealtimeCall.usualPlatform
        || headsigns[number] != nil || call.occupancy != RealtimeCall.unknownOccupancy
    }
  }

  /// When an update was known: its own timestamp if it is plausible, else the header's.
  func sourceTime(of update: TripUpdate) -> Int64 {
    guard let timestamp = update.timestamp.flatMap({ Int64(exactly: $0) }) else {
      return sourceTime
    }
    // A timestamp before 2000 is not in seconds since 1970.
    return timestamp >= 946_684_800 ? min(timestamp, max(sourceTime, arrivedAt)) : sourceTime
  }

  /// An instant as calls have it; `nil` if it is decades away.
  @inline(__always)
  func relative(_ instant: Int64) -> Int32? {
    let distance = instant &- sourceTime
    return distance.magnitude < 1 << 30 ? Int32(truncatingIfNeeded: distance) : nil
  }

  /// 0:00 of a service day, in seconds since 1970-01-01T00:00:00Z.
  func midnight(_ target: TripTarget) -> Int64 {
    timetable.start(of: ServiceDate(daysSinceEpoch: Int(target.day)), for: target.trip)
  }

  /// The stop that an id of the feed means.
  @inline(__always)
  mutating func stop(_ id: TextID) -> ResolvedStop {
    let number = stopNumbers[id.index]
    return number >= 0 ? stops[Int(number)] : resolve(id)
  }

  /// Whether an id of the feed is the stop's own id, which is most often so where stop_sequence points to the
  /// stop: comparing the two is much less than to look the id up, and is done once an id.
  @inline(__always)
  mutating func isPlainly(_ id: TextID, _ stop: UInt32) -> Bool {
    plainStops[id.index] == stop
      || (plainStops[id.index] == TimetableDirectory.none && isOwnID(id, of: stop))
  }

  private mutating func isOwnID(_ id: TextID, of stop: UInt32) -> Bool {
    guard feed.texts.isEqual(id, timetable.id(of: stop)) else { return false }
    plainStops[id.index] = stop
    return true
  }

  private mutating func resolve(_ id: TextID) -> ResolvedStop {
    var stop = directory.resolve(feed.texts[id])
    if !stop.isKnown, !feed.stops.isEmpty, let other = modifiedStops[feed.texts[id]] {
      stop = other
    }
    stopNumbers[id.index] = Int32(stops.count)
    stops.append(stop)
    if stop.names == .platform || stop.names == .station { plainStops[id.index] = stop.stop }
    return stop
  }

  /// The number of a platform that the timetable does not have, or of a headsign.
  mutating func number(of text: String) -> UInt32 {
    if let number = textNumbers[text] { return number }
    let number = RealtimeCall.firstText + UInt32(texts.count)
    texts.append(text)
    textNumbers[text] = number
    return number
  }

  // MARK: Trips that the feed does not have any more

  /// Keeps the predictions of trips that are missing for the first time, as old as they are.
  ///
  /// A full dataset replaces everything before it, but producers occasionally lose a trip for a moment, while
  /// they keep their rhythm. That a trip or a stop is cancelled ends when the feed no longer says it.
  private mutating func keepVanished(from previous: RealtimeIndex) {
    guard let gap, gap > 0, gap <= policy.longestKeptGap else { return }
    if let before = previous.gap, Double(gap) > Double(before) * policy.keptGaps { return }
    var present: Set<ExtraTrip.Identity> = []
    for trip in trips where trip.extra >= 0 { present.insert(identity(trip, extraTrips)) }
    // Most trips come again in the order they had: the one expected next is compared first.
    let count = trips.count
    var next = 0
    for trip in previous.trips
    where Int(trip.missed) < policy.keptPublications && trip.kind != .cancelled
      && trip.kind != .deleted && trip.modification == .none
      && (trip.extra < 0 || !previous.extraTrips[Int(trip.extra)].isModification)
    {
      if trip.extra < 0 {
        if next < count, trips[next].extra < 0, trips[next].trip == trip.trip,
          trips[next].day == trip.day
        {
          next += 1
          continue
        }
        if let number = instances.find(trip.trip, trip.day) {
          next = Int(number) + 1
          continue
        }
      } else {
        guard !present.contains(identity(trip, previous.extraTrips)) else { continue }
        // A replacement goes with the trip whose place it took.
        if previous.extraTrips[Int(trip.extra)].kind == .replacement,
          let place = instances.find(trip.trip, trip.day), trips[Int(place)].missed == 0
        {
          continue
        }
      }
      keep(trip, from: previous)
    }
  }

  private func identity(_ trip: RealtimeTrip, _ extras: [ExtraTrip]) -> ExtraTrip.Identity {
    let extra = extras[Int(trip.extra)]
    return ExtraTrip.Identity(
      kind: extra.kind,
      tripID: extra.tripID,
      template: extra.kind == .new ? TimetableDirectory.none : trip.trip,
      day: trip.day,
      start: extra.start
    )
  }

  private mutating func keep(_ old: RealtimeTrip, from previous: RealtimeIndex) {
    var trip = old
    trip.missed += 1
    trip.firstCall = UInt32(calls.count)
    trip.firstArrival = UInt32(arrivals.count)
    trip.firstSkip = UInt32(skips.count)
    trip.firstClosed = UInt32(closed.count)
    closed += previous.closed[Int(old.firstClosed)..<Int(old.firstClosed + old.closedCount)]
    trip.headsign = number(old.headsign, of: previous)
    if old.extra >= 0 {
      trip.extra = Int32(extraTrips.count)
      extraTrips.append(previous.extraTrips[Int(old.extra)])
    } else {
      instances.insert(trip.trip, trip.day, UInt32(trips.count))
    }
    for number in Int(old.firstCall)..<Int(old.firstCall + old.callCount) {
      var call = previous.calls[number]
      call.trip = UInt32(trips.count)
      guard let effective = relative(previous.base + Int64(call.effective)) else { continue }
      call.effective = effective
      if call.scheduled != RealtimeCall.unscheduled {
        guard let scheduled = relative(previous.base + Int64(call.scheduled)) else { continue }
        call.scheduled = scheduled
      }
      call.platform = self.number(call.platform, of: previous)
      call.flags.subtract(.ofStops)
      if let headsign = previous.headsigns[UInt32(number)] {
        headsigns[UInt32(calls.count)] = self.number(headsign, of: previous)
      }
      calls.append(call)
    }
    for number in Int(old.firstArrival)..<Int(old.firstArrival + old.arrivalCount) {
      var arrival = previous.arrivals[number]
      guard let effective = relative(previous.base + Int64(arrival.effective)) else { continue }
      arrival.effective = effective
      arrivals.append(arrival)
    }
    trips.append(trip)
    endTrip()
    counters.kept += 1
  }

  /// The number here of what a text of the feed before is; everything else stays.
  private mutating func number(_ number: UInt32, of previous: RealtimeIndex) -> UInt32 {
    guard number >= RealtimeCall.firstText, number != RealtimeCall.usualPlatform else {
      return number
    }
    return self.number(of: previous.texts[Int(number - RealtimeCall.firstText)])
  }
}
