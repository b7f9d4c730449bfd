import GTFS
import Timetable

extension FeedWorld {
  /// How long before its start a run is in the feed, in seconds.
  package static let lead: Int64 = 1_800
  /// How long after it left a stop, or ended, a run is still reported there, in seconds.
  package static let tail: Int64 = 300
  /// How long before its start a cancellation may be in the feed, in seconds.
  static let longestNotice: Int64 = 7_200

  /// Returns the content of the feed for a run at an instant, in seconds since
  /// 1970-01-01T00:00:00Z.
  package func state(of run: TripRun, at instant: Int64) -> RunState {
    var state = RunState()
    guard timetable.runs(run.trip, on: run.day), timetable.callCount(of: run.trip) > 1 else {
      return state
    }
    fill(&state, with: TripScenario(run, in: self), at: instant)
    return state
  }

  /// Returns the content of the feed for the extra run beside a run, and its id; `nil` if there is
  /// never one.
  package func extra(besides run: TripRun, at instant: Int64) -> (id: String, state: RunState)? {
    extraState(besides: run, at: instant).map { ($0.id, $0.state) }
  }

  /// The content of the feed for an extra run.
  struct ExtraState {
    var id: String
    var kind: TripScenario.Extra.Kind
    var state: RunState
  }

  /// Returns the content of the feed for the extra run beside a run; `nil` if there is never one.
  func extraState(besides run: TripRun, at instant: Int64) -> ExtraState? {
    guard timetable.runs(run.trip, on: run.day), timetable.callCount(of: run.trip) > 1 else {
      return nil
    }
    let scenario = TripScenario(run, in: self)
    guard let extra = scenario.extra else { return nil }
    var state = RunState()
    fill(&state, with: scenario, extra: extra, at: instant)
    return ExtraState(id: extraID(of: scenario), kind: extra.kind, state: state)
  }

  /// The trip_id of the extra run.
  func extraID(of scenario: TripScenario) -> String {
    String(decoding: timetable.tripId(of: scenario.run.trip), as: UTF8.self) + "~extra"
  }

  /// Visits the runs that may be in the feed at an instant.
  func visitRuns(at instant: Int64, _ body: (TripScenario) -> Void) {
    let margin = Int64(shares.longestDelay) + TripScenario.latestExtra + Self.tail
    let earliest = instant - active.latestEnd - margin - 3_600
    let latest = instant + Self.longestNotice + 3_600
    let zone = ServiceDay(zone: timetable.zone)
    var day = max(zone.date(at: earliest), timetable.firstDay)
    let lastDay = min(zone.date(at: latest), timetable.lastDay)
    while day <= lastDay {
      let time = instant - timetable.start(of: day)
      active.visit(startingBefore: time + Self.longestNotice, endingAfter: time - margin) { trip in
        guard timetable.runs(trip, on: day) else { return }
        let scenario = TripScenario(TripRun(trip: trip, day: day), in: self)
        guard scenario.start <= instant + Self.lead || scenario.isKnownLongBefore else { return }
        body(scenario)
      }
      day = day + 1
    }
  }

  // MARK: Filling

  /// Fills the state of a run; reuses its memory.
  func fill(_ state: inout RunState, with scenario: TripScenario, at instant: Int64) {
    state.phase = .unreported
    state.firstReported = 0
    state.calls.removeAll(keepingCapacity: true)
    let isAnnounced = instant >= scenario.announcedAt
    switch scenario.outcome {
    case .cancelled, .deleted:
      if isAnnounced {
        let last = timetable.callCount(of: scenario.run.trip) - 1
        let end = scenario.dayStart + Int64(timetable.call(last, of: scenario.run.trip).departure)
        guard instant < end + Self.tail else { return }
        state.phase = scenario.outcome == .deleted ? .deleted : .cancelled
        return
      }
    case .replaced:
      if isAnnounced {
        fillReplacement(&state, scenario, instant)
        return
      }
    case .running, .skipping: break
    }
    guard scenario.isTracked, instant >= scenario.start - Self.lead else { return }
    load(&state, scenario) { _ in 0 }
    run(&state, scenario, scenario.random, instant)
    guard state.phase == .running else { return }
    if isSilent(scenario, state.calls, instant) {
      state.phase = .unreported
      state.calls.removeAll(keepingCapacity: true)
      return
    }
    mark(&state, scenario, instant)
  }

  /// Fills the state of the extra run beside a run.
  func fill(
    _ state: inout RunState,
    with scenario: TripScenario,
    extra: TripScenario.Extra,
    at instant: Int64
  ) {
    state.phase = .unreported
    state.firstReported = 0
    state.calls.removeAll(keepingCapacity: true)
    let isSubstitute = extra.kind == .substitute
    guard instant >= scenario.start + extra.offset - Self.lead,
      !isSubstitute || instant >= scenario.announcedAt
    else { return }
    load(&state, scenario) { elapsed in
      guard isSubstitute else { return extra.offset }
      return extra.offset + min(elapsed / 300 * 60, 1_200)
    }
    run(&state, scenario, scenario.extraRandom, instant)
    guard state.phase == .running else { return }
    state.phase = .extra
    if extra.kind != .duplicated { state.firstReported = 0 }
  }

  private func fillReplacement(_ state: inout RunState, _ scenario: TripScenario, _ instant: Int64)
  {
    load(&state, scenario) { elapsed in 300 + min(elapsed / 600 * 60, 1_200) }
    run(&state, scenario, scenario.random, instant)
    guard state.phase == .running else { return }
    state.phase = .replaced
    state.firstReported = 0
    if state.calls.count > 3 {
      state.calls.remove(at: scenario.random.within(1...state.calls.count - 2, .place))
    }
  }

  /// Loads the timetable's stops, shifted by a function of the time since the start.
  private func load(_ state: inout RunState, _ scenario: TripScenario, moved: (Int64) -> Int64) {
    let trip = scenario.run.trip
    let start = Int64(timetable.start(of: trip))
    for position in 0..<timetable.callCount(of: trip) {
      let call = timetable.call(position, of: trip)
      let arrival = Int64(call.arrival)
      let departure = Int64(call.departure)
      state.calls.append(
        RunCall(
          stop: call.stop,
          sequence: call.sequence,
          position: position,
          scheduledArrival: scenario.dayStart + arrival + moved(max(0, arrival - start)),
          scheduledDeparture: scenario.dayStart + departure + moved(max(0, departure - start))
        )
      )
    }
  }

  private func run(
    _ state: inout RunState,
    _ scenario: TripScenario,
    _ random: RandomSource,
    _ instant: Int64
  ) {
    DelayWalk.choose(
      &state.calls,
      random: random,
      shares: shares,
      isDisturbed: scenario.isDisturbed
    )
    _ = DelayWalk.removeUnknown(&state.calls, at: instant)
    let first = state.calls.firstIndex { $0.departure > instant - Self.tail }
    guard let first else {
      state.calls.removeAll(keepingCapacity: true)
      return
    }
    state.firstReported = first
    state.phase = .running
  }

  /// Returns whether the producer has lost the run for a while.
  private func isSilent(_ scenario: TripScenario, _ calls: [RunCall], _ instant: Int64) -> Bool {
    guard scenario.random.isHit(shares.silence, .silence), let last = calls.last else {
      return false
    }
    let span = max(60, min(36_000, last.scheduledDeparture - scenario.start))
    let from = scenario.start + Int64(scenario.random.within(0...Int(span), .silencePlace))
    return instant >= from
      && instant < from + Int64(scenario.random.within(120...600, .silenceLength))
  }

  /// Marks stops that are skipped, have no data or another platform.
  private func mark(_ state: inout RunState, _ scenario: TripScenario, _ instant: Int64) {
    let random = scenario.random
    if case .skipping(let from, let to) = scenario.outcome, instant >= scenario.announcedAt {
      for index in from..<to { state.calls[index].status = .skipped }
    }
    if random.isHit(shares.gap, .gap) {
      let count = state.calls.count
      let isWhole = random.isHit(300, .gapPlace)
      let from = isWhole ? 0 : random.within(0...count - 1, .gapPlace, 1)
      let to = isWhole ? count : min(count, from + random.within(1...5, .gapPlace, 2))
      for index in from..<to { state.calls[index].status = .noData }
    }
    for index in state.calls.indices where random.isHit(shares.platform, .platform, index) {
      let call = state.calls[index]
      let lead = Int64(random.within(2...25, .platformLead, index)) * 60
      guard call.status == .served, instant >= call.scheduledDeparture - lead else { continue }
      let others = timetable.servedStops(of: timetable.station(of: call.stop))
      guard others.count > 1 else { continue }
      let offset = random.within(0...others.count - 1, .platformChoice, index)
      let choice = others[others.startIndex + offset]
      if choice != call.stop { state.calls[index].newPlatform = choice }
    }
  }
}
