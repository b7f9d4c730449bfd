/// Decides the state of a job after an attempt at it has failed.
///
/// The pause before another attempt doubles with each failure, from ``JobLimits/leastRetrySeconds`` to
/// ``JobLimits/mostRetrySeconds``; jitter shortens it by up to half, so that jobs that failed together do not come back
/// together.
public enum JobRetry: Hashable, Sendable {
  /// Another attempt follows at an instant, in milliseconds since 1970-01-01T00:00:00Z.
  case again(at: Int64)
  /// It was the last attempt.
  case end

  /// Decides.
  ///
  /// - Parameters:
  ///   - failures: How many attempts have failed, with this one.
  ///   - isRetryable: Whether the same job may succeed later.
  ///   - now: Now, in milliseconds since 1970-01-01T00:00:00Z.
  ///   - sample: A random sample, 0 to 1.
  ///   - limits: The limits.
  public init(
    failures: Int,
    isRetryable: Bool,
    now: Int64,
    sample: Double,
    _ limits: JobLimits
  ) {
    guard isRetryable, failures >= 1, failures < limits.attemptsOfJob else {
      self = .end
      return
    }
    self = .again(at: now + Self.pause(failures: failures, sample: sample, limits))
  }

  /// The pause after a number of failures, in milliseconds.
  static func pause(failures: Int, sample: Double, _ limits: JobLimits) -> Int64 {
    let most = max(limits.leastRetrySeconds, limits.mostRetrySeconds)
    // More than 40 doublings of a second are longer than any limit.
    let longest = min(
      Double(limits.leastRetrySeconds) * Double(1 << min(failures - 1, 40)),
      Double(most)
    )
    let share = sample.isFinite ? min(max(sample, 0), 1) : 1
    return Int64((longest * 1_000 * (1 - share / 2)).rounded())
  }
}

/// What is said of a job whose attempt failed and that is tried again.
public struct JobRetryNotice: Hashable, Sendable {
  /// How many attempts have failed.
  public var failedAttempts: Int
  /// How many attempts there are at most.
  public var maxAttempts: Int?
  /// When the next one begins at the earliest, in milliseconds since 1970-01-01T00:00:00Z.
  public var runAt: Int64?
  /// The code of the failure.
  public var code: String?

  /// Creates a notice.
  public init(failedAttempts: Int, maxAttempts: Int?, runAt: Int64?, code: String?) {
    self.failedAttempts = failedAttempts
    self.maxAttempts = maxAttempts
    self.runAt = runAt
    self.code = code
  }
}
