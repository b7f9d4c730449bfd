/// How urgent a job is, compared with others that wait.
public enum JobPriority: String, CaseIterable, Hashable, Sendable {
  /// Before others: a person waits for it.
  case high
  /// As all jobs without a priority.
  case normal
  /// After others: it is not urgent.
  case low

  /// How many steps it runs before a normal job that came at the same time.
  var steps: Int64 {
    switch self {
    case .high: 1
    case .normal: 0
    case .low: -1
    }
  }
}

/// When a job may start, and before which others.
public struct JobSchedule: Hashable, Sendable {
  /// Its priority.
  public var priority: JobPriority
  /// The instant before which it does not start, in milliseconds since 1970-01-01T00:00:00Z; `nil` for at once.
  public var runAt: Int64?

  /// Creates a schedule; at once and normal by default.
  public init(priority: JobPriority = .normal, runAt: Int64? = nil) {
    self.priority = priority
    self.runAt = runAt
  }

  /// The place of a job among those that wait: the lowest rank runs first.
  ///
  /// A rank is an instant, so no priority starves another one: a job of high priority overtakes only what came up to
  /// ``JobLimits/priorityStepSeconds`` before it, twice as long ago for low priority.
  ///
  /// - Parameters:
  ///   - due: Since when it may run, in milliseconds since 1970-01-01T00:00:00Z.
  ///   - limits: The limits.
  /// - Returns: The rank.
  public func rank(due: Int64, _ limits: JobLimits) -> Int64 {
    due - priority.steps * Int64(limits.priorityStepSeconds) * 1_000
  }
}
