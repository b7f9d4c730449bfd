import Freshness

/// All publications of one producer, made in advance: number `n` is made at `times[n]`.
struct Publications: Sendable {
  /// The moments, in order; the first lies at or before the start.
  let times: [Int64]

  /// One publication and no other.
  static let once = Publications(times: [0])

  init(times: [Int64]) { self.times = times }

  /// One at every period, with a phase.
  init(every period: Int64, phase: Int64, until end: Int64) {
    times = Array(stride(from: phase - period, through: end, by: Int64.Stride(period)))
  }

  /// At random, with a mean time between (Poisson).
  init(mean: Int64, until end: Int64, _ dice: inout SplitMix64) {
    var times: [Int64] = [0]
    var now: Int64 = 0
    while now <= end {
      now += 1 + dice.exponential(mean: mean)
      times.append(now)
    }
    self.times = times
  }

  /// The number of the newest publication at a moment.
  func newest(at moment: Int64) -> Int {
    var low = 0
    var high = times.count
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= moment { low = middle + 1 } else { high = middle }
    }
    return max(low - 1, 0)
  }

  /// The moment of the next publication after a moment, if there is one.
  func next(after moment: Int64) -> Int64? {
    let next = newest(at: moment) + 1
    guard times[0] <= moment else { return times[0] }
    return next < times.count ? times[next] : nil
  }
}
