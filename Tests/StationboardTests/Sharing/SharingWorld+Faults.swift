import PostgresSharing
import StationboardServer
import TestSimulation

/// A way to break the rules.
struct SharingFault: Sendable {
  var name: String
  /// The rules that may find it.
  var breaks: [SharingWorld.Rule]
  var limits: (@Sendable (inout LeadershipLimits) -> Void)?
  /// The database compares no fence.
  var ignoresFences = false
  /// The database compares neither fence nor beat when a lease is taken over.
  var takesBlindly = false
  /// A leader does not stop when its lease ends.
  var leadsOn = false
  /// A follower polls.
  var followersPoll = false
  /// A lease that ended without a word is never taken over.
  var neverExpires = false
  /// A lease is not given back.
  var releasesNothing = false
  /// No notification arrives.
  var losesNotifications = false
  /// Nothing is read but what a notification names.
  var repairsNoGap = false
  /// Requests do not wait.
  var waitsForNothing = false
  /// An answer does not say that it is behind.
  var hidesBehind = false
  /// Each answer says that it is behind.
  var claimsBehind = false
  /// An answer does not say how far its server is.
  var namesNoPosition = false
  /// A server polls by itself when the database is away for a while.
  var pollsAlone = false
  /// A leader shows what it has not stored.
  var showsUnstored = false
  /// A server says who polls by an old answer.
  var remembersOwner = false
  /// A server says that it has what it is still applying.
  var completesEarly = false
  /// A server says that it has what the database removed before the server read what replaces it.
  var forgetsRemoved = false
  /// A statement that changed nothing counts as if it had.
  var countsRepetitions = false
  /// Followers take a lease over too early.
  var isImpatient = false

  init(
    _ name: String,
    _ breaks: SharingWorld.Rule...,
    change: (inout SharingFault) -> Void
  ) {
    self.name = name
    self.breaks = breaks
    change(&self)
  }

  /// The mutants; each must be found.
  static let all = [
    SharingFault("no fencing, and a leader that goes on", .onePoller, .silentAfterEnd, .fences) {
      $0.ignoresFences = true
      $0.leadsOn = true
    },
    SharingFault("a fence that the database does not compare", .fences) {
      $0.ignoresFences = true
    },
    SharingFault("a take-over that compares nothing", .onePoller, .fences) {
      $0.takesBlindly = true
    },
    SharingFault("a leader that ignores its clock", .onePoller, .silentAfterEnd) {
      $0.leadsOn = true
    },
    SharingFault("a lease without an end", .takeover) { $0.neverExpires = true },
    SharingFault("a follower that polls", .onePoller) { $0.followersPoll = true },
    SharingFault("a lease that is not given back", .handover) { $0.releasesNothing = true },
    SharingFault("lost notifications and no repair of gaps", .delivery) {
      $0.losesNotifications = true
      $0.repairsNoGap = true
    },
    SharingFault("no repair of gaps", .delivery, .honestReads) { $0.repairsNoGap = true },
    SharingFault("requests that do not wait", .honestReads) { $0.waitsForNothing = true },
    SharingFault("requests that wait as long as it takes", .promptReads) {
      $0.limits = { $0.readWait = .seconds(20) }
    },
    SharingFault("an answer that hides that it is behind", .monotonicReads) {
      $0.hidesBehind = true
    },
    SharingFault("answers that all say that they are behind", .honestReads) {
      $0.claimsBehind = true
    },
    SharingFault("answers that do not say how far they are", .monotonicReads) {
      $0.namesNoPosition = true
    },
    SharingFault("servers that poll alone without the database", .idleWithoutDatabase, .onePoller) {
      $0.pollsAlone = true
    },
    SharingFault("a leader that shows what it did not store", .storedOnly, .monotonicReads) {
      $0.showsUnstored = true
    },
    SharingFault("a server that knows who polls without the database", .sayingSo) {
      $0.remembersOwner = true
    },
    SharingFault("a version ahead of its content", .monotonicReads) { $0.completesEarly = true },
    SharingFault("a version ahead of what replaces what was removed", .monotonicReads) {
      $0.forgetsRemoved = true
    },
    SharingFault("a repetition that counts", .onePoller) { $0.countsRepetitions = true },
    SharingFault("a leader that leads longer than a lease", .onePoller) {
      $0.limits = { $0.lease.margin = .seconds(-2) }
    },
    SharingFault("followers that are impatient", .onePoller) { $0.isImpatient = true },
  ]
}

extension SharingWorld {
  // MARK: The database

  /// Sends a statement and its answer; without an answer the closure gets `nil`, once the client gives up.
  func transmit<Value>(
    _ server: Int,
    _ statement: @escaping () -> Value,
    answer: @escaping (Value?) -> Void
  ) {
    let isSlow = servers[server].slowUntil > now
    if isSlow { lastSlow = now }
    let forth = isSlow && random.oneIn(2) ? random.between(500, 3_500) : random.between(1, 20)
    let back = isSlow && random.oneIn(2) ? random.between(500, 3_500) : random.between(1, 20)
    let token = servers[server].token
    // An answer is for the process that asked.
    func reply(in wait: Int64, _ run: @escaping () -> Void) {
      if servers[server].token == token { onServer(server, in: wait, run) }
    }
    func lose() { reply(in: random.between(100, 2_500)) { answer(nil) } }
    if servers[server].cutUntil > now { return lose() }
    arrive(in: forth) {
      let value = statement()
      if self.servers[server].cutUntil > self.now { return lose() }
      reply(in: back) {
        if self.servers[server].cutUntil > self.now { return lose() }
        self.servers[server].heardAt = self.now
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
      // A database that was stopped carries it out when it goes on, also for a client that is gone.
      let wait = self.downUntil - self.now + self.random.between(0, 50)
      self.arrive(in: wait, run, refused: refused)
    }
  }

  /// Carries out a statement about a lease.
  func send(_ server: Int, _ source: Int, _ number: Int, _ statement: Lease.Statement) {
    let token = servers[server].token
    transmit(server) { () -> (Lease.Row, hasCounted: Bool, Int64) in
      let before = self.rows[source].beat
      var row = self.rows[source]
      switch statement {
      case .observe: break
      case .acquire(let fence, let beat):
        if row.fence == fence && row.beat == beat || self.fault?.takesBlindly == true {
          row = Row(fence: row.fence + 1, beat: row.beat + 1, owner: token)
        }
      case .renew(let fence):
        if row.fence == fence, row.owner == token { row.beat += 1 }
      }
      self.rows[source] = row
      var owner: Lease.Owner =
        row.owner == 0 ? .nobody : row.owner == token ? .thisServer : .another
      var beat = row.beat
      if self.fault?.neverExpires == true, owner == .another { beat = self.now }
      if self.fault?.isImpatient == true, owner == .another, self.random.oneIn(3) {
        owner = .nobody
      }
      return (
        Lease.Row(fence: row.fence, beat: beat, owner: owner),
        row.beat != before || self.fault?.countsRepetitions == true && statement != .observe,
        self.position
      )
    } answer: { found in
      guard let (row, hasCounted, position) = found else {
        return self.step(server, source, .failed(number: number))
      }
      if self.fault?.repairsNoGap != true {
        self.servers[server].cursor.noticed(position)
        self.read(server)
      }
      self.step(server, source, .answered(number: number, row, hasCounted: hasCounted))
    }
  }

  /// Gives a lease back; the server does not wait for an answer.
  func release(_ server: Int, _ source: Int, _ fence: Int64) {
    if fault?.releasesNothing == true { return }
    let token = servers[server].token
    guard servers[server].cutUntil <= now else { return }
    schedule(in: random.between(1, 20)) {
      guard self.downUntil <= self.now, self.rows[source].fence == fence,
        self.rows[source].owner == token
      else { return }
      self.rows[source].owner = 0
      self.announce { self.step($0, source, .freed) }
    }
  }

  /// Stores a publication under a fence.
  ///
  /// - Returns: Whether it was stored.
  func store(_ source: Int, token: Int, fence: Int64, _ content: Int64) -> Bool {
    let row = rows[source]
    guard row.fence == fence && row.owner == token || fault?.ignoresFences == true else {
      return false
    }
    if let before = publications.last(where: { $0.source == source }) {
      // A repetition whose first attempt was stored.
      if before.mark.fence == fence, before.content == content { return true }
      if before.mark.fence > fence {
        breaks(.fences, "\(Self.sources[source]): \(fence) after \(before.mark.fence)")
      }
    }
    position += 1
    let mark = PublicationCursor.Mark(
      position: position,
      source: Self.sources[source],
      fence: fence
    )
    stored[source] = max(stored[source], content)
    publications.append(Publication(mark: mark, source: source, content: content))
    let kept = publications.filter { $0.source == source }.suffix(limits.keptPublications)
    let oldest = kept.first?.mark.position ?? 0
    publications.removeAll { $0.source == source && $0.mark.position < oldest }
    let stored = position
    expectDelivery(of: stored)
    announce {
      self.servers[$0].cursor.noticed(stored)
      self.read($0)
    }
    return true
  }

  /// Tells every server that listens; one in a few notifications is lost.
  private func announce(_ notify: @escaping (Int) -> Void) {
    for server in servers.indices where servers[server].isAlive {
      guard servers[server].cutUntil <= now, !random.oneIn(10), fault?.losesNotifications != true
      else { continue }
      onServer(server, in: random.between(1, 30)) { notify(server) }
    }
  }

  // MARK: What goes wrong

  /// Disturbs something, and again later.
  func disturb() {
    schedule(in: random.between(1_000, 12_000)) { self.disturb() }
    let server = Int(random.between(0, Int64(servers.count) - 1))
    let wait = random.between(100, 10_000)
    switch random.between(0, 9) {
    case 0, 1: kill(server)
    case 2, 3: end(server)
    case 4:
      servers[server].pausedUntil = now + wait
      recover(server, in: wait)
    case 5:
      servers[server].cutUntil = now + wait
      recover(server, in: wait)
    case 6:
      servers[server].slowUntil = now + wait
      // What was sent slowly arrives later.
      recover(server, in: wait + 8_000)
    case 7, 8:
      guard downUntil <= now else { return }
      downUntil = now + wait
      isDownQuietly = random.oneIn(2)
      databaseHealthySince = downUntil + 3_000
      // Connections are opened again.
      for server in servers.indices {
        onServer(server, in: wait + random.between(0, 500)) { self.gap(server) }
      }
    default:
      // A lease reads no clock that jumps; only the rate of its clock matters.
      let before = clock(server) / .milliseconds(1)
      servers[server].clockRate = 1 + Double(random.between(-10, 10)) / 1_000
      servers[server].clockOffset = before - Double(now) * servers[server].clockRate
    }
  }

  private func recover(_ server: Int, in wait: Int64) {
    servers[server].healthySince = max(servers[server].healthySince, now + wait + 3_100)
    onServer(server, in: wait + random.between(0, 500)) { self.gap(server) }
  }

  /// Ends a server without a word, and starts another one in its place later.
  private func kill(_ server: Int) {
    servers[server].isAlive = false
    schedule(in: random.between(100, 8_000)) {
      if !self.servers[server].isAlive { self.start(server) }
    }
  }

  /// Ends a server in order.
  private func end(_ server: Int) {
    guard isHealthy(servers[server]) else { return }
    let led = Self.sources.indices.filter {
      servers[server].leases[$0].fence(at: clock(server)) != nil
    }
    for source in Self.sources.indices { step(server, source, .ended) }
    kill(server)
    for source in led { expectHandover(source) }
  }
}
