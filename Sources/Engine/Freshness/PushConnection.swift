/// The stream of news that may stand in for polling (R33).
///
/// ```
///           wanted                 opened
///   off ─────────────▶ opening ──────────────▶ live
///    ▲                    │ too slow, refused     │ silent for 2.5 heartbeats, lost
///    │ no longer wanted   ▼                       ▼
///    └───────────────  waiting ◀──────────────────┘
///                         │ the ladder's step has passed ──▶ opening
/// ```
struct PushConnection: Hashable, Sendable {
  /// The states of a stream.
  enum State: Hashable, Sendable {
    /// Nobody wants a stream.
    case off
    /// A stream is being opened, until a deadline.
    case opening(until: Moment)
    /// News arrives; the stream is lost if it is silent until a moment.
    case live(since: Moment, silentAt: Moment)
    /// The stream is gone; another is opened at a moment.
    case waiting(until: Moment)
  }

  /// What the schedule must know of a change.
  enum Consequence: Hashable, Sendable {
    /// Nothing.
    case none
    /// Something may have been missed: ask now (R33).
    case resync
  }

  private(set) var state: State
  /// Streams in a row that were never stable; they climb the ladder (W6, W9).
  private(set) var attempts: Int32

  /// Creates a stream in a state; none at first.
  init(state: State = .off, attempts: Int32 = 0) {
    self.state = state
    self.attempts = attempts
  }

  /// Whether news arrives, so that polling may slow down.
  var isLive: Bool {
    if case .live = state { return true }
    return false
  }

  /// The moment at which the stream needs attention.
  var deadline: Moment? {
    switch state {
    case .off: nil
    case .opening(let until), .waiting(let until): until
    case .live(_, let silentAt): silentAt
    }
  }

  /// Records that a stream opened.
  ///
  /// When it resumed, the server replays what was missed.
  mutating func opened(isResumed: Bool, at now: Moment, push: Policy.Push) -> Consequence {
    guard case .opening = state else { return .none }
    state = .live(since: now, silentAt: now + push.watchdog)
    return isResumed ? .none : .resync
  }

  /// Records any sign of life.
  mutating func heard(at now: Moment, push: Policy.Push) {
    guard case .live(let since, _) = state else { return }
    state = .live(since: since, silentAt: now + push.watchdog)
  }

  /// Records that the stream ended or could not be opened.
  ///
  /// One stream reports its loss once, however many of its halves fail (W3).
  mutating func lost(
    at now: Moment,
    draw: RandomSample,
    policy: Policy,
    push: Policy.Push
  ) -> Consequence {
    let wasLive: Bool
    switch state {
    case .off, .waiting: return .none
    case .opening: wasLive = false
    case .live(let since, _):
      wasLive = true
      // W9: a stream that was stable starts the ladder afresh.
      if now - since >= push.stableAfter { attempts = 0 }
    }
    state = .waiting(until: now + Backoff.wait(step: attempts, draw: draw, policy: policy))
    attempts = min(attempts + 1, 1_000)
    return wasLive ? .resync : .none
  }

  /// Starts to open a stream if one is wanted and due, or ends one that is not wanted.
  mutating func settle(isWanted: Bool, at now: Moment, push: Policy.Push?) -> PushCommand? {
    guard isWanted, let push else {
      guard state != .off else { return nil }
      self = PushConnection()
      return .close
    }
    switch state {
    case .off: break
    case .waiting(let until) where until <= now: break
    case .opening, .live, .waiting: return nil
    }
    state = .opening(until: now + push.openTimeout)
    return .open
  }

  /// Whether the stream has missed its deadline.
  func isOverdue(at now: Moment) -> Bool {
    switch state {
    case .off, .waiting: false
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
