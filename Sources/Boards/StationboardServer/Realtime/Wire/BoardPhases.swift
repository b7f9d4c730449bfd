import Serving

/// The parts of a board that may be left out to answer in time.
package enum BoardPhase: String, Hashable, Sendable, CaseIterable {
  /// The timetable: always there.
  case timetable
  /// Trip updates.
  case realtime
  /// Alerts.
  case alerts

  /// The phase in a set of phases.
  var mark: BoardPhases {
    switch self {
    case .timetable: .timetable
    case .realtime: .realtime
    case .alerts: .alerts
    }
  }
}

/// Some of the phases of a board.
struct BoardPhases: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let timetable = Self(rawValue: 1)
  static let realtime = Self(rawValue: 2)
  static let alerts = Self(rawValue: 4)
}

/// How long a board may take, in one place (mesdeparts.md 3.9).
package enum BoardBudget {
  /// The time an answer may take.
  package static let total = Duration.seconds(5)
  /// The time that has to be left for trip updates to be worth beginning.
  package static let realtime = Duration.milliseconds(500)
  /// The time that has to be left for alerts to be worth beginning.
  package static let alerts = Duration.milliseconds(700)
  /// How old a copy may be that is shown when the time is over.
  package static let staleCopy = Duration.seconds(90)
  /// The boards being made at once beyond which only timetables are shown.
  package static let inFlight = 512
  /// The boards being made at once beyond which a server says that it is busy.
  package static let overload = 2_048
  /// The `Retry-After` of a busy server, in seconds.
  package static let retryAfter = 2
  /// The longest time a request may wait for a change (RFC 7240, `wait`), in seconds.
  package static let longestWait: Int64 = 55
  /// The number of requests and streams that may wait for a change at once.
  package static let waiters = 10_000
  /// How far back the last visible change of a board is searched for, in seconds.
  package static let longestComparison: Double = 120
  /// How long after a stream last asked for a board its earlier rendered boards are kept, for clients that come
  /// back.
  package static let replay = Duration.seconds(120)
  /// The `retry` of a stream, in milliseconds: how long a client waits before it comes back.
  package static let streamRetry: Int64 = 2_000
  /// The time between two heartbeats of a stream, in seconds.
  package static let heartbeatSeconds: Int64 = 15
}

/// Slows phases down on purpose, so that what a slow phase does can be seen and tested.
package final class PhaseFaults: Sendable {
  private let delays: [BoardPhase: Duration]
  /// Holds every board until it is closed; `nil` if none is held.
  private let hold: LongPollLimiter?
  /// Whether there is any fault: every request asks, and there hardly ever is one.
  let areAny: Bool

  /// Creates faults.
  ///
  /// - Parameters:
  ///   - delays: How long each phase takes longer than it does.
  ///   - holdsRequests: Whether every board is held until one is refused because too many are being made. So they become too
  ///     many however slowly the requests come.
  package init(_ delays: [BoardPhase: Duration] = [:], holdsRequests: Bool = false) {
    self.delays = delays
    hold = holdsRequests ? LongPollLimiter(most: 0) : nil
    areAny = !delays.isEmpty || holdsRequests
  }

  /// Releases the held boards: one was refused.
  func refused() { hold?.close() }

  /// Waits for the configured delay of a phase, at most until the time is over.
  ///
  /// - Returns: Whether the phase is done in time.
  func pass(_ phase: BoardPhase, within left: Duration) async -> Bool {
    guard areAny else { return left > .zero }
    if let hold {
      for await _ in hold.closing() {}
      return true
    }
    guard let delay = delays[phase] else { return left > .zero }
    // Measured rather than assumed: a machine that was suspended meanwhile is late too.
    let began = ContinuousClock.now
    try? await Task.sleep(for: min(delay, max(left, .zero)))
    return ContinuousClock.now - began < left
  }
}
