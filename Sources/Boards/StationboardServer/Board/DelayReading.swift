/// Converts a delay in seconds to minutes and a status: the one authority for rounding.
///
/// `delayMin`, `displayedDelayMin` and `status` of the contract come from here and nowhere else, and
/// never contradict each other. Minutes are rounded up, so that 61 s late are 2 min and 61 s early are
/// 1 min; less than 30 s late is on time, and so is less than a minute early. A train that is up to a
/// minute late is on time (research §3.10). Early is negative.
struct DelayReading: Hashable, Sendable {
  /// The values of the contract's `status`.
  enum Status: String, Hashable, Sendable, CaseIterable {
    /// Predicted as scheduled.
    case onTime = "ON_TIME"
    /// Predicted later than scheduled.
    case delayed = "DELAYED"
    /// Predicted earlier than scheduled.
    case early = "EARLY"
    /// The trip does not run.
    case cancelled = "CANCELLED"
    /// The trip does not stop here.
    case skippedStop = "SKIPPED_STOP"
    /// Nothing is predicted, or nothing is scheduled.
    case unknown = "UNKNOWN"

    /// The value as bytes of the program.
    var text: StaticString {
      switch self {
      case .onTime: "ON_TIME"
      case .delayed: "DELAYED"
      case .early: "EARLY"
      case .cancelled: "CANCELLED"
      case .skippedStop: "SKIPPED_STOP"
      case .unknown: "UNKNOWN"
      }
    }
  }

  /// Late by less than this is on time, in seconds.
  static let jitter = 30

  /// Seconds after the schedule, negative before it; `nil` if no delay is known.
  let seconds: Int?
  /// The same in minutes, before the rule for trains.
  let rawMinutes: Int?
  /// The delay that people are shown, in minutes.
  let minutes: Int?
  /// The status that goes with it.
  let status: Status

  /// Reads the delay of a row.
  init(_ row: BoardRow, isTrain: Bool) {
    self.init(
      seconds: row.flags.contains(.cancelled) ? nil : row.delay,
      isTrain: isTrain,
      reason: row.cancelReason
    )
  }

  /// Reads a delay.
  init(seconds: Int?, isTrain: Bool, reason: BoardRow.CancelReason? = nil) {
    self.seconds = seconds
    rawMinutes = seconds.map { Self.minutes($0) }
    let shown = rawMinutes.map { isTrain && $0 == 1 ? 0 : $0 }
    minutes = shown
    status =
      switch (reason, shown) {
      case (.trip, _): .cancelled
      case (.stop, _): .skippedStop
      case (nil, nil): .unknown
      case (nil, .some(let shown)): shown > 0 ? .delayed : shown < 0 ? .early : .onTime
      }
  }

  /// Seconds in minutes, rounded up; late by less than ``jitter`` is 0.
  static func minutes(_ seconds: Int) -> Int {
    if seconds >= 0 { return seconds < jitter ? 0 : (seconds + 59) / 60 }
    return seconds / 60
  }
}
