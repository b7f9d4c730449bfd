import ConditionalHTTP
import Freshness

// How a response is handled: it is compared with the copy outside the lock, and passed to the machine under it.
extension FreshnessClient {
  /// Passes the response to the machine.
  func arrived<R: FreshResource>(
    _ received: ReceivedResponse<R.Value>,
    at resourceEntry: ResourceEntry<R>,
    key: MachineSchedule.Key,
    ticket: Ticket
  ) {
    var isDone = false
    while !isDone {
      // Compared outside the lock, and again if the copy has changed by then.
      let comparison = resourceEntry.compare(with: received.reading?.value)
      isDone = withRegistry { registry in
        guard resourceEntry.isCurrent(comparison) else { return false }
        arrived(received, comparison, at: resourceEntry, key: key, ticket: ticket, in: &registry)
        return true
      }
    }
  }

  private func arrived<R: FreshResource>(
    _ received: ReceivedResponse<R.Value>,
    _ comparison: ResourceEntry<R>.Comparison,
    at resourceEntry: ResourceEntry<R>,
    key: MachineSchedule.Key,
    ticket: Ticket,
    in registry: inout ClientRegistry
  ) {
    let inFlight = registry.entries[key]?.inFlight
    if inFlight?.request.ticket == ticket { registry.entries[key]?.inFlight = nil }
    guard !received.isOfAnotherCopy else {
      if let inFlight, inFlight.request.ticket == ticket {
        note(received, of: inFlight, key, in: &registry)
      }
      answered(.unchanged, received, inFlight, key, ticket, in: &registry)
      // A 304 for a copy that the client does not have confirms nothing: request the complete body.
      carryOut(.answered(ticket, Answer(.cancelled)), for: key, at: clock.now(), in: &registry)
      handle(
        .refreshRequested(RefreshRequest(.change, isUnconditional: true)),
        for: key,
        in: &registry
      )
      return
    }
    var answer = resourceEntry.answer(for: received, comparison)
    // R37: the data has grown older while it was decoded and compared.
    let now = clock.now()
    answer.decoding = received.arrivedAt.map { max(now - $0, .zero) } ?? .zero
    answered(answer.outcome, received, inFlight, key, ticket, in: &registry)
    handle(
      .answered(ticket, answer),
      for: key,
      at: now,
      in: &registry,
      evidence: Self.evidence(received, of: inFlight, for: resourceEntry.subject)
    )
    registry.trim(to: limits.idleResources)
  }

  /// Reports to an origin how one of its requests ended.
  private func answered<Value>(
    _ outcome: Outcome,
    _ received: ReceivedResponse<Value>,
    _ inFlight: ClientRegistry.InFlightRequest?,
    _ key: MachineSchedule.Key,
    _ ticket: Ticket,
    in registry: inout ClientRegistry
  ) {
    guard let inFlight, inFlight.request.ticket == ticket,
      let origin = registry.entries[key]?.origin
    else { return }
    registry.origins.ended(
      inFlight.number,
      of: origin,
      outcome,
      serverTime: received.metadata.serverTime,
      rateLimit: received.rateLimit,
      resources: registry.observed(of: origin),
      at: clock.now()
    )
  }

  /// Records a 304 about another copy, which the machine does not handle.
  private func note<Value>(
    _ received: ReceivedResponse<Value>,
    of inFlight: ClientRegistry.InFlightRequest,
    _ key: MachineSchedule.Key,
    in registry: inout ClientRegistry
  ) {
    guard recorder != nil, let title = registry.entries[key]?.title else { return }
    let sample = Sample(
      ticket: inFlight.request.ticket,
      startedAt: inFlight.startedAt,
      endedAt: clock.now(),
      status: Int32(clamping: received.status),
      outcome: .undecodable(reason: 0),
      metadata: received.metadata,
      isConditional: true,
      cadence: inFlight.request.cadence
    )
    let subject = registry.entries[key]?.resourceEntry.subject
    if let receipt = received.evidence.receipt { registry.entries[key]?.receipt = receipt }
    registry.records.append(
      SampleRecord(
        sample,
        resource: title,
        origin: clock.origin,
        evidence: Self.evidence(received, of: inFlight, for: subject)
      )
    )
  }

  private static func evidence<Value>(
    _ received: ReceivedResponse<Value>,
    of inFlight: ClientRegistry.InFlightRequest?,
    for subject: String?
  ) -> SampleEvidence {
    var evidence = received.evidence
    evidence.reason = inFlight?.request.refresh.reason
    evidence.asked = subject
    return evidence
  }
}
