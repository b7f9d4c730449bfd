import Freshness

/// The server's clock as responses show it: R37.
extension ConformanceOracle {
  /// R37: two responses that agree narrow down the server's clock.
  ///
  /// Of two that do not, the earlier time comes from a cache, unless later responses continue from there: then the
  /// clock was set.
  mutating func noteClock(_ metadata: FreshnessMetadata) {
    step.seenClock = nil
    guard let served = metadata.serverTime?.milliseconds else { return }
    let first = served - step.now
    let range =
      max(metadata.truncation.milliseconds, 0) + max(metadata.transit.milliseconds, 0)
      + Self.wayBack(metadata, step.delay)
    let isOpen = !step.isMeasured && serverClock?.isOpen != false
    var seen = ClockSpan(least: first, most: first + range, isOpen: isOpen)
    step.seenClock = seen
    // Quarters of a second.
    let (shownBefore, instant) = (clockShownAt, step.now / 250)
    clockShownAt = instant
    guard var known = serverClock else {
      serverClock = seen
      driftCounted = instant
      return
    }
    // 500 ppm: a millisecond to either side for each 2 s that have begun.
    let steps = driftSteps(until: instant)
    driftCounted += steps * 8
    known.least -= steps
    known.most += steps
    // Hardly known after a long time, until a way that was measured agrees.
    if steps >= 1_000, !step.isMeasured { known.isOpen = true }
    seen.isOpen = known.isOpen && !step.isMeasured
    serverClock = known
    let quarters = instant - shownBefore
    if seen.least > known.most {
      serverClock = seen
      doubts = nil
    } else if seen.most >= known.least {
      let most = known.isOpen ? seen.most : min(seen.most, known.most)
      serverClock = ClockSpan(
        least: max(seen.least, known.least),
        most: step.isMeasured ? most : known.most,
        isOpen: seen.isOpen
      )
      doubts = nil
    } else {
      doubt(seen, behind: known.least - seen.most, quarters)
    }
  }

  /// R37: how many steps of 2 s have begun in which drift is not counted.
  private func driftSteps(until quarter: Int64) -> Int64 {
    (max(quarter - driftCounted, 0) + 7) / 8
  }

  private mutating func doubt(_ seen: ClockSpan, behind: Int64, _ later: Int64) {
    let isFar = behind > policy.clockTolerance.milliseconds
    guard isFar || step.isMeasured else {
      // Time passes all the same.
      if let known = doubts { doubts?.quarters = min(known.quarters + later, 255) }
      return
    }
    let tenths = behind / 100
    guard let known = doubts, abs(tenths - known.nearest) <= 30 else {
      doubts = ClockDoubts(count: 1, quarters: 0, nearest: tenths)
      return
    }
    let doubts = ClockDoubts(
      count: known.count + 1,
      quarters: min(known.quarters + later, 255),
      nearest: min(known.nearest, tenths)
    )
    self.doubts = doubts
    guard doubts.count >= (isFar ? 2 : 20), doubts.quarters >= (isFar ? 16 : 40) else { return }
    self.doubts = nil
    guard !isFar, let clock = serverClock else {
      serverClock = seen
      return
    }
    let shift = max(doubts.nearest, 1) * 100
    serverClock = ClockSpan(
      least: clock.least - shift,
      most: clock.most - shift
    )
  }

  /// R37: how long ago the server responded, where the response shows too early a time, or its way is not measured: to the
  /// latest that it may be now.
  func hidden(_ metadata: FreshnessMetadata) -> Int64? {
    guard let served = metadata.serverTime?.milliseconds, contradictsClock || !step.isMeasured,
      let serverClock
    else { return nil }
    return max(step.now + serverClock.most - served, 0)
  }

  /// R37: returns the greatest age on arrival; without a figure, from the source time to the latest time
  /// that the server's clock may show.
  func statedAge(_ metadata: FreshnessMetadata) -> Int64? {
    if let figure = Self.greatestFigure(metadata) {
      let plain = Self.plus(figure, Self.wayBack(metadata, step.delay))
      guard let hidden = hidden(metadata) else { return plain }
      let own =
        metadata.cacheAge?.milliseconds ?? (metadata.serverTime?.milliseconds ?? 0)
        - (metadata.fetchedAt?.milliseconds ?? 0)
      return max(plain, Self.plus(max(own, 0), hidden))
    }
    guard let made = metadata.fetchedAt?.milliseconds, let serverClock else { return nil }
    let age = step.now + serverClock.most + driftSteps(until: step.now / 250) - made
    return age >= -1_000 ? max(age, 0) : nil
  }
}
