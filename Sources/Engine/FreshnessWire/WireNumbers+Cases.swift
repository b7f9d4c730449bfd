// Written by Scripts/generate-engine-wire from wire.json.

internal import Freshness

/// The kinds of messages to an ``Origin``.
enum OriginEventKind: Int64, WireNumbered, CaseIterable {
  case asks = 1
  case ended = 2
  case withdrew = 3
  case opens = 4
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

extension WirePreset: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .every
    case 2: self = .departuresWeb
    case 3: self = .departuresNative
    case 4: self = .departuresWeb5s
    case 5: self = .workspaces
    case 6: self = .jobs
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .every: 1
    case .departuresWeb: 2
    case .departuresNative: 3
    case .departuresWeb5s: 4
    case .workspaces: 5
    case .jobs: 6
    }
  }
}

extension Lifecycle: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .foreground
    case 2: self = .background
    case 3: self = .suspended
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .foreground: 1
    case .background: 2
    case .suspended: 3
    }
  }
}

extension Connectivity: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .online
    case 2: self = .metered
    case 3: self = .offline
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .online: 1
    case .metered: 2
    case .offline: 3
    }
  }
}

extension Activity: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .quiet
    case 2: self = .active
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .quiet: 1
    case .active: 2
    }
  }
}

extension Pace: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .active
    case 2: self = .recent
    case 3: self = .idle
    case 4: self = .background
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .active: 1
    case .recent: 2
    case .idle: 3
    case .background: 4
    }
  }
}

extension RefreshRequest.Reason: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .prefetch
    case 2: self = .schedule
    case 3: self = .catchUp
    case 4: self = .change
    case 5: self = .person
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .prefetch: 1
    case .schedule: 2
    case .catchUp: 3
    case .change: 4
    case .person: 5
    }
  }
}

extension ResponseMode: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .full
    case 2: self = .degradedStatic
    case 3: self = .staleCacheFallback
    case 4: self = .staticTimeoutFallback
    case 5: self = .unknown
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .full: 1
    case .degradedStatic: 2
    case .staleCacheFallback: 3
    case .staticTimeoutFallback: 4
    case .unknown: 5
    }
  }
}

extension RealtimeStatus: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .applied
    case 2: self = .partial
    case 3: self = .skippedBudget
    case 4: self = .disabled
    case 5: self = .missingCache
    case 6: self = .staleCache
    case 7: self = .guardedError
    case 8: self = .unknown
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .applied: 1
    case .partial: 2
    case .skippedBudget: 3
    case .disabled: 4
    case .missingCache: 5
    case .staleCache: 6
    case .guardedError: 7
    case .unknown: 8
    }
  }
}

extension Effects.SnapshotOrder: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .none
    case 2: self = .apply
    case 3: self = .verify
    case 4: self = .keep
    case 5: self = .clear
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .none: 1
    case .apply: 2
    case .verify: 3
    case .keep: 4
    case .clear: 5
    }
  }
}

extension PushCommand: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .open
    case 2: self = .close
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .open: 1
    case .close: 2
    }
  }
}

extension Request.Priority: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .low
    case 2: self = .normal
    case 3: self = .high
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .low: 1
    case .normal: 2
    case .high: 3
    }
  }
}

extension DowngradeProtection.Verdict: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .keepUnmodified
    case 2: self = .applyRealtime
    case 3: self = .applyNothingToLose
    case 4: self = .applyForced
    case 5: self = .applyTooOld
    case 6: self = .applyAlways
    case 7: self = .keepBetter
    case 8: self = .keepNewer
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .keepUnmodified: 1
    case .applyRealtime: 2
    case .applyNothingToLose: 3
    case .applyForced: 4
    case .applyTooOld: 5
    case .applyAlways: 6
    case .keepBetter: 7
    case .keepNewer: 8
    }
  }
}

extension Provenance: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .server
    case 2: self = .local
    case 3: self = .disk
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .server: 1
    case .local: 2
    case .disk: 3
    }
  }
}

extension FreshnessLabel.Badge: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .live
    case 2: self = .partial
    case 3: self = .unavailable
    case 4: self = .unknown
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .live: 1
    case .partial: 2
    case .unavailable: 3
    case .unknown: 4
    }
  }
}

extension FreshnessLabel.Notice: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .none
    case 2: self = .mild
    case 3: self = .unavailable
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .none: 1
    case .mild: 2
    case .unavailable: 3
    }
  }
}

extension NextRequest.Cause: WireNumbered {
  init?(wireNumber: Int64) {
    switch wireNumber {
    case 1: self = .unwatched
    case 2: self = .offline
    case 3: self = .paused
    case 4: self = .outstanding
    case 5: self = .cadence
    case 6: self = .stated
    case 7: self = .learned
    case 8: self = .longPoll
    case 9: self = .safetyPoll
    case 10: self = .retry
    case 11: self = .backoff
    case 12: self = .degraded
    case 13: self = .recheck
    case 14: self = .retryAfter
    case 15: self = .spread
    case 16: self = .reconnect
    case 17: self = .change
    case 18: self = .origin
    case 19: self = .patience
    default: return nil
    }
  }

  var wireNumber: Int64 {
    switch self {
    case .unwatched: 1
    case .offline: 2
    case .paused: 3
    case .outstanding: 4
    case .cadence: 5
    case .stated: 6
    case .learned: 7
    case .longPoll: 8
    case .safetyPoll: 9
    case .retry: 10
    case .backoff: 11
    case .degraded: 12
    case .recheck: 13
    case .retryAfter: 14
    case .spread: 15
    case .reconnect: 16
    case .change: 17
    case .origin: 18
    case .patience: 19
    }
  }
}

extension Effects.Changes: WireBits {
  var wireBits: Int64 {
    var bits: Int64 = 0
    if contains(.snapshot) { bits |= 1 }
    if contains(.failure) { bits |= 2 }
    if contains(.loading) { bits |= 4 }
    if contains(.label) { bits |= 8 }
    return bits
  }
}

extension Notes: WireBits {
  var wireBits: Int64 {
    var bits: Int64 = 0
    if contains(.coalesced) { bits |= 1 }
    if contains(.superseded) { bits |= 2 }
    if contains(.kept) { bits |= 4 }
    if contains(.retried) { bits |= 8 }
    if contains(.rescued) { bits |= 16 }
    if contains(.drifted) { bits |= 32 }
    if contains(.timedOut) { bits |= 64 }
    if contains(.prefetchDropped) { bits |= 128 }
    if contains(.deferred) { bits |= 256 }
    if contains(.streamLost) { bits |= 512 }
    if contains(.overtaken) { bits |= 1_024 }
    return bits
  }
}
