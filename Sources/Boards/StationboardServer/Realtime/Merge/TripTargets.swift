import GTFS
import GTFSRealtime
import Timetable

/// The trip of a trip update, determined for every update of a feed before anything is merged.
struct TripTarget {
  /// The action to take.
  enum Action: UInt8 {
    case run
    case cancel
    case delete
    case replace
    case duplicate
    case add
  }

  /// The number of the update in the feed.
  var update: Int
  var action: Action
  /// The trip of the timetable, or ``TimetableDirectory/none``.
  var trip: UInt32
  /// The service day; for new trips without a date ``unknownDay``.
  var day: Int32
  /// The start of a duplicated trip, and of a vehicle of a frequency without exact times if the feed gives
  /// one, in seconds after 0:00 of the service day.
  var start: Int32?
  /// About when a vehicle starts that none of the runs of its frequency is known to be, likewise; ``trip`` is
  /// one of these runs.
  var estimate: Int32?
  /// How the trip was found.
  var rung = RealtimeCounters.Rung.id

  static let unknownDay = Int32.min
}

/// Finds the trip and the service day of every trip update (reference, "Trip Descriptor").
struct TripTargets {
  let feed: TripUpdateFeed
  let directory: TimetableDirectory
  let timetable: Timetable
  /// The feed's timestamp, which decides where the date is missing.
  let reference: Int64
  let policy: RealtimePolicy
  let today: Int
  var counters: RealtimeCounters
  private(set) var targets: [TripTarget] = []
  /// Where the target of a trip and day, or of an extra trip, is.
  private(set) var places: [UInt64: Int] = [:]
  private var extraPlaces: [ExtraTrip.Identity: Int] = [:]
  /// The ids of trips that the feed contains as duplicated ones.
  private var duplicatedIds: Set<TextID> = []
  /// How ids of the feed differ from those of the timetable.
  var renamings: LearnedRenamings
  /// The runs that another feed of the same producer found for names that do not say them by themselves.
  private let resolved: [TripName: ResolvedTrip]
  /// Trip updates of trips with modifications, which have their trips.
  private let aside: Set<Int>

  /// Finds the targets of a feed.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - directory: What its ids are looked up in.
  ///   - reference: The feed's timestamp.
  ///   - previous: The index of the feed before, which says where to look first.
  ///   - parts: In how many parts at once the trips are looked up: each lookup waits for memory again and
  ///     again, which two processors can do at the same time.
  ///   - policy: Limits and choices.
  ///   - counters: The counters so far.
  ///   - resolved: What trip updates found for names that do not say their run by themselves.
  ///   - aside: The numbers of updates that are left out.
  /// - Returns: The targets, the counters with what has none, and what was learned of the ids.
  static func of(
    _ feed: TripUpdateFeed,
    _ directory: TimetableDirectory,
    reference: Int64,
    after previous: RealtimeIndex?,
    parts: Int,
    _ policy: RealtimePolicy,
    _ counters: RealtimeCounters,
    resolved: [TripName: ResolvedTrip] = [:],
    aside: Set<Int> = []
  ) -> (targets: [TripTarget], counters: RealtimeCounters, renamings: LearnedRenamings) {
    var finder = TripTargets(
      feed,
      directory,
      reference,
      policy,
      counters,
      previous?.renamings,
      resolved,
      aside
    )
    finder.findAll(directory, after: previous, parts: parts)
    return (finder.targets, finder.counters, finder.renamings)
  }

  private init(
    _ feed: TripUpdateFeed,
    _ directory: TimetableDirectory,
    _ reference: Int64,
    _ policy: RealtimePolicy,
    _ counters: RealtimeCounters,
    _ renamings: LearnedRenamings?,
    _ resolved: [TripName: ResolvedTrip],
    _ aside: Set<Int>
  ) {
    self.feed = feed
    self.directory = directory
    self.renamings = renamings ?? LearnedRenamings()
    self.resolved = resolved
    self.aside = aside
    self.reference = reference
    self.policy = policy
    self.counters = counters
    timetable = directory.timetable
    today = ServiceDay(zone: timetable.zone).date(at: reference).daysSinceEpoch
  }

  private mutating func findAll(
    _ directory: TimetableDirectory,
    after previous: RealtimeIndex?,
    parts: Int
  ) {
    targets.reserveCapacity(feed.trips.count)
    places.reserveCapacity(feed.trips.count)
    for update in feed.trips where update.relationship == .duplicated {
      if let id = update.tripID { duplicatedIds.insert(id) }
    }
    // Vehicles that are one of the runs of a frequency take their run before others that only need one.
    var vehicles: [TripTarget] = []
    // What the ids do not resolve is searched for otherwise once all ids have taken their trips.
    var unresolved: [WithoutTarget] = []
    for outcomes in outcomes(directory, after: previous, parts: parts) {
      for outcome in outcomes {
        switch outcome {
        case .success(let target):
          if target.estimate == nil { enter(target) } else { vehicles.append(target) }
        case .failure(let error):
          if mayBeOtherwise(feed.trips[error.update], error.reason) {
            unresolved.append(error)
          } else {
            leaveOut(feed.trips[error.update], error.reason)
          }
        }
      }
    }
    for vehicle in vehicles { enterVehicle(vehicle) }
    if !unresolved.isEmpty { climb(unresolved) }
  }

  /// The target of an update, as if it were the only one of its trip, or the reason why it has none.
  private typealias Outcome = Result<TripTarget, WithoutTarget>

  /// A trip update that matches nothing, by its number in the feed.
  struct WithoutTarget: Error {
    var update: Int
    var reason: RealtimeCounters.Reason
  }

  /// The outcomes of all updates, part by part, in the order of the feed.
  private func outcomes(
    _ directory: TimetableDirectory,
    after previous: RealtimeIndex?,
    parts: Int
  ) -> [[Outcome]] {
    let count = feed.trips.count
    return BackgroundExecutor.results(parts) { part in
      let numbers = (count * part / parts)..<(count * (part + 1) / parts)
      var outcomes: [Outcome] = []
      outcomes.reserveCapacity(numbers.count)
      var finder = TripFinder(timetable, after: previous)
      for number in numbers {
        if !aside.isEmpty, aside.contains(number) { continue }
        let update = feed.trips[number]
        // A trip beside the timetable may have the name of one that is in it.
        if !resolved.isEmpty,
          update.relationship == .scheduled || update.relationship == .unscheduled,
          let name = TripName(update, feed.texts), let run = resolved[name]
        {
          var target = TripTarget(update: number, action: .run, trip: run.trip, day: run.day)
          target.rung = run.rung
          outcomes.append(.success(target))
          continue
        }
        let runs = known(update, &finder)
        do throws(Unmatched) {
          outcomes.append(.success(try target(of: update, number, runs, directory)))
        } catch {
          outcomes.append(.failure(WithoutTarget(update: number, reason: error.reason)))
        }
      }
      return outcomes
    }
  }

  /// Why a trip update matches nothing.
  struct Unmatched: Error {
    var reason: RealtimeCounters.Reason
  }

  mutating func leaveOut(_ update: TripUpdate, _ reason: RealtimeCounters.Reason) {
    let texts = feed.texts
    counters.leaveOut(reason) { RealtimeCounters.Example(reason, update, texts) }
    guard RealtimeCounters.reasonsUnmatched.contains(reason), let id = update.routeID,
      let route = directory.route(id: texts[id])
    else { return }
    counters.miss(route: route)
  }

  // MARK: One trip update

  func target(
    of update: TripUpdate,
    _ number: Int,
    _ runs: Range<UInt32>,
    _ directory: TimetableDirectory
  ) throws(Unmatched) -> TripTarget {
    if update.modifiedTrip != nil { throw Unmatched(reason: .modifiedTrip) }
    let action: TripTarget.Action
    switch update.relationship {
    case .scheduled, .unscheduled: action = .run
    case .canceled: action = .cancel
    case .deleted: action = .delete
    case .replacement: action = .replace
    case .duplicated: return try duplicate(update, number, runs)
    case .new: return try added(update, number, runs)
    case .added:
      if let id = update.tripID, duplicatedIds.contains(id) {
        throw Unmatched(reason: .alsoDuplicated)
      }
      // Before there was DUPLICATED, copies were ADDED trips with the id of their template and a start.
      let isCopy = update.startDate != nil && update.startTime != nil && !runs.isEmpty
      return isCopy ? try duplicate(update, number, runs) : try added(update, number, runs)
    case .unknown: throw Unmatched(reason: .unknownRelationship)
    }
    if action == .replace, update.stopTimeUpdates.isEmpty {
      throw Unmatched(reason: .noStopTimes)
    }
    if let first = runs.first, timetable.isHeadway(first) {
      return try vehicle(update, number, action, runs, directory)
    }
    let (trip, day) = try instance(of: update, runs, directory)
    return TripTarget(update: number, action: action, trip: trip, day: Int32(day))
  }

  private func duplicate(
    _ update: TripUpdate,
    _ number: Int,
    _ runs: Range<UInt32>
  ) throws(Unmatched) -> TripTarget {
    guard let template = runs.first else {
      throw Unmatched(reason: update.tripID == nil ? .noTrip : .unknownTrip)
    }
    guard let date = update.properties?.startDate ?? update.startDate else {
      throw Unmatched(reason: .noStart)
    }
    let start = update.properties?.startTime ?? update.startTime
    return TripTarget(
      update: number,
      action: .duplicate,
      trip: template,
      day: Int32(date.daysSinceEpoch),
      start: start ?? timetable.start(of: template)
    )
  }

  private func added(
    _ update: TripUpdate,
    _ number: Int,
    _ runs: Range<UInt32>
  ) throws(Unmatched) -> TripTarget {
    guard !update.stopTimeUpdates.isEmpty else { throw Unmatched(reason: .noStopTimes) }
    return TripTarget(
      update: number,
      action: .add,
      trip: runs.first ?? TimetableDirectory.none,
      day: update.startDate.map { Int32($0.daysSinceEpoch) } ?? TripTarget.unknownDay
    )
  }

  /// The runs of the trip that an update names.
  private func known(_ update: TripUpdate, _ finder: inout TripFinder) -> Range<UInt32> {
    for id in [update.tripID, update.originalTripID] {
      guard let id else { continue }
      let runs = feed.texts.withBytes(of: id) { finder.runs(id: $0) }
      if !runs.isEmpty { return runs }
    }
    return 0..<0
  }

  func instance(
    of update: TripUpdate,
    _ runs: Range<UInt32>,
    _ directory: TimetableDirectory
  ) throws(Unmatched) -> (trip: UInt32, day: Int) {
    guard let first = runs.first else {
      guard update.tripID == nil, update.originalTripID == nil else {
        throw Unmatched(reason: .unknownTrip)
      }
      return try instanceByStart(update, directory)
    }
    guard timetable.isFrequency(first) else { return (first, try day(of: first, update)) }
    guard let start = update.startTime else {
      guard runs.count == 1 else { throw Unmatched(reason: .unknownStart) }
      return (first, try day(of: first, update))
    }
    if let run = runs.first(where: { timetable.start(of: $0) == start }) {
      return (run, try day(of: run, update))
    }
    // 1:00 of a date is 25:00 of the service day before.
    guard
      let run = runs.first(where: { timetable.start(of: $0) == start + Self.dayLength }),
      update.startDate != nil
    else { throw Unmatched(reason: .unknownStart) }
    return (run, try day(of: run, update))
  }

  private static let dayLength: Int32 = 86_400

  static func key(_ target: TripTarget) -> UInt64 {
    UInt64(target.trip) << 32 | UInt64(UInt32(bitPattern: target.day))
  }

  // MARK: The service day

  func day(of trip: UInt32, _ update: TripUpdate) throws(Unmatched) -> Int {
    guard let date = update.startDate else { return try nearestDay(of: trip) }
    let start = timetable.start(of: trip)
    let before = date + -1
    // A trip that starts at 24:00 or later starts on the calendar date after its service day.
    let mayBeCalendarDate = start >= Self.dayLength && timetable.runs(trip, on: before)
    if mayBeCalendarDate, update.startTime == start - Self.dayLength {
      return before.daysSinceEpoch
    }
    if timetable.runs(trip, on: date) { return date.daysSinceEpoch }
    guard mayBeCalendarDate else { throw Unmatched(reason: .notRunning) }
    return before.daysSinceEpoch
  }

  /// The service day on which the trip is under way at the feed's timestamp, or nearest to it.
  private func nearestDay(of trip: UInt32) throws(Unmatched) -> Int {
    let first = timetable.firstDay.daysSinceEpoch
    let last = timetable.lastDay.daysSinceEpoch
    let start = Int64(timetable.start(of: trip))
    let count = timetable.callCount(of: trip)
    let end = Int64(timetable.call(count - 1, of: trip).arrival)
    var best: (day: Int, distance: Int64)?
    func examine(at day: Int) {
      let date = ServiceDate(daysSinceEpoch: day)
      guard day >= first, day <= last, timetable.runs(trip, on: date) else { return }
      let midnight = timetable.start(of: date, for: trip)
      let distance = max(0, midnight + start - reference, reference - midnight - end)
      if distance < best?.distance ?? .max { best = (day, distance) }
    }
    // No day further away than the farthest one, and some more for long trips, can be near enough.
    let margin = max(start, end) / Int64(Self.dayLength) + 2
    let farthest = Int(policy.farthestDay / Int64(Self.dayLength) + margin)
    for distance in 0...farthest {
      examine(at: today - distance)
      if distance > 0 { examine(at: today + distance) }
    }
    guard let best, best.distance <= policy.farthestDay else {
      throw Unmatched(reason: .notRunning)
    }
    return best.day
  }

  // MARK: Trips without an id

  private func instanceByStart(
    _ update: TripUpdate,
    _ directory: TimetableDirectory
  ) throws(Unmatched) -> (trip: UInt32, day: Int) {
    guard let id = update.routeID, let start = update.startTime, let date = update.startDate else {
      throw Unmatched(reason: .noTrip)
    }
    guard let route = directory.route(id: feed.texts[id]) else {
      throw Unmatched(reason: .unknownTrip)
    }
    let candidates = directory.trips(route: route, start: start).filter { trip in
      guard timetable.runs(trip, on: date) else { return false }
      guard let wanted = update.directionID else { return true }
      return timetable.direction(of: trip).map { UInt32($0) == wanted } ?? true
    }
    guard let trip = candidates.first else { throw Unmatched(reason: .unknownTrip) }
    guard candidates.count == 1 else { throw Unmatched(reason: .ambiguous) }
    return (trip, date.daysSinceEpoch)
  }

  // MARK: Several updates of one trip

  mutating func enter(_ target: TripTarget) {
    let update = feed.trips[target.update]
    let place: Int?
    switch target.action {
    case .run, .cancel, .delete, .replace:
      let key = Self.key(target)
      place = places[key]
      if place == nil { places[key] = targets.count }
    case .duplicate, .add:
      let name = update.properties?.tripID ?? update.tripID ?? update.originalTripID
      let identity = ExtraTrip.Identity(
        kind: target.action == .add ? .new : .duplicated,
        tripID: feed.texts[name ?? update.entityID] as String,
        template: target.action == .add ? TimetableDirectory.none : target.trip,
        day: target.day,
        start: target.start
      )
      place = extraPlaces[identity]
      if place == nil { extraPlaces[identity] = targets.count }
    }
    guard let place else { return targets.append(target) }
    // There may be one update for each trip of a day. Of several, one that says that the trip does not
    // run as scheduled counts, then the newest, then the last.
    let other = feed.trips[targets[place].update]
    if Self.outranks(target, update, targets[place], other) {
      leaveOut(other, .repeated)
      targets[place] = target
    } else {
      leaveOut(update, .repeated)
    }
  }

  private static func outranks(
    _ target: TripTarget,
    _ update: TripUpdate,
    _ present: TripTarget,
    _ other: TripUpdate
  ) -> Bool {
    let isStrong = target.action != .run
    let wasStrong = present.action != .run
    if isStrong != wasStrong { return isStrong }
    return (update.timestamp ?? 0) >= (other.timestamp ?? 0)
  }
}
