/// The event stream that may replace polling (R33).
///
/// ```
///                wanted                 opened
///   off, closed ─────────▶ opening ──────────────▶ live
///    ▲                        │ too slow, refused     │ silent for 2.5 heartbeats, lost
///    │ no longer wanted       ▼                       ▼
///    └──────────────────── waiting ◀──────────────────┘
///                             │ the ladder's step has passed ──▶ opening
/// ```
struct PushConnection: Hashable, Sendable {
  /// The states of a stream.
  enum State: Hashable, Sendable {
    /// No stream is wanted, nor was any before.
    case off
    /// No stream is wanted any more; another costs as much as a return of the user, because none was stable (R40).
    case closed
    /// A stream is being opened, until a deadline.
    case opening(until: Instant)
    /// Events arrive; the stream counts as lost if it is silent until an instant.
    case live(since: Instant, silentAt: Instant)
    /// The stream is gone; another is opened at an instant.
    case waiting(until: Instant)
  }

  /// What the schedule must do after a change of the stream.
  enum Consequence: Hashable, Sendable {
    /// Nothing.
    case none
    /// Events may have been missed: request now (R33).
    case resync
  }

  private(set) var state: State
  /// Consecutive streams that never became stable; they advance the backoff (W6, W9).
  private(set) var attempts: Int32

  /// Creates a stream in a state, `off` by default.
  init(state: State = .off, attempts: Int32 = 0) {
    self.state = state
    self.attempts = attempts
  }

  /// Whether events arrive, so that polling may slow down.
  var isLive: Bool {
    if case .live = state { return true }
    return false
  }

  /// The instant at which the stream needs attention.
  var deadline: Instant? {
    switch state {
    case .off, .closed: nil
    case .opening(let until), .waiting(let until): until
    case .live(_, let silentAt): silentAt
    }
  }

  /// Records that a stream opened.
  ///
  /// When it resumed, the server replays what was missed.
  mutating func opened(isResumed: Bool, at now: Instant, push: Policy.Push) -> Consequence {
    guard case .opening = state else { return .none }
    state = .live(since: now, silentAt: now + push.watchdog)
    return isResumed ? .none : .resync
  }

  /// Records data or a heartbeat.
  mutating func heard(at now: Instant, push: Policy.Push) {
    guard case .live(let since, _) = state else { return }
    state = .live(since: since, silentAt: now + push.watchdog)
  }

  /// Records that the stream ended or could not be opened.
  ///
  /// A stream reports its loss once, even if both of its halves fail (W3).
  mutating func lost(
    at now: Instant,
    random: RandomSample,
    policy: Policy,
    push: Policy.Push
  ) -> Consequence {
    let wasLive: Bool
    switch state {
    case .off, .closed, .waiting: return .none
    case .opening: wasLive = false
    case .live(let since, _):
      wasLive = true
      // W9: a stable stream resets the backoff.
      if now - since >= push.stableAfter { attempts = 0 }
    }
    state = .waiting(until: now + Backoff.wait(step: attempts, random: random, policy: policy))
    attempts = min(attempts + 1, 1_000)
    return wasLive ? .resync : .none
  }

  /// Opens a stream if one is wanted and due, or closes one that is not wanted.
  ///
  /// One that was ``State/closed`` waits for the budget.
  ///
  /// - Parameters:
  ///   - isWanted: Whether one is wanted.
  ///   - notBefore: The instant before which none is opened (R39).
  ///   - now: The present.
  ///   - push: The policy, if there is one.
  /// - Returns: What the host does.
  mutating func apply(
    isWanted: Bool,
    notBefore: Instant?,
    at now: Instant,
    push: Policy.Push?
  ) -> PushCommand? {
    guard isWanted, let push else {
      guard state != .off, state != .closed else { return nil }
      var isStable = false
      if case .live(let since, _) = state, let push { isStable = now - since >= push.stableAfter }
      self = PushConnection(state: isStable ? .off : .closed)
      return .close
    }
    switch state {
    case .off: break
    case .waiting(let until) where until <= now: break
    case .closed, .opening, .live, .waiting: return nil
    }
    return open(notBefore: notBefore, at: now, push: push)
  }

  /// Opens a stream, or waits as long as the server asks.
  @inline(never)
  mutating func open(notBefore: Instant?, at now: Instant, push: Policy.Push) -> PushCommand? {
    if let notBefore, notBefore > now {
      // R39: the server asks for a pause, of streams too.
      state = .waiting(until: notBefore)
      return nil
    }
    state = .opening(until: now + push.openTimeout)
    return .open
  }

  /// Whether the stream has missed its deadline.
  func isOverdue(at now: Instant) -> Bool {
    switch state {
    case .off, .closed, .waiting: false
    case .opening(let until): until <= now
    case .live(_, let silentAt): silentAt <= now
    }
  }
}

/// What the host does with the stream of a resource (R33).
public enum PushCommand: UInt8, Hashable, Sendable {
  /// Open a stream, after closing any that is still there.
  case open
  /// Close the stream.
  case close
}
