public import ConditionalHTTP
public import Freshness
public import HTTPTypes
import Synchronization

/// Keeps any number of resources fresh for any number of observers, over one transport.
///
/// ```swift
/// let client = FreshnessClient(exchange: URLSessionExchange(), policy: .workspaces)
/// for await snapshot in client.snapshots(of: resource) {
///   show(snapshot.value, failure: snapshot.failure)
/// }
/// ```
///
/// Observers of equal resources share one machine: two views of one thing poll once. A resource is
/// polled while somebody iterates over its snapshots; when the last iteration ends, its request is
/// cancelled, its stream closed and its alarm gone. One task sleeps for all resources together, and
/// only while there is something to wait for.
///
/// Every method returns at once and may be called from anywhere; events of one caller are handled
/// in the order of the calls. The code of a resource, `==` of its values and the recorder may call
/// the client: none of it runs under a lock. `Hashable` of a resource, the clock and the chance do,
/// and must not.
public final class FreshnessClient: Sendable {
  let exchange: any HTTPExchange
  let streaming: (any HTTPStreaming)?
  let clock: HostClock
  let limits: ClientLimits
  let recorder: (@Sendable (SampleRecord) -> Void)?
  let ledger: Mutex<ClientRegistry>

  /// Creates a client that watches nothing yet.
  ///
  /// - Parameters:
  ///   - exchange: Sends the requests. It keeps no cache of its own.
  ///   - streaming: Opens streams of news; without it, resources are polled only (R33).
  ///   - policy: The constants of resources that have none of their own.
  ///   - clock: The time.
  ///   - chance: The dice, for jitter (R10).
  ///   - limits: How much is kept.
  ///   - recorder: Is given the samples in the order in which they were taken, one at a time; it should
  ///     return quickly, and may call the client (R29).
  public init(
    exchange: any HTTPExchange,
    streaming: (any HTTPStreaming)? = nil,
    policy: Policy,
    clock: HostClock = .device(),
    chance: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    limits: ClientLimits = ClientLimits(),
    recorder: (@Sendable (SampleRecord) -> Void)? = nil
  ) {
    self.exchange = exchange
    self.streaming = streaming
    self.clock = clock
    self.limits = limits
    self.recorder = recorder
    ledger = Mutex(ClientRegistry(policy: policy, chance: chance))
  }

  // MARK: Observing

  /// The snapshots of a resource, the newest only: whoever is slow misses some and never falls
  /// behind.
  ///
  /// The first one is told at once, whatever is there. The sequence never ends by itself; it ends
  /// when its task is cancelled. Polling begins with the iteration, not with this call.
  ///
  /// - Parameters:
  ///   - resource: What to keep fresh.
  ///   - interval: The interval this observer wishes for, in place of the policy's; of several
  ///     wishes the shortest wins, down to the policy's least interval (R10).
  /// - Returns: A sequence that observes while somebody iterates over it.
  public func snapshots<R: FreshResource>(
    of resource: R,
    every interval: Timespan? = nil
  ) -> LiveSnapshots<R> {
    LiveSnapshots(client: self, resource: resource, interval: interval)
  }

  /// The copy that is kept of a resource, if any.
  public func value<R: FreshResource>(of resource: R) -> R.Value? {
    withLedger { $0.cell(of: resource)?.value }
  }

  /// What an observer of a resource would be told now; nothing if it is not known.
  public func snapshot<R: FreshResource>(of resource: R) -> LiveSnapshot<R.Value>? {
    withLedger { $0.cell(of: resource)?.snapshot }
  }

  /// How fresh a resource is now, and what the engine does about it; nothing if it is not known.
  public func freshness<R: FreshResource>(of resource: R) -> FreshnessReport? {
    let now = clock.now()
    return withLedger { ledger in
      ledger.key(of: resource).flatMap { ledger.roster[$0] }.map { machine in
        FreshnessReport(
          label: machine.label(at: now),
          changedAgo: machine.snapshot.map { now - $0.changedAt },
          verifiedAgo: machine.snapshot.map { now - $0.verifiedAt },
          nextActionIn: machine.alarm.map { max($0 - now, .zero) },
          isAsking: machine.outstanding != nil,
          isStreaming: machine.isStreaming,
          pace: machine.pace(at: now),
          failuresInARow: Int(machine.failuresInARow)
        )
      }
    }
  }

  // MARK: Wishes

  /// A person, or the application, wishes for a fresh copy (R2, R5).
  ///
  /// A resource that is kept without an observer is asked for once; one that was never observed is
  /// left alone (see ``prefetch(_:)``).
  public func refresh<R: FreshResource>(_ resource: R, _ wish: RefreshRequest = .person) {
    tell(.wished(wish), to: resource)
  }

  /// Fetches a resource that somebody may look at soon, at low priority and inside the request
  /// budget (R35).
  public func prefetch<R: FreshResource>(_ resource: R) {
    let opening = ResourceOpening(resource)
    withLedger { ledger in
      let key = ledger.open(opening, at: clock.now())
      handle(.prefetch, for: key, in: &ledger)
      ledger.trim(to: limits.idleResources)
    }
  }

  /// A local action was done whose effect is expected soon: a burst (R13).
  public func acted<R: FreshResource>(on resource: R) { tell(.acted, to: resource) }

  /// The effect of the last action was seen elsewhere (R13).
  public func fulfilled<R: FreshResource>(_ resource: R) { tell(.fulfilled, to: resource) }

  /// What the watched thing is doing, as far as the application knows (R9).
  public func activity<R: FreshResource>(_ activity: Activity, of resource: R) {
    tell(.activity(activity), to: resource)
  }

  /// Puts the application's own copy in place, as after a write it made itself (P8).
  ///
  /// Its provenance is local until the server sends it (R38).
  /// A request that is out would answer with an older copy, so it is cancelled.
  public func write<R: FreshResource>(_ value: R.Value, to resource: R) {
    let opening = ResourceOpening(resource)
    var cell: ResourceEntry<R>?
    var isDone = false
    while !isDone {
      // Compared outside of the lock: if the copy is another one by then, compared again.
      let comparison = cell?.compare(with: value)
      isDone = withLedger { ledger in
        let key = ledger.open(opening, at: clock.now())
        guard let known = ledger.cell(of: resource) else { return true }
        guard let comparison, known === cell, known.isCurrent(comparison) else {
          cell = known
          return false
        }
        handle(.wrote(known.write(value, comparison)), for: key, in: &ledger)
        ledger.trim(to: limits.idleResources)
        return true
      }
    }
  }

  /// Puts a copy in place that the application kept from an earlier run, with the age it has now (R38).
  ///
  /// It is shown as a copy from disk until an answer comes, and is never live. It takes no other copy's
  /// place. The age is what the label said when the copy was kept, and the time since.
  ///
  /// - Parameters:
  ///   - value: The copy.
  ///   - age: Its age now.
  ///   - resource: What it is a copy of.
  public func restore<R: FreshResource>(_ value: R.Value, age: Timespan, to resource: R) {
    let opening = ResourceOpening(resource)
    withLedger { ledger in
      let key = ledger.open(opening, at: clock.now())
      guard let cell = ledger.cell(of: resource) else { return }
      handle(.restored(cell.restore(value), age: age), for: key, in: &ledger)
      ledger.trim(to: limits.idleResources)
    }
  }

  // MARK: The device

  /// The application moved to the front, to the back, or is about to be suspended (R11).
  public func lifecycle(_ lifecycle: Lifecycle) {
    withLedger { ledger in
      ledger.lifecycle = lifecycle
      handle(.lifecycle(lifecycle), in: &ledger)
    }
  }

  /// A window got the focus (R11).
  public func focused() { withLedger { handle(.focused, in: &$0) } }

  /// The network came, went or began to cost (R24, R35).
  public func connectivity(_ connectivity: Connectivity) {
    withLedger { ledger in
      ledger.connectivity = connectivity
      handle(.connectivity(connectivity), in: &ledger)
    }
  }

  /// Another person, or none: these fields go with every request from now on.
  ///
  /// Copies, validators and failures of the old identity are gone at once (R4, R19).
  ///
  /// - Parameter credentials: Fields such as `Authorization`.
  public func identify(by credentials: HTTPFields) {
    withLedger { ledger in
      guard credentials != ledger.credentials else { return }
      ledger.credentials = credentials
      ledger.identity += 1
      for key in ledger.keys {
        guard let entry = ledger.entries[key], let machine = ledger.roster[key] else { continue }
        entry.cell.forget()
        let context = Context(question: machine.context.question, identity: ledger.identity)
        handle(.contextChanged(context), for: key, in: &ledger)
        guard let link = ledger.entries[key]?.link else { continue }
        // A stream speaks on behalf of who opened it.
        link.task.cancel()
        ledger.entries[key]?.link = nil
        handle(.linkLost, for: key, in: &ledger)
      }
      ledger.trim(to: limits.idleResources)
    }
  }

  /// The host's timers are running again after the device slept, as far as the host can tell (R14).
  ///
  /// The client finds out by itself where the clock can tell; see ``HostClock``.
  public func woke() { withLedger { handle(.slept, in: &$0) } }

  // MARK: Diagnostics

  /// What the engine did for a resource over its life, with its newest samples (R29, R30).
  public func diagnostics<R: FreshResource>(of resource: R) -> Diagnostics? {
    withLedger { ledger in
      ledger.key(of: resource).flatMap { ledger.entries[$0]?.diagnostics }
    }
  }

  /// The newest samples of a resource, oldest first; each can be written as a line of JSON Lines (R29).
  public func samples<R: FreshResource>(of resource: R) -> [SampleRecord] {
    withLedger { ledger in
      guard let key = ledger.key(of: resource), let entry = ledger.entries[key] else { return [] }
      return zip(entry.diagnostics.ring.samples, entry.evidence).map {
        SampleRecord($0, resource: entry.title, origin: clock.origin, evidence: $1)
      }
    }
  }

  /// What the client holds now.
  public var census: ClientCounters { withLedger { $0.census } }
}
