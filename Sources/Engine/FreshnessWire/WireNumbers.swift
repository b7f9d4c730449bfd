internal import Freshness

// The published numbers. A number never changes its meaning and is never reused; a new case gets
// the next one, and `Wire.version` grows. `Tests/EngineWasm/numbers.json` is the same table for
// other languages, and tests compare the two.
//
// Sets of bits are published where they are declared: `Notes` and `Effects.Changes`.

/// An enumeration whose cases have published numbers.
protocol WireNumbered: Hashable {
  /// The case with a number, if there is one.
  init?(wireNumber: Int64)
  /// The number of the case.
  var wireNumber: Int64 { get }
}

// MARK: Enumerations with values; the values follow the number

extension WireNumbered where Self: RawRepresentable<Int64> {
  init?(wireNumber: Int64) { self.init(rawValue: wireNumber) }
  var wireNumber: Int64 { rawValue }
}

/// The kinds of ``Event``.
enum EventKind: Int64, WireNumbered, CaseIterable {
  case started = 1
  case stopped = 2
  case paceRequested = 3
  case prefetch = 4
  case woke = 5
  case slept = 6
  case lifecycle = 7
  case focused = 8
  case connectivity = 9
  case refreshRequested = 10
  case contextChanged = 11
  case activity = 12
  case acted = 13
  case fulfilled = 14
  case wrote = 15
  case evicted = 16
  case answered = 17
  case linkOpened = 18
  case linkHeard = 19
  case linkChanged = 20
  case linkDelivered = 21
  case linkGap = 22
  case linkLost = 23
  case restored = 24
  case restrained = 25
  case notHeld = 26
  case queued = 27
}

/// The kinds of messages to an ``Origin``.
enum OriginEventKind: Int64, WireNumbered, CaseIterable {
  case asks = 1
  case ended = 2
  case withdrew = 3
  case opens = 4
}

/// The kinds of ``Outcome``.
enum OutcomeKind: Int64, WireNumbered, CaseIterable {
  case content = 1
  case unchanged = 2
  case refused = 3
  case unauthorised = 4
  case gone = 5
  case throttled = 6
  case serverError = 7
  case timedOut = 8
  case unreachable = 9
  case undecodable = 10
  case cancelled = 11
}

/// The kinds of ``RetryHint``.
enum RetryHintKind: Int64, WireNumbered, CaseIterable {
  case seconds = 1
  case date = 2
}

/// The kinds of ``Failure``.
enum FailureKind: Int64, WireNumbered, CaseIterable {
  case refused = 1
  case unauthorised = 2
  case gone = 3
  case throttled = 4
  case serverError = 5
  case timedOut = 6
  case unreachable = 7
  case undecodable = 8
  case missingBody = 9
}

/// The kinds of ``Jitter``.
enum JitterKind: Int64, WireNumbered, CaseIterable {
  case none = 1
  case signed = 2
  case within = 3
  case share = 4
  case above = 5
  case full = 6
}

/// The kinds of ``FreshnessLabel/Marker``.
enum MarkerKind: Int64, WireNumbered, CaseIterable {
  case none = 1
  case normal = 2
  case reducedByStatus = 3
  case reducedByMode = 4
}

/// The kinds of ``Age/Wording``.
enum WordingKind: Int64, WireNumbered, CaseIterable {
  case seconds = 1
  case minutes = 2
  case hours = 3
}
