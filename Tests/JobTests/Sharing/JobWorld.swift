import Jobs
import TestSimulation

@testable import JobsServer

/// A few simulated minutes of workers that share jobs through one database, with everything that goes wrong between them.
///
/// Everything is a function of the seed. Times are milliseconds of the simulation, which are those of the database's clock;
/// each server has clocks of its own. The database is a model of the transactions of ``PostgresJobStore``: each is carried out at one
/// instant, whenever it arrives, and decides by ``JobLeaseState`` as they do. The rules are checked without it.
final class JobWorld: SimulatedWorld {
  /// The rules that are checked.
  enum Rule: String, CaseIterable {
    /// A job has one last event.
    case oneEnd
    /// Nothing is stored under a lease after another worker has taken the job.
    case fences
    /// The events of a job have numbers from 1 without a gap.
    case log
    /// A follower reads what is stored, in order, each event once.
    case reading
    /// A follower reads the end of its job.
    case delivery
    /// A job that may be worked on is, soon.
    case takeover
    /// A server that ends in order gives its jobs back.
    case handover
    /// No worker takes a job from one that nothing disturbs.
    case steady
    /// A worker stops what another one has taken.
    case zombies
    /// Failed attempts, and workers that end over a job, are bounded.
    case attempts
    /// A worker counts as ended only over a job that another worker took over.
    case blame
    /// A job does not begin before its instant.
    case instants
    /// A worker works on as many jobs as it may.
    case room
    /// Every job ends, and one that succeeded has all of its items.
    case loss
  }

  /// A rule that was broken.
  struct Violation: Hashable {
    var rule: Rule
    var at: Int64
    var reason: String
  }

  static let length: Int64 = 240_000
  /// How long everything has ended before the simulation does.
  static let rest: Int64 = 14_000
  /// Then no more jobs are started, so that none is announced.
  static let startsUntil: Int64 = 70_000
  /// Then nothing goes wrong any more.
  static let disturbedUntil: Int64 = 90_000
  /// Design, scale-out: a job goes on within 15 s of the last sign of its worker, whose lease lasted 10 s.
  static let takeoverBound: Int64 = 5_000
  static let handoverBound: Int64 = 2_000
  /// A renewal, a step, and the slowest answers of a healthy network.
  static let zombieBound: Int64 = 6_000
  /// A search for what could not be read, and the reading.
  static let deliveryBound: Int64 = 8_000
  /// How wrong the clock may be by which a server stamps jobs.
  static let longestSkew: Int64 = 3_000

  /// The work on a job at a server.
  struct Work {
    var lease: JobLease
    /// Which lease of the job it is, as the simulation counts.
    var grant: Int
    var patience: JobPatience
    /// How many items are done, as the worker knows.
    var done = 0
    /// The last event that the worker knows.
    var seq: Int64 = 0
    var isCanceled = false
    var isStopped = false
  }

  /// A server.
  struct Server: SimulatedServer {
    var token = 0
    var isAlive = false
    var clockRate = 1.0
    var clockOffset = 0.0
    /// How much the clock that stamps jobs is ahead of the database's.
    var skew: Int64 = 0
    var pausedUntil: Int64 = 0
    var cutUntil: Int64 = 0
    var slowUntil: Int64 = 0
    /// Since when nothing disturbs it.
    var healthySince: Int64 = 0
    /// Since when it could take another job.
    var roomSince: Int64?
    var leased: LeasedJobs
    var work: [String: Work] = [:]
    var positions = RelayPositions()
    /// Which of its connections listens; `nil` while none does.
    var listening: Int?
    /// Announcements that are under way.
    var inbox: [() -> Void] = []
  }

  var random: SimulationRandom
  let fault: JobFault?
  let limits: JobLimits
  var now: Int64 = 0
  var servers: [Server] = []
  var rows: [String: Row] = [:]
  var clients: [Client] = []
  var downUntil: Int64 = 0
  var isDownQuietly = false
  var databaseHealthySince: Int64 = 0
  private(set) var violation: Violation?
  var steps = 0
  var takeovers = 0
  var ends: [JobState: Int] = [:]
  var readings = 0
  var connections = 0
  /// When the last job ended; `nil` while one is open.
  private var lastEnd: Int64?
  var queue = SimulationQueue()
  private var tokens = 0

  init(seed: UInt64, fault: JobFault? = nil) {
    random = SimulationRandom(seed: seed)
    self.fault = fault
    var limits = JobLimits()
    limits.runningJobs = 2
    (limits.attemptsOfJob, limits.leastRetrySeconds, limits.mostRetrySeconds) = (3, 4, 12)
    limits.lockedSeconds = 20
    (limits.waitingMessages, limits.replayedEvents) = (4, 6)
    self.limits = limits
    let empty = Server(leased: LeasedJobs(limits, at: .zero))
    servers = [Server](repeating: empty, count: Int(random.between(2, 4)))
    clients = (0..<5).map { _ in Client() }
  }

  /// Runs to the end, or to the first rule that is broken.
  func run() -> Violation? {
    for server in servers.indices { start(server) }
    for client in clients.indices { schedule(in: random.between(0, 3_000)) { self.choose(client) } }
    schedule(in: 100) { self.startJobs() }
    schedule(in: 500) { self.watch() }
    schedule(in: random.between(1_000, 6_000)) { self.disturb() }
    play { violation == nil && now < Self.length && !isOver }
    if violation == nil { checkEnds() }
    return violation
  }

  func breaks(_ rule: Rule, _ reason: String) {
    if violation == nil { violation = Violation(rule: rule, at: now, reason: reason) }
  }

  /// Whether all jobs have ended, and all that follows from that has happened.
  private var isOver: Bool {
    guard now > Self.disturbedUntil + Self.rest, let end = lastEnd else { return false }
    return now > end + Self.rest
  }

  // MARK: Time

  /// The server's clock that never goes back.
  func clock(_ server: Int) -> Duration {
    let state = servers[server]
    return .microseconds(Int64((Double(now) * state.clockRate + state.clockOffset) * 1_000))
  }

  /// The clock by which a server stamps jobs.
  func stamp(_ server: Int) -> Int64 { now + servers[server].skew }

  func isHealthy(_ server: Server) -> Bool {
    server.isAlive && server.pausedUntil <= now && server.cutUntil <= now && server.slowUntil <= now
  }

  // MARK: Servers

  func start(_ server: Int) {
    tokens += 1
    var new = Server(leased: LeasedJobs(limits, at: .zero))
    new.token = tokens
    new.isAlive = true
    new.clockRate = 1 + Double(random.between(-10, 10)) / 1_000
    new.clockOffset = Double(random.between(0, 1_000_000))
    new.healthySince = now
    servers[server] = new
    servers[server].leased = LeasedJobs(limits, at: clock(server))
    servers[server].skew = random.between(-200, 200)
    renewLater(server)
    retryReads(server)
    gap(server)
  }

  /// Renews when it is time, and searches for jobs that were not announced.
  private func renewLater(_ server: Int) {
    let wait = Int64((servers[server].leased.wakesAt - clock(server)) / .milliseconds(1)) + 1
    onServer(server, in: wait) {
      let held = self.servers[server].leased.renewal(at: self.clock(server))
      guard !held.isEmpty, self.fault?.renewsNothing != true else {
        self.search(server)
        return self.renewLater(server)
      }
      self.transmit(server) {
        self.renew(held, token: self.servers[server].token)
      } answer: { renewed in
        if let renewed {
          for lost in self.servers[server].leased.renewed(held, renewed)
          where self.fault?.stopsNothing != true { self.stop(server, lost) }
          if self.fault?.searchesOnlyWhenNotified != true { self.search(server) }
        }
        self.renewLater(server)
      }
    }
  }

  /// Looks for jobs, unless that is under way.
  func search(_ server: Int) {
    if let search = servers[server].leased.wanted() { claim(server, search) }
  }

  private func claim(_ server: Int, _ search: LeasedJobs.Search) {
    let (token, due) = (servers[server].token, stamp(server))
    let most = fault?.takesAll == true ? 9 : search.most
    transmit(server) {
      self.claim(most: most, besides: search.besides, due: due, token: token)
    } answer: { found in
      guard let found else { return self.servers[server].leased.searchFailed() }
      let granted = self.servers[server].leased.granted(found.map(\.lease))
      for lease in granted.begun {
        let grant = found.first { $0.lease == lease }?.grant ?? 0
        self.servers[server].work[lease.job] = Work(
          lease: lease,
          grant: grant,
          patience: JobPatience(self.limits)
        )
        self.begin(server, lease)
      }
      if self.servers[server].work.count > self.limits.runningJobs {
        self.breaks(.room, "\(server) works on \(self.servers[server].work.count) jobs")
      }
      for lease in granted.returned { self.giveBack(server, lease) }
      if let next = self.servers[server].leased.searched() { self.claim(server, next) }
    }
  }

  // MARK: Oracle

  /// Checks what should have happened by now.
  private func watch() {
    schedule(in: 500) { self.watch() }
    for server in servers.indices {
      let hasRoom = servers[server].isAlive && servers[server].work.count < limits.runningJobs
      servers[server].roomSince = hasRoom ? servers[server].roomSince ?? now : nil
    }
    let isOpen = rows.values.contains { !$0.state.isTerminal }
    lastEnd = isOpen ? nil : lastEnd ?? now
    guard downUntil <= now else { return }
    for (id, row) in rows {
      checkTakeover(id, row)
      checkZombies(id, row)
    }
    checkDelivery()
  }

  private func checkTakeover(_ id: String, _ row: Row) {
    guard !row.state.isTerminal, row.owner == 0 || row.endsAt <= now else { return }
    let free = max(row.freeSince, row.owner == 0 ? 0 : row.endsAt, databaseHealthySince)
    // Clocks of servers may be wrong.
    let due = row.state == .queued ? (row.runAt ?? 0) + Self.longestSkew : 0
    for (number, server) in servers.enumerated() where isHealthy(server) {
      guard let room = server.roomSince else { continue }
      let since = max(free, due, server.healthySince, room)
      if now - since > Self.takeoverBound {
        breaks(.takeover, "\(id) is free since \(since), and \(number) does not take it")
      }
    }
  }

  private func checkZombies(_ id: String, _ row: Row) {
    for (number, server) in servers.enumerated() where isHealthy(server) {
      guard let work = server.work[id], work.grant < row.grants else { continue }
      let since = max(row.takenAt, server.healthySince, databaseHealthySince)
      if now - since > Self.zombieBound {
        breaks(.zombies, "\(number) works on \(id), which was taken over at \(row.takenAt)")
      }
    }
  }

  /// Checks that a worker lost its job for a reason.
  func checkSteady(_ id: String, _ row: Row) {
    let since = now - JobLeaseState.duration(limits) - 1_000
    guard databaseHealthySince <= since, downUntil <= now else { return }
    for (number, server) in servers.enumerated()
    where server.token == row.owner && isHealthy(server) && server.healthySince <= since {
      guard let work = server.work[id], work.grant == row.grants else { continue }
      breaks(.steady, "\(id) is taken from \(number), which works on it")
    }
  }

  private func checkEnds() {
    for (id, row) in rows {
      guard row.state.isTerminal else {
        breaks(.loss, "\(id) is \(row.state) at the end")
        return
      }
      ends[row.state, default: 0] += 1
      if row.state == .succeeded, row.items.count != row.plan.items {
        breaks(.loss, "\(id) succeeded with \(row.items.count) of \(row.plan.items) items")
      }
      if row.plan.endsServer == nil, row.endsServers, row.silences < limits.crashesOfJob {
        breaks(.blame, "\(id) ended after \(row.silences) workers that were silent")
      }
    }
  }
}
