/// What is known of the rhythm in which the data is made, and the moment to ask that follows (R31).
///
/// Two sources: the server states the next change, or the rhythm is learned from the source times of
/// past answers. What is stated beats what is learned, as long as it is kept. Until either is
/// trusted, and wherever following it would show data later than polling does, polling is blind.
struct ProducerRhythm: Hashable, Sendable {
  /// The rhythm of the source times.
  private(set) var beat = Beat()
  /// The way of the answers.
  private(set) var path = AnswerPath()
  /// How long after its source time a change can be had.
  private(set) var lag = Lag()
  /// The latest moment on the server's clock for which an answer showed what could be had.
  private var looked = WallTime(milliseconds: 0)
  /// When the last request was sent that had an answer.
  private var asked = Moment.start
  /// The next change that the server stated, on the device's timeline.
  private var promised = Moment.start
  /// How old the newest data was seen at most, in milliseconds: nothing changed meanwhile.
  private var quiet: Int32 = 0
  /// How far the promises of the server were off, in milliseconds; below zero if none was tested.
  private var brokenBy: Int32 = -1
  /// The time by which requests came later than the cadence has them, in milliseconds.
  private var saved: Int32 = 0
  /// The window over which the server wants its clients to spread, in milliseconds.
  private var window: Int32 = 0
  /// This client's place in that window, drawn once: a place that moved would move the rate.
  private var place = RandomSample.lowest
  private var hasPlace = false
  private var isStated = false
  private var isUntested = false

  /// One answer, as far as it concerns the rhythm.
  struct Sight {
    /// The answer's own figures.
    var marks: FreshnessMetadata
    /// What the server says of its next change.
    var hints: Hints
    /// When the request was sent.
    var sent: Moment
    /// When the answer came.
    var now: Moment
    /// The interval in force.
    var interval: Timespan
    /// Whether the schedule asked: nobody else's requests count against its budget.
    var isScheduled: Bool
    /// The draw of this client's place, should it have none.
    var draw: RandomSample
  }

  // MARK: Learning

  /// Learns from an answer.
  ///
  /// - Parameters:
  ///   - sight: The answer.
  ///   - tolerance: How far two moments of one copy may differ.
  mutating func learn(_ sight: Sight, tolerance: Timespan) {
    window = Int32(clamping: max(sight.hints.spread ?? .zero, .zero).milliseconds)
    if !hasPlace {
      place = sight.draw
      hasPlace = true
    }
    if let age = sight.marks.signedAge, let made = sight.marks.fetchedAt {
      observe(made, age: age, sight, tolerance: tolerance)
    }
    isStated = false
    if let ahead = sight.hints.nextExpected(marks: sight.marks), ahead > .zero {
      isStated = true
      isUntested = true
      promised = sight.now + ahead
    }
  }

  private mutating func observe(
    _ made: WallTime,
    age: Timespan,
    _ sight: Sight,
    tolerance: Timespan
  ) {
    if beat.isKnown, sight.isScheduled {
      let limit = min(max(sight.interval.milliseconds, 0), Self.horizon)
      let later = (sight.sent - asked).milliseconds - limit
      let sum = Int64(saved) + max(min(later, limit), -limit)
      saved = Int32(clamping: max(min(sum, limit), -2 * limit))
    }
    if beat.isKnown, made - beat.newest < .zero - Beat.longestPeriod {
      // The clock of the server was put back: nothing that was learned holds.
      beat = Beat()
      path = AnswerPath()
      lag = Lag()
      looked = WallTime(milliseconds: 0)
    }
    let transit = max(sight.marks.transit, .zero)
    let lay = path.note(
      made: made,
      age: age,
      transit: transit,
      sent: sight.sent,
      tolerance: tolerance
    )
    let shown = made.later((age - transit).milliseconds)
    let isNew = !beat.isKnown || made > beat.newest
    var fades = false
    if isNew { fades = change(made, shown: shown, sight) }
    // A copy that others had made hid some of what there was: half of its age counts.
    looked = max(looked, path.isOwn ? shown : shown.later(lay.milliseconds))
    if made == beat.newest {
      let old = (sight.sent - lay - path.moment(of: made)).milliseconds
      if fades { quiet -= quiet / 32 }
      quiet = max(quiet, Int32(clamping: old))
    }
    asked = sight.sent
  }

  /// Takes in newer data.
  ///
  /// - Returns: Whether the change missed the rhythm, so that what was excluded is less sure.
  private mutating func change(_ made: WallTime, shown: WallTime, _ sight: Sight) -> Bool {
    if beat.isKnown {
      let ahead = promised - path.moment(of: beat.newest)
      lag.learn(least: (looked - made).milliseconds, most: (shown - made).milliseconds)
      // When it could be had first: after the answer that did not show it, before the one that does.
      let had = min(max(made.later(Int64(lag.aim)), looked), shown)
      let off = path.moment(of: had) - promised
      // A promise that was overtaken by the change after it says nothing.
      if isUntested, off <= ahead.percent(50) {
        let isWithin = promised >= path.moment(of: looked) && promised <= path.moment(of: shown)
        let isKept = !lag.isSettled && isWithin
        let length = isKept ? .zero : min(off < .zero ? .zero - off : off, sight.interval)
        let broken = Int32(clamping: length.milliseconds)
        brokenBy = brokenBy < 0 ? broken : brokenBy + (broken - brokenBy) / 4
      }
      isUntested = false
    }
    let step = beat.follow(made)
    if let skipped = step.skipped, looked > skipped.later(Int64(lag.aim)) { lag.skip() }
    return abs(step.miss) > Self.exact
  }

  /// A change that misses the rhythm by no more than this is made by a clock.
  private static let exact: Int64 = 100

  // MARK: Asking

  /// The change that is waited for.
  private struct Forecast {
    /// When it can be had.
    var moment: Moment
    /// The time left to the producer after that.
    var margin: Timespan
    /// What following it costs: the mean age it adds.
    var cost: Int64
    var isStated: Bool
  }

  /// How much longer than the interval a wait may be without proof that nothing is missed, in percent.
  private static let freePercent: Int64 = 103
  /// The share of the interval that following a rhythm may cost, in percent; polling blindly costs half.
  private static let worthPercent: Int64 = 45
  /// Nothing is worked out over more time than this: a day, in milliseconds.
  private static let horizon: Int64 = 86_400_000
  /// How old a change may be when it is asked for, in percent of the interval.
  private static let latePercent: Int64 = 25

  /// The moment of the next aligned request and what foretold it, or `nil` for a blind one.
  ///
  /// R31: inside the budget of the cadence. Over time no more requests go out than blind polling sends;
  /// none starts earlier than the interval less the slack after the last start (R10), and none later
  /// than two intervals. Long waits to the change are divided. A wait longer than the interval needs
  /// proof: data that was seen to stay, a rhythm that is kept, and no change that is overdue.
  func due(_ facts: Cadence.Facts, policy: Policy) -> (moment: Moment, isStated: Bool)? {
    guard let alignment = policy.alignment else { return nil }
    let interval = facts.interval.milliseconds
    let started = facts.started
    guard interval > 0, interval <= Self.horizon, let forecast = forecast(facts, alignment) else {
      return nil
    }
    let least = leastWait(facts, policy: policy)
    let kept = path.keeps(tolerance: alignment.tolerance)
    let rest = max(min(facts.ended - started, facts.interval), .zero)
    var earliest = max(started + least, facts.ended + rest)
    if let expires = path.copyExpires(tolerance: alignment.tolerance) {
      // A request before would be answered from the copy that is known already.
      earliest = max(earliest, min(expires, started + facts.interval))
    }
    let place = (hasPlace ? place : facts.draw).upTo(Timespan(milliseconds: Int64(window)))
    let period = period
    // Whoever publishes twice between two requests is followed for nothing.
    guard period == 0 || period * 2 > interval else { return nil }
    var target = forecast.moment + place
    let floor = earliest - late(interval, period, alignment)
    if target < floor {
      let behind = (floor - target).milliseconds
      guard period > 0, behind <= Self.horizon else { return nil }
      target = target + Timespan(milliseconds: (behind - 1) / period * period + period)
    }
    // Jitter comes after the expected moment, never before it (peers-client.md 6.1). Whoever is late is
    // spread as well: clients that started together would stay together.
    let jitter = facts.draw.upTo(alignment.spread)
    let wanted = target + forecast.margin + jitter
    var due = wanted >= earliest ? wanted : earliest + jitter
    var wait = (due - started).milliseconds
    guard wait <= (period > 0 ? Self.horizon : 2 * interval) else { return nil }
    let free = interval * Self.freePercent / 100
    if period > 0 {
      let shortest = max(least, earliest - started, kept ?? .zero).milliseconds
      wait /= parts(of: wait, interval, shortest: shortest)
      due = started + Timespan(milliseconds: wait)
    }
    if wait > free, !isProven(forecast, wait, facts, period) { return nil }
    guard wait <= 2 * interval else { return nil }
    return (max(due, started + policy.leastInterval), forecast.isStated)
  }

  /// When the change of a source time can be had, on the device's timeline.
  private func had(_ made: WallTime) -> Moment { path.moment(of: made.later(Int64(lag.aim))) }

  /// The time between two changes in milliseconds; zero if none is known.
  private var period: Int64 {
    let learned = beat.hasPeriod ? beat.period : .max
    // A stated change together with the last one is a whole period: no need to learn it. One that is
    // learned of a quick producer may be several.
    let ahead = isStated && beat.isKnown ? (promised - path.moment(of: beat.newest)) : .zero
    let period = min(ahead > .zero ? ahead.milliseconds : .max, learned)
    return period <= Beat.longestPeriod.milliseconds ? period : 0
  }

  /// Into how many waits a long one to the change is divided.
  private func parts(of wait: Int64, _ interval: Int64, shortest: Int64) -> Int64 {
    var parts = max(wait / interval, 1)
    let isAffordable = (parts + 1) * interval - wait <= max(credit(interval), 0)
    let free = interval * Self.freePercent / 100
    if wait > free, wait / (parts + 1) >= shortest, isAffordable { parts += 1 }
    // A cache that keeps its copy longer than such a part would hand that out at the end.
    return wait / parts < shortest ? max(wait / max(shortest, 1), 1) : parts
  }

  private func forecast(
    _ facts: Cadence.Facts,
    _ alignment: Policy.Alignment
  ) -> Forecast? {
    let interval = facts.interval.milliseconds
    let deviation = Int64(beat.deviation)
    let doubt = lag.variation / 2
    if isStated, isKept(deviation) {
      return Forecast(
        moment: promised,
        margin: alignment.delay,
        cost: 2 * Int64(max(brokenBy, 0)) + doubt,
        isStated: true
      )
    }
    guard beat.isTrusted else { return nil }
    // Earlier costs a whole interval when the change comes later; later costs its own length. For a
    // normal distribution this is the best margin within a few percent.
    let best = deviation * 14 / 5 - 8 * deviation * deviation / interval
    return Forecast(
      moment: had(beat.next),
      margin: max(alignment.delay, Timespan(milliseconds: best)),
      cost: 3 * deviation + doubt,
      isStated: false
    )
  }

  /// Whether the server keeps its promises about as well as the rhythm does.
  private func isKept(_ deviation: Int64) -> Bool {
    brokenBy < 0 || !beat.isTrusted || Int64(brokenBy) <= max(3 * deviation, 1_000)
  }

  /// How late a change may be asked for, rather than leaving it out for the next one.
  private func late(
    _ interval: Int64,
    _ period: Int64,
    _ alignment: Policy.Alignment
  ) -> Timespan {
    let quarter = Timespan(milliseconds: interval).percent(Self.latePercent)
    let late = max(alignment.delay + alignment.spread, quarter)
    guard period > 0 else { return late }
    let slower = Timespan(milliseconds: 2 * max(period - interval, 0))
    return min(late + slower, Timespan(milliseconds: period).percent(75))
  }

  /// Whether waiting longer than blind polling does shows data no later than it.
  private func isProven(
    _ forecast: Forecast,
    _ wait: Int64,
    _ facts: Cadence.Facts,
    _ period: Int64
  ) -> Bool {
    let interval = facts.interval.milliseconds
    // A change that was due and is not in hand may come any moment.
    if beat.isTrusted, facts.started > had(beat.next) { return false }
    guard beat.surprise == 0 else { return false }
    guard period > 0 else { return true }
    // What a rhythm seems to be may be no more than that of the requests. Where it is about theirs, a
    // longer wait moves them once; where it is quicker, every one leaves changes out.
    let longest = period * 5 < interval * 4 ? wait : max(period, interval)
    let still = Int64(quiet) - max(Int64(lag.aim), 0)
    let missed = max(longest - min(period, max(still, 0)), 0) / 2
    return missed + forecast.cost <= interval * Self.worthPercent / 100
  }

  /// The least time between two starts that the budget allows.
  private func leastWait(_ facts: Cadence.Facts, policy: Policy) -> Timespan {
    let slack = policy.alignment?.slack ?? .zero
    let saved = Timespan(milliseconds: max(credit(facts.interval.milliseconds), 0))
    return max(policy.leastInterval, facts.interval - min(slack, saved), .zero)
  }

  /// The time by which requests may come earlier than the cadence has them, all told.
  private func credit(_ interval: Int64) -> Int64 { interval * 3 / 4 + Int64(saved) }
}

/// What a server says about its next change (R31).
public struct Hints: Hashable, Sendable {
  /// When the next change is expected, on the server's clock.
  public var nextExpectedAt: WallTime?
  /// How long the answer stays fresh (`Cache-Control: max-age`).
  public var maxAge: Timespan?
  /// The window after a change over which the server wants its clients to spread.
  ///
  /// The server alone knows how many they are: half a period or more keeps the peak of any number
  /// of clients under twice the mean, and costs each of them half the window in age.
  public var spread: Timespan?

  /// Creates hints.
  public init(
    nextExpectedAt: WallTime? = nil,
    maxAge: Timespan? = nil,
    spread: Timespan? = nil
  ) {
    self.nextExpectedAt = nextExpectedAt
    self.maxAge = maxAge
    self.spread = spread
  }

  /// The time from the arrival of an answer to the next change.
  ///
  /// Both forms are measured on the server's clock; time in caches has passed already.
  func nextExpected(marks: FreshnessMetadata) -> Timespan? {
    if let nextExpectedAt, let serverTime = marks.serverTime {
      return nextExpectedAt - serverTime - marks.transit
    }
    return maxAge.map { $0 - marks.transit }
  }
}
