import Jobs

/// Limits the duration of one upload: slow is fine, as long as it progresses.
///
/// The content must arrive at a minimum rate. A slow client has some slack, which grows again with what arrives, and
/// never beyond the initial one. So a distant phone succeeds, with its pauses, and a client that sends a byte now and
/// then, or all but the last one, does not occupy a permit.
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
  mutating func record(_ bytes: Int, now: ContinuousClock.Instant = .now) -> Bool {
    guard now <= deadline, now <= end else { return false }
    deadline = min(now + slack, deadline + .seconds(Double(bytes) / bytesPerSecond))
    return true
  }
}
