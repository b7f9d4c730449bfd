public import Freshness

/// What observers of a resource see: the copy and the failure, side by side (R22).
///
/// A snapshot is delivered when its contents change. A confirmation of the copy changes nothing in
/// it (R16); read the growing age with ``FreshnessClient/freshness(of:)``.
public struct LiveSnapshot<Value: Sendable>: Sendable {
  /// The current copy; `nil` before the first response and right after a change of context (R4).
  public internal(set) var value: Value?
  /// The most recent failure, until the next success.
  public internal(set) var failure: LiveFailure?
  /// Whether to show the loading hint (R25).
  public internal(set) var isLoading = false
  /// The marker, the badge and the age when the snapshot was delivered (R26).
  public internal(set) var label: FreshnessLabel
  /// The number of the copy, among all copies of the resource.
  var copy: Int64 = 0

  /// Creates a snapshot.
  ///
  /// - Parameters:
  ///   - value: The copy.
  ///   - failure: The most recent failure.
  ///   - isLoading: Whether to show the loading hint.
  ///   - label: The marker, the badge and the age.
  public init(
    value: Value?,
    failure: LiveFailure? = nil,
    isLoading: Bool = false,
    label: FreshnessLabel
  ) {
    self.value = value
    self.failure = failure
    self.isLoading = isLoading
    self.label = label
  }
}

extension LiveSnapshot: Equatable where Value: Equatable {
  /// Compares what is shown.
  public static func == (left: Self, right: Self) -> Bool {
    left.value == right.value && left.failure == right.failure
      && left.isLoading == right.isLoading && left.label == right.label
  }
}

extension LiveSnapshot {
  /// Returns the snapshot with the expected results of mutations (R38).
  ///
  /// `changes` is application code, which never runs under a lock.
  func showing(_ changes: [@Sendable (inout Value) -> Void]) -> LiveSnapshot {
    guard !changes.isEmpty, var value else { return self }
    for change in changes { change(&value) }
    var shown = self
    shown.value = value
    shown.label = label.ofLocalChange
    return shown
  }
}

extension FreshnessLabel {
  /// The label of a copy that the app has changed: neither marker nor badge, and the same age (R38).
  var ofLocalChange: FreshnessLabel {
    var label = self
    (label.marker, label.badge, label.notice) = (.none, .unknown, .none)
    label.provenance = .local
    return label
  }
}

/// How fresh a resource is at an instant, and what the engine is doing about it.
public struct FreshnessReport: Hashable, Sendable {
  /// The marker, the badge and the age (R26, R27).
  public var label: FreshnessLabel
  /// How long ago the body changed; `nil` without a copy.
  public var changedAgo: Instant.Duration?
  /// How long ago the server last confirmed the copy; `nil` without a copy.
  public var verifiedAgo: Instant.Duration?
  /// When the data was made, on the clock of its producer; `nil` if the server does not say so.
  public var sourceTime: WallTime?
  /// The time until the engine acts by itself: the next request, or the timeout of one in flight.
  public var nextActionIn: Instant.Duration?
  /// Whether a request is in flight.
  public var isRequesting: Bool
  /// Whether a stream delivers events (R33).
  public var isStreaming: Bool
  /// Whether the device has no network (R24).
  public var isOffline: Bool
  /// The pace of the schedule (R9).
  public var pace: Pace
  /// The consecutive failures that count for the backoff (R23).
  public var failuresInARow: Int

  /// Creates a report about a copy that is not kept fresh.
  ///
  /// - Parameter label: The marker, the badge and the age.
  public init(once label: FreshnessLabel) {
    self.init(
      label: label,
      changedAgo: nil,
      verifiedAgo: nil,
      nextActionIn: nil,
      isRequesting: false,
      isStreaming: false,
      isOffline: false,
      pace: .idle,
      failuresInARow: 0
    )
  }

  init(
    label: FreshnessLabel,
    changedAgo: Instant.Duration?,
    verifiedAgo: Instant.Duration?,
    sourceTime: WallTime? = nil,
    nextActionIn: Instant.Duration?,
    isRequesting: Bool,
    isStreaming: Bool,
    isOffline: Bool,
    pace: Pace,
    failuresInARow: Int
  ) {
    self.label = label
    self.changedAgo = changedAgo
    self.verifiedAgo = verifiedAgo
    self.sourceTime = sourceTime
    self.nextActionIn = nextActionIn
    self.isRequesting = isRequesting
    self.isStreaming = isStreaming
    self.isOffline = isOffline
    self.pace = pace
    self.failuresInARow = failuresInARow
  }
}
