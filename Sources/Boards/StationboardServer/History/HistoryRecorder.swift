import GTFS
import Timetable

/// Counts how punctual the trips of a timetable are, from what a server published of them.
///
/// A value: publications and the passing of time go in, counts come out. Nothing here reads a clock.
///
/// Each planned departure is counted once, when its last known instant is ``HistoryLimits/settleSeconds`` ago, by what
/// was then known of it. That is a prediction, or the time that the source gives for a departure of the past. What a
/// feed no longer mentions keeps its last report, if that is not older than ``HistoryLimits/memorySeconds`` at the
/// departure: producers drop a stop as soon as the vehicle has left it. When a trip is over, its departures
/// without a report are counted as such.
///
/// The counts depend on the publications and their instants only, not on how often ``advance(to:)`` is called.
struct HistoryRecorder: Sendable {
  /// A line on a service day, by the number of its route.
  struct Key: Hashable, Sendable {
    var day: Int32
    var route: Int32
    var source: Int32
  }

  let timetable: Timetable
  /// The realtime in use; `nil` without any.
  var index: RealtimeIndex?
  /// The realtime of each source by its number, in the order of precedence.
  var sources: [(number: Int, index: RealtimeIndex)] = []
  /// The counts of the days that are not over.
  var counts: [Key: LineCounts] = [:]
  /// The counts that have changed since they were last taken.
  var changed: Set<Key> = []
  /// The trips under way of which realtime said something.
  var runs: [RunKey: OpenRun] = [:]
  /// The days that are not over.
  var plans: [Int32: DayPlan] = [:]
  /// The first day that has not begun.
  var nextDay: Int
  /// When realtime was in use.
  var live = LivePeriods()
  /// Until when everything is counted, in seconds since 1970-01-01T00:00:00Z.
  var settled: Double
  /// Since when ``index`` is in use.
  private var usedSince = -Double.infinity
  /// When the next departure of ``index`` is to be counted, in seconds since its base; those before have been.
  private var nextDue = Int64.min
  /// Whether it continues where another one ended, and no realtime has come yet.
  var isResuming = false
  private var resumesAt: Double?
  /// Hashes of the added trips that have been counted, by service day.
  var added: [Int32: Set<UInt64>] = [:]
  /// The departures counted since they were last taken, by outcome.
  var recentCounts = LineCounts()
  /// The stops of a trip, to be used again.
  private var schedule: [ScheduledCall] = []

  /// Creates a recorder that begins at an instant.
  ///
  /// - Parameters:
  ///   - timetable: The timetable.
  ///   - instant: The first instant that is counted, in seconds since 1970-01-01T00:00:00Z.
  init(_ timetable: Timetable, from instant: Double) {
    self.timetable = timetable
    settled = instant
    let today = ServiceDay(zone: timetable.zone).date(at: Int64(instant)).daysSinceEpoch
    // Trips that began on an earlier service day may still be under way.
    nextDay = today - Int(timetable.metadata.latestTime) / 86_400 - 2
    openDays(until: instant)
  }

  // MARK: Events

  /// Takes a publication over.
  ///
  /// - Parameters:
  ///   - new: What all sources say together; `nil` if nothing.
  ///   - sources: What each says, by its number, in the order of precedence.
  ///   - instant: When it was put in place, in seconds since 1970-01-01T00:00:00Z.
  mutating func publish(
    _ new: RealtimeIndex?,
    sources: [(number: Int, index: RealtimeIndex)],
    at instant: Double
  ) {
    // Of another import it would name other trips.
    guard new == nil || new?.timetable === timetable else { return }
    advance(to: instant)
    if let index { rememberVanished(from: index, to: new, at: instant) }
    index = new
    usedSince = instant
    nextDue = .min
    self.sources = sources
    guard let new else { return }
    forgetRefuted(by: new)
    countAdded(new)
    countUnmatched(new, at: instant)
  }

  /// Counts what has become known for good until an instant.
  mutating func advance(to instant: Double) {
    guard instant > settled, !waits(at: instant) else { return }
    if instant - settled > Double(HistoryLimits.longestAbsence) {
      skip(to: instant - Double(HistoryLimits.longestAbsence))
    }
    openDays(until: instant)
    if let index {
      live.extend(
        from: max(settled, usedSince),
        until: min(instant, Double(index.sourceTime) + RealtimeDecay.standard.ageing)
      )
      countDue(index, instant)
    }
    countRemembered(instant)
    for day in plans.keys.sorted() { endTrips(of: day, instant) }
    settled = instant
    live.forget(before: instant - 2 * Double(HistoryLimits.longestAbsence))
  }

  /// Whether to wait for realtime after a restart: what a source still reports of the past counts.
  private mutating func waits(at instant: Double) -> Bool {
    guard isResuming else { return false }
    let end = resumesAt ?? instant + HistoryLimits.resumeSeconds
    resumesAt = end
    if index == nil, instant < end { return true }
    isResuming = false
    return false
  }

  /// Leaves out what happened until an instant: it was not observed.
  private mutating func skip(to instant: Double) {
    settled = instant
    for day in plans.keys.sorted() {
      guard let plan = plans[day] else { continue }
      var next = plan.next
      while next < plan.trips.count, isOver(plan.trips[next], day, instant) { next += 1 }
      // Trips that are late belong to the time that is left out.
      plans[day] = DayPlan(trips: plan.trips, next: next)
    }
    runs = runs.filter { $0.value.end + HistoryLimits.settleSeconds > Int64(instant) }
    closeDays()
  }

  // MARK: Days

  /// Days begin this long before their midnight, in seconds: predictions of their first trips count.
  private static let headStart: Double = 7_200

  private mutating func openDays(until instant: Double) {
    while nextDay <= timetable.lastDay.daysSinceEpoch,
      Double(timetable.starts(of: ServiceDate(daysSinceEpoch: nextDay)).lowerBound) - Self.headStart
        <= instant
    {
      open(nextDay)
      nextDay += 1
    }
  }

  private mutating func open(_ day: Int) {
    let date = ServiceDate(daysSinceEpoch: day)
    guard date >= timetable.firstDay else { return }
    let limit = settled - Double(HistoryLimits.settleSeconds)
    var trips: [(end: Int64, trip: Timetable.Trip)] = []
    for number in 0..<timetable.tripCount {
      let trip = Timetable.Trip(number)
      guard timetable.runs(trip, on: date), isCounted(trip) else { continue }
      let end = end(of: trip, Int32(day))
      if Double(end) > limit { trips.append((end, trip)) }
    }
    trips.sort { ($0.end, $0.trip) < ($1.end, $1.trip) }
    let plan = DayPlan(trips: trips.map(\.trip))
    if !plan.isOver { plans[Int32(day)] = plan }
    nextDue = .min
  }

  /// Whether punctuality means something: a run of a frequency without exact times is never late.
  func isCounted(_ trip: Timetable.Trip) -> Bool {
    !timetable.isHeadway(trip) && timetable.callCount(of: trip) > 1
  }

  /// The planned departure from the last stop but one.
  func end(of trip: Timetable.Trip, _ day: Int32) -> Int64 {
    midnight(trip, day)
      + Int64(timetable.call(timetable.callCount(of: trip) - 2, of: trip).departure)
  }

  private func midnight(_ trip: Timetable.Trip, _ day: Int32) -> Int64 {
    timetable.start(of: ServiceDate(daysSinceEpoch: Int(day)), for: trip)
  }

  private func isOver(_ trip: Timetable.Trip, _ day: Int32, _ instant: Double) -> Bool {
    Double(end(of: trip, day) + HistoryLimits.settleSeconds) <= instant
  }

  /// Whether a trip has been counted to its end, or is of a day that is not counted.
  private func isDone(_ key: RunKey) -> Bool {
    guard let plan = plans[key.day] else { return true }
    return isOver(key.trip, key.day, settled) && !plan.late.contains(key.trip)
  }

  /// Removes days that are over; their counts stay until they are taken.
  private mutating func closeDays() {
    for (day, plan) in plans where plan.isOver {
      plans[day] = nil
      added[day] = nil
    }
  }

  // MARK: Trips under way

  /// The trip as it is followed, or as it begins to be.
  mutating func openRun(_ key: RunKey) -> OpenRun {
    if let run = runs[key] { return run }
    timetable.readCalls(of: key.trip, into: &schedule)
    let midnight = midnight(key.trip, key.day)
    var planned = CallSet(count: schedule.count)
    for (position, call) in schedule.dropLast().enumerated() where call.allowsPickup {
      planned.insert(position)
    }
    return OpenRun(
      planned: planned,
      counted: CallSet(count: schedule.count),
      first: midnight + Int64(schedule.first?.departure ?? 0),
      end: end(of: key.trip, key.day),
      route: timetable.route(of: key.trip),
      source: source(of: key)
    )
  }

  /// Follows a trip.
  mutating func keep(_ run: OpenRun, _ key: RunKey) {
    if runs[key] != nil || runs.count < HistoryLimits.openTrips { runs[key] = run }
  }

  /// Where a trip is followed; `nil` if too many others are.
  private mutating func place(of key: RunKey) -> Dictionary<RunKey, OpenRun>.Index? {
    if let place = runs.index(forKey: key) { return place }
    keep(openRun(key), key)
    return runs.index(forKey: key)
  }

  /// The number of the source that reports a trip; 0 if none does.
  func source(of key: RunKey) -> Int {
    for source in sources where source.index.trip(key.trip, day: Int(key.day))?.missed == 0 {
      return source.number
    }
    return sources.first?.number ?? 0
  }

  private static let reporting: BoardRow.RealtimeFlags = [.predicted, .cancelled, .skipped]

  /// The last report about a departure; `nil` if realtime says nothing of it.
  private static func report(_ call: RealtimeCall) -> OpenRun.Report? {
    if call.flags.contains(.cancelled) { return .cancelled }
    if call.flags.contains(.skipped) { return .skipped }
    guard call.flags.contains(.predicted), call.scheduled != RealtimeCall.unscheduled else {
      return nil
    }
    return .delay(Int(call.effective) - Int(call.scheduled))
  }

  /// Counts the departures whose known instant is long enough ago.
  ///
  /// All departures are read again when ``index`` is replaced, and when a day opens, whose trips did not count before.
  private mutating func countDue(_ index: RealtimeIndex, _ instant: Double) {
    let latest = Int64(instant.rounded(.down)) - HistoryLimits.settleSeconds - index.base
    guard latest >= nextDue else { return }
    let earliest = nextDue
    nextDue = .max
    for trip in index.trips where trip.extra < 0 && trip.missed == 0 && trip.callCount > 0 {
      let calls = index.calls[Int(trip.firstCall)..<Int(trip.firstCall + trip.callCount)]
      var isDue = false
      for call in calls where !call.flags.isDisjoint(with: Self.reporting) {
        let effective = Int64(call.effective)
        if effective > latest {
          nextDue = min(nextDue, effective)
        } else if effective >= earliest {
          isDue = true
        }
      }
      guard isDue else { continue }
      let key = RunKey(trip: trip.trip, day: trip.day)
      guard isCounted(trip.trip), !isDone(key), let place = place(of: key) else { continue }
      runs.values[place].kind = trip.kind
      for call in calls where Int64(call.effective) <= latest {
        guard let report = Self.report(call) else { continue }
        count(report, at: Int(call.position), place, key)
      }
    }
  }

  /// Counts departures that the feed no longer mentions and whose last known instant is long enough ago.
  private mutating func countRemembered(_ instant: Double) {
    let latest = Int64(instant.rounded(.down)) - HistoryLimits.settleSeconds
    let due = runs.compactMap { key, run in
      run.last.contains { $0.effective <= latest } ? key : nil
    }
    for key in due {
      guard let place = runs.index(forKey: key) else { continue }
      for last in runs.values[place].last where last.effective <= latest {
        count(last.report, at: last.position, place, key)
      }
      runs.values[place].last.removeAll { $0.effective <= latest }
    }
  }

  private mutating func count(
    _ report: OpenRun.Report,
    at position: Int,
    _ place: Dictionary<RunKey, OpenRun>.Index,
    _ key: RunKey
  ) {
    guard runs.values[place].planned.contains(position),
      !runs.values[place].counted.contains(position)
    else { return }
    runs.values[place].counted.insert(position)
    let (route, source) = (runs.values[place].route, runs.values[place].source)
    add(day: key.day, route: route, source: source) { counts in
      switch report {
      case .delay(let delay): counts.delays.add(delay)
      case .cancelled: counts.cancelled += 1
      case .skipped: counts.skipped += 1
      }
    }
  }

  /// Changes the counts of a line, and what was counted lately.
  mutating func add(
    day: Int32,
    route: Int,
    source: Int,
    _ change: (inout LineCounts) -> Void
  ) {
    let key = Key(day: day, route: Int32(route), source: Int32(source))
    change(&counts[key, default: LineCounts()])
    change(&recentCounts)
    changed.insert(key)
  }

  // MARK: What a feed no longer mentions

  private mutating func rememberVanished(
    from old: RealtimeIndex,
    to new: RealtimeIndex?,
    at instant: Double
  ) {
    for trip in old.trips where trip.extra < 0 && trip.missed == 0 {
      let now = new?.trip(trip.trip, day: Int(trip.day)).flatMap { $0.missed == 0 ? $0 : nil }
      let before = old.calls[Int(trip.firstCall)..<Int(trip.firstCall + trip.callCount)]
      let after = now.flatMap { found in
        new?.calls[Int(found.firstCall)..<Int(found.firstCall + found.callCount)]
      }
      if let now {
        guard now.kind == .running, trip.kind == .running,
          let after, Self.loses(before, after)
        else { continue }
      }
      let key = RunKey(trip: trip.trip, day: trip.day)
      guard isCounted(trip.trip), !isDone(key) else { continue }
      remember(trip, before, after ?? [], base: old.base, isGone: now == nil, key, instant)
    }
  }

  /// Whether a departure has a report before and none after.
  private static func loses(
    _ before: ArraySlice<RealtimeCall>,
    _ after: ArraySlice<RealtimeCall>
  )
    -> Bool
  {
    var next = after.startIndex
    for call in before where !call.flags.isDisjoint(with: reporting) {
      while next < after.endIndex, after[next].position < call.position { next += 1 }
      guard next < after.endIndex, after[next].position == call.position,
        !after[next].flags.isDisjoint(with: reporting)
      else { return true }
    }
    return false
  }

  private mutating func remember(
    _ trip: RealtimeTrip,
    _ before: ArraySlice<RealtimeCall>,
    _ after: ArraySlice<RealtimeCall>,
    base: Int64,
    isGone: Bool,
    _ key: RunKey,
    _ instant: Double
  ) {
    var run = openRun(key)
    let memory = Double(HistoryLimits.memorySeconds)
    let isNear = instant >= Double(run.first) - memory
    guard isNear else { return }
    if isGone { run.kind = trip.kind }
    let reported = Set(
      after.lazy.filter { !$0.flags.isDisjoint(with: Self.reporting) }.map(\.position)
    )
    for call in before where !reported.contains(call.position) {
      let position = Int(call.position)
      guard let report = Self.report(call), run.planned.contains(position),
        !run.counted.contains(position)
      else { continue }
      let effective = base + Int64(call.effective)
      // A trip that was canceled when it began stays so.
      guard trip.kind == .cancelled || Double(effective) - instant <= memory else { continue }
      run.last.removeAll { $0.position == position }
      run.last.append(OpenRun.Last(position: position, effective: effective, report: report))
    }
    keep(run, key)
  }

  /// Forgets the last reports about departures of which the feed says something again.
  private mutating func forgetRefuted(by new: RealtimeIndex) {
    for (key, run) in runs where !run.last.isEmpty {
      guard let trip = new.trip(key.trip, day: Int(key.day)), trip.missed == 0 else { continue }
      let calls = new.calls[Int(trip.firstCall)..<Int(trip.firstCall + trip.callCount)]
      let reported = Set(
        calls.lazy.filter { !$0.flags.isDisjoint(with: Self.reporting) }.map(\.position)
      )
      runs[key]?.last.removeAll { reported.contains(UInt16(truncatingIfNeeded: $0.position)) }
    }
  }

  // MARK: The end of trips

  private mutating func endTrips(of day: Int32, _ instant: Double) {
    guard var plan = plans[day] else { return }
    for trip in plan.late.sorted() where endTrip(trip, day, instant) { plan.late.remove(trip) }
    while plan.next < plan.trips.count, isOver(plan.trips[plan.next], day, instant) {
      let trip = plan.trips[plan.next]
      if !endTrip(trip, day, instant) { plan.late.insert(trip) }
      plan.next += 1
    }
    plans[day] = plan
    if plan.isOver { closeDays() }
  }

  /// Counts what is left of a trip; returns whether it is over by its realtime too.
  private mutating func endTrip(_ trip: Timetable.Trip, _ day: Int32, _ instant: Double) -> Bool {
    let key = RunKey(trip: trip, day: day)
    let found = index?.trip(trip, day: Int(day)).flatMap { $0.missed == 0 ? $0 : nil }
    let known = runs[key]
    let isFollowed = instant < Double(end(of: trip, day) + HistoryLimits.longestDelay)
    if isFollowed, let found, let index, isExpected(found, index, known) { return false }
    if isFollowed, known?.last.isEmpty == false { return false }
    let run = known ?? openRun(key)
    runs[key] = nil
    let isSeen = known != nil || found != nil
    let kind = found?.kind ?? known?.kind ?? .running
    let midnight = midnight(trip, day)
    timetable.readCalls(of: trip, into: &schedule)
    var rest = LineCounts()
    var departures = 0
    for (position, call) in schedule.enumerated() where run.planned.contains(position) {
      departures += 1
      guard !run.counted.contains(position) else { continue }
      switch kind {
      case .cancelled, .deleted: rest.cancelled += 1
      case .replaced: rest.replaced += 1
      case .running, .extra:
        if live.contains(Double(midnight + Int64(call.departure))) {
          rest.unpredicted += 1
        } else {
          rest.unobserved += 1
        }
      }
    }
    guard departures > 0 else { return true }
    if isSeen {
      rest.tripsSeen = 1
      if kind == .cancelled || kind == .deleted { rest.tripsCancelled = 1 }
    } else if live.meets(from: Double(run.first), until: Double(run.end)) {
      rest.tripsMissing = 1
    } else {
      rest.tripsUnobserved = 1
    }
    let source = isSeen ? run.source : 0
    add(day: day, route: run.route, source: source) { $0.add(rest) }
    return true
  }

  /// Whether realtime still expects a departure of a trip.
  private func isExpected(_ trip: RealtimeTrip, _ index: RealtimeIndex, _ run: OpenRun?) -> Bool {
    let calls = index.calls[Int(trip.firstCall)..<Int(trip.firstCall + trip.callCount)]
    return calls.contains { call in
      let position = Int(call.position)
      return Self.report(call) != nil && run?.counted.contains(position) != true
        && isPlanned(position, trip.trip)
    }
  }

  private func isPlanned(_ position: Int, _ trip: Timetable.Trip) -> Bool {
    position < timetable.callCount(of: trip) - 1
      && timetable.call(position, of: trip).allowsPickup
  }
}
