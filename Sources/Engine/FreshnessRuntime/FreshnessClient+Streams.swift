import ConditionalHTTP
import Freshness
import HTTPTypes

// What event streams report (R33), under the invariants of the driver.
extension FreshnessClient {
  /// Passes a stream event to the machine, if the stream is still that of its resource (D3).
  func heard(_ event: Event, from number: Int64, key: MachineSchedule.Key) {
    withRegistry { registry in
      guard registry.entries[key]?.stream?.number == number else { return }
      if event == .streamLost { registry.entries[key]?.stream = nil }
      handle(event, for: key, in: &registry)
    }
  }

  /// Passes a body from a stream to the machine.
  func delivered<R: FreshResource>(
    _ reading: Reading<R.Value>,
    bytes: Int,
    at arrivedAt: Instant,
    to resourceEntry: ResourceEntry<R>,
    from number: Int64,
    key: MachineSchedule.Key
  ) {
    let received = ReceivedResponse(reading, bytes: bytes)
    var isDone = false
    while !isDone {
      let comparison = resourceEntry.compare(with: reading.value)
      isDone = withRegistry { registry in
        guard registry.entries[key]?.stream?.number == number,
          let context = registry.schedule[key]?.context
        else { return true }
        guard resourceEntry.isCurrent(comparison) else { return false }
        var answer = resourceEntry.answer(for: received, comparison)
        let now = clock.now()
        answer.decoding = max(now - arrivedAt, .zero)
        handle(.streamDelivered(context, answer), for: key, at: now, in: &registry)
        return true
      }
    }
  }

  /// Removes a stream that turned out not to exist.
  func hasNoStream(_ number: Int64, key: MachineSchedule.Key) {
    withRegistry { registry in
      if registry.entries[key]?.stream?.number == number { registry.entries[key]?.stream = nil }
    }
  }

  /// Reports to an origin that it asks for a pause instead of opening a stream (R39).
  func streamRefused(
    _ head: HTTPResponse,
    of policy: Policy?,
    from number: Int64,
    key: MachineSchedule.Key
  ) {
    let wall = clock.wall()
    withRegistry { registry in
      guard let entry = registry.entries[key], entry.stream?.number == number else { return }
      let outcome = ResponseOutcome(
        status: head.status,
        fields: head.headerFields,
        decodingFailure: nil,
        hasSnapshot: false,
        now: wall.milliseconds,
        delayLimit: (policy ?? registry.policy).retryAfterCap.milliseconds
      )
      guard case .throttled = outcome else { return }
      registry.origins.streamRefused(
        of: entry.origin,
        Outcome(outcome, content: nil, hasCopy: false, reason: 0),
        at: clock.now()
      )
      rearm(&registry)
    }
  }
}
