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
/// Observers of equal resources share one machine: two views of one resource poll once. A resource
/// is polled while its snapshots are iterated. When the last iteration ends, the client cancels the
/// request, closes the stream and removes the alarm. One task sleeps for all resources together,
/// and only while an alarm is set.
///
/// Every method returns immediately and may be called from any thread. The events of one caller are
/// handled in the order of the calls. The code of a resource, `==` of its values and the recorder
/// run outside the lock and may call the client. `Hashable` of a resource, the clock and the random
/// source run under it and must not.
public final class FreshnessClient: Sendable {
  let exchange: any HTTPExchange
  let streaming: (any HTTPStreaming)?
  let clock: HostClock
  let limits: ClientLimits
  let recorder: (@Sendable (SampleRecord) -> Void)?
  let registry: Mutex<ClientRegistry>

  /// Creates a client without resources.
  ///
  /// - Parameters:
  ///   - exchange: Sends the requests. It has no cache of its own.
  ///   - streaming: Opens event streams; without it, resources are only polled (R33).
  ///   - policy: The constants of resources that do not have their own.
  ///   - clock: The clock.
  ///   - random: The random source, for jitter (R10).
  ///   - limits: The limits of the client.
  ///   - recorder: Receives the samples in the order in which they were taken, one at a time. It
  ///     should return quickly, and may call the client (R29).
  public init(
    exchange: any HTTPExchange,
    streaming: (any HTTPStreaming)? = nil,
    policy: Policy,
    clock: HostClock = .device(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    limits: ClientLimits = ClientLimits(),
    recorder: (@Sendable (SampleRecord) -> Void)? = nil
  ) {
    self.exchange = exchange
    self.streaming = streaming
    self.clock = clock
    self.limits = limits
    self.recorder = recorder
    registry = Mutex(ClientRegistry(policy: policy, random: random))
  }

  // MARK: Observing

  /// Returns the snapshots of a resource.
  ///
  /// Buffers only the newest; a slow consumer skips intermediate ones.
  ///
  /// The current state is delivered first. The sequence does not end by itself; it ends when its
  /// task is canceled. Polling begins with the iteration, not with this call.
  ///
  /// - Parameters:
  ///   - resource: The resource to keep fresh.
  ///   - interval: The interval that this observer requests instead of the policy's. The shortest
  ///     of all requested intervals applies, down to the policy's minimum (R10).
  /// - Returns: A sequence that observes the resource while it is iterated.
  public func snapshots<R: FreshResource>(
    of resource: R,
    every interval: Instant.Duration? = nil
  ) -> LiveSnapshots<R> {
    LiveSnapshots(client: self, resource: resource, interval: interval)
  }

  /// Returns the current copy of a resource, if any.
  public func value<R: FreshResource>(of resource: R) -> R.Value? {
    snapshot(of: resource)?.value
  }

  /// Returns the current snapshot of a resource, or `nil` if it is not registered.
  public func snapshot<R: FreshResource>(of resource: R) -> LiveSnapshot<R.Value>? {
    // Pending mutations are application code, which never runs under a lock.
    withRegistry { $0.resourceEntry(of: resource) }?.snapshot
  }

  /// Returns how fresh a resource is now and what the engine is doing about it, or `nil` if it is
  /// not registered.
  public func freshness<R: FreshResource>(of resource: R) -> FreshnessReport? {
    reading(of: resource)?.report
  }

  /// Returns how fresh a resource is now, and the number of the copy that this is about.
  func reading<R: FreshResource>(of resource: R) -> (copy: Int64, report: FreshnessReport)? {
    let now = clock.now()
    return withRegistry { registry in
      guard let key = registry.key(of: resource), let machine = registry.schedule[key],
        let (copy, isChanged) = registry.resourceEntry(of: resource)?.identity
      else { return nil }
      let label = machine.label(at: now)
      return (
        copy,
        FreshnessReport(
          label: isChanged ? label.ofLocalChange : label,
          changedAgo: machine.snapshot.map { now - $0.changedAt },
          verifiedAgo: machine.snapshot.map { now - $0.verifiedAt },
          sourceTime: machine.snapshot?.sourceTime,
          nextActionIn: machine.alarm.map { max($0 - now, .zero) },
          isRequesting: machine.outstanding != nil,
          isStreaming: machine.isStreaming,
          isOffline: registry.connectivity == .offline,
          pace: machine.pace(at: now),
          failuresInARow: Int(machine.failuresInARow)
        )
      )
    }
  }

  // MARK: Refreshing

  /// Requests a refresh now, on behalf of the user or the app (R2, R5).
  ///
  /// A resource that is kept without observers is requested once. A resource that was never
  /// observed is ignored (see ``prefetch(_:)``).
  public func refresh<R: FreshResource>(_ resource: R, _ request: RefreshRequest = .person) {
    send(.refreshRequested(request), to: resource)
  }

  /// Fetches a resource that may be observed soon, at low priority and within the request budget
  /// (R35).
  public func prefetch<R: FreshResource>(_ resource: R) {
    let opening = ResourceOpening(resource)
    withRegistry { registry in
      let key = registry.open(opening, at: clock.now())
      handle(.prefetch, for: key, in: &registry)
      registry.trim(to: limits.idleResources)
    }
  }

  /// Reports a local action whose effect is expected soon, which starts a burst (R13).
  public func acted<R: FreshResource>(on resource: R) { send(.acted, to: resource) }

  /// Reports that the effect of the last action was seen elsewhere (R13).
  public func fulfilled<R: FreshResource>(_ resource: R) { send(.fulfilled, to: resource) }

  /// Reports what the watched resource is doing, as far as the application knows (R9).
  public func activity<R: FreshResource>(_ activity: Activity, of resource: R) {
    send(.activity(activity), to: resource)
  }

  /// Replaces the copy with the application's own, for example after a write (P8).
  ///
  /// Its provenance is local until the server sends it (R38). A request in flight is canceled,
  /// because its response would be older.
  public func write<R: FreshResource>(_ value: R.Value, to resource: R) {
    let opening = ResourceOpening(resource)
    var resourceEntry: ResourceEntry<R>?
    var isDone = false
    while !isDone {
      // Compared outside the lock, and again if the copy has changed by then.
      let comparison = resourceEntry?.compare(with: value)
      isDone = withRegistry { registry in
        let key = registry.open(opening, at: clock.now())
        guard let known = registry.resourceEntry(of: resource) else { return true }
        guard let comparison, known === resourceEntry, known.isCurrent(comparison) else {
          resourceEntry = known
          return false
        }
        handle(.wrote(known.write(value, comparison)), for: key, in: &registry)
        registry.trim(to: limits.idleResources)
        return true
      }
    }
  }

  /// Restores a copy that the application kept from an earlier run, with its current age (R38).
  ///
  /// It is labeled as a copy from disk until a response arrives, and is never live. It does not
  /// replace another copy. Its age is the age in the label when the copy was stored, plus the time
  /// since.
  ///
  /// - Parameters:
  ///   - value: The copy.
  ///   - age: Its age now.
  ///   - sourceTime: When its data was made, if known: an older version does not replace it (R36), and
  ///     the same one is not younger (R37).
  ///   - resource: The resource of the copy.
  public func restore<R: FreshResource>(
    _ value: R.Value,
    age: Instant.Duration,
    sourceTime: WallTime? = nil,
    to resource: R
  ) {
    let opening = ResourceOpening(resource)
    withRegistry { registry in
      let key = registry.open(opening, at: clock.now())
      guard let resourceEntry = registry.resourceEntry(of: resource) else { return }
      let restored = Event.restored(resourceEntry.restore(value), age: age, sourceTime: sourceTime)
      handle(restored, for: key, in: &registry)
      registry.trim(to: limits.idleResources)
    }
  }

  // MARK: The device

  /// Reports a change of the application's lifecycle state (R11).
  public func lifecycle(_ lifecycle: Lifecycle) {
    withRegistry { registry in
      registry.lifecycle = lifecycle
      handle(.lifecycle(lifecycle), in: &registry)
    }
  }

  /// Reports that a window gained focus (R11).
  public func focused() { withRegistry { handle(.focused, in: &$0) } }

  /// Reports a change of the network (R24, R35).
  public func connectivity(_ connectivity: Connectivity) {
    withRegistry { registry in
      registry.connectivity = connectivity
      handle(.connectivity(connectivity), in: &registry)
    }
  }

  /// Changes the identity: these fields are added to every request from now on.
  ///
  /// Copies, validators and failures of the old identity are removed at once (R4, R19).
  ///
  /// - Parameter credentials: Fields such as `Authorization`; empty for no identity.
  public func identify(by credentials: HTTPFields) {
    withRegistry { registry in
      guard credentials != registry.credentials else { return }
      registry.credentials = credentials
      registry.identity += 1
      for key in registry.keys {
        guard let entry = registry.entries[key], let machine = registry.schedule[key] else {
          continue
        }
        entry.resourceEntry.forget()
        let context = Context(question: machine.context.question, identity: registry.identity)
        handle(.contextChanged(context), for: key, in: &registry)
        guard let stream = registry.entries[key]?.stream else { continue }
        // A stream belongs to the identity that opened it.
        stream.task.cancel()
        registry.entries[key]?.stream = nil
        handle(.streamLost, for: key, in: &registry)
      }
      registry.trim(to: limits.idleResources)
    }
  }

  /// Reports that timers run again after the device slept, as far as the host can tell (R14).
  ///
  /// The client detects this itself if the clock supports it; see ``HostClock``.
  public func woke() { withRegistry { handle(.slept, in: &$0) } }

  // MARK: Diagnostics

  /// Returns the counters of a resource and its newest samples (R29, R30).
  public func diagnostics<R: FreshResource>(of resource: R) -> Diagnostics? {
    withRegistry { registry in
      registry.key(of: resource).flatMap { registry.entries[$0]?.diagnostics }
    }
  }

  /// Returns the newest samples of a resource, oldest first; each can be written as a line of JSON
  /// Lines (R29).
  public func samples<R: FreshResource>(of resource: R) -> [SampleRecord] {
    withRegistry { registry in
      guard let key = registry.key(of: resource), let entry = registry.entries[key] else {
        return []
      }
      return zip(entry.diagnostics.ring.samples, entry.evidence).map {
        SampleRecord($0, resource: entry.title, origin: clock.origin, evidence: $1)
      }
    }
  }

  /// What the client holds now.
  public var counters: ClientCounters { withRegistry { $0.counters } }
}
