import ConditionalHTTP
import EventFeed
import Freshness
import HTTPTypes
import Synchronization

/// What a client needs of a resource without knowing its type.
protocol AnyResourceEntry: AnyObject, Sendable {
  /// What is asked for, in the words in which an answer names it.
  var subject: String? { get }
  /// Sends a request; its arrival is reported to the client.
  func send(
    _ request: Request,
    for key: MachineSchedule.Key,
    of client: FreshnessClient
  ) -> Task<Void, Never>
  /// Opens the stream of news; what it brings is reported to the client. Nothing if there is none.
  func listen(
    as number: Int64,
    for key: MachineSchedule.Key,
    of client: FreshnessClient
  ) -> Task<Void, Never>?
  /// Takes over what an event did, and tells the observers what they can see of it.
  ///
  /// - Returns: A value that was let go, to be freed outside of every lock.
  func settle(_ effects: Effects, machine: RefreshMachine, at now: Moment) -> (any Sendable)?
  /// Forgets all that belongs to another context (R4, R19).
  func forget()
}

/// One resource: its copy, its validators and its observers.
///
/// The machine decides; the cell keeps what the machine knows by number only. Only the client,
/// under its lock, changes a cell, except for the observers' waiting.
final class ResourceEntry<R: FreshResource>: AnyResourceEntry {
  /// An observer that waits for something new.
  private struct Observer {
    /// The last version it saw.
    var seen: Int64 = 0
    /// Its wait.
    var waiter: CheckedContinuation<Bool, Never>?
  }

  private struct State {
    var live: LiveSnapshot<R.Value>
    /// Counts the copies: another one, or none any more.
    var copies: Int64 = 0
    /// Counts what was told to observers.
    var version: Int64 = 1
    var revision: Int64 = 0
    /// The numbers that were given to revisions and validators.
    var numbers: Int64 = 0
    /// The validators of the copy at hand, and the machine's number for them.
    var validators: (number: Int64, fields: Validators)?
    /// The body that an event in progress may put in place.
    var incoming: Incoming?
    /// The words of the failure that is shown.
    var failure: FailureMessages?
    /// The words of a failure that an event in progress may show.
    var arriving: FailureMessages?
    var resume = ResumePoint()
    /// Whether the server said that there is no stream (204).
    var isStreamOver = false
    /// The reconnection time that the stream named (`retry:`).
    var reconnectionTime = Timespan.zero
    /// The moment before which the stream is not opened again.
    var reconnectsAt: Moment?
    var observers: [Int64: Observer] = [:]
    var observerNumbers: Int64 = 0
  }

  /// A body on its way into place.
  private struct Incoming {
    var value: R.Value
    var revision: Int64
    var validator: (number: Int64, fields: Validators)?
  }

  /// How a value compares with the copy that was at hand.
  struct Comparison: Sendable {
    /// Which copy it was.
    fileprivate var copy: Int64
    /// Whether they are equal.
    fileprivate var isSame: Bool
  }

  let resource: R
  let subject: String?
  private let state: Mutex<State>

  init(_ resource: R, subject: String?, machine: RefreshMachine, at now: Moment) {
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
      let arrival = await client.ask(
        request,
        of: resource,
        key: key,
        since: known,
        sent: sent
      )
      client.arrived(arrival, at: self, key: key, ticket: request.ticket)
    }
  }

  /// Compares a value with the copy at hand.
  ///
  /// `==` is code of the application's own: it is never called under a lock.
  func compare(with value: R.Value?) -> Comparison {
    let (copy, known) = state.withLock { ($0.copies, $0.live.value) }
    return Comparison(copy: copy, isSame: value != nil && known == value)
  }

  /// Whether the copy at hand is the one that was compared.
  func isCurrent(_ comparison: Comparison) -> Bool {
    state.withLock { $0.copies == comparison.copy }
  }

  /// Words an arrival as the machine understands it: equal content keeps its revision (R16).
  func answer(for arrival: ReceivedResponse<R.Value>, _ comparison: Comparison) -> Answer {
    state.withLock { state in
      state.arriving = FailureMessages(arrival.outcome, problem: arrival.problem)
      var content: Content?
      if let reading = arrival.reading {
        state.numbers += 1
        let revision = comparison.isSame ? state.revision : state.numbers
        let canAskAgain = !arrival.validators.isEmpty || reading.canBeReferredTo
        let validator = canAskAgain ? (number: state.numbers, fields: arrival.validators) : nil
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
          arrival.outcome,
          content: content,
          hasCopy: state.live.value != nil,
          reason: Int32(truncatingIfNeeded: state.numbers)
        ),
        status: Int32(clamping: arrival.status),
        bytes: Int64(arrival.bytes),
        marks: arrival.marks,
        hints: arrival.hints,
        activity: arrival.reading?.activity,
        deviceTime: arrival.deviceTime,
        delay: arrival.delay
      )
    }
  }

  // MARK: Local writes

  /// Puts the application's own copy in place and names its revision (P8).
  func write(_ value: R.Value, _ comparison: Comparison) -> Revision {
    state.withLock { state in
      state.numbers += 1
      let revision = comparison.isSame ? state.revision : state.numbers
      state.incoming = Incoming(value: value, revision: revision, validator: nil)
      return Revision(revision)
    }
  }

  /// Offers a copy of an earlier run and names its revision (R38).
  func restore(_ value: R.Value) -> Revision {
    state.withLock { state in
      state.numbers += 1
      state.incoming = Incoming(value: value, revision: state.numbers, validator: nil)
      return Revision(state.numbers)
    }
  }

  /// The copy at hand.
  var value: R.Value? { snapshot.value }

  /// What an observer would be told now.
  var snapshot: LiveSnapshot<R.Value> { state.withLock { $0.live } }

  // MARK: Effects

  func settle(_ effects: Effects, machine: RefreshMachine, at now: Moment) -> (any Sendable)? {
    var freed: [R.Value] = []
    let waiters = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
      if let incoming = state.incoming {
        state.incoming = nil
        freed.append(incoming.value)
        if machine.snapshot?.revision.number == incoming.revision, effects.snapshot != .hold {
          if let old = state.live.value { freed.append(old) }
          state.live.value = incoming.value
          state.copies += 1
          state.revision = incoming.revision
          // R19: the validator of a body that was not put in place is never used.
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
        if !effects.notes.contains(.superseded) { state.failure = arriving }
      }
      guard !effects.changes.isEmpty else { return [] }
      state.live.isLoading = machine.isLoading
      state.live.label = machine.label(at: now)
      state.live.failure = machine.failure.map { failure in
        LiveFailure(
          kind: failure.kind,
          status: failure.status == 0 ? nil : Int(failure.status),
          since: failure.since,
          words: state.failure
        )
      }
      return Self.takeWaiters(&state)
    }
    // Never under the lock: resuming waits for a cancellation in progress, whose handler takes the lock.
    for waiter in waiters { waiter.resume(returning: true) }
    return freed.isEmpty ? nil : freed
  }

  func forget() {
    state.withLock { state in
      state.incoming = nil
      state.failure = nil
      state.arriving = nil
      state.resume.reset()
      state.isStreamOver = false
      state.reconnectionTime = .zero
      state.reconnectsAt = nil
    }
  }

  // MARK: Observers

  /// Counts a new version and takes out the waits that it ends.
  private static func takeWaiters(_ state: inout State) -> [CheckedContinuation<Bool, Never>] {
    state.version += 1
    return state.observers.keys.compactMap { number in
      defer { state.observers[number]?.waiter = nil }
      return state.observers[number]?.waiter
    }
  }

  /// Adds an observer and names it.
  func join() -> Int64 {
    state.withLock { state in
      state.observerNumbers += 1
      state.observers[state.observerNumbers] = Observer()
      return state.observerNumbers
    }
  }

  /// Removes an observer; a wait of its own ends.
  func leave(_ number: Int64) {
    let waiter = state.withLock { $0.observers.removeValue(forKey: number)?.waiter }
    waiter?.resume(returning: false)
  }

  /// Waits until there is something the observer has not seen, and gives the newest of it.
  ///
  /// Whatever changed in between is skipped: nothing queues up behind a slow observer.
  ///
  /// - Returns: The snapshot; nothing once the task is cancelled.
  func next(_ number: Int64) async -> LiveSnapshot<R.Value>? {
    await withTaskCancellationHandler {
      while !Task.isCancelled {
        if let news = unseen(by: number) { return news }
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
    state.withLock { state in
      guard let seen = state.observers[number]?.seen, seen < state.version else { return nil }
      state.observers[number]?.seen = state.version
      return state.live
    }
  }

  private func wait(_ number: Int64, _ waiter: CheckedContinuation<Bool, Never>) {
    let mayWait: Bool? = state.withLock { state in
      // The task may be cancelled, or the news may be there, before the wait began.
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
      // Code of the application's own: never under a lock.
      guard var request = resource.news() else { return client.hasNoStream(number, key: key) }
      if let id = resume.fieldValue, let name = HTTPField.Name(ResumePoint.fieldName) {
        request.headerFields.append(HTTPField(name: name, lenientValue: id))
      }
      let isResumed = resume.fieldValue != nil && resource.replaysNews
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

  /// Reads an event against the copy at hand, and moves the place to resume from.
  func read(_ event: ServerSentEvent) -> StreamEvent<R.Value> {
    // Code of the application's own: never under the lock.
    let news = resource.read(event, since: value)
    state.withLock { state in
      if case .gap = news { state.resume.reset() } else { state.resume.applied(event) }
    }
    return news
  }

  /// The stream named its reconnection time (WHATWG HTML: `retry:`).
  func reconnectionTime(_ milliseconds: Int64) {
    let time = min(Timespan.milliseconds(max(milliseconds, 0)), ClientLimits.longestReconnection)
    state.withLock { $0.reconnectionTime = time }
  }

  /// The stream ended or could not be opened, and nobody here wanted that.
  func streamEnded(at now: Moment) {
    state.withLock { $0.reconnectsAt = now + $0.reconnectionTime }
  }

  /// The server said that there is no stream (WHATWG HTML: 204 ends reconnecting).
  func streamIsOver() { state.withLock { $0.isStreamOver = true } }
}
