/// The wait of a request for what its client has seen at another server (rule SR8).
///
/// A value without a clock. Times are those of a clock that never goes back, from any origin.
package struct MonotonicRead: Hashable, Sendable {
  /// What a client has seen, by what it sends.
  package struct Seen: Hashable, Sendable {
    /// The newest position in its entity tags; `nil` if it sends none.
    package var position: Int64?
    /// The instant of its publication, in seconds since 1970-01-01T00:00:00Z; `nil` if it sends none.
    package var instant: Double?

    /// Creates a description of what a client has seen.
    package init(position: Int64? = nil, instant: Double? = nil) {
      self.position = position
      self.instant = instant
    }

    /// Whether a server has all of it.
    ///
    /// - Parameters:
    ///   - shown: What the server shows.
    ///   - now: The service clock: an instant in the future was given by no server.
    /// - Returns: Whether nothing is missing.
    package func isCovered(by shown: Shown, at now: Double = 0) -> Bool {
      if let position, position > shown.position { return false }
      guard let instant, let newest = shown.instant, instant <= now + SourceStatus.clockDifference
      else { return true }
      return (instant * 1_000).rounded() <= (newest * 1_000).rounded()
    }
  }

  /// What a server shows.
  package struct Shown: Hashable, Sendable {
    /// Everything up to this position is shown.
    package var position: Int64
    /// The instant of its newest publication, 0 before the first, in seconds since 1970-01-01T00:00:00Z; `nil` if the board has
    /// no realtime.
    package var instant: Double?

    /// Creates a description of what a server shows.
    package init(position: Int64, instant: Double? = nil) {
      self.position = position
      self.instant = instant
    }
  }

  /// What a request does next.
  package enum Step: Hashable, Sendable {
    /// Waits until something more is shown, for a time at most.
    case wait(atMost: Duration)
    /// Answers, and says whether the server is behind what the client has seen.
    case answer(isBehind: Bool)
  }

  private let endsAt: Duration

  /// Creates the wait of a request that has just arrived.
  package init(_ limits: LeadershipLimits, at now: Duration) { endsAt = now + limits.readWait }

  /// Decides.
  ///
  /// - Parameters:
  ///   - isCovered: Whether the server has what the client has seen.
  ///   - mayWait: Whether there is a place to wait, and the server does not end.
  ///   - now: The time.
  /// - Returns: What to do.
  package func step(isCovered: Bool, mayWait: Bool = true, at now: Duration) -> Step {
    guard !isCovered else { return .answer(isBehind: false) }
    guard mayWait, now < endsAt else { return .answer(isBehind: true) }
    return .wait(atMost: endsAt - now)
  }
}
