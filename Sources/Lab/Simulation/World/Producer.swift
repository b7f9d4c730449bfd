import Hashing

/// The producer of the data: periodic, at random, or in bursts.
struct Producer: Sendable {
  enum Rhythm: Sendable {
    /// At intervals with jitter, and with occasional omissions.
    case periodic(period: Int64, jitter: Int64, missedIn: Int64)
    /// At random, with a mean interval (Poisson).
    case random(mean: Int64)
    /// Several in succession, then a long pause.
    case bursts(count: Int64, gap: Int64, pause: Int64)
  }

  var rhythm: Rhythm
  /// The number of the newest publication.
  private(set) var revision: Int64 = 1
  /// When it was made.
  private(set) var madeAt: Int64
  /// When the next one is made.
  private(set) var nextAt: Int64
  private var beat: Int64
  private var left: Int64 = 0

  init(_ rhythm: Rhythm, from start: Int64, _ random: inout SplitMix64) {
    self.rhythm = rhythm
    madeAt = start
    nextAt = start
    beat = start
    left = 0
    switch rhythm {
    case .periodic(let period, _, _):
      beat = start - random.below(period)
      madeAt = beat
    case .random, .bursts: break
    }
    plan(&random)
  }

  /// Publishes everything that is due by an instant.
  mutating func advance(to instant: Int64, _ random: inout SplitMix64) {
    while nextAt <= instant {
      revision += 1
      madeAt = nextAt
      plan(&random)
    }
  }

  private mutating func plan(_ random: inout SplitMix64) {
    switch rhythm {
    case .periodic(let period, let jitter, let missedIn):
      repeat { beat += period } while missedIn > 0 && random.oneIn(missedIn)
      nextAt = max(beat + random.between(-jitter, jitter), madeAt + 1)
    case .random(let mean): nextAt = madeAt + 1 + random.exponential(mean: mean)
    case .bursts(let count, let gap, let pause):
      if left > 0 {
        left -= 1
        nextAt = madeAt + 1 + random.below(gap)
      } else {
        left = random.below(count)
        nextAt = madeAt + 1 + random.exponential(mean: pause)
      }
    }
  }
}
