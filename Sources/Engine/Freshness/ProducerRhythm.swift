/// What is known of the rhythm in which the data is made, and the resulting time of requests (R31).
///
/// There are two sources: the server announces the next change, or the rhythm is learned from the
/// source times of past responses. An announcement takes precedence as long as the server keeps it.
/// Polling is not aligned until either source is trusted, and wherever alignment would show data
/// later than plain polling.
struct ProducerRhythm: Hashable, Sendable {
  /// The rhythm of the source times.
  private(set) var beat = Beat()
  /// The path of the responses.
  private(set) var path = AnswerPath()
  /// How long after its source time a change becomes available.
  private(set) var lag = Lag()
  /// How long after an announced instant a change becomes available.
  private var delay = Lag()
  /// The latest instant on the server's clock for which a response showed what was available.
  private var lastShown = WallTime(milliseconds: 0)
  /// The next change that the server announced, on the device's timeline.
  private var promised = Instant.start
  /// The greatest age at which the newest data was seen, in milliseconds: no change until then.
  private var quiet: Int32 = 0
  /// How far the server's announcements were off, in milliseconds; negative if none was tested.
  private var brokenBy: Int32 = -1
  /// The total time by which requests came later than the cadence, in milliseconds.
  private var saved: Int32 = 0
  /// The window over which the server asks its clients to spread, in milliseconds.
  private var window: Int32 = 0
  /// This client's position in that window, sampled once: a moving position would change the rate.
  private var place = RandomSample.lowest
  private var hasPlace = false
  /// How many changes must be seen before another one may be given up, in excess of the first ones.
  private var skips: UInt8 = 0
  private var isStated = false
  private var isUntested = false

  /// One response, as far as it concerns the rhythm.
  struct Sight {
    /// The metadata of the response.
    var metadata: FreshnessMetadata
    /// What the server says about its next change.
    var hints: Hints
    /// When the request was sent.
    var sent: Instant
    /// When the response arrived.
    var now: Instant
    /// The interval in force.
    var interval: Instant.Duration
    /// The random sample for this client's position, if it has none yet.
    var random: RandomSample
  }

  // MARK: Learning

  /// Updates the rhythm with a response.
  ///
  /// - Parameters:
  ///   - sight: The response.
  ///   - tolerance: How far two instants of one copy may differ.
  mutating func learn(_ sight: Sight, tolerance: Instant.Duration) {
    window = Int32(clamping: max(sight.hints.spread ?? .zero, .zero).milliseconds)
    if !hasPlace {
      place = sight.random
      hasPlace = true
    }
    if let age = sight.metadata.signedAge, let made = sight.metadata.fetchedAt {
      observe(made, age: age, sight, tolerance: tolerance)
    }
    isStated = false
    if let ahead = sight.hints.nextExpected(metadata: sight.metadata), ahead > .zero {
      isStated = true
      isUntested = true
      promised = sight.now + ahead
      if beat.isKnown, let next = sight.hints.nextExpectedAt {
        // An instant on the server's clock is exact, however long the response was on its way.
        promised = path.instant(of: next)
      }
    }
  }

  private mutating func observe(
    _ made: WallTime,
    age: Instant.Duration,
    _ sight: Sight,
    tolerance: Instant.Duration
  ) {
    if beat.isKnown, made - beat.newest < .zero - Beat.longestPeriod {
      // The server's clock was set back: nothing learned still applies.
      beat = Beat()
      path = AnswerPath()
      lag = Lag()
      delay = Lag()
      lastShown = WallTime(milliseconds: 0)
    }
    let transit = max(sight.metadata.transit, .zero)
    let lay = path.note(
      made: made,
      age: age,
      transit: transit,
      sent: sight.sent,
      tolerance: tolerance
    )
    // Behind a cache that serves others, a change is available when the cache has it. A copy that was
    // fetched for this client shows what the server had then.
    let shown = path.time(at: path.isOwn ? path.filled : sight.sent)
    let isNew = !beat.isKnown || made > beat.newest
    var fades = false
    if isNew { fades = change(made, shown: shown, sight) }
    lastShown = max(lastShown, shown)
    if made == beat.newest {
      let old = (sight.sent - lay - path.instant(of: made)).milliseconds
      if fades { quiet -= quiet / 32 }
      quiet = max(quiet, Int32(clamping: old))
    }
  }

  /// Records newer data.
  ///
  /// - Returns: Whether the change missed the rhythm, which makes exclusions less certain.
  private mutating func change(_ made: WallTime, shown: WallTime, _ sight: Sight) -> Bool {
    let isTested = isUntested && lastShown > path.time(at: promised).later(Int64(delay.aim))
    if beat.isKnown {
      let ahead = promised - path.instant(of: beat.newest)
      lag.learn(
        least: (lastShown - made).milliseconds,
        most: (shown - made).milliseconds,
        isFollowed: wait(of: lag.range) <= sight.interval.percent(Self.keptPercent).milliseconds
      )
      // When it first became available: after the response without it, before the one with it.
      let had = min(max(made.later(Int64(lag.aim)), lastShown), shown)
      let off = path.instant(of: had) - promised
      // An announcement that the following change overtook says nothing.
      if isUntested, off <= ahead.percent(50) {
        delay.learn(
          least: (path.instant(of: lastShown) - promised).milliseconds,
          most: (path.instant(of: shown) - promised).milliseconds
        )
        let isWithin =
          promised >= path.instant(of: lastShown) && promised <= path.instant(of: shown)
        let isKept = !lag.hasConverged && isWithin && !isTooLate(made)
        announcement(
          failedBy: isKept ? .zero : min(off < .zero ? .zero - off : off, sight.interval)
        )
      }
      isUntested = false
    }
    let isOverdue = beat.isTrusted && lastShown > beat.next.later(Int64(lag.aim))
    let step = beat.follow(made)
    if isOverdue { beat.resolve(isAbsent: step.skipped != nil) }
    skips -= skips > 0 ? 1 : 0
    if let skipped = step.skipped {
      if lastShown > skipped.later(Int64(lag.aim)) { lag.skip() }
      // The announced change was not there when it was requested, and the next one came first.
      if isTested { announcement(failedBy: sight.interval.percent(Self.failedPercent)) }
    }
    return abs(step.miss) > Self.exact
  }

  /// Records by how much an announcement was off.
  private mutating func announcement(failedBy length: Instant.Duration) {
    let length = Int32(clamping: length.milliseconds)
    brokenBy = brokenBy < 0 ? length : brokenBy + (length - brokenBy) / 4
  }

  /// Returns whether a change of a source time was certainly available before it was announced for.
  ///
  /// Nothing is requested before the announced time, so requests never show that. Earlier changes do.
  private func isTooLate(_ made: WallTime) -> Bool {
    guard lag.isConstant else { return false }
    let noise = Instant.Duration(milliseconds: Self.earliest + 2 * Int64(beat.deviation))
    return path.instant(of: made.later(Int64(lag.high))) < promised - noise
  }

  /// The time by which an announcement must be too late to count as wrong.
  private static let earliest: Int64 = 1_000

  /// The greatest error of a change that still counts as clock-driven.
  private static let exact: Int64 = 100

  // MARK: Budget

  /// Records that an aligned request is sent: by how much its wait differed from that of unaligned
  /// polling after the same request.
  ///
  /// Requests for other reasons do not count. Of a late timer a quarter does: where timers are late
  /// by up to a second, those of unaligned polling are later on average.
  mutating func spend(_ facts: Cadence.Facts, at now: Instant, policy: Policy) {
    guard let due = due(facts, policy: policy) else { return }
    if due.skips { skips &+= Self.changesPerSkip }
    let limit = min(max(facts.interval.milliseconds, 0), Self.horizon)
    let later =
      (due.instant - Cadence.blind(facts, .zero)).milliseconds
      - (now - due.instant).milliseconds / 4
    let sum = Int64(saved) + max(min(later, limit), -limit)
    saved = Int32(clamping: max(min(sum, limit), -2 * limit))
  }

  // MARK: Requesting

  /// The time of an aligned request.
  struct Due {
    var instant: Instant
    /// Whether the server announced the change.
    var isStated: Bool
    /// Whether a change is skipped for the next one.
    var skips: Bool
  }

  /// The change to wait for.
  private struct Forecast {
    /// When it becomes available.
    var instant: Instant
    /// The time granted to the producer after that.
    var margin: Instant.Duration
    /// The mean age that following it adds.
    var cost: Int64
    var isStated: Bool
  }

  /// The wait without proof that no change is missed, in percent of the interval.
  private static let freePercent: Int64 = 103
  /// The greatest cost of following a rhythm, in percent of the interval; unaligned polling costs
  /// half.
  private static let worthPercent: Int64 = 45
  /// The greatest cost, in percent of the interval, at which requests are aligned at all.
  ///
  /// Less than half: what comes after its request waits for a whole interval.
  private static let followPercent: Int64 = 42
  /// The greatest cost of a varying lag, in percent of the interval, at which it may decline.
  private static let keptPercent: Int64 = 32
  /// What an announcement that failed was off by, in percent of the interval.
  private static let failedPercent: Int64 = 32
  /// The number of changes of which one may be skipped for the next one.
  private static let changesPerSkip: UInt8 = 30
  /// The longest time that is computed with: a day, in milliseconds.
  private static let horizon: Int64 = 86_400_000
  /// The greatest age of a change when it is requested, in percent of the interval.
  private static let latePercent: Int64 = 25

  /// Returns the time of the next aligned request and its source, or `nil` for an unaligned one.
  ///
  /// R31: within the budget of the cadence. Over time no more requests are sent than unaligned
  /// polling sends. A request starts no earlier than the interval minus the slack after the last
  /// start (R10), and no later than two intervals. Long waits are divided. A wait longer than the
  /// interval requires proof: data that was seen not to change, a rhythm that is kept, and no
  /// overdue change.
  func due(_ facts: Cadence.Facts, policy: Policy) -> Due? {
    guard let alignment = policy.alignment else { return nil }
    let interval = facts.interval.milliseconds
    let started = facts.started
    guard interval > 0, interval <= Self.horizon, let forecast = forecast(facts, alignment) else {
      return nil
    }
    // Where the changes come at any time, waiting for most of them shows each one later than polling
    // without regard to them.
    guard forecast.cost + alignment.delay.milliseconds <= interval * Self.followPercent / 100 else {
      return nil
    }
    let least = leastWait(facts, policy: policy)
    let kept = path.keeps(tolerance: alignment.tolerance)
    let rest = max(min(facts.ended - started, facts.interval), .zero)
    var earliest = max(started + least, facts.ended + rest)
    if let expires = path.copyExpires(tolerance: alignment.tolerance) {
      // An earlier request would be answered from a cached copy that is known already.
      earliest = max(earliest, min(expires, started + facts.interval))
    }
    let place = (hasPlace ? place : facts.random).upTo(
      Instant.Duration(milliseconds: Int64(window))
    )
    let period = period
    // A producer that publishes twice between two requests is not worth following.
    guard period == 0 || period * 2 > interval else { return nil }
    var target = forecast.instant + place
    let floor = earliest - late(interval, period, alignment)
    // Where the period is as long as the interval, a change that is skipped for the next one is shown
    // later than unaligned polling ever shows one. If that happened to one in twenty, it would
    // determine the 95th percentile.
    let isCostly = target > started && period > interval - interval / 10
    let isMoved = target < floor && !(isCostly && skips > Self.changesPerSkip)
    if isMoved {
      let behind = (floor - target).milliseconds
      guard period > 0, behind <= Self.horizon else { return nil }
      target = target + Instant.Duration(milliseconds: (behind - 1) / period * period + period)
    }
    // Jitter follows the expected instant, never precedes it (peers-client.md 6.1). Late requests
    // are spread as well: clients that started together would stay together.
    let jitter = facts.random.upTo(alignment.spread)
    let wanted = target + forecast.margin + jitter
    var due = wanted >= earliest ? wanted : earliest + jitter
    var wait = (due - started).milliseconds
    guard wait <= (period > 0 ? Self.horizon : 2 * interval) else { return nil }
    let free = interval * Self.freePercent / 100
    if period > 0 {
      let shortest = max(least, earliest - started, kept ?? .zero).milliseconds
      wait /= parts(of: wait, interval, shortest: shortest)
      due = started + Instant.Duration(milliseconds: wait)
    }
    if wait > free {
      // An overdue change may come at any time, unless such changes usually were never made, or the
      // server announces the one that is waited for.
      let isOverdue =
        started > had(beat.next) || lastShown > beat.next.later(Int64(lag.aim))
      if beat.isTrusted, isOverdue, isMoved || !forecast.isStated {
        guard beat.isOftenAbsent, period >= interval else { return nil }
      }
      guard isProven(forecast, wait, facts, period, alignment) else { return nil }
    }
    guard wait <= 2 * interval else { return nil }
    return Due(
      instant: max(due, started + policy.leastInterval),
      isStated: forecast.isStated,
      skips: isMoved && isCostly && wait > free
    )
  }

  /// Returns when the change of a source time becomes available, on the device's timeline.
  private func had(_ made: WallTime) -> Instant { path.instant(of: made.later(Int64(lag.aim))) }

  /// The time between two changes in milliseconds; 0 if not known.
  private var period: Int64 {
    let learned = beat.hasPeriod ? beat.period : .max
    // An announced change and the previous one make a whole period, so it need not be learned. The
    // learned period of a fast producer may span several changes.
    let ahead = isStated && beat.isKnown ? (promised - path.instant(of: beat.newest)) : .zero
    let period = min(ahead > .zero ? ahead.milliseconds : .max, learned)
    return period <= Beat.longestPeriod.milliseconds ? period : 0
  }

  /// Returns the number of parts into which a long wait is divided.
  private func parts(of wait: Int64, _ interval: Int64, shortest: Int64) -> Int64 {
    var parts = max(wait / interval, 1)
    let isAffordable = (parts + 1) * interval - wait <= max(credit(interval), 0)
    let free = interval * Self.freePercent / 100
    if wait > free, wait / (parts + 1) >= shortest, isAffordable { parts += 1 }
    // A cache that keeps its copy longer than such a part would still return it at the end.
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
      let instant = announced(interval)
      var range = lag.range
      if range > 0, beat.isTrusted {
        let first = path.instant(of: beat.next.later(Int64(lag.shortest)))
        range = min(max((instant - first).milliseconds, 0), Self.horizon)
      }
      return Forecast(
        instant: instant,
        margin: alignment.delay,
        cost: max(2 * Int64(max(brokenBy, 0)) + max(doubt, delay.variation / 2), wait(of: range)),
        isStated: true
      )
    }
    guard beat.isTrusted else { return nil }
    // Too early costs a whole interval, too late costs its own length. For a normal distribution
    // this is the best margin within a few percent.
    let best = deviation * 14 / 5 - 8 * deviation * deviation / interval
    return Forecast(
      instant: had(beat.next),
      margin: max(alignment.delay, Instant.Duration(milliseconds: best)),
      cost: deviation * 13 / 5 + max(doubt, wait(of: lag.range)),
      isStated: false
    )
  }

  /// Returns how long changes wait for their request on average, where requests wait for the latest
  /// of a varying lag.
  ///
  /// In a cache that others fill, all lags in the range are equally common. Otherwise most are short
  /// and a few are long.
  private func wait(of range: Int64) -> Int64 { range * (path.isOwn ? 70 : 50) / 100 }

  /// Returns when the announced change becomes available.
  private func announced(_ interval: Int64) -> Instant {
    let announced =
      promised + Instant.Duration(milliseconds: min(Int64(max(delay.aim, 0)), interval / 8))
    guard beat.isTrusted, lag.hasConverged, lag.aim > 0 else { return announced }
    // A server that announces the most likely time does not know how late the slowest changes are.
    let had = had(beat.next)
    return had - announced <= Instant.Duration(milliseconds: interval / 4)
      ? max(announced, had) : announced
  }

  /// Returns whether the server's announcements are as accurate as the rhythm.
  private func isKept(_ deviation: Int64) -> Bool {
    guard brokenBy >= 0, beat.isTrusted else { return true }
    let stated = Int64(brokenBy) + delay.variation
    return stated <= 3 * deviation + lag.variation + Self.exact
  }

  /// Returns how late a change may be requested, rather than skipping it for the next one.
  private func late(
    _ interval: Int64,
    _ period: Int64,
    _ alignment: Policy.Alignment
  ) -> Instant.Duration {
    let quarter = Instant.Duration(milliseconds: interval).percent(Self.latePercent)
    let late = max(alignment.delay + alignment.spread, quarter)
    guard period > 0 else { return late }
    let slower = Instant.Duration(milliseconds: 2 * max(period - interval, 0))
    return min(late + slower, Instant.Duration(milliseconds: period).percent(75))
  }

  /// Returns whether waiting longer than unaligned polling shows data no later.
  private func isProven(
    _ forecast: Forecast,
    _ wait: Int64,
    _ facts: Cadence.Facts,
    _ period: Int64,
    _ alignment: Policy.Alignment
  ) -> Bool {
    let interval = facts.interval.milliseconds
    guard beat.surprise == 0 else { return false }
    guard period > 0 else { return true }
    // The apparent rhythm may only be that of the requests. If it is close to theirs, a longer wait
    // moves them once. If it is faster, every wait skips changes.
    let longest = period * 5 < interval * 4 ? wait : max(period, interval)
    let still = Int64(quiet) - max(Int64(lag.aim), 0)
    let missed = max(longest - min(period, max(still, 0)), 0) / 2
    let cost = missed + forecast.cost + alignment.delay.milliseconds
    return cost <= interval * Self.worthPercent / 100
  }

  /// Returns the minimum time between two starts that the budget allows.
  private func leastWait(_ facts: Cadence.Facts, policy: Policy) -> Instant.Duration {
    let slack = policy.alignment?.slack ?? .zero
    let saved = Instant.Duration(milliseconds: max(credit(facts.interval.milliseconds), 0))
    return max(policy.leastInterval, facts.interval - min(slack, saved), .zero)
  }

  /// Returns the total time by which requests may come earlier than the cadence.
  private func credit(_ interval: Int64) -> Int64 { interval * 3 / 4 + Int64(saved) }
}

/// What a server says about its next change (R31).
public struct Hints: Hashable, Sendable {
  /// When the next change is expected, on the server's clock.
  public var nextExpectedAt: WallTime?
  /// How long the answer stays fresh (`Cache-Control: max-age`).
  public var maxAge: Instant.Duration?
  /// The window after a change over which the server asks its clients to spread.
  ///
  /// Only the server knows the number of its clients. Half a period or more keeps the peak of any
  /// number of clients under twice the mean, and costs each of them half the window in age.
  public var spread: Instant.Duration?

  /// Creates hints.
  public init(
    nextExpectedAt: WallTime? = nil,
    maxAge: Instant.Duration? = nil,
    spread: Instant.Duration? = nil
  ) {
    self.nextExpectedAt = nextExpectedAt
    self.maxAge = maxAge
    self.spread = spread
  }

  /// Returns the hints updated by more specific ones, field by field.
  public func updated(by specific: Hints) -> Hints {
    Hints(
      nextExpectedAt: specific.nextExpectedAt ?? nextExpectedAt,
      maxAge: specific.maxAge ?? maxAge,
      spread: specific.spread ?? spread
    )
  }

  /// Returns the time from the arrival of a response to the next change.
  ///
  /// Both forms are measured on the server's clock; time in caches has already passed.
  func nextExpected(metadata: FreshnessMetadata) -> Instant.Duration? {
    if let nextExpectedAt, let serverTime = metadata.serverTime {
      return nextExpectedAt - serverTime - metadata.transit
    }
    return maxAge.map { $0 - metadata.transit }
  }
}
