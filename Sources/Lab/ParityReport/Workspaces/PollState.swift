/// The states of seed 003's table, identified by the cadence in force.
package enum PollState: String, CaseIterable, Sendable {
  /// An agent works.
  case active
  /// The last agent stopped working less than 120 s ago.
  case recent
  /// No activity.
  case idle
  /// The app is not visible.
  case background

  /// The cadence, in milliseconds (seed 003).
  package var cadence: Int64 {
    switch self {
    case .active: 1_500
    case .recent: 3_000
    case .idle: 10_000
    case .background: 30_000
    }
  }

  /// The requests in an hour (seed 003).
  package var requests: Int64 { 3_600_000 / cadence }

  /// Creates the state with a cadence.
  init?(cadence: Int64) {
    guard let state = Self.allCases.first(where: { $0.cadence == cadence }) else { return nil }
    self = state
  }

  /// Whether the app is visible during activity: the seed's times apply there.
  var isBusy: Bool { self == .active || self == .recent }
}

/// The traffic in one state: a row of seed 003's table.
package struct PollRow: Hashable, Sendable {
  /// The state.
  package var state: PollState
  /// The number of measured intervals of the schedule, and their total length in milliseconds.
  package internal(set) var intervals = 0
  /// See ``intervals``.
  package internal(set) var time: Int64 = 0
  /// The responses, those that say "not modified", and those with changes.
  package internal(set) var answers = 0
  /// See ``answers``.
  package internal(set) var unchanged = 0
  /// See ``answers``.
  package internal(set) var changes = 0
  /// The bytes of heads and contents received.
  package internal(set) var bytes: Int64 = 0
  /// The bytes if every response had contained the whole list.
  package internal(set) var wholeBytes: Int64 = 0

  /// The requests per hour; `nil` if the time is too short to show it.
  package var requestsPerHour: Double? {
    time >= WorkspaceReportLimits.leastTime
      ? Double(intervals) * 3_600_000 / Double(time) : nil
  }
  /// The bytes per hour, at the measured size of responses.
  package var bytesPerHour: Double? { perHour(bytes) }
  /// The bytes per hour without "not modified" and without deltas.
  package var wholeBytesPerHour: Double? { wholeBytes > 0 ? perHour(wholeBytes) : nil }

  private func perHour(_ bytes: Int64) -> Double? {
    guard let requestsPerHour, answers > 0 else { return nil }
    return Double(bytes) / Double(answers) * requestsPerHour
  }
}
