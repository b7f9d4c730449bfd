/// The delays of a run along its stops.
///
/// The final delays are chosen once per stop. What is known of them depends on the instant: at past
/// stops, the final delay; at the next one, a part of the change in proportion to the progress of
/// the run; beyond, that delay, which the producer expects to shrink by one step per stop. A run is
/// never expected to leave in the past, and never leaves a stop before it arrives there.
enum DelayWalk {
  /// Delays are multiples of this many seconds, as in the Swiss feed (mesdeparts.md, section 3.7).
  static let step: Int32 = 6
  /// How long before its scheduled start a late start begins to show, in seconds.
  static let foresight: Int64 = 300

  /// Chooses the final delays.
  static func choose(
    _ calls: inout [RunCall],
    random: RandomSource,
    shares: ScenarioShares,
    isDisturbed: Bool
  ) {
    let shock = random.isHit(isDisturbed ? 600 : shares.shock, .shock)
    let shockPlace = shock ? random.within(1...max(1, calls.count - 1), .shockPlace) : 0
    let isEarly = random.isHit(shares.early, .early)
    var delay: Int32 = 0
    if isEarly {
      delay = -step * Int32(random.within(1...8, .startAmount))
    } else if random.isHit(shares.startsLate, .startDelay) {
      // The smaller of two random numbers counts: short delays are more frequent than long ones.
      let most = max(1, shares.latestStart / Int(step))
      let chosen = min(
        random.within(1...most, .startAmount),
        random.within(1...most, .startAmount, 1)
      )
      delay = step * Int32(chosen)
    }
    for index in calls.indices {
      if index > 0 {
        let run = calls[index].scheduledDeparture - calls[index - 1].scheduledDeparture
        var change: Int32 = 0
        let chosen = Int(random.bits(.step, index) % 1_000)
        let amount = step * Int32(random.within(1...3, .stepAmount, index))
        if chosen < shares.grows {
          change = amount
        } else if chosen < shares.grows + shares.recovers, delay > 0 {
          change = -min(amount, delay, Int32(max(0, min(run, 3_600)) / 12) * step)
        }
        if index == shockPlace {
          let most = max(10, Int(shares.longestDelay / step) / 4)
          change += step * Int32(random.within(5...most, .shockAmount))
        }
        delay = min(delay + change, max(delay, shares.longestDelay))
      }
      calls[index].departureDelay = delay
      let before = index == 0 ? delay : calls[index - 1].departureDelay
      calls[index].arrivalDelay = min(max(before, delay), delay + calls[index].spareDwell)
    }
  }

  /// Removes what is not yet known at an instant.
  ///
  /// - Returns: The first stop that the run has not left; the number of stops if it has left all.
  static func removeUnknown(_ calls: inout [RunCall], at instant: Int64) -> Int {
    guard let next = calls.firstIndex(where: { $0.departure > instant }) else { return calls.count }
    let final = calls[next]
    let before = next == 0 ? 0 : calls[next - 1].departureDelay
    let start =
      next == 0 ? final.scheduledDeparture - foresight : calls[next - 1].departure
    var delay = before
    if instant > start {
      // The part of the change that is visible, rounded up to a step, so that it is never in the
      // past.
      let change = Int64(final.departureDelay - before) * (instant - start)
      let span = max(1, final.departure - start)
      let shown = Int64(before) * span + change
      let steps = Self.dividedUp(shown, by: span * Int64(step))
      delay = Int32(steps) * step
    }
    calls[next].departureDelay = delay
    if next == 0 {
      calls[next].arrivalDelay = min(delay, delay + final.spareDwell)
    } else if final.arrival > instant {
      calls[next].arrivalDelay = min(max(before, delay), delay + final.spareDwell)
    }
    for index in calls.indices.dropFirst(next + 1) {
      let run = calls[index].scheduledDeparture - calls[index - 1].scheduledDeparture
      let arriving = delay
      if delay > 0, run >= 2 * Int64(step) { delay -= step }
      calls[index].departureDelay = delay
      calls[index].arrivalDelay = min(arriving, delay + calls[index].spareDwell)
    }
    return next
  }

  private static func dividedUp(_ value: Int64, by divisor: Int64) -> Int64 {
    value >= 0 ? (value + divisor - 1) / divisor : -(-value / divisor)
  }
}
