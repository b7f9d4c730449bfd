import Jobs

/// How long one upload may take: slow is fine, as long as it goes on.
///
/// What comes has to come at a least rate. Who falls behind it has some slack, which grows again with what comes
/// and never beyond what it was at the beginning. So a phone far away gets through, with its pauses, and a
/// client that sends a byte now and then, or all but the last one, does not keep a place from others.
struct UploadPace: Sendable {
  private let slack: Duration
  private let bytesPerSecond: Double
  private let end: ContinuousClock.Instant
  private var deadline: ContinuousClock.Instant

  /// Begins to measure.
  ///
  /// - Parameters:
  ///   - limits: The limits.
  ///   - now: When the upload begins.
  init(_ limits: JobLimits, now: ContinuousClock.Instant = .now) {
    slack = .seconds(limits.uploadSlackSeconds)
    bytesPerSecond = Double(limits.uploadBytesPerSecond)
    end = now + .seconds(limits.uploadSeconds)
    deadline = now + slack
  }

  /// Some bytes came.
  ///
  /// - Returns: Whether they came in time.
  mutating func take(_ bytes: Int, now: ContinuousClock.Instant = .now) -> Bool {
    guard now <= deadline, now <= end else { return false }
    deadline = min(now + slack, deadline + .seconds(Double(bytes) / bytesPerSecond))
    return true
  }
}
