import Freshness
import Hashing

/// Load and freshness of one preset in one state.
struct StateMeasure: Sendable {
  /// The states of seed 003's table.
  enum State: String, CaseIterable, Sendable {
    case active, recent, idle, background
  }

  var state: State
  /// Requests per hour, in tenths.
  var requests: Int64
  /// Bytes received in that hour, and the bytes if every response had a body.
  var bytes: Int64
  var bytesWithoutUnchanged: Int64
  /// "Not modified" among all responses, in tenths of a percent.
  var unchangedShare: Int64
  /// The times from change to screen and the ages of the data on screen; empty when paused.
  var delays: Figures
  var ages: Figures

  /// Measures a state.
  ///
  /// Load: nothing changes and the server says nothing about its rhythm. Freshness: something
  /// changes every 30 s on average, at random. "Recent" is the mean over windows of 120 s, each
  /// after an end of work in a separate run; every other state is held for the whole time.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - policy: The constants.
  ///   - hours: The hours of the freshness run.
  ///   - seed: The seed, which determines everything.
  init(_ state: State, _ policy: Policy, hours: Int64, seed: UInt64) {
    self.state = state
    let hour: Int64 = 3_600_000
    let span = state == .recent ? min(policy.recentFor.milliseconds, hour) : hour
    var count: Int64 = 0
    var answers: Int64 = 0
    var unchanged: Int64 = 0
    bytes = 0
    for window in 0..<(hour / span) {
      var host = CleanHost(policy, seed: seed &+ UInt64(window))
      let start = Self.enter(state, &host)
      host.run(until: start + span)
      count += Int64(host.requests.filter { $0 >= start && $0 < start + span }.count)
      for answer in host.answers where answer.at >= start && answer.at < start + span {
        answers += 1
        bytes += answer.bytes
        if answer.isUnchanged { unchanged += 1 }
      }
    }
    requests = count * 10 * hour / (span * (hour / span))
    bytesWithoutUnchanged = answers * CleanHost.bodyBytes
    unchangedShare = answers == 0 ? 0 : unchanged * 1_000 / answers
    var delays: [Int64] = []
    var ages: [Int64] = []
    for window in 0..<(hours * hour / span) {
      var random = SplitMix64(seed: seed &+ 77 &+ UInt64(window))
      let end = span + 2 * hour
      let publications = Publications(mean: 30_000, until: end, &random)
      var host = CleanHost(policy, publications: publications, seed: random.next())
      let start = Self.enter(state, &host)
      host.run(until: start + span + 120_000)
      delays += host.delays(from: start, until: start + span)
      ages += host.ages(from: start, until: start + span)
    }
    let isPaused = requests == 0
    self.delays = Figures(isPaused ? [] : delays)
    self.ages = Figures(isPaused ? [] : ages)
  }

  /// Brings a machine into a state.
  ///
  /// - Returns: The instant from which to measure.
  private static func enter(_ state: State, _ host: inout CleanHost) -> Int64 {
    host.send(.started)
    switch state {
    case .active: host.send(.activity(.active))
    case .idle: break
    case .background:
      host.run(until: 1_000)
      host.send(.lifecycle(.background))
    case .recent:
      host.send(.activity(.active))
      host.run(until: 60_000)
      host.send(.activity(.quiet))
      return host.now
    }
    host.run(until: 300_000)
    return host.now
  }
}
