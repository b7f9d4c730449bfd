public import Freshness

/// The freshness of a resource in one word.
public enum LiveState: String, CaseIterable, Hashable, Sendable {
  /// There is no copy yet.
  case loading
  /// The copy is from the server, and recent.
  case live
  /// The copy is from the server, and of moderate age or partial.
  case ageing
  /// The copy is from the server, and too old to count as live.
  case old
  /// The server does not say how complete the copy is.
  case unknown
  /// A better copy is kept instead of the newest response (R20).
  case kept
  /// The app wrote the copy, and no response has confirmed it (R38).
  case unconfirmed
  /// The copy was stored by an earlier run (R38).
  case stored
  /// The last attempt failed; the copy stays (R22).
  case failing
  /// The device is offline; the copy stays (R24).
  case offline

  /// Derives the state.
  ///
  /// - Parameters:
  ///   - label: The label now; its age may be `nil` without a copy.
  ///   - hasValue: Whether there is a copy.
  ///   - isFailing: Whether the last attempt failed.
  ///   - isOffline: Whether the device is offline.
  public init(_ label: FreshnessLabel?, hasValue: Bool, isFailing: Bool, isOffline: Bool) {
    guard !isOffline else {
      self = .offline
      return
    }
    guard !isFailing else {
      self = .failing
      return
    }
    guard hasValue, let label else {
      self = .loading
      return
    }
    switch (label.provenance, label.badge) {
    case (.local, _): self = .unconfirmed
    case (.disk, _): self = .stored
    case (.server, _) where label.isKept: self = .kept
    case (.server, .live): self = .live
    case (.server, .partial): self = .ageing
    case (.server, .unavailable): self = .old
    case (.server, .unknown): self = .unknown
    }
  }
}

/// A copy of a resource with its freshness.
///
/// The copy does not change; what is said about it does: ``age`` and ``state`` are those of the
/// instant at which they are read. Once a newer copy has replaced it, its age grows on by the clock.
public struct Fresh<Value: Sendable>: Sendable {
  /// The copy.
  public let value: Value
  /// The failure since the copy arrived, if the last attempt failed (R22).
  public let failure: LiveFailure?
  /// The label when the copy was delivered.
  public let label: FreshnessLabel
  private let deliveredAt: Instant
  private let clock: HostClock
  /// Reads what the client knows of this copy; `nil` once it has another.
  private let reread: @Sendable () -> FreshnessReport?

  init(
    _ value: Value,
    failure: LiveFailure?,
    label: FreshnessLabel,
    clock: HostClock,
    reread: @escaping @Sendable () -> FreshnessReport?
  ) {
    self.value = value
    self.failure = failure
    self.label = label
    self.clock = clock
    deliveredAt = clock.now()
    self.reread = reread
  }

  /// How old the data is now, at most (R27, R37).
  public var age: Duration {
    if let age = reread()?.label.age { return age.duration }
    return ((label.age ?? .zero) + max(clock.now() - deliveredAt, .zero)).duration
  }

  /// The state now; a copy that was replaced is at best ``LiveState/old``.
  public var state: LiveState {
    guard let now = reread() else {
      let past = LiveState(label, hasValue: true, isFailing: false, isOffline: false)
      return [.live, .ageing].contains(past) ? .old : past
    }
    return LiveState(
      now.label,
      hasValue: true,
      isFailing: failure != nil,
      isOffline: now.isOffline
    )
  }

  /// Where the copy comes from (R38).
  public var provenance: Provenance { label.provenance }
}
