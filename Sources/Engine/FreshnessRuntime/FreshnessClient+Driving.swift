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
    at now: Instant? = nil,
    in registry: inout ClientRegistry,
    evidence: SampleEvidence? = nil
  ) {
    carryOut(event, for: key, at: now ?? clock.now(), in: &registry, evidence: evidence)
    rearm(&registry)
  }

  /// Passes an event to a machine and carries out the effects, without setting the alarm.
  func carryOut(
    _ event: Event,
    for key: MachineSchedule.Key,
    at now: Instant,
    in registry: inout ClientRegistry,
    evidence: SampleEvidence? = nil
  ) {
    prolong(key, before: event, at: now, in: &registry)
    let random = registry.randomSample()
    // Looked up once and changed in place: copying the entry would copy its ring.
    guard let index = registry.entries.index(forKey: key),
      let effects = registry.schedule.handle(event, for: key, at: now, random: random),
      let machine = registry.schedule[key]
    else { return }
    let resourceEntry = registry.entries.values[index].resourceEntry
    let inFlight = registry.entries.values[index].inFlight
    registry.entries.values[index].diagnostics.record(effects)
    if let ticket = effects.cancel,
      registry.entries.values[index].inFlight?.request.ticket == ticket
    {
      registry.entries.values[index].inFlight = nil
      inFlight.map {
        ended($0, effects, of: registry.entries.values[index].origin, at: now, in: &registry)
      }
    }
    if let sample = effects.sample {
      let title = registry.entries.values[index].title
      let evidence =
        evidence
        ?? SampleEvidence(reason: inFlight?.request.refresh.reason, asked: resourceEntry.subject)
      registry.entries.values[index].keep(evidence)
      if recorder != nil {
        if let receipt = evidence.receipt { registry.entries.values[index].receipt = receipt }
        registry.records.append(
          SampleRecord(sample, resource: title, origin: clock.origin, evidence: evidence)
        )
      }
    }
    if let old = resourceEntry.apply(effects, machine: machine, at: now) {
      registry.freed.append(old)
    }
    if let request = effects.request {
      let origin = registry.entries.values[index].origin
      let number = registry.origins.ask(origin, request, for: key)
      registry.entries.values[index].inFlight = ClientRegistry.InFlightRequest(
        request: request,
        startedAt: now,
        number: number
      )
    }
    if let priority = event.priorityOfWaiting,
      let waiting = registry.entries.values[index].inFlight,
      waiting.task == nil
    {
      let origin = registry.entries.values[index].origin
      registry.origins.hurry(waiting.number, of: origin, priority: priority)
    }
    if let order = effects.stream {
      registry.entries.values[index].stream?.task.cancel()
      registry.entries.values[index].stream = nil
      if order == .open {
        let number = registry.nextStream()
        let task = resourceEntry.listen(as: number, for: key, of: self)
        registry.entries.values[index].stream = task.map { (number, $0) }
      }
    }
  }

  // MARK: The origins (R39)

  /// Begins the timeout of a request again that has not been sent, unless its origin is failing.
  private func prolong(
    _ key: MachineSchedule.Key,
    before event: Event,
    at now: Instant,
    in registry: inout ClientRegistry
  ) {
    if case .queued = event { return }
    guard let entry = registry.entries[key], let inFlight = entry.inFlight,
      inFlight.isOverdueInQueue(at: now),
      registry.origins.restraint(of: entry.origin).quietUntil == nil
    else { return }
    isQueued(inFlight, of: key, at: now, in: &registry)
  }

  /// Notifies a machine that its request is only sent now.
  private func isQueued(
    _ inFlight: ClientRegistry.InFlightRequest,
    of key: MachineSchedule.Key,
    at now: Instant,
    in registry: inout ClientRegistry
  ) {
    registry.entries[key]?.inFlight?.prolongedAt = now
    carryOut(.queued(inFlight.request.ticket), for: key, at: now, in: &registry)
  }

  /// Reports to an origin that a machine canceled its request, by timeout or for lack of interest.
  private func ended(
    _ inFlight: ClientRegistry.InFlightRequest,
    _ effects: Effects,
    of origin: String,
    at now: Instant,
    in registry: inout ClientRegistry
  ) {
    inFlight.task?.cancel()
    // Time in the queue is not the origin's (R39).
    let isTooSlow = effects.notes.contains(.timedOut) && inFlight.isFailureOfServer(at: now)
    registry.origins.ended(
      inFlight.number,
      of: origin,
      isTooSlow ? .timedOut : nil,
      resources: 1,
      at: now
    )
  }

  /// Passes the restraint of origins to their machines, and sends the requests that may be sent.
  private func processOrigins(_ registry: inout ClientRegistry) {
    while let (name, restraint) = registry.origins.takeTouched() {
      if let restraint {
        for (key, entry) in registry.entries where entry.origin == name {
          carryOut(.restrained(restraint), for: key, at: clock.now(), in: &registry)
        }
      }
      for (number, key) in registry.origins.takeBack(name, at: clock.now()) {
        guard let inFlight = registry.entries[key]?.inFlight, inFlight.number == number else {
          continue
        }
        registry.entries[key]?.inFlight = nil
        let ticket = inFlight.request.ticket
        carryOut(.answered(ticket, Answer(.cancelled)), for: key, at: clock.now(), in: &registry)
      }
      while let (admission, key) = registry.origins.admit(name, at: clock.now()) {
        let number = admission.number
        guard let entry = registry.entries[key], var inFlight = entry.inFlight,
          inFlight.number == number
        else {
          registry.origins.ended(number, of: name, nil, resources: 1, at: clock.now())
          continue
        }
        let now = clock.now()
        // Its timeout counts from now.
        if now > inFlight.startedAt { isQueued(inFlight, of: key, at: now, in: &registry) }
        // A refresh that waits behind a long poll may have replaced it (R40).
        guard registry.entries[key]?.inFlight?.number == number else { continue }
        if inFlight.request.longPoll != nil, !admission.isHeld {
          inFlight.request = inFlight.request.withoutWait
          registry.entries[key]?.inFlight?.request = inFlight.request
          carryOut(.notHeld(inFlight.request.ticket), for: key, at: now, in: &registry)
        }
        guard registry.entries[key]?.inFlight?.number == number else { continue }
        registry.entries[key]?.inFlight?.sentAt = now
        registry.entries[key]?.inFlight?.task = entry.resourceEntry.send(
          inFlight.request,
          for: key,
          of: self
        )
      }
    }
  }

  // MARK: The alarm

  /// Ensures that one task sleeps until the earliest alarm, and none without an alarm (D2).
  func rearm(_ registry: inout ClientRegistry) {
    processOrigins(&registry)
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
    every interval: Instant.Duration?
  ) -> (resourceEntry: ResourceEntry<R>, key: MachineSchedule.Key, number: Int64) {
    let opening = ResourceOpening(resource)
    return withRegistry { registry in
      let key = registry.open(opening, at: clock.now())
      guard let resourceEntry = registry.entries[key]?.resourceEntry as? ResourceEntry<R> else {
        preconditionFailure("a resource of another type has the same name")
      }
      let number = resourceEntry.join()
      let isFirst = registry.join(number, interval: interval, key: key)
      if interval != nil {
        handle(.paceRequested(registry.requestedPace(of: key)), for: key, in: &registry)
      }
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
        handle(.paceRequested(registry.requestedPace(of: key)), for: key, in: &registry)
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
      var received = ReceivedResponse(reading, bytes: 0)
      let now = clock.now()
      received.delay = max(now - asked, .zero)
      received.arrivedAt = now
      received.deviceTime = clock.wall()
      return received
    } catch {
      return ReceivedResponse(loading: error)
    }
  }
}
