import ConditionalHTTP
import EventFeed
import Freshness
import HTTPTypes
import Synchronization

/// What a client needs of a resource of any type.
protocol AnyResourceEntry: AnyObject, Sendable {
  /// The requested subject as responses name it.
  var subject: String? { get }
  /// Sends a request and reports its response to the client.
  func send(
    _ request: Request,
    for key: MachineSchedule.Key,
    of client: FreshnessClient
  ) -> Task<Void, Never>
  /// Opens the event stream and reports its events to the client; returns `nil` without a stream.
  func listen(
    as number: Int64,
    for key: MachineSchedule.Key,
    of client: FreshnessClient
  ) -> Task<Void, Never>?
  /// Applies the effects of an event and notifies the observers of visible changes.
  ///
  /// - Returns: A value to release outside every lock.
  func apply(_ effects: Effects, machine: RefreshMachine, at now: Instant) -> (any Sendable)?
  /// Removes everything that belongs to another context (R4, R19).
  func forget()
}

/// One resource: its copy, its validators and its observers.
///
/// The machine decides; the entry keeps what the machine knows by number only. Only the client,
/// under its lock, changes an entry, except for the observers' waits.
final class ResourceEntry<R: FreshResource>: AnyResourceEntry {
  /// An observer that may be waiting for a new snapshot.
  private struct Observer {
    /// The last version it saw.
    var seen: Int64 = 0
    /// Its wait.
    var waiter: CheckedContinuation<Bool, Never>?
  }

  private struct State {
    var live: LiveSnapshot<R.Value>
    /// The number of changes of the copy, including its removal.
    var copies: Int64 = 0
    /// The number of snapshots delivered to observers.
    var version: Int64 = 1
    var revision: Int64 = 0
    /// The number of identifiers assigned to revisions and validators.
    var numbers: Int64 = 0
    /// The validators of the current copy, and the machine's number for them.
    var validators: (number: Int64, fields: Validators)?
    /// The body that the current event may apply.
    var incoming: Incoming?
    /// The mutations that no response has confirmed.
    var pending = PendingMutations<R.Value>()
    /// The message of the failure that is shown.
    var failure: FailureMessages?
    /// The message of a failure that the current event may show.
    var arriving: FailureMessages?
    var resume = ResumePoint()
    /// Whether the server said that there is no stream (204).
    var isStreamOver = false
    /// The reconnection time set by the stream (`retry:`).
    var reconnectionTime = Instant.Duration.zero
    /// The instant before which the stream is not reopened.
    var reconnectsAt: Instant?
    var observers: [Int64: Observer] = [:]
    var observerNumbers: Int64 = 0
  }

  /// A body that may be applied.
  private struct Incoming {
    var value: R.Value
    var revision: Int64
    var validator: (number: Int64, fields: Validators)?
  }

  /// How a value compares with the copy at the time.
  struct Comparison: Sendable {
    /// The number of that copy.
    fileprivate var copy: Int64
    /// Whether they are equal.
    fileprivate var isSame: Bool
  }

  let resource: R
  let subject: String?
  private let state: Mutex<State>

  init(_ resource: R, subject: String?, machine: RefreshMachine, at now: Instant) {
    self.resource = resource
    self.subject = subject
    state = Mutex(State(live: LiveSnapshot(value: nil, label: machine.label(at: now))))
  }

  // MARK: Requests

  func send(
    _ request: Request,
    for key: MachineSchedule.Key,
    of client: FreshnessClient
  ) -> Task<Void, Never> {
    let (known, sent) = state.withLock { state in
      guard let number = request.validator?.number, let validators = state.validators,
        validators.number == number
      else { return (R.Value?.none, Validators?.none) }
      return (state.live.value, validators.fields)
    }
    let priority: TaskPriority =
      switch request.priority {
      case .high: .userInitiated
      case .normal: .medium
      case .low: .low
      }
    return Task(priority: priority) { [resource] in
      let received = await client.ask(
        request,
        of: resource,
        key: key,
        since: known,
        sent: sent
      )
      client.arrived(received, at: self, key: key, ticket: request.ticket)
    }
  }

  /// Compares a value with the current copy.
  ///
  /// `==` is application code, which never runs under a lock.
  func compare(with value: R.Value?) -> Comparison {
    let (copy, known) = state.withLock { ($0.copies, $0.live.value) }
    return Comparison(copy: copy, isSame: value != nil && known == value)
  }

  /// Returns whether the current copy is the one that was compared.
  func isCurrent(_ comparison: Comparison) -> Bool {
    state.withLock { $0.copies == comparison.copy }
  }

  /// Converts a response for the machine: equal content keeps its revision (R16).
  ///
  /// - Parameters:
  ///   - received: The response.
  ///   - comparison: How its body compares with the current copy.
  /// - Returns: The response for the machine.
  func answer(for received: ReceivedResponse<R.Value>, _ comparison: Comparison) -> Answer {
    state.withLock { state in
      state.arriving = FailureMessages(received.outcome, problem: received.problem)
      var content: Content?
      if let reading = received.reading {
        state.numbers += 1
        let revision = comparison.isSame ? state.revision : state.numbers
        let canAskAgain = !received.validators.isEmpty || reading.canBeReferredTo
        let validator = canAskAgain ? (number: state.numbers, fields: received.validators) : nil
        state.incoming = Incoming(
          value: reading.value,
          revision: revision,
          validator: validator
        )
        content = Content(
          Revision(revision),
          validator: validator.map { Validator($0.number) },
          hasRealtime: reading.hasRealtime,
          fulfilsAction: reading.fulfilsAction
        )
      }
      return Answer(
        Outcome(
          received.outcome,
          content: content,
          hasCopy: state.live.value != nil,
          reason: Int32(truncatingIfNeeded: state.numbers)
        ),
        status: Int32(clamping: received.status),
        bytes: Int64(received.bytes),
        metadata: received.metadata,
        hints: received.hints,
        activity: received.reading?.activity,
        deviceTime: received.deviceTime,
        delay: received.delay
      )
    }
  }

  // MARK: Local writes

  /// Stores the application's own copy and returns its revision (P8).
  func write(_ value: R.Value, _ comparison: Comparison) -> Revision {
    state.withLock { state in
      state.numbers += 1
      let revision = comparison.isSame ? state.revision : state.numbers
      state.incoming = Incoming(value: value, revision: revision, validator: nil)
      return Revision(revision)
    }
  }

  /// Offers a copy from an earlier run and returns its revision (R38).
  func restore(_ value: R.Value) -> Revision {
    state.withLock { state in
      state.numbers += 1
      state.incoming = Incoming(value: value, revision: state.numbers, validator: nil)
      return Revision(state.numbers)
    }
  }

  /// The current copy, without pending mutations.
  private var base: R.Value? { state.withLock { $0.live.value } }

  /// The current snapshot, with pending mutations; never read under a lock.
  var snapshot: LiveSnapshot<R.Value> {
    let (live, changes) = state.withLock { (Self.numbered($0), $0.pending.changes) }
    return live.showing(changes)
  }

  /// The number of the current copy, and whether pending mutations change it.
  var identity: (copy: Int64, isChanged: Bool) {
    state.withLock { ($0.copies, !$0.pending.isEmpty && $0.live.value != nil) }
  }

  private static func numbered(_ state: borrowing State) -> LiveSnapshot<R.Value> {
    var live = state.live
    live.copy = state.copies
    return live
  }

  // MARK: Mutations

  /// Shows a change from now on; returns its number.
  func begin(_ change: @escaping @Sendable (inout R.Value) -> Void) -> Int64 {
    let (number, waiters) = state.withLock { state in
      let number = state.pending.begin(change)
      state.copies += 1
      return (number, Self.takeWaiters(&state))
    }
    for waiter in waiters { waiter.resume(returning: true) }
    return number
  }

  /// Takes a change back.
  func takeBack(_ number: Int64) {
    let waiters = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
      guard state.pending.remove(number) else { return [] }
      state.copies += 1
      return Self.takeWaiters(&state)
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }

  /// Records that the server has accepted a change by an instant.
  func accepted(_ number: Int64, at now: Instant, during outstanding: Ticket?) {
    state.withLock { $0.pending.accepted(number, at: now, during: outstanding) }
  }

  // MARK: Effects

  func apply(_ effects: Effects, machine: RefreshMachine, at now: Instant) -> (any Sendable)? {
    var freed: [R.Value] = []
    let waiters = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
      // A request that timed out at the same instant as the stream delivered has no copy.
      let answered = effects.sample.flatMap { $0.verdict == nil ? nil : $0.ticket }
      let isConfirmed =
        effects.asOf.map { state.pending.confirm(asOf: $0, by: answered) } ?? false
      if isConfirmed { state.copies += 1 }
      if let incoming = state.incoming {
        state.incoming = nil
        freed.append(incoming.value)
        if machine.snapshot?.revision.number == incoming.revision, effects.snapshot != .keep {
          if let old = state.live.value { freed.append(old) }
          state.live.value = incoming.value
          state.copies += 1
          state.revision = incoming.revision
          // R19: the validator of a body that was not applied is never used.
          let isInPlace = machine.snapshot?.validator?.number == incoming.validator?.number
          state.validators = isInPlace ? incoming.validator : nil
        }
      }
      if machine.snapshot == nil, let old = state.live.value {
        freed.append(old)
        state.live.value = nil
        state.copies += 1
      }
      if machine.snapshot == nil {
        state.validators = nil
      }
      if effects.notes.contains(.timedOut) {
        state.failure = FailureMessages(.timeout, problem: nil)
      }
      if let arriving = state.arriving {
        state.arriving = nil
        // R3: a response to another request says nothing of this failure.
        if !effects.notes.contains(.superseded) { state.failure = arriving }
      }
      guard !effects.changes.isEmpty || isConfirmed else { return [] }
      state.live.isLoading = machine.isLoading
      state.live.label = machine.label(at: now)
      state.live.failure = machine.failure.map { failure in
        LiveFailure(
          kind: failure.kind,
          status: failure.status == 0 ? nil : Int(failure.status),
          since: failure.since,
          messages: state.failure
        )
      }
      return Self.takeWaiters(&state)
    }
    // Never under the lock: resuming waits for a cancellation in progress, whose handler takes the
    // lock.
    for waiter in waiters { waiter.resume(returning: true) }
    return freed.isEmpty ? nil : freed
  }

  func forget() {
    state.withLock { state in
      state.incoming = nil
      state.pending.removeAll()
      state.failure = nil
      state.arriving = nil
      state.resume.reset()
      state.isStreamOver = false
      state.reconnectionTime = .zero
      state.reconnectsAt = nil
    }
  }

  // MARK: Observers

  /// Counts a new version and removes the waits that it ends.
  private static func takeWaiters(_ state: inout State) -> [CheckedContinuation<Bool, Never>] {
    state.version += 1
    return state.observers.keys.compactMap { number in
      defer { state.observers[number]?.waiter = nil }
      return state.observers[number]?.waiter
    }
  }

  /// Adds an observer and returns its number.
  func join() -> Int64 {
    state.withLock { state in
      state.observerNumbers += 1
      state.observers[state.observerNumbers] = Observer()
      return state.observerNumbers
    }
  }

  /// Removes an observer and ends its wait.
  func leave(_ number: Int64) {
    let waiter = state.withLock { $0.observers.removeValue(forKey: number)?.waiter }
    waiter?.resume(returning: false)
  }

  /// Waits until there is a snapshot that the observer has not seen, and returns the newest.
  ///
  /// Intermediate changes are skipped, so nothing queues up for a slow observer.
  ///
  /// - Returns: The snapshot, or `nil` once the task is canceled.
  func next(_ number: Int64) async -> LiveSnapshot<R.Value>? {
    await withTaskCancellationHandler {
      while !Task.isCancelled {
        if let update = unseen(by: number) { return update }
        let isOn = await withCheckedContinuation { waiter in
          wait(number, waiter)
        }
        guard isOn else { return nil }
      }
      return nil
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.observers[number]?.waiter
        state.observers[number]?.waiter = nil
        return waiter
      }
      waiter?.resume(returning: false)
    }
  }

  private func unseen(by number: Int64) -> LiveSnapshot<R.Value>? {
    let update = state.withLock { state in
      guard let seen = state.observers[number]?.seen, seen < state.version else {
        return (LiveSnapshot<R.Value>, [@Sendable (inout R.Value) -> Void])?.none
      }
      state.observers[number]?.seen = state.version
      return (Self.numbered(state), state.pending.changes)
    }
    return update.map { $0.0.showing($0.1) }
  }

  private func wait(_ number: Int64, _ waiter: CheckedContinuation<Bool, Never>) {
    let mayWait: Bool? = state.withLock { state in
      // The task may have been canceled, or a snapshot delivered, before the wait began.
      guard let observer = state.observers[number], !Task.isCancelled else { return false }
      guard observer.seen == state.version, observer.waiter == nil else { return true }
      state.observers[number]?.waiter = waiter
      return nil
    }
    if let mayWait { waiter.resume(returning: mayWait) }
  }

  // MARK: The stream

  func listen(
    as number: Int64,
    for key: MachineSchedule.Key,
    of client: FreshnessClient
  ) -> Task<Void, Never>? {
    let (resume, notBefore, isOver) = state.withLock {
      ($0.resume, $0.reconnectsAt, $0.isStreamOver)
    }
    guard !isOver else { return nil }
    return Task { [resource] in
      // Application code: never under a lock.
      guard var request = resource.eventStream() else {
        return client.hasNoStream(number, key: key)
      }
      if let id = resume.fieldValue, let name = HTTPField.Name(ResumePoint.fieldName) {
        request.headerFields.append(HTTPField(name: name, lenientValue: id))
      }
      let isResumed = resume.fieldValue != nil && resource.replaysEvents
      let station = EventStreamConnection(
        client: client,
        key: key,
        number: number,
        isResumed: isResumed,
        notBefore: notBefore
      )
      await station.listen(to: request, for: self)
    }
  }

  /// Reads an event against the current copy, and advances the resume point.
  func read(_ event: ServerSentEvent) -> StreamEvent<R.Value> {
    // Application code: never under the lock.
    let update = resource.read(event, since: base)
    state.withLock { state in
      if case .gap = update { state.resume.reset() } else { state.resume.applied(event) }
    }
    return update
  }

  /// Records the reconnection time set by the stream (WHATWG HTML: `retry:`).
  func reconnectionTime(_ milliseconds: Int64) {
    let time = min(
      Instant.Duration.milliseconds(max(milliseconds, 0)),
      ClientLimits.longestReconnection
    )
    state.withLock { $0.reconnectionTime = time }
  }

  /// Records that the stream ended or could not be opened, unless the client closed it.
  func streamEnded(at now: Instant) {
    state.withLock { $0.reconnectsAt = now + $0.reconnectionTime }
  }

  /// Records that there is no stream (WHATWG HTML: 204 ends reconnecting).
  func streamIsOver() { state.withLock { $0.isStreamOver = true } }
}
