import Jobs
import TestSimulation

@testable import JobsServer

/// A way to break the rules.
struct JobFault: Sendable {
  var name: String
  /// The rules that may find it.
  var breaks: [JobWorld.Rule]
  /// The database compares no lease.
  var ignoresFences = false
  /// A take-over writes the same fence, and only that is compared.
  var keepsFence = false
  /// A lease is taken before it ends.
  var takesBlindly = false
  /// A lease that ended without a word is never taken over.
  var neverExpires = false
  /// A worker takes more jobs than it has room for.
  var takesAll = false
  /// A job begins before its instant.
  var ignoresInstants = false
  /// Leases are not renewed.
  var renewsNothing = false
  /// A renewal compares no fence.
  var renewsBlindly = false
  /// A worker does not stop what another one has.
  var stopsNothing = false
  /// A worker goes on after a step that was refused.
  var goesOnRefused = false
  /// Jobs are looked for only when one is announced.
  var searchesOnlyWhenNotified = false
  /// No notification arrives.
  var losesNotifications = false
  /// Workers that end over a job are not counted.
  var countsNoCrash = false
  /// A worker that takes its own job up again counts as ended.
  var blamesItself = false
  /// Failed attempts are not counted.
  var countsNoFailure = false
  /// Attempts are counted, and follow each other all the same.
  var triesOnAndOn = false
  /// A worker does not read what is stored after an answer was lost.
  var forgetsCheckpoint = false
  /// A worker numbers events by itself.
  var countsByItself = false
  /// An end does not look whether there is one.
  var endsTwice = false
  /// A worker gives no job back.
  var givesNothingBack = false
  /// An event is told before it is stored.
  var tellsBeforeCommit = false
  /// An event is told by the server that stored it, whatever was stored before.
  var tellsAtOnce = false
  /// A subscriber registers after it has read what is stored.
  var subscribesLate = false
  /// A relay reads what is announced, and nothing before.
  var readsWhatIsAnnounced = false
  /// What was stored while nothing was announced is not read.
  var repairsNoGap = false
  /// What could not be read is not read again.
  var retriesNoRead = false
  /// A listener does not compare what it has.
  var repeatsEvents = false

  init(_ name: String, _ breaks: JobWorld.Rule..., change: (inout JobFault) -> Void) {
    self.name = name
    self.breaks = breaks
    change(&self)
  }

  /// The mutants; each must be found.
  static let all = [
    JobFault("a database that compares no lease", .fences) { $0.ignoresFences = true },
    JobFault("a take-over under the same fence", .fences) { $0.keepsFence = true },
    JobFault("a lease that is taken before its end", .steady) { $0.takesBlindly = true },
    JobFault("a lease without an end", .takeover) { $0.neverExpires = true },
    JobFault("a worker that takes all jobs", .room) { $0.takesAll = true },
    JobFault("a job that does not wait for its instant", .instants) { $0.ignoresInstants = true },
    JobFault("a worker that renews nothing", .steady) { $0.renewsNothing = true },
    JobFault("a renewal that compares no fence", .zombies, .steady) { $0.renewsBlindly = true },
    JobFault("a worker that stops nothing and is refused in vain", .zombies) {
      $0.stopsNothing = true
      $0.goesOnRefused = true
    },
    JobFault("lost notifications without a repair", .delivery) { $0.losesNotifications = true },
    JobFault("workers that look only when told", .takeover) { $0.searchesOnlyWhenNotified = true },
    JobFault("servers that end over a job again and again", .attempts) { $0.countsNoCrash = true },
    JobFault("a worker that blames itself", .blame) { $0.blamesItself = true },
    JobFault("failures that are counted, and lead to nothing", .attempts) {
      $0.triesOnAndOn = true
    },
    JobFault("a lost answer that counts as stored", .loss) { $0.forgetsCheckpoint = true },
    JobFault("a worker that numbers events by itself", .log) { $0.countsByItself = true },
    JobFault("an end that looks at nothing", .oneEnd, .fences) {
      $0.endsTwice = true
      $0.ignoresFences = true
    },
    JobFault("jobs that are not given back", .handover) { $0.givesNothingBack = true },
    JobFault("an event that is told before it is stored", .reading) { $0.tellsBeforeCommit = true },
    JobFault("events that are told by the server that stored them", .reading) {
      $0.tellsAtOnce = true
    },
    JobFault("a subscriber that comes after it has read", .reading, .delivery) {
      $0.subscribesLate = true
    },
    JobFault("a relay that reads what is announced", .reading) { $0.readsWhatIsAnnounced = true },
    JobFault("no repair of gaps", .delivery, .reading) { $0.repairsNoGap = true },
    JobFault("reads that are not repeated", .delivery) { $0.retriesNoRead = true },
    JobFault("a listener that compares nothing", .reading) { $0.repeatsEvents = true },
  ]
}

extension JobWorld {
  // MARK: The network

  /// Sends a statement and its answer; without an answer the closure gets `nil`, once the client gives up.
  func transmit<Value>(
    _ server: Int,
    _ statement: @escaping () -> Value,
    answer: @escaping (Value?) -> Void
  ) {
    let isSlow = servers[server].slowUntil > now
    let forth = isSlow && random.oneIn(2) ? random.between(500, 3_500) : random.between(1, 20)
    let back = isSlow && random.oneIn(2) ? random.between(500, 3_500) : random.between(1, 20)
    let token = servers[server].token
    // An answer is for the process that asked.
    func reply(in wait: Int64, _ run: @escaping () -> Void) {
      if servers[server].token == token { onServer(server, in: wait, run) }
    }
    func lose() { reply(in: random.between(100, 2_500)) { answer(nil) } }
    if servers[server].cutUntil > now { return lose() }
    // One connection of several is lost, before the statement is carried out or after it.
    let isLost = now < Self.disturbedUntil && random.oneIn(150)
    if isLost {
      recover(server, in: 0)
      if random.oneIn(2) { return lose() }
    }
    arrive(in: forth) {
      let value = statement()
      if isLost { return lose() }
      // The network fails at the worst instant.
      if self.now < Self.disturbedUntil, self.random.oneIn(200) {
        self.cut(server, for: self.random.between(100, 12_000))
      }
      if self.servers[server].cutUntil > self.now { return lose() }
      reply(in: back) {
        if self.servers[server].cutUntil > self.now { return lose() }
        answer(value)
      }
    } refused: {
      lose()
    }
  }

  /// Carries out what arrives at the database: at once, when it goes on, or never.
  private func arrive(
    in wait: Int64,
    _ run: @escaping () -> Void,
    refused: @escaping () -> Void
  ) {
    schedule(in: wait) {
      guard self.downUntil > self.now else { return run() }
      guard self.isDownQuietly else { return refused() }
      // A suspended database carries it out when it continues, also for a client that is gone.
      let wait = self.downUntil - self.now + self.random.between(0, 50)
      self.arrive(in: wait, run, refused: refused)
    }
  }

  // MARK: What goes wrong

  /// Disturbs something, and again later.
  func disturb() {
    guard now < Self.disturbedUntil else { return }
    schedule(in: random.between(1_000, 9_000)) { self.disturb() }
    let server = Int(random.between(0, Int64(servers.count) - 1))
    // Longer than a lease lasts, now and then.
    let wait = random.between(100, 18_000)
    switch random.between(0, 10) {
    case 0, 1: kill(server)
    case 2, 3: endInOrder(server)
    case 4, 5:
      servers[server].pausedUntil = max(servers[server].pausedUntil, now + wait)
      recover(server, in: wait)
    case 6: cut(server, for: wait)
    case 7:
      servers[server].slowUntil = now + wait
      // What was sent slowly arrives later.
      recover(server, in: wait + 8_000)
    case 8:
      guard downUntil <= now else { return }
      downUntil = now + wait
      isDownQuietly = random.oneIn(2)
      databaseHealthySince = downUntil + 3_000
      for server in servers.indices { disconnect(server, for: wait) }
    case 9:
      // A clock is set; servers compare theirs with the database's twice a minute.
      servers[server].skew = random.between(-Self.longestSkew, Self.longestSkew)
      onServer(server, in: random.between(1_000, 30_000)) {
        self.servers[server].skew = self.random.between(-50, 50)
      }
    default:
      let before = clock(server) / .milliseconds(1)
      servers[server].clockRate = 1 + Double(random.between(-10, 10)) / 1_000
      servers[server].clockOffset = before - Double(now) * servers[server].clockRate
    }
  }

  /// Cuts a server off from the database for a time.
  func cut(_ server: Int, for wait: Int64) {
    servers[server].cutUntil = max(servers[server].cutUntil, now + wait)
    disconnect(server, for: wait)
    recover(server, in: wait)
  }

  /// Ends the connection that listens, and opens another one later.
  private func disconnect(_ server: Int, for wait: Int64) {
    servers[server].listening = nil
    onServer(server, in: wait + random.between(0, 2_000)) {
      if self.servers[server].listening == nil { self.gap(server) }
    }
  }

  private func recover(_ server: Int, in wait: Int64) {
    servers[server].healthySince = max(servers[server].healthySince, now + wait + 3_100)
  }

  /// Ends a server without a word, and starts another one in its place later.
  func kill(_ server: Int) {
    servers[server].isAlive = false
    servers[server].listening = nil
    schedule(in: random.between(100, 8_000)) {
      if !self.servers[server].isAlive { self.start(server) }
    }
  }

  /// Ends a server in order: it gives its jobs back.
  private func endInOrder(_ server: Int) {
    guard isHealthy(servers[server]), servers[server].healthySince <= now, downUntil <= now else {
      return
    }
    servers[server].leased.close()
    for work in servers[server].work.values.sorted(by: { $0.lease.job < $1.lease.job }) {
      stop(server, work.lease)
    }
    let (token, began) = (servers[server].token, now)
    let leases = servers[server].work.values.map(\.lease)
    schedule(in: Self.handoverBound) {
      guard self.servers[server].token == token, self.servers[server].isAlive else { return }
      if self.isHealthy(self.servers[server]), self.servers[server].healthySince <= began,
        self.databaseHealthySince <= began, self.downUntil <= self.now
      {
        for lease in leases {
          guard let row = self.rows[lease.job], row.owner == token, row.fence == lease.fence else {
            continue
          }
          self.breaks(.handover, "\(server) ended and still has \(lease.job)")
        }
      }
      self.kill(server)
    }
  }
}
