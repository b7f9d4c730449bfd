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
  func withLedger<Result>(
    _ work: (inout sending ClientRegistry) -> sending Result
  ) -> sending Result {
    defer { record() }
    var freed: [any Sendable] = []
    defer { withExtendedLifetime(freed) {} }
    return ledger.withLock { ledger in
      let result = work(&ledger)
      swap(&freed, &ledger.freed)
      return result
    }
  }

  /// Passes samples to the recorder one at a time, in order.
  ///
  /// Only one thread does so at a time, for all threads.
  private func record() {
    guard let recorder else { return }
    while true {
      let records = ledger.withLock { $0.takeRecords() }
      guard !records.isEmpty else { return }
      for record in records { recorder(record) }
      ledger.withLock { $0.isRecording = false }
    }
  }

  // MARK: Events

  /// Passes an event to the machine of a resource, if the resource is registered.
  func tell<R: FreshResource>(_ event: Event, to resource: R) {
    withLedger { ledger in
      guard let key = ledger.key(of: resource) else { return }
      handle(event, for: key, in: &ledger)
    }
  }

  /// Passes an event to all machines.
  func handle(_ event: Event, in ledger: inout ClientRegistry) {
    for key in ledger.keys { carryOut(event, for: key, at: clock.now(), in: &ledger) }
    rearm(&ledger)
  }

  /// Passes an event to one machine.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - key: The machine.
  ///   - now: When it happened; `nil` for now.
  ///   - ledger: The client's registry.
  ///   - evidence: The evidence for the request that this event ends.
  func handle(
    _ event: Event,
    for key: MachineSchedule.Key,
    at now: Moment? = nil,
    in ledger: inout ClientRegistry,
    evidence: SampleEvidence? = nil
  ) {
    carryOut(event, for: key, at: now ?? clock.now(), in: &ledger, evidence: evidence)
    rearm(&ledger)
  }

  private func carryOut(
    _ event: Event,
    for key: MachineSchedule.Key,
    at now: Moment,
    in ledger: inout ClientRegistry,
    evidence: SampleEvidence? = nil
  ) {
    prolong(key, before: event, at: now, in: &ledger)
    let draw = ledger.draw()
    // Looked up once and changed in place: copying the entry would copy its ring.
    guard let index = ledger.entries.index(forKey: key),
      let effects = ledger.roster.handle(event, for: key, at: now, draw: draw),
      let machine = ledger.roster[key]
    else { return }
    let cell = ledger.entries.values[index].cell
    let flight = ledger.entries.values[index].flight
    ledger.entries.values[index].diagnostics.record(effects)
    if let ticket = effects.cancel, ledger.entries.values[index].flight?.request.ticket == ticket {
      ledger.entries.values[index].flight = nil
      flight.map {
        ended($0, effects, of: ledger.entries.values[index].origin, at: now, in: &ledger)
      }
    }
    if let sample = effects.sample {
      let title = ledger.entries.values[index].title
      let evidence =
        evidence ?? SampleEvidence(origin: flight?.request.wish.origin, asked: cell.subject)
      ledger.entries.values[index].keep(evidence)
      if recorder != nil {
        if let receipt = evidence.receipt { ledger.entries.values[index].receipt = receipt }
        ledger.records.append(
          SampleRecord(sample, resource: title, origin: clock.origin, evidence: evidence)
        )
      }
    }
    if let old = cell.settle(effects, machine: machine, at: now) { ledger.freed.append(old) }
    if let request = effects.request {
      let origin = ledger.entries.values[index].origin
      let number = ledger.origins.ask(origin, request, for: key)
      ledger.entries.values[index].flight = ClientRegistry.InFlightRequest(
        request: request,
        startedAt: now,
        number: number
      )
    }
    if let priority = event.priorityOfWaiting, let waiting = ledger.entries.values[index].flight,
      waiting.task == nil
    {
      let origin = ledger.entries.values[index].origin
      ledger.origins.hurry(waiting.number, of: origin, priority: priority)
    }
    if let order = effects.link {
      ledger.entries.values[index].link?.task.cancel()
      ledger.entries.values[index].link = nil
      if order == .open {
        let number = ledger.nextLink()
        let task = cell.listen(as: number, for: key, of: self)
        ledger.entries.values[index].link = task.map { (number, $0) }
      }
    }
  }

  // MARK: The origins (R39)

  /// Begins the timeout of a request again that has not been sent, unless its origin is failing.
  private func prolong(
    _ key: MachineSchedule.Key,
    before event: Event,
    at now: Moment,
    in ledger: inout ClientRegistry
  ) {
    if case .queued = event { return }
    guard let entry = ledger.entries[key], let flight = entry.flight,
      flight.isOverdueInQueue(at: now),
      ledger.origins.restraint(of: entry.origin).quietUntil == nil
    else { return }
    isQueued(flight, of: key, at: now, in: &ledger)
  }

  /// Tells a machine that its request has not been sent until now.
  private func isQueued(
    _ flight: ClientRegistry.InFlightRequest,
    of key: MachineSchedule.Key,
    at now: Moment,
    in ledger: inout ClientRegistry
  ) {
    ledger.entries[key]?.flight?.prolongedAt = now
    carryOut(.queued(flight.request.ticket), for: key, at: now, in: &ledger)
  }

  /// Reports to an origin that a machine canceled its request, by timeout or for lack of interest.
  private func ended(
    _ flight: ClientRegistry.InFlightRequest,
    _ effects: Effects,
    of origin: String,
    at now: Moment,
    in ledger: inout ClientRegistry
  ) {
    flight.task?.cancel()
    // Time in the queue is not the origin's (R39).
    let isTooSlow = effects.notes.contains(.timedOut) && flight.isFailureOfServer(at: now)
    ledger.origins.ended(
      flight.number,
      of: origin,
      isTooSlow ? .timedOut : nil,
      resources: 1,
      at: now
    )
  }

  /// Passes the restraint of origins to their machines, and sends the requests that may be sent.
  private func settleOrigins(_ ledger: inout ClientRegistry) {
    while let (name, news) = ledger.origins.takeTouched() {
      if let news {
        for (key, entry) in ledger.entries where entry.origin == name {
          carryOut(.restrained(news), for: key, at: clock.now(), in: &ledger)
        }
      }
      for (number, key) in ledger.origins.takeBack(name, at: clock.now()) {
        guard let flight = ledger.entries[key]?.flight, flight.number == number else { continue }
        ledger.entries[key]?.flight = nil
        let ticket = flight.request.ticket
        carryOut(.answered(ticket, Answer(.cancelled)), for: key, at: clock.now(), in: &ledger)
      }
      while let (admission, key) = ledger.origins.admit(name, at: clock.now()) {
        let number = admission.number
        guard let entry = ledger.entries[key], var flight = entry.flight, flight.number == number
        else {
          ledger.origins.ended(number, of: name, nil, resources: 1, at: clock.now())
          continue
        }
        let now = clock.now()
        // Its timeout counts from now.
        if now > flight.startedAt { isQueued(flight, of: key, at: now, in: &ledger) }
        // A refresh that waits behind a long poll may have replaced it (R40).
        guard ledger.entries[key]?.flight?.number == number else { continue }
        if flight.request.longPoll != nil, !admission.isHeld {
          flight.request = flight.request.withoutWait
          ledger.entries[key]?.flight?.request = flight.request
          carryOut(.notHeld(flight.request.ticket), for: key, at: now, in: &ledger)
        }
        guard ledger.entries[key]?.flight?.number == number else { continue }
        ledger.entries[key]?.flight?.sentAt = now
        ledger.entries[key]?.flight?.task = entry.cell.send(flight.request, for: key, of: self)
      }
    }
  }

  // MARK: The alarm

  /// Ensures that one task sleeps until the earliest alarm, and none without an alarm (D2).
  func rearm(_ ledger: inout ClientRegistry) {
    settleOrigins(&ledger)
    guard let alarm = ledger.roster.alarm else {
      ledger.sleeper?.task.cancel()
      ledger.sleeper = nil
      return
    }
    // A sleeper that wakes too early finds nothing due and sleeps again.
    if let until = ledger.sleeper?.until, until <= alarm { return }
    ledger.sleeper?.task.cancel()
    ledger.sleepers += 1
    let number = ledger.sleepers
    let task = Task { [clock] in
      await clock.sleep(alarm)
      guard !Task.isCancelled else { return }
      self.awoke(number)
    }
    ledger.sleeper = (alarm, number, task)
  }

  private func awoke(_ number: Int64) {
    withLedger { ledger in
      guard ledger.sleeper?.number == number else { return }
      ledger.sleeper = nil
      let slept = clock.slept()
      let gap = slept - ledger.slept
      ledger.slept = slept
      // R14: one request for each resource, spread; not one for each missed alarm.
      if gap >= HostSleep.least {
        for key in ledger.keys { carryOut(.slept, for: key, at: clock.now(), in: &ledger) }
      }
      let now = clock.now()
      while let key = ledger.roster.due(at: now) {
        carryOut(.woke, for: key, at: now, in: &ledger)
      }
      rearm(&ledger)
    }
  }

  // MARK: Observers

  /// Adds an observer; the first one starts the machine (R5).
  func join<R: FreshResource>(
    _ resource: R,
    every interval: Timespan?
  ) -> (cell: ResourceEntry<R>, key: MachineSchedule.Key, number: Int64) {
    let opening = ResourceOpening(resource)
    return withLedger { ledger in
      let key = ledger.open(opening, at: clock.now())
      guard let cell = ledger.entries[key]?.cell as? ResourceEntry<R> else {
        preconditionFailure("a resource of another type has the same name")
      }
      let number = cell.join()
      let isFirst = ledger.join(number, wishing: interval, key: key)
      if interval != nil { handle(.paceWished(ledger.wish(of: key)), for: key, in: &ledger) }
      if isFirst { handle(.started, for: key, in: &ledger) }
      return (cell, key, number)
    }
  }

  /// Removes an observer; the last one stops the machine (P3, Z1).
  func leave<R: FreshResource>(_ number: Int64, cell: ResourceEntry<R>, key: MachineSchedule.Key) {
    cell.leave(number)
    withLedger { ledger in
      if ledger.leave(number, key: key) {
        handle(.stopped, for: key, in: &ledger)
        ledger.trim(to: limits.idleResources)
      } else {
        handle(.paceWished(ledger.wish(of: key)), for: key, in: &ledger)
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
    let (credentials, receipt) = withLedger { ($0.credentials, $0.entries[key]?.receipt) }
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
        retryAfterCap: (resource.policy ?? withLedger { $0.policy }).retryAfterCap,
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
    at cell: ResourceEntry<R>,
    key: MachineSchedule.Key,
    ticket: Ticket
  ) {
    var isDone = false
    while !isDone {
      // Compared outside the lock, and again if the copy has changed by then.
      let comparison = cell.compare(with: arrival.reading?.value)
      isDone = withLedger { ledger in
        guard cell.isCurrent(comparison) else { return false }
        arrived(arrival, comparison, at: cell, key: key, ticket: ticket, in: &ledger)
        return true
      }
    }
  }

  private func arrived<R: FreshResource>(
    _ arrival: ReceivedResponse<R.Value>,
    _ comparison: ResourceEntry<R>.Comparison,
    at cell: ResourceEntry<R>,
    key: MachineSchedule.Key,
    ticket: Ticket,
    in ledger: inout ClientRegistry
  ) {
    let flight = ledger.entries[key]?.flight
    if flight?.request.ticket == ticket { ledger.entries[key]?.flight = nil }
    guard !arrival.isOfAnotherCopy else {
      if let flight, flight.request.ticket == ticket {
        note(arrival, of: flight, key, in: &ledger)
      }
      answered(.unchanged, arrival, flight, key, ticket, in: &ledger)
      // A 304 for a copy that the client does not have confirms nothing: request the complete body.
      carryOut(.answered(ticket, Answer(.cancelled)), for: key, at: clock.now(), in: &ledger)
      handle(.wished(RefreshRequest(.change, isUnconditional: true)), for: key, in: &ledger)
      return
    }
    var answer = cell.answer(for: arrival, comparison)
    // R37: the data has grown older while it was decoded and compared.
    let now = clock.now()
    answer.decoding = arrival.arrivedAt.map { max(now - $0, .zero) } ?? .zero
    answered(answer.outcome, arrival, flight, key, ticket, in: &ledger)
    handle(
      .answered(ticket, answer),
      for: key,
      at: now,
      in: &ledger,
      evidence: Self.evidence(arrival, of: flight, asking: cell.subject)
    )
    ledger.trim(to: limits.idleResources)
  }

  /// Reports to an origin how one of its requests ended.
  private func answered<Value>(
    _ outcome: Outcome,
    _ arrival: ReceivedResponse<Value>,
    _ flight: ClientRegistry.InFlightRequest?,
    _ key: MachineSchedule.Key,
    _ ticket: Ticket,
    in ledger: inout ClientRegistry
  ) {
    guard let flight, flight.request.ticket == ticket, let origin = ledger.entries[key]?.origin
    else { return }
    ledger.origins.ended(
      flight.number,
      of: origin,
      outcome,
      serverTime: arrival.marks.serverTime,
      rateLimit: arrival.rateLimit,
      resources: ledger.observed(of: origin),
      at: clock.now()
    )
  }

  /// Records a 304 about another copy, which the machine does not handle.
  private func note<Value>(
    _ arrival: ReceivedResponse<Value>,
    of flight: ClientRegistry.InFlightRequest,
    _ key: MachineSchedule.Key,
    in ledger: inout ClientRegistry
  ) {
    guard recorder != nil, let title = ledger.entries[key]?.title else { return }
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
    let subject = ledger.entries[key]?.cell.subject
    if let receipt = arrival.evidence.receipt { ledger.entries[key]?.receipt = receipt }
    ledger.records.append(
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

/// Decides when a gap in the device's time counts as sleep.
enum HostSleep {
  /// The minimum gap; smaller ones are clock differences.
  static let least = Timespan.seconds(1)
  /// How late an alarm is on a busy device; one that is later fired after a sleep.
  static let latestAlarm = Timespan.seconds(2)
}
