import Freshness
import Hashing

/// A producer and the path of its data to a client, for the measures of R31.
struct ProducerWorld: Sendable {
  /// When a producer publishes.
  enum Timing: Sendable {
    /// At every period, with a normally distributed error with this deviation in milliseconds.
    case clock(jitter: Int64)
    /// At every period or up to an eighth of it later, as simulated feeds are published.
    case late
    /// A period after the previous time, with such an error.
    case walk(jitter: Int64)
    /// At any time between two bounds after the previous time, in milliseconds.
    case between(Int64, Int64)
    /// After two thirds of a period and four thirds of it in turn.
    case alternating
    /// At random (Poisson).
    case random
    /// At every period, with an outage of up to a minute about every ten minutes, and a new phase
    /// after it.
    case restarting
    /// At a period that changes every quarter of an hour.
    case changing
  }

  /// Intermediate caches.
  struct Caches: Sendable {
    /// How long a copy is kept, in milliseconds.
    var lifetime: Int64
    /// Whether the copy states its age (`Age`).
    var statesAge: Bool
    /// Whether other clients request so often that a copy is replaced as soon as it expires.
    var isWarm: Bool
    /// The number of caches; each request reaches any of them.
    var edges = 1
  }

  var name: String
  /// The time between two publications, in milliseconds.
  var period: Int64
  var timing: Timing
  /// One in this many publications is missing, and comes with another one; 0 for none.
  var missing: Int64 = 0
  var doubled: Int64 = 0
  /// How long after its source time a publication is available, in milliseconds; before it, if
  /// negative.
  var lag: ClosedRange<Int64> = 0...0
  /// The mean of an exponentially distributed delay in addition to that, in milliseconds.
  var delay: Int64 = 0
  /// How long a request takes to the server, and its response back, in milliseconds.
  var there: ClosedRange<Int64> = 75...75
  var back: ClosedRange<Int64> = 75...75
  var caches: Caches?
  /// The server, unless it has every publication at once and states what it knows exactly.
  var server: DeployedServer?
  /// The mean time between two refreshes by a person, in milliseconds; 0 for none.
  var refreshes: Int64 = 0
  /// Whether timers fire on whole seconds, as in a browser that saves power.
  var wakesOnSeconds = false
  /// Why the goal does not apply, if it does not; such worlds are printed as well.
  var exemption: Exemption?
  /// Whether the goal applies.
  var isJudged: Bool { exemption == nil }

  /// What a client cannot know in a world that is not judged.
  enum Exemption: String, Sendable {
    case unseen = """
      a publication that another one follows within a wait leaves no trace in any response; at 20 s no \
      request fits between two that follow the rhythm (R10), and looking for what is not there costs \
      every producer of 20 s 7 s at each check
      """
    case rareLateness = """
      the latest change in twenty decides the p95; how late that is shows only after about a hundred \
      changes, and each hour begins without what the one before learned
      """
    case driftingCopies = """
      a cache that others fill keeps a copy as long as the interval of the native preset; what is best \
      depends on how the cache, the producer and the requests lie to each other, which drifts
      """
  }

  /// Publishes for some time.
  ///
  /// - Parameters:
  ///   - end: The end, in milliseconds.
  ///   - phase: The position of the first publication in its period, in permille.
  ///   - random: The random source.
  /// - Returns: The source times in order; the first is before the start.
  func publications(until end: Int64, phase: Int64, _ random: inout SplitMix64) -> [Int64] {
    var times: [Int64] = []
    let first = phase * period / 1_000
    switch timing {
    case .clock(let jitter):
      for beat in stride(from: first - 2 * period, through: end, by: Int64.Stride(period))
      where missing == 0 || !random.oneIn(missing) {
        let time = beat + random.normal(deviation: jitter)
        times.append(time)
        if doubled > 0, random.oneIn(doubled) {
          times.append(time + random.between(1_000, min(period * 2 / 5, 5_000)))
        }
      }
    case .late:
      let most = period * DeployedServer.latePermille / 1_000
      for beat in stride(from: first - 12 * period, through: end, by: Int64.Stride(period)) {
        times.append(beat + random.between(0, most))
      }
    case .walk(let jitter):
      times = walk(from: first - period, until: end) {
        max(500, period + random.normal(deviation: jitter))
      }
    case .between(let least, let most):
      times = walk(from: first - most, until: end) { random.between(least, most) }
    case .alternating:
      var gaps = first / max(period, 1) % 2
      times = walk(from: first - 2 * period, until: end) {
        gaps += 1
        return period * (gaps % 2 == 0 ? 4 : 2) / 3 + random.normal(deviation: 200)
      }
    case .random:
      times = walk(from: first - period, until: end) { 1 + random.exponential(mean: period) }
    case .restarting:
      var start = first - 2 * period
      while start <= end {
        let stop = start + random.between(8 * 60_000, 14 * 60_000)
        times += Array(stride(from: start, to: stop, by: Int64.Stride(period)))
        start = stop + random.between(5_000, 60_000)
      }
    case .changing:
      times = Self.changing(period, from: first - period, until: end)
    }
    times.sort()
    var last: Int64?
    times.removeAll { time in
      defer { last = max(last ?? time, time) }
      return last.map { time <= $0 } ?? false
    }
    return times
  }

  private func walk(from start: Int64, until end: Int64, by step: () -> Int64) -> [Int64] {
    var times = [start]
    var now = start
    while now <= end {
      now += step()
      times.append(now)
    }
    return times
  }

  private static func changing(_ period: Int64, from start: Int64, until end: Int64) -> [Int64] {
    var times: [Int64] = []
    var now = start
    while now <= end {
      times.append(now)
      let quarter = max(now, 0) / 900_000
      now += period * [100, 150, 75, 120][Int(quarter % 4)] / 100
    }
    return times
  }
}

extension ProducerWorld {
  /// The worlds of the specification (engine.md R31).
  static let all: [ProducerWorld] =
    [1_000, 7_000, 15_000, 20_000, 30_000, 60_000].map(clean)
    + [15_000, 20_000, 30_000, 60_000].flatMap { period in
      [300, 1_000, 2_000, 3_000, 5_000].map {
        ProducerWorld(name: "jitter \(tenths($0)) s", period: period, timing: .clock(jitter: $0))
      }
    }
    + [15_000, 30_000].map {
      ProducerWorld(name: "jitter 1 s, adding up", period: $0, timing: .walk(jitter: 1_000))
    }
    + [ProducerWorld(name: "alternating", period: 30_000, timing: .alternating)]
    + [15_000, 30_000].map {
      ProducerWorld(
        name: "a person refreshes",
        period: $0,
        timing: .clock(jitter: 300),
        refreshes: 45_000
      )
    }
    + [
      ProducerWorld(
        name: "timers on seconds",
        period: 30_000,
        timing: .clock(jitter: 300),
        wakesOnSeconds: true
      )
    ]
    + [ProducerWorld(name: "17 to 45 s", period: 31_000, timing: .between(17_000, 45_000))]
    + [15_000, 30_000, 60_000].flatMap { period in
      [
        ("stamps 20 s behind", 20_000...20_000), ("stamps 5 s ahead", -5_000...(-5_000)),
        ("late by 4 s", 4_000...4_000),
      ].map { name, lag in
        ProducerWorld(name: name, period: period, timing: .clock(jitter: 300), lag: lag)
      }
    }
    + [15_000, 20_000, 30_000].flatMap { period in
      [
        ProducerWorld(name: "random", period: period, timing: .random),
        ProducerWorld(
          name: "missing",
          period: period,
          timing: .clock(jitter: 300),
          missing: 10
        ),
        ProducerWorld(
          name: "doubled",
          period: period,
          timing: .clock(jitter: 300),
          doubled: 25
        ),
        ProducerWorld(name: "restarts", period: period, timing: .restarting),
        ProducerWorld(name: "period changes", period: period, timing: .changing),
        clean(period).named("slow link") {
          $0.there = 200...2_000
          $0.back = 200...4_000
        },
        clean(period).named("late by 0 to 4 s") { $0.lag = 0...4_000 },
        clean(period).named("late by 1 s on average") { $0.delay = 1_000 },
        clean(period).named("late by 4 s on average") {
          $0.delay = 4_000
          $0.exemption = period == 30_000 ? nil : .rareLateness
        },
        clean(period).cached("cold cache", 10_000, age: true, warm: false),
        clean(period).cached("warm cache", 10_000, age: true, warm: true),
        clean(period).cached("warm cache, no Age", 10_000, age: false, warm: true),
        clean(period).cached("two edges", 10_000, age: true, warm: true, edges: 2),
        clean(period).cached("cold cache of 15 s, no Age", 15_000, age: false, warm: false),
        ProducerWorld(
          name: "doubled, 1 in 10",
          period: period,
          timing: .clock(jitter: 300),
          doubled: 10,
          exemption: period == 20_000 ? .unseen : nil
        ),
        clean(period).cached("warm cache of 20 s", 20_000, age: true, warm: true)
          .exempt(period == 30_000 ? .driftingCopies : nil),
      ]
    } + deployed

  private static func clean(_ period: Int64) -> ProducerWorld {
    ProducerWorld(name: "clean", period: period, timing: .clock(jitter: 0))
  }

  private static func tenths(_ milliseconds: Int64) -> String {
    JSONText.fixed(milliseconds / 100, digits: 1)
  }

  private func named(_ name: String, _ change: (inout ProducerWorld) -> Void) -> ProducerWorld {
    var world = self
    world.name = name
    change(&world)
    return world
  }

  private func exempt(_ exemption: Exemption?) -> ProducerWorld {
    named(name) { $0.exemption = exemption }
  }

  private func cached(
    _ name: String,
    _ lifetime: Int64,
    age: Bool,
    warm: Bool,
    edges: Int = 1
  ) -> ProducerWorld {
    named(name) {
      $0.caches = Caches(lifetime: lifetime, statesAge: age, isWarm: warm, edges: edges)
    }
  }
}

extension SplitMix64 {
  /// Returns a number of a normal distribution, as the sum of twelve uniform ones: integers only.
  mutating func normal(deviation: Int64) -> Int64 {
    guard deviation > 0 else { return 0 }
    var sum: Int64 = 0
    for _ in 0..<12 { sum += below(deviation) }
    return sum - 6 * deviation
  }
}
