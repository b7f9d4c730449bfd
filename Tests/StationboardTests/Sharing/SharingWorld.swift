import PostgresSharing
import StationboardServer
import TestSimulation

/// A simulated minute of servers that share realtime through one database, with everything that goes wrong between them.
///
/// Everything is a function of the seed. Times are milliseconds of the simulation; each server has a clock of its own.
/// The database is a model of the statements that ``PostgresPublications`` sends: each is carried out at one instant,
/// whenever it arrives.
final class SharingWorld: SimulatedWorld {
  /// The rules that are checked.
  enum Rule: String, CaseIterable {
    /// At most one server polls a source at any time.
    case onePoller
    /// A server whose lease has ended by its own clock sends no publication.
    case silentAfterEnd
    /// No publication of an older fence is accepted after one of a newer fence.
    case fences
    /// Every publication reaches each server that is connected.
    case delivery
    /// A source is polled as long as a server can.
    case takeover
    /// A source whose server ended in order is polled by another one at once.
    case handover
    /// No client sees older content than before, unless the answer says so.
    case monotonicReads
    /// An answer says that it is behind only if its server was cut off.
    case honestReads
    /// An answer waits for a second at most (SR8).
    case promptReads
    /// A server without the database does not poll (SR5).
    case idleWithoutDatabase
    /// Nothing is shown that is not stored (SR5).
    case storedOnly
    /// A server without the database does not say which server polls (SR5).
    case sayingSo
  }

  /// A rule that was broken.
  struct Violation: Hashable {
    var rule: Rule
    var at: Int64
    var reason: String
  }

  static let sources = ["trips", "alerts"]
  static let length: Int64 = 60_000
  /// How often a leader polls.
  static let interval: Int64 = 1_000
  /// Design, scale-out: a leader that ends is replaced within 5 s and an interval.
  static let takeoverBound: Int64 = 5_000 + interval
  /// The same when statements of the leader before arrive late.
  static let slowTakeoverBound = takeoverBound + 9_000
  static let handoverBound: Int64 = 1_200 + interval
  /// A check of the lease and a read, with the slowest answers of a healthy network.
  static let deliveryBound: Int64 = 1_600
  /// SR8, with a clock that runs 1 % too slowly and the time between two checks.
  static let readBound: Int64 = 1_040
  /// SR5: a lease, and a statement that waits for its answer.
  static let silenceBound: Int64 = 3_000 + 2_000 + 1_000

  /// A server.
  struct Server: SimulatedServer {
    var token = 0
    var isAlive = false
    var clockRate = 1.0
    var clockOffset = 0.0
    var pausedUntil: Int64 = 0
    var cutUntil: Int64 = 0
    var slowUntil: Int64 = 0
    /// Since when nothing disturbs it.
    var healthySince: Int64 = 0
    /// When the database answered last.
    var heardAt: Int64 = 0
    /// Whose leases are, as a mutant remembers it.
    var remembered: [Lease.Owner?] = [nil, nil]
    var leases: [Lease] = []
    var cursor = PublicationCursor()
    /// The newest content of each source, and the position that answers name.
    var contents = [Int64](repeating: 0, count: SharingWorld.sources.count)
    var shown: Int64 = 0
    /// Up to where a mutant says that everything is shown.
    var claimed: Int64 = 0
    /// Which of several runs of its pollers counts.
    var polling = [Int](repeating: 0, count: SharingWorld.sources.count)
    var isPublishing = [Bool](repeating: false, count: SharingWorld.sources.count)
  }

  /// What the database stores of a source.
  struct Row {
    var fence: Int64 = 0
    var beat: Int64 = 0
    var owner = 0
  }

  /// A publication in the database.
  struct Publication {
    var mark: PublicationCursor.Mark
    var source: Int
    var content: Int64
  }

  /// What a client saw last.
  struct Client {
    var version: Int64 = 0
    var contents = [Int64](repeating: 0, count: SharingWorld.sources.count)
  }

  var random: SimulationRandom
  let fault: SharingFault?
  let limits: LeadershipLimits
  var now: Int64 = 0
  var servers: [Server]
  var rows = [Row](repeating: Row(), count: SharingWorld.sources.count)
  var publications: [Publication] = []
  var position: Int64 = 0
  /// The newest content of each source that is stored.
  var stored = [Int64](repeating: 0, count: SharingWorld.sources.count)
  var clients: [Client]
  var downUntil: Int64 = 0
  var isDownQuietly = false
  var databaseHealthySince: Int64 = 0
  var lastPoll = [Int64](repeating: 0, count: SharingWorld.sources.count)
  var lastSlow: Int64 = -SharingWorld.length
  private(set) var violation: Violation?
  private(set) var polls = 0
  private(set) var answers = 0
  private(set) var takeovers = 0
  var queue = SimulationQueue()
  private var tokens = 0

  init(seed: UInt64, fault: SharingFault? = nil) {
    random = SimulationRandom(seed: seed)
    self.fault = fault
    var limits = LeadershipLimits()
    fault?.limits?(&limits)
    self.limits = limits
    servers = (0..<Int(random.between(2, 5))).map { _ in Server() }
    clients = (0..<3).map { _ in Client() }
  }

  /// Runs to the end, or to the first rule that is broken.
  func run() -> Violation? {
    for server in servers.indices { start(server) }
    for client in clients.indices { schedule(in: random.between(0, 500)) { self.request(client) } }
    schedule(in: 500) { self.watch() }
    schedule(in: random.between(2_000, 8_000)) { self.disturb() }
    play { violation == nil && now < Self.length }
    return violation
  }

  func breaks(_ rule: Rule, _ reason: String) {
    if violation == nil { violation = Violation(rule: rule, at: now, reason: reason) }
  }

  // MARK: Time

  /// The server's own clock.
  func clock(_ server: Int) -> Duration {
    let state = servers[server]
    return .microseconds(Int64((Double(now) * state.clockRate + state.clockOffset) * 1_000))
  }

  // MARK: Servers

  func start(_ server: Int) {
    tokens += 1
    var new = Server()
    new.token = tokens
    new.isAlive = true
    new.clockRate = 1 + Double(random.between(-10, 10)) / 1_000
    new.clockOffset = Double(random.between(0, 1_000_000))
    new.healthySince = now
    new.heardAt = now
    servers[server] = new
    servers[server].leases = Self.sources.map { _ in Lease(limits.lease, at: clock(server)) }
    for source in Self.sources.indices {
      step(server, source, .woke)
      if fault?.followersPoll == true { poll(server, source, run: 0, 0) }
      if fault?.pollsAlone == true { pollAlone(server, source) }
    }
    gap(server)
  }

  /// Applies an event to a lease and does what it leads to.
  func step(_ server: Int, _ source: Int, _ event: Lease.Event) {
    let at = clock(server)
    let sample = Double(random.between(0, 999)) / 1_000
    for effect in servers[server].leases[source].handle(event, at: at, sample: sample) {
      switch effect {
      case .send(let number, let statement): send(server, source, number, statement)
      case .lead(let fence):
        servers[server].polling[source] += 1
        takeovers += 1
        poll(server, source, run: servers[server].polling[source], fence)
      case .stop:
        if fault?.leadsOn != true {
          servers[server].polling[source] += 1
        }
      case .release(let fence): release(server, source, fence)
      }
    }
    wake(server, source)
  }

  /// Wakes a lease when it wants to be woken.
  private func wake(_ server: Int, _ source: Int) {
    let lease = servers[server].leases[source]
    guard lease.role != .ended else { return }
    onServer(server, in: Int64((lease.wakesAt - clock(server)) / .milliseconds(1)) + 1) {
      let now = self.servers[server].leases[source]
      // Something else has happened since.
      guard now.wakesAt == lease.wakesAt else { return }
      if self.clock(server) < now.wakesAt { return self.wake(server, source) }
      self.step(server, source, .woke)
    }
  }

  /// Polls the producer now, and again after the interval, as long as the run lasts.
  private func poll(_ server: Int, _ source: Int, run: Int, _ fence: Int64) {
    guard servers[server].polling[source] == run else { return }
    let held = servers[server].leases[source].fence(at: clock(server))
    if held != nil || fault?.leadsOn == true || fault?.followersPoll == true {
      polled(server, source)
      // The producers have something new every few seconds, one of them more often.
      let content = now / (source == 0 ? 2_300 : 9_700)
      if fault?.showsUnstored == true, held != nil { servers[server].contents[source] = content }
      onServer(server, in: random.between(5, 60)) {
        guard content > self.servers[server].contents[source],
          !self.servers[server].isPublishing[source]
        else { return }
        self.servers[server].isPublishing[source] = true
        self.publish(server, source, fence, content)
      }
    }
    onServer(server, in: Self.interval) { self.poll(server, source, run: run, fence) }
  }

  /// A mutant: polls a source whose leader is not known for a while.
  private func pollAlone(_ server: Int, _ source: Int) {
    if servers[server].leases[source].owner == nil, now - servers[server].heardAt > 4_000 {
      polled(server, source)
    }
    onServer(server, in: Self.interval) { self.pollAlone(server, source) }
  }

  private func polled(_ server: Int, _ source: Int) {
    polls += 1
    lastPoll[source] = now
    if Double(now - servers[server].heardAt) > limits.lease.duration / .milliseconds(1) {
      breaks(.idleWithoutDatabase, "\(server) polls without the database")
    }
    for other in servers.indices where other != server && servers[other].isAlive {
      if servers[other].leases[source].fence(at: clock(other)) != nil {
        breaks(.onePoller, "\(Self.sources[source]): \(server) polls while \(other) leads")
      }
    }
    if fault?.followersPoll == true, servers[server].leases[source].fence(at: clock(server)) == nil
    {
      breaks(.onePoller, "\(Self.sources[source]): \(server) polls without the lease")
    }
  }

  private func publish(
    _ server: Int,
    _ source: Int,
    _ fence: Int64,
    _ content: Int64
  ) {
    let held = servers[server].leases[source].fence(at: clock(server))
    guard held == fence || fault?.leadsOn == true else {
      servers[server].isPublishing[source] = false
      return
    }
    if held == nil { breaks(.silentAfterEnd, "\(server) publishes after its lease") }
    let token = servers[server].token
    transmit(server) {
      self.store(source, token: token, fence: fence, content)
    } answer: { isStored in
      guard isStored == nil else {
        self.servers[server].isPublishing[source] = false
        return
      }
      self.onServer(server, in: 200) { self.publish(server, source, fence, content) }
    }
  }

  /// Reads publications if there are any to read.
  func read(_ server: Int) {
    guard let after = servers[server].cursor.begin() else { return }
    transmit(server) { () -> (marks: [Publication], end: Int64) in
      (self.publications.filter { $0.mark.position > after }, self.position)
    } answer: { found in
      guard let found else {
        self.servers[server].cursor.failed()
        return self.onServer(server, in: 300) { self.read(server) }
      }
      guard let chosen = self.servers[server].cursor.read(found.marks.map(\.mark), upTo: found.end)
      else { return self.read(server) }
      self.apply(server, chosen, found.marks, upTo: found.end)
    }
  }

  /// Applies publications one after another; each takes its time.
  private func apply(
    _ server: Int,
    _ marks: [PublicationCursor.Mark],
    _ found: [Publication],
    upTo end: Int64
  ) {
    var marks = marks
    if fault?.completesEarly == true { servers[server].claimed = end }
    guard let mark = marks.first, let publication = found.first(where: { $0.mark == mark }) else {
      servers[server].cursor.applied(upTo: end)
      servers[server].shown = max(servers[server].shown, end)
      return read(server)
    }
    marks.removeFirst()
    onServer(server, in: random.between(1, 40)) {
      self.servers[server].contents[publication.source] = publication.content
      self.servers[server].shown = max(self.servers[server].shown, mark.position)
      self.servers[server].cursor.progressed(to: mark)
      if self.fault?.forgetsRemoved == true { self.servers[server].claimed = mark.position }
      self.apply(server, marks, found, upTo: end)
    }
  }

  /// A connection that listens was opened: announcements may be missing.
  func gap(_ server: Int) {
    if fault?.repairsNoGap == true { return }
    servers[server].cursor.missed()
    read(server)
  }

  // MARK: Clients

  /// A client asks a random server, with what it has seen.
  private func request(_ client: Int) {
    schedule(in: random.between(40, 400)) { self.request(client) }
    let server = Int(random.between(0, Int64(servers.count) - 1))
    guard servers[server].isAlive, servers[server].pausedUntil <= now else { return }
    let read = MonotonicRead(limits, at: clock(server))
    serve(client, server, clients[client].version, read, since: now)
  }

  private func serve(
    _ client: Int,
    _ server: Int,
    _ version: Int64,
    _ read: MonotonicRead,
    since: Int64
  ) {
    let state = servers[server]
    let seen = MonotonicRead.Seen(position: version)
    let shown = MonotonicRead.Shown(position: max(state.cursor.complete, state.claimed))
    let step = read.step(
      isCovered: seen.isCovered(by: shown),
      mayWait: fault?.waitsForNothing != true,
      at: clock(server)
    )
    switch step {
    case .wait(let longest):
      let wait = min(20, Int64(longest / .milliseconds(1)) + 1)
      onServer(server, in: wait) { self.serve(client, server, version, read, since: since) }
    case .answer(let isBehind):
      let says = (isBehind || fault?.claimsBehind == true) && fault?.hidesBehind != true
      answer(client, server, version, isBehind: says, since: since)
    }
  }

  private func answer(
    _ client: Int,
    _ server: Int,
    _ version: Int64,
    isBehind: Bool,
    since: Int64
  ) {
    let state = servers[server]
    answers += 1
    if now - since > Self.readBound, state.healthySince <= since {
      breaks(.promptReads, "\(server) answers after \(now - since) ms")
    }
    for source in Self.sources.indices where state.contents[source] > stored[source] {
      breaks(.storedOnly, "\(server) shows \(state.contents[source]), not stored \(stored[source])")
    }
    if isBehind {
      // A server that was just started has read nothing.
      let undisturbed = max(state.healthySince, databaseHealthySince)
      if state.cursor.complete >= version || undisturbed < now - 1_000 - Self.deliveryBound {
        breaks(.honestReads, "\(server) is behind \(version) without a reason")
      }
      return
    }
    for source in Self.sources.indices
    where state.contents[source] < clients[client].contents[source]
      && clients[client].version <= version
    {
      breaks(
        .monotonicReads,
        "\(Self.sources[source]): \(state.contents[source]) at \(server) after \(clients[client].contents[source])"
      )
    }
    guard state.shown >= clients[client].version else { return }
    // What the first client shows rarely changes: a 304 leaves its content and its version.
    if client == 0, !random.oneIn(40) { return }
    clients[client].version = fault?.namesNoPosition == true ? 0 : state.shown
    clients[client].contents = state.contents
  }

  // MARK: Oracle

  /// Checks what should have happened by now.
  private func watch() {
    schedule(in: 250) { self.watch() }
    for (number, server) in servers.enumerated() where server.isAlive {
      let owners = Self.sources.indices.map { says(number, $0) }
      let silence = now - max(server.heardAt, server.pausedUntil)
      if silence > Self.silenceBound, owners.contains(where: { $0 != nil }) {
        breaks(.sayingSo, "\(number) knows who polls after \(silence) ms of silence")
      }
    }
    let bound = now - lastSlow < 20_000 ? Self.slowTakeoverBound : Self.takeoverBound
    let since = now - bound * 102 / 100
    guard databaseHealthySince <= since, downUntil <= now else { return }
    guard servers.contains(where: { isHealthy($0) && $0.healthySince <= since }) else { return }
    for source in Self.sources.indices where lastPoll[source] < since {
      breaks(.takeover, "\(Self.sources[source]): not polled since \(lastPoll[source])")
    }
  }

  /// Whose lease a server says it is; `nil` for unknown.
  private func says(_ server: Int, _ source: Int) -> Lease.Owner? {
    let owner = servers[server].leases[source].owner
    guard fault?.remembersOwner == true else { return owner }
    if let owner { servers[server].remembered[source] = owner }
    return servers[server].remembered[source]
  }

  func isHealthy(_ server: Server) -> Bool {
    server.isAlive && server.pausedUntil <= now && server.cutUntil <= now && server.slowUntil <= now
  }

  /// Checks that a publication that was stored now reaches everybody.
  func expectDelivery(of position: Int64) {
    let stored = now
    let tokens = servers.map(\.token)
    schedule(in: Self.deliveryBound) {
      guard self.databaseHealthySince <= stored, self.downUntil <= self.now else { return }
      for (server, state) in self.servers.enumerated()
      where state.token == tokens[server] && self.isHealthy(state) && state.healthySince <= stored
        && state.cursor.complete < position
      {
        self.breaks(.delivery, "\(server) has \(state.cursor.complete), not \(position)")
      }
    }
  }

  /// Checks that another server polls soon after one gave its lease back.
  func expectHandover(_ source: Int) {
    let freed = now
    let healthy = servers.indices.filter { isHealthy(servers[$0]) }
    let tokens = servers.map(\.token)
    schedule(in: Self.handoverBound) {
      guard self.databaseHealthySince <= freed, self.downUntil <= self.now,
        self.lastPoll[source] < freed, !healthy.isEmpty,
        self.servers.indices.allSatisfy({
          self.servers[$0].token == tokens[$0]
            && (!self.servers[$0].isAlive
              || self.isHealthy(self.servers[$0]) && self.servers[$0].healthySince <= freed)
        })
      else { return }
      self.breaks(.handover, "\(Self.sources[source]): no server polls")
    }
  }
}
