import GTFS
import Timetable

/// The future of a run; drawn once, the same at every instant.
struct TripScenario: Sendable {
  /// The outcome of the run as a whole.
  enum Outcome: Hashable, Sendable {
    /// It runs.
    case running
    /// It does not run; another one may replace it.
    case cancelled(hasSubstitute: Bool)
    /// It does not run and should not be shown.
    case deleted
    /// Another one with other times runs under its name.
    case replaced
    /// It skips stops, from one position up to but not including another.
    case skipping(from: Int, to: Int)
  }

  /// How the producer writes the run.
  struct Style: Hashable, Sendable {
    /// Whether stop time updates name stop_sequence.
    var namesSequence = true
    /// Whether stop time updates name stop_id.
    var namesStop = true
    /// Whether events have a delay.
    var hasDelay = true
    /// Whether events have a time.
    var hasTime = false
    /// Whether stops are omitted if their delays follow from those before.
    var isSparse = false
    /// Whether an arrival is written alone if the departure is equally late.
    var prefersArrivals = false
    /// Whether start_time is written beside trip_id even if unnecessary.
    var namesStart = false
    /// The age of the vehicle's last report, in seconds; `nil` omits the timestamp.
    var lag: Int64?
    /// The expected error of events, in seconds.
    var uncertainty: Int32?
  }

  /// An extra run beside this one.
  struct Extra: Hashable, Sendable {
    /// How an extra run is announced.
    enum Kind: Hashable, Sendable {
      /// ADDED, by times alone.
      case added
      /// NEW, with the producer's own timetable.
      case new
      /// DUPLICATED: the run of the timetable, later.
      case duplicated
      /// ADDED instead of a canceled run, slower.
      case substitute

      /// Whether the feed gives the planned departure.
      var saysPlan: Bool { self == .new || self == .duplicated }
    }

    var kind: Kind
    /// Seconds after the run of the timetable.
    var offset: Int64
  }

  /// The greatest delay of an extra run after the run of the timetable, in seconds.
  static let latestExtra: Int64 = 3_000

  let run: TripRun
  /// 0:00 of the service day, in seconds since 1970-01-01T00:00:00Z.
  let dayStart: Int64
  /// The first scheduled departure, likewise.
  let start: Int64
  let isFrequency: Bool
  let random: RandomSource
  /// Whether an incident disturbs the line.
  let isDisturbed: Bool
  let isTracked: Bool
  let outcome: Outcome
  /// When the producer announces the outcome of the run, in seconds since 1970-01-01T00:00:00Z.
  let announcedAt: Int64
  let extra: Extra?

  init(_ run: TripRun, in world: FeedWorld) {
    let timetable = world.timetable
    let shares = world.shares
    self.run = run
    dayStart = timetable.start(of: run.day)
    let seconds = timetable.start(of: run.trip)
    start = dayStart + Int64(seconds)
    isFrequency = timetable.isFrequency(run.trip)
    // By id and start, not by number: an import of the same feed may renumber trips.
    let random = world.random.of(.trip, timetable.tripId(of: run.trip))
      .of(.trip, UInt64(bitPattern: Int64(seconds)) &+ UInt64(run.day.daysSinceEpoch) << 20)
    self.random = random
    let count = timetable.callCount(of: run.trip)
    isDisturbed =
      world.incident(on: timetable.route(of: run.trip), block: Incident.block(of: start)) != nil
    isTracked = random.isHit(shares.tracked, .tracked)
    outcome = Self.outcome(
      random,
      shares,
      calls: count,
      isDisturbed: isDisturbed,
      isFrequency: isFrequency
    )
    announcedAt = start - Int64(random.within(2...115, .announcement)) * 60
    extra = isFrequency ? nil : Self.extra(random, shares, outcome)
  }

  private static func outcome(
    _ random: RandomSource,
    _ shares: ScenarioShares,
    calls: Int,
    isDisturbed: Bool,
    isFrequency: Bool
  ) -> Outcome {
    let factor = isDisturbed ? Incident.severity : 1
    var drawn = Int(random.bits(.outcome) % 1_000)
    func falls(on share: Int) -> Bool {
      drawn -= share
      return drawn < 0
    }
    if falls(on: shares.cancelled * factor) { return .cancelled(hasSubstitute: false) }
    if falls(on: shares.deleted) { return .deleted }
    if falls(on: shares.substituted) { return .cancelled(hasSubstitute: !isFrequency) }
    if falls(on: shares.replaced) {
      return isFrequency ? .cancelled(hasSubstitute: false) : .replaced
    }
    guard calls > 2 else { return .running }
    if falls(on: shares.skipping * factor) {
      let first = random.within(1...calls - 2, .place)
      let length = random.within(1...3, .length)
      return .skipping(from: first, to: min(first + length, calls - 1))
    }
    if falls(on: shares.shortTurn * factor) {
      return .skipping(from: random.within(2...calls - 1, .place), to: calls)
    }
    return .running
  }

  private static func extra(
    _ random: RandomSource,
    _ shares: ScenarioShares,
    _ outcome: Outcome
  ) -> Extra? {
    let offset = Int64(random.within(5...25, .extraOffset)) * 60
    switch outcome {
    case .cancelled(hasSubstitute: true): return Extra(kind: .substitute, offset: 300)
    case .running where random.isHit(shares.extra, .extra):
      let kinds: [Extra.Kind] = [.added, .new, .duplicated]
      return Extra(kind: kinds[random.within(0...2, .extraKind)], offset: offset)
    default: return nil
    }
  }

  /// The random source of the extra run.
  var extraRandom: RandomSource { random.of(.extraRun, 1) }

  /// Whether the outcome is known long before the start: such a run is in the feed for up to two
  /// hours.
  var isKnownLongBefore: Bool {
    switch outcome {
    case .cancelled, .deleted, .replaced: true
    case .running, .skipping: false
    }
  }

  /// How the producer writes the run.
  var style: Style {
    var style = Style()
    let form = random.within(0...99, .style)
    switch form {
    case 0..<45: break
    case 45..<75: style.hasTime = true
    case 75..<85:
      style.hasTime = true
      style.hasDelay = false
    default: style.isSparse = true
    }
    switch random.within(0...9, .style, 1) {
    case 0, 1: style.namesStop = false
    case 2: style.namesSequence = false
    default: break
    }
    style.prefersArrivals = random.isHit(50, .style, 2)
    style.namesStart = isFrequency || random.isHit(200, .style, 3)
    if random.isHit(400, .style, 4) { style.lag = Int64(random.within(0...20, .style, 5)) }
    if random.isHit(100, .style, 6) {
      style.uncertainty = Int32(random.within(0...5, .style, 7) * 30)
    }
    return style
  }
}
