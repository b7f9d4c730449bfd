public import Freshness

/// What observers of a resource see: the copy, and what is wrong, side by side (R22).
///
/// A snapshot is told when something in it changes. That a copy was merely confirmed changes
/// nothing in it (R16): its growing age is read with ``FreshnessClient/freshness(of:)``.
public struct LiveSnapshot<Value: Sendable>: Sendable {
  /// The copy; nothing before the first answer and right after a change of context (R4).
  public internal(set) var value: Value?
  /// What went wrong last, until something goes right.
  public internal(set) var failure: LiveFailure?
  /// Whether a request is out that a person may be told about (R25).
  public internal(set) var isLoading = false
  /// The marker, the badge and the age, as they were when the snapshot was told (R26).
  public internal(set) var label: FreshnessLabel

  /// Creates a snapshot.
  ///
  /// - Parameters:
  ///   - value: The copy.
  ///   - failure: What went wrong last.
  ///   - isLoading: Whether a person may be told that a request is out.
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

extension LiveSnapshot: Equatable where Value: Equatable {}

/// How fresh a resource is at one moment, and what the engine does about it.
public struct FreshnessReport: Hashable, Sendable {
  /// The marker, the badge and the age (R26, R27).
  public var label: FreshnessLabel
  /// How long ago the body became another; nothing without a copy.
  public var changedAgo: Timespan?
  /// How long ago the server last said that the copy is right; nothing without a copy.
  public var verifiedAgo: Timespan?
  /// The time until the engine acts by itself: the next request, or the timeout of one that is out.
  public var nextActionIn: Timespan?
  /// Whether a request is out.
  public var isAsking: Bool
  /// Whether a stream brings the news (R33).
  public var isStreaming: Bool
  /// The pace of the schedule (R9).
  public var pace: Pace
  /// The failures in a row that count for the ladder (R23).
  public var failuresInARow: Int

  /// How fresh a copy is that nobody keeps fresh.
  ///
  /// - Parameter label: The marker, the badge and the age.
  public init(once label: FreshnessLabel) {
    self.init(
      label: label,
      changedAgo: nil,
      verifiedAgo: nil,
      nextActionIn: nil,
      isAsking: false,
      isStreaming: false,
      pace: .idle,
      failuresInARow: 0
    )
  }

  init(
    label: FreshnessLabel,
    changedAgo: Timespan?,
    verifiedAgo: Timespan?,
    nextActionIn: Timespan?,
    isAsking: Bool,
    isStreaming: Bool,
    pace: Pace,
    failuresInARow: Int
  ) {
    self.label = label
    self.changedAgo = changedAgo
    self.verifiedAgo = verifiedAgo
    self.nextActionIn = nextActionIn
    self.isAsking = isAsking
    self.isStreaming = isStreaming
    self.pace = pace
    self.failuresInARow = failuresInARow
  }
}
