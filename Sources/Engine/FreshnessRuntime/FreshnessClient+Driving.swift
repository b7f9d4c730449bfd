import ConditionalHTTP
import Freshness
import HTTPTypes
import Synchronization

// The driver: passes events to the machines and carries out their effects. It makes no decisions.
//
// Invariants:
//   D1  Everything happens under the registry's lock, so each machine handles its events one after
//       the other, at instants that never go back. An entry's lock may be taken inside it, never
//       the other way round. No application code runs under either lock: values are read from it
//       before, and notifications are sent afterward.
//   D2  At most one task sleeps, until the earliest alarm of all machines; without an alarm, none.
//   D3  A task that carries a request or a stream identifies it (ticket, number). Anything that
//       arrives under another identity than the current one changes nothing (R3).
//   D4  A resource without observers has no request, no stream and no alarm, except for a prefetch
//       or a one-off refresh.

extension FreshnessClient {
  // MARK: The lock

  /// Runs a body with the registry under its lock, then passes samples to the recorder and releases
  /// values.
  func withRegistry<Result>(
    _ work: (inout sending ClientRegistry) -> sending Result
  ) -> sending Result {
    defer { record() }
    var freed: [any Sendable] = []
    defer { withExtendedLifetime(freed) {} }
    return registry.withLock { registry in
      let result = work(&registry)
      swap(&freed, &registry.freed)
      return result
    }
  }

  /// Passes samples to the recorder one at a time, in order.
  ///
  /// Only one thread does so at a time, for all threads.
  private func record() {
    guard let recorder else { return }
    while true {
      let records = registry.withLock { $0.takeRecords() }
      guard !records.isEmpty else { return }
      for record in records { recorder(record) }
      registry.withLock { $0.isRecording = false }
    }
  }

  // MARK: Events

  /// Passes an event to the machine of a resource, if the resource is registered.
  func send<R: FreshResource>(_ event: Event, to resource: R) {
    withRegistry { registry in
      guard let key = registry.key(of: resource) else { return }
      handle(event, for: key, in: &registry)
    }
  }

  /// Passes an event to all machines.
  func handle(_ event: Event, in registry: inout ClientRegistry) {
    for key in registry.keys { carryOut(event, for: key, at: clock.now(), in: &registry) }
    rearm(&registry)
  }

  /// Passes an event to one machine.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - key: The machine.
  ///   - now: When it happened; `nil` for now.
  ///   - registry: The client's registry.
  ///   - evidence: The evidence for the request that this event ends.
  func handle(
    _ event: Event,
    for key: MachineSchedule.Key,
    at now: Moment? = nil,
    in registry: inout ClientRegistry,
    evidence: SampleEvidence? = nil
  ) {
    carryOut(event, for: key, at: now ?? clock.now(), in: &registry, evidence: evidence)
    rearm(&registry)
  }

  private func carryOut(
    _ event: Event,
    for key: MachineSchedule.Key,
    at now: Moment,
    in registry: inout ClientRegistry,
    evidence: SampleEvidence? = nil
  ) {
    prolong(key, before: event, at: now, in: &registry)
    let draw = registry.draw()
    // Looked up once and changed in place: copying the entry would copy its ring.
    guard let index = registry.entries.index(forKey: key),
      let effects = registry.schedule.handle(event, for: key, at: now, draw: draw),
      let machine = registry.schedule[key]
    else { return }
    let resourceEntry = registry.entries.values[index].resourceEntry
    let flight = registry.entries.values[index].flight
    registry.entries.values[index].diagnostics.record(effects)
    if let ticket = effects.cancel, registry.entries.values[index].flight?.request.ticket == ticket
    {
      registry.entries.values[index].flight = nil
      flight.map {
        ended($0, effects, of: registry.entries.values[index].origin, at: now, in: &registry)
      }
    }
    if let sample = effects.sample {
      let title = registry.entries.values[index].title
      let evidence =
        evidence
        ?? SampleEvidence(origin: flight?.request.wish.origin, asked: resourceEntry.subject)
      registry.entries.values[index].keep(evidence)
      if recorder != nil {
        if let receipt = evidence.receipt { registry.entries.values[index].receipt = receipt }
        registry.records.append(
          SampleRecord(sample, resource: title, origin: clock.origin, evidence: evidence)
        )
      }
    }
    if let old = resourceEntry.settle(effects, machine: machine, at: now) {
      registry.freed.append(old)
    }
    if let request = effects.request {
      let origin = registry.entries.values[index].origin
      let number = registry.origins.ask(origin, request, for: key)
      registry.entries.values[index].flight = ClientRegistry.InFlightRequest(
        request: request,
        startedAt: now,
        number: number
      )
    }
    if let priority = event.priorityOfWaiting, let waiting = registry.entries.values[index].flight,
      waiting.task == nil
    {
      let origin = registry.entries.values[index].origin
      registry.origins.hurry(waiting.number, of: origin, priority: priority)
    }
    if let order = effects.link {
      registry.entries.values[index].link?.task.cancel()
      registry.entries.values[index].link = nil
      if order == .open {
        let number = registry.nextLink()
        let task = resourceEntry.listen(as: number, for: key, of: self)
        registry.entries.values[index].link = task.map { (number, $0) }
      }
    }
  }

  // MARK: The origins (R39)

  /// Begins the timeout of a request again that has not been sent, unless its origin is failing.
  private func prolong(
    _ key: MachineSchedule.Key,
    before event: Event,
    at now: Moment,
    in registry: inout ClientRegistry
  ) {
    if case .queued = event { return }
    guard let entry = registry.entries[key], let flight = entry.flight,
      flight.isOverdueInQueue(at: now),
      registry.origins.restraint(of: entry.origin).quietUntil == nil
    else { return }
    isQueued(flight, of: key, at: now, in: &registry)
  }

  /// Tells a machine that its request has not been sent until now.
  private func isQueued(
    _ flight: ClientRegistry.InFlightRequest,
    of key: MachineSchedule.Key,
    at now: Moment,
    in registry: inout ClientRegistry
  ) {
    registry.entries[key]?.flight?.prolongedAt = now
    carryOut(.queued(flight.request.ticket), for: key, at: now, in: &registry)
  }

  /// Reports to an origin that a machine canceled its request, by timeout or for lack of interest.
  private func ended(
    _ flight: ClientRegistry.InFlightRequest,
    _ effects: Effects,
    of origin: String,
    at now: Moment,
    in registry: inout ClientRegistry
  ) {
    flight.task?.cancel()
    // Time in the queue is not the origin's (R39).
    let isTooSlow = effects.notes.contains(.timedOut) && flight.isFailureOfServer(at: now)
    registry.origins.ended(
      flight.number,
      of: origin,
      isTooSlow ? .timedOut : nil,
      resources: 1,
      at: now
    )
  }

  /// Passes the restraint of origins to their machines, and sends the requests that may be sent.
  private func settleOrigins(_ registry: inout ClientRegistry) {
    while let (name, news) = registry.origins.takeTouched() {
      if let news {
        for (key, entry) in registry.entries where entry.origin == name {
          carryOut(.restrained(news), for: key, at: clock.now(), in: &registry)
        }
      }
      for (number, key) in registry.origins.takeBack(name, at: clock.now()) {
        guard let flight = registry.entries[key]?.flight, flight.number == number else { continue }
        registry.entries[key]?.flight = nil
        let ticket = flight.request.ticket
        carryOut(.answered(ticket, Answer(.cancelled)), for: key, at: clock.now(), in: &registry)
      }
      while let (admission, key) = registry.origins.admit(name, at: clock.now()) {
        let number = admission.number
        guard let entry = registry.entries[key], var flight = entry.flight, flight.number == number
        else {
          registry.origins.ended(number, of: name, nil, resources: 1, at: clock.now())
          continue
        }
        let now = clock.now()
        // Its timeout counts from now.
        if now > flight.startedAt { isQueued(flight, of: key, at: now, in: &registry) }
        // A refresh that waits behind a long poll may have replaced it (R40).
        guard registry.entries[key]?.flight?.number == number else { continue }
        if flight.request.longPoll != nil, !admission.isHeld {
          flight.request = flight.request.withoutWait
          registry.entries[key]?.flight?.request = flight.request
          carryOut(.notHeld(flight.request.ticket), for: key, at: now, in: &registry)
        }
        guard registry.entries[key]?.flight?.number == number else { continue }
        registry.entries[key]?.flight?.sentAt = now
        registry.entries[key]?.flight?.task = entry.resourceEntry.send(
          flight.request,
          for: key,
          of: self
        )
      }
    }
  }

  // MARK: The alarm

  /// Ensures that one task sleeps until the earliest alarm, and none without an alarm (D2).
  func rearm(_ registry: inout ClientRegistry) {
    settleOrigins(&registry)
    guard let alarm = registry.schedule.alarm else {
      registry.sleeper?.task.cancel()
      registry.sleeper = nil
      return
    }
    // A sleeper that wakes too early finds nothing due and sleeps again.
    if let until = registry.sleeper?.until, until <= alarm { return }
    registry.sleeper?.task.cancel()
    registry.sleepers += 1
    let number = registry.sleepers
    let task = Task { [clock] in
      await clock.sleep(alarm)
      guard !Task.isCancelled else { return }
      self.awoke(number)
    }
    registry.sleeper = (alarm, number, task)
  }

  private func awoke(_ number: Int64) {
    withRegistry { registry in
      guard registry.sleeper?.number == number else { return }
      registry.sleeper = nil
      let slept = clock.slept()
      let gap = slept - registry.slept
      registry.slept = slept
      // R14: one request for each resource, spread; not one for each missed alarm.
      if gap >= HostSleep.least {
        for key in registry.keys { carryOut(.slept, for: key, at: clock.now(), in: &registry) }
      }
      let now = clock.now()
      while let key = registry.schedule.due(at: now) {
        carryOut(.woke, for: key, at: now, in: &registry)
      }
      rearm(&registry)
    }
  }

  // MARK: Observers

  /// Adds an observer; the first one starts the machine (R5).
  func join<R: FreshResource>(
    _ resource: R,
    every interval: Timespan?
  ) -> (resourceEntry: ResourceEntry<R>, key: MachineSchedule.Key, number: Int64) {
    let opening = ResourceOpening(resource)
    return withRegistry { registry in
      let key = registry.open(opening, at: clock.now())
      guard let resourceEntry = registry.entries[key]?.resourceEntry as? ResourceEntry<R> else {
        preconditionFailure("a resource of another type has the same name")
      }
      let number = resourceEntry.join()
      let isFirst = registry.join(number, wishing: interval, key: key)
      if interval != nil { handle(.paceWished(registry.wish(of: key)), for: key, in: &registry) }
      if isFirst { handle(.started, for: key, in: &registry) }
      return (resourceEntry, key, number)
    }
  }

  /// Removes an observer; the last one stops the machine (P3, Z1).
  func leave<R: FreshResource>(
    _ number: Int64,
    resourceEntry: ResourceEntry<R>,
    key: MachineSchedule.Key
  ) {
    resourceEntry.leave(number)
    withRegistry { registry in
      if registry.leave(number, key: key) {
        handle(.stopped, for: key, in: &registry)
        registry.trim(to: limits.idleResources)
      } else {
        handle(.paceWished(registry.wish(of: key)), for: key, in: &registry)
      }
    }
  }

  // MARK: Requests

  /// Sends a request and reads the response; never throws, since an error is a response too.
  func ask<R: FreshResource>(
    _ order: Request,
    of resource: R,
    key: MachineSchedule.Key,
    since known: R.Value?,
    sent: Validators?
  ) async -> ReceivedResponse<R.Value> {
    if let loader = resource.loader() { return await load(with: loader) }
    var request = resource.request(since: known)
    let (credentials, receipt) = withRegistry { ($0.credentials, $0.entries[key]?.receipt) }
    // A server that signs its responses receives the previous receipt, so that the recorded ones
    // form a chain.
    if let receipt, let name = HTTPField.Name(AnswerReceipt.afterField),
      let after = AnswerReceipt.After(number: order.ticket.generation, following: receipt)
    {
      request.headerFields[name] = after.text
    }
    for field in credentials { request.headerFields[field.name] = field.value }
    // No intermediate cache may answer for the origin: a 304 shows that the copy was confirmed.
    ConditionalRequest(
      validators: sent,
      isNoStore: false,
      isNoCache: true,
      wait: order.longPoll.map { $0.milliseconds / 1_000 }
    ).apply(to: &request.headerFields)
    let asked = clock.now()
    do {
      // R6: the machine ends a request that takes too long; the transport's timeout is a fallback.
      let timeout = (order.timeout + .seconds(2)).duration
      let answer = try await exchange.send(request, timeout: timeout)
      return ReceivedResponse(
        answer,
        of: resource,
        since: known,
        sent: sent,
        times: (asked, clock.now(), clock.wall()),
        retryAfterCap: (resource.policy ?? withRegistry { $0.policy }).retryAfterCap,
        isRecorded: recorder != nil
      )
    } catch {
      return ReceivedResponse(error)
    }
  }

  /// Loads a resource with a function of the app.
  private func load<Value>(with loader: ResourceLoader<Value>) async -> ReceivedResponse<Value> {
    let asked = clock.now()
    do {
      let reading = try await loader.load()
      var arrival = ReceivedResponse(reading, bytes: 0)
      let now = clock.now()
      arrival.delay = max(now - asked, .zero)
      arrival.arrivedAt = now
      arrival.deviceTime = clock.wall()
      return arrival
    } catch {
      return ReceivedResponse(loading: error)
    }
  }

  /// Passes the response to the machine.
  func arrived<R: FreshResource>(
    _ arrival: ReceivedResponse<R.Value>,
    at resourceEntry: ResourceEntry<R>,
    key: MachineSchedule.Key,
    ticket: Ticket
  ) {
    var isDone = false
    while !isDone {
      // Compared outside the lock, and again if the copy has changed by then.
      let comparison = resourceEntry.compare(with: arrival.reading?.value)
      isDone = withRegistry { registry in
        guard resourceEntry.isCurrent(comparison) else { return false }
        arrived(arrival, comparison, at: resourceEntry, key: key, ticket: ticket, in: &registry)
        return true
      }
    }
  }

  private func arrived<R: FreshResource>(
    _ arrival: ReceivedResponse<R.Value>,
    _ comparison: ResourceEntry<R>.Comparison,
    at resourceEntry: ResourceEntry<R>,
    key: MachineSchedule.Key,
    ticket: Ticket,
    in registry: inout ClientRegistry
  ) {
    let flight = registry.entries[key]?.flight
    if flight?.request.ticket == ticket { registry.entries[key]?.flight = nil }
    guard !arrival.isOfAnotherCopy else {
      if let flight, flight.request.ticket == ticket {
        note(arrival, of: flight, key, in: &registry)
      }
      answered(.unchanged, arrival, flight, key, ticket, in: &registry)
      // A 304 for a copy that the client does not have confirms nothing: request the complete body.
      carryOut(.answered(ticket, Answer(.cancelled)), for: key, at: clock.now(), in: &registry)
      handle(.wished(RefreshRequest(.change, isUnconditional: true)), for: key, in: &registry)
      return
    }
    var answer = resourceEntry.answer(for: arrival, comparison)
    // R37: the data has grown older while it was decoded and compared.
    let now = clock.now()
    answer.decoding = arrival.arrivedAt.map { max(now - $0, .zero) } ?? .zero
    answered(answer.outcome, arrival, flight, key, ticket, in: &registry)
    handle(
      .answered(ticket, answer),
      for: key,
      at: now,
      in: &registry,
      evidence: Self.evidence(arrival, of: flight, asking: resourceEntry.subject)
    )
    registry.trim(to: limits.idleResources)
  }

  /// Reports to an origin how one of its requests ended.
  private func answered<Value>(
    _ outcome: Outcome,
    _ arrival: ReceivedResponse<Value>,
    _ flight: ClientRegistry.InFlightRequest?,
    _ key: MachineSchedule.Key,
    _ ticket: Ticket,
    in registry: inout ClientRegistry
  ) {
    guard let flight, flight.request.ticket == ticket, let origin = registry.entries[key]?.origin
    else { return }
    registry.origins.ended(
      flight.number,
      of: origin,
      outcome,
      serverTime: arrival.marks.serverTime,
      rateLimit: arrival.rateLimit,
      resources: registry.observed(of: origin),
      at: clock.now()
    )
  }

  /// Records a 304 about another copy, which the machine does not handle.
  private func note<Value>(
    _ arrival: ReceivedResponse<Value>,
    of flight: ClientRegistry.InFlightRequest,
    _ key: MachineSchedule.Key,
    in registry: inout ClientRegistry
  ) {
    guard recorder != nil, let title = registry.entries[key]?.title else { return }
    let sample = Sample(
      ticket: flight.request.ticket,
      startedAt: flight.startedAt,
      endedAt: clock.now(),
      status: Int32(clamping: arrival.status),
      outcome: .undecodable(reason: 0),
      marks: arrival.marks,
      isConditional: true,
      cadence: flight.request.cadence
    )
    let subject = registry.entries[key]?.resourceEntry.subject
    if let receipt = arrival.evidence.receipt { registry.entries[key]?.receipt = receipt }
    registry.records.append(
      SampleRecord(
        sample,
        resource: title,
        origin: clock.origin,
        evidence: Self.evidence(arrival, of: flight, asking: subject)
      )
    )
  }

  private static func evidence<Value>(
    _ arrival: ReceivedResponse<Value>,
    of flight: ClientRegistry.InFlightRequest?,
    asking subject: String?
  ) -> SampleEvidence {
    var evidence = arrival.evidence
    evidence.origin = flight?.request.wish.origin
    evidence.asked = subject
    return evidence
  }
}
