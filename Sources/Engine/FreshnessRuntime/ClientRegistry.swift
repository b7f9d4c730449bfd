import Freshness
import HTTPTypes

/// The state of a client: its machines, its resources, and the work in progress for each.
struct ClientRegistry: Sendable {
  /// A resource and the work in progress for it.
  struct Entry: Sendable {
    /// The copy, the validators and the observers.
    let resourceEntry: any AnyResourceEntry
    /// The name in the registry.
    let name: ResourceName
    /// The name in exported samples: method and address.
    let title: String
    /// The name of the origin that serves it (R39).
    let origin: String
    /// The tags of the resource.
    let tags: Set<String>
    /// The counters and the ring of samples (R29, R30).
    var diagnostics: Diagnostics
    /// The evidence for the samples of the ring, in the same order.
    var evidence: [SampleEvidence] = []
    /// The receipt of the newest response that was recorded.
    var receipt: String?
    /// The intervals that observers request; `nil` requests none.
    var observers: [Int64: Instant.Duration?] = [:]
    /// The request in flight.
    var inFlight: InFlightRequest?
    /// The stream, with its number among all streams of the client.
    var stream: (number: Int64, task: Task<Void, Never>)?
    /// The departure count when the last observer left.
    var leftAt: Int64 = 0

    /// Adds the evidence for the newest sample of the ring.
    mutating func keep(_ newest: SampleEvidence) {
      evidence.append(newest)
      evidence.removeFirst(max(evidence.count - diagnostics.ring.count, 0))
    }
  }

  /// A request in flight, or queued at its origin.
  struct InFlightRequest: Sendable {
    var request: Request
    let startedAt: Instant
    /// The number that identifies it at its origin.
    let number: Int64
    /// The task that carries it; `nil` while it is queued.
    var task: Task<Void, Never>?
    /// When it was sent; `nil` while it is queued.
    var sentAt: Instant?
    /// When its timeout began, if that was not when it was ordered (R39).
    var prolongedAt: Instant?

    /// Returns whether its timeout has passed although it was not sent.
    func isOverdueInQueue(at now: Instant) -> Bool {
      task == nil && now >= (prolongedAt ?? startedAt) + request.timeout
    }

    /// Returns whether a timeout is a failure of the server: the request was sent, and the alarm is not so late that the
    /// device must have slept (R14, R39).
    func isFailureOfServer(at now: Instant) -> Bool {
      guard let sentAt else { return false }
      return now - sentAt < request.timeout + HostSleep.latestAlarm
    }
  }

  var schedule = MachineSchedule()
  /// The state of the origins (R39).
  var origins: OriginRegistry
  var entries: [MachineSchedule.Key: Entry] = [:]
  private var directory: [ResourceName: MachineSchedule.Key] = [:]
  private var prototypes: [Policy: RefreshMachine] = [:]
  /// The constants of resources that do not have their own.
  let policy: Policy
  private var random: any RandomNumberGenerator & Sendable
  private var questions: Int64 = 0
  private var departures: Int64 = 0
  /// The resources without an observer.
  private var idleCount = 0
  /// The departures of last observers, oldest first, including resources that were observed again.
  private var idle = KeyQueue()
  private var lastStream: Int64 = 0
  /// The observed resources of each origin that has any.
  private var observedByOrigin: [String: Int] = [:]

  /// Samples to pass to the recorder after the lock is released.
  var records: [SampleRecord] = []
  /// Whether a thread is passing samples to the recorder.
  var isRecording = false
  /// Values of the application to release after the lock is released.
  var freed: [any Sendable] = []

  /// The fields added to every request.
  var credentials = HTTPFields()
  /// The number of the identity that these fields represent (R19).
  var identity: Int64 = 0
  /// The lifecycle state of the application.
  var lifecycle = Lifecycle.foreground
  /// What is known of the network.
  var connectivity = Connectivity.online

  /// The task that sleeps until the next alarm.
  var sleeper: (until: Instant, number: Int64, task: Task<Void, Never>)?
  /// The number of sleepers so far.
  var sleepers: Int64 = 0
  /// How long the device had slept when the client last checked.
  var slept = Instant.Duration.zero

  init(policy: Policy, random: any RandomNumberGenerator & Sendable) {
    self.policy = policy
    origins = OriginRegistry(policy: policy)
    self.random = random
  }

  /// Takes the samples for the recorder, unless another thread is passing samples.
  mutating func takeRecords() -> [SampleRecord] {
    guard !isRecording, !records.isEmpty else { return [] }
    isRecording = true
    defer { records = [] }
    return records
  }

  // MARK: The directory

  /// The keys of all resources.
  var keys: [MachineSchedule.Key] { Array(entries.keys) }

  /// Returns the key of a registered resource.
  func key<R: FreshResource>(of resource: R) -> MachineSchedule.Key? {
    directory[ResourceName(resource)]
  }

  /// Returns the entry of a registered resource.
  func resourceEntry<R: FreshResource>(of resource: R) -> ResourceEntry<R>? {
    key(of: resource).flatMap { entries[$0]?.resourceEntry as? ResourceEntry<R> }
  }

  /// Finds a resource, or creates a machine and an entry for it.
  mutating func open<R: FreshResource>(
    _ opening: ResourceOpening<R>,
    at now: Instant
  ) -> MachineSchedule.Key {
    if let known = directory[opening.name] { return known }
    let policy = opening.policy ?? self.policy
    // Machines of one policy share its constants.
    let prototype = prototypes[policy] ?? RefreshMachine(policy: policy)
    prototypes[policy] = prototype
    var machine = prototype
    questions += 1
    let context = Context(question: questions, identity: identity)
    // There are no observers yet: none of these events has effects.
    let facts: [Event] = [
      .contextChanged(context), .lifecycle(lifecycle), .connectivity(connectivity),
      .restrained(origins.restraint(of: opening.origin)),
    ]
    for fact in facts { _ = machine.handle(fact, at: now, random: .middle) }
    let key = schedule.insert(machine)
    directory[opening.name] = key
    origins.opened(opening.origin)
    entries[key] = Entry(
      resourceEntry: ResourceEntry(
        opening.resource,
        subject: opening.subject,
        machine: machine,
        at: now
      ),
      name: opening.name,
      title: opening.title,
      origin: opening.origin,
      tags: opening.tags,
      diagnostics: Diagnostics(policy: policy)
    )
    idles(key)
    return key
  }

  /// Removes the resources without observers that were left the longest ago.
  ///
  /// A resource whose prefetch is still in flight is kept for another round.
  mutating func trim(to limit: Int) {
    var turns = idle.count
    while idleCount > limit, turns > 0 {
      turns -= 1
      let (key, departure) = idle.removeFirst()
      guard let entry = entries[key], entry.observers.isEmpty, entry.leftAt == departure else {
        continue
      }
      guard entry.inFlight == nil else {
        idle.append((key, departure))
        continue
      }
      directory[entry.name] = nil
      origins.closed(entry.origin)
      entries[key] = nil
      freed.append(entry.resourceEntry)
      idleCount -= 1
      _ = schedule.remove(key)
    }
  }

  /// Records that a resource has no observers from now on.
  private mutating func idles(_ key: MachineSchedule.Key) {
    departures += 1
    idleCount += 1
    entries[key]?.leftAt = departures
    idle.append((key, departures))
    guard idle.count > 2 * idleCount + 64 else { return }
    // A resource that is observed again needs no position in the queue.
    idle.removeAll { [entries] key, departure in
      entries[key].map { !$0.observers.isEmpty || $0.leftAt != departure } ?? true
    }
  }

  // MARK: Observers

  /// Adds an observer; returns whether it is the first.
  mutating func join(
    _ observer: Int64,
    interval: Instant.Duration?,
    key: MachineSchedule.Key
  ) -> Bool {
    let isFirst = entries[key]?.observers.isEmpty ?? false
    entries[key]?.observers.updateValue(interval, forKey: observer)
    if isFirst {
      idleCount -= 1
      count(1, of: key)
    }
    return isFirst
  }

  /// Removes an observer; returns whether it was the last.
  mutating func leave(_ observer: Int64, key: MachineSchedule.Key) -> Bool {
    guard entries[key]?.observers.removeValue(forKey: observer) != nil else { return false }
    guard entries[key]?.observers.isEmpty == true else { return false }
    count(-1, of: key)
    idles(key)
    return true
  }

  /// Returns the shortest interval that the observers of a resource request (P2).
  func requestedPace(of key: MachineSchedule.Key) -> Instant.Duration? {
    entries[key]?.observers.values.compactMap { $0 }.min()
  }

  /// Returns the number of observed resources of an origin.
  func observed(of origin: String) -> Int32 {
    Int32(clamping: observedByOrigin[origin, default: 0])
  }

  /// Counts a resource whose observation began or ended.
  private mutating func count(_ change: Int, of key: MachineSchedule.Key) {
    guard let origin = entries[key]?.origin else { return }
    let count = observedByOrigin[origin, default: 0] + change
    observedByOrigin[origin] = count == 0 ? nil : count
  }

  // MARK: Random samples and numbers

  /// Returns a new random sample (R10).
  mutating func randomSample() -> RandomSample {
    RandomSample(bits: UInt32(truncatingIfNeeded: random.next()))
  }

  /// Returns the number of the next stream.
  mutating func nextStream() -> Int64 {
    lastStream += 1
    return lastStream
  }

  /// What the client holds now.
  var counters: ClientCounters {
    var counters = ClientCounters(
      observed: 0,
      idle: 0,
      observers: 0,
      requests: 0,
      streams: 0,
      isWaiting: sleeper != nil
    )
    for entry in entries.values {
      if entry.observers.isEmpty { counters.idle += 1 } else { counters.observed += 1 }
      counters.observers += entry.observers.count
      counters.requests += entry.inFlight == nil ? 0 : 1
      counters.streams += entry.stream == nil ? 0 : 1
    }
    return counters
  }
}
