import FreshnessWire

@testable import Freshness

// Values as the wire carries them: times stop at its limit, and what is the machine's own stays
// behind.

extension Int64 {
  fileprivate var carried: Int64 { Swift.min(Swift.max(self, -Wire.limit), Wire.limit) }
}

extension Instant.Duration {
  var carried: Instant.Duration { Instant.Duration(milliseconds: milliseconds.carried) }
}

extension Instant {
  var carried: Instant { Instant(milliseconds: milliseconds.carried) }
}

extension NextRequest {
  var carried: NextRequest { NextRequest(cause, due: due?.carried) }
}

extension Effects {
  var carried: Effects {
    var effects = self
    effects.asOf = asOf?.carried
    effects.alarm = alarm?.carried
    effects.request?.refresh.repetition = .none
    effects.request?.timeout = request?.timeout.carried ?? .zero
    effects.request?.cadence = request?.cadence.carried ?? .zero
    effects.sample?.skew = sample?.skew?.carried
    effects.sample?.changeToScreen = sample?.changeToScreen?.carried
    effects.sample?.cadence = sample?.cadence.carried ?? .zero
    return effects
  }
}

extension Snapshot {
  var carried: Snapshot {
    var snapshot = self
    snapshot.age = Age(atArrival: age.atArrival.carried, arrivedAt: age.arrivedAt.carried)
    // What only orders other responses is not shown.
    if !hasSourceTime { snapshot.floor = nil }
    return snapshot
  }
}
