import Freshness
import Hashing

/// All publications of one producer, created in advance: number `n` is made at `times[n]`.
struct Publications: Sendable {
  /// The instants in order; the first is at or before the start.
  let times: [Int64]

  /// A single publication.
  static let once = Publications(times: [0])

  init(times: [Int64]) { self.times = times }

  /// Creates one publication per period, with a phase.
  init(every period: Int64, phase: Int64, until end: Int64) {
    times = Array(stride(from: phase - period, through: end, by: Int64.Stride(period)))
  }

  /// Creates publications at random, with a mean interval (Poisson).
  init(mean: Int64, until end: Int64, _ random: inout SplitMix64) {
    var times: [Int64] = [0]
    var now: Int64 = 0
    while now <= end {
      now += 1 + random.exponential(mean: mean)
      times.append(now)
    }
    self.times = times
  }

  /// Returns the number of the newest publication at an instant.
  func newest(at instant: Int64) -> Int {
    var low = 0
    var high = times.count
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= instant { low = middle + 1 } else { high = middle }
    }
    return max(low - 1, 0)
  }

  /// Returns the time of the next publication after an instant, if any.
  func next(after instant: Int64) -> Int64? {
    let next = newest(at: instant) + 1
    guard times[0] <= instant else { return times[0] }
    return next < times.count ? times[next] : nil
  }
}
