import StationboardServer
import TestSimulation

/// A way to break the rules.
struct TimetableFault: Sendable {
  var name: String
  /// The rules that may find it.
  var breaks: [TimetableWorld.Rule]
  var limits: (@Sendable (inout TimetableSharingLimits) -> Void)?
  /// Importers take no lease.
  var leasesNothing = false
  /// A commit compares neither the fence nor the change that it is made of.
  var commitsBlindly = false
  /// A change names a generation before all of it is stored.
  var commitsEarly = false
  /// A generation counts as whole although parts are missing.
  var countsMissingParts = false
  /// Checksums are not compared.
  var comparesNothing = false
  /// No notification arrives.
  var losesNotifications = false
  /// The leftovers of importers are not removed.
  var sweepsNothing = false
  /// What is being stored is removed as well.
  var sweepsBlindly = false
  /// The generation that serves is removed after a change.
  var removesServing = false
  /// A change whose commit was not answered counts as not stored.
  var trustsSilence = false
  /// No server compares what waits with its checksums.
  var verifiesNothing = false
  /// Changes are told apart by their positions.
  var positionsAreIDs = false
  /// Each server asks a source by its own schedule, without a lease.
  var asksAlone = false
  /// The schedule that counts is in the data folder.
  var keepsSchedule = false
  /// A source is asked without the tag of the last response.
  var forgetsTag = false
  /// A server that has lost the lease asks all the same.
  var asksLate = false
  /// A source is asked when the database does not answer.
  var asksWithoutDatabase = false
  /// A server without the database serves nothing.
  var dropsServing = false
  /// Late answers count, and a change is put in place without a check of whether it still is the newest.
  var installsBlindly = false

  init(
    _ name: String,
    _ breaks: TimetableWorld.Rule...,
    change: (inout TimetableFault) -> Void
  ) {
    self.name = name
    self.breaks = breaks
    change(&self)
  }

  /// The mutants; each must be found.
  static let all = [
    TimetableFault(
      "imports without a lease that compare nothing",
      .noLostChange,
      .imports,
      .delivery
    ) {
      $0.leasesNothing = true
      $0.commitsBlindly = true
    },
    TimetableFault("a lease that is trusted after its end", .noLostChange, .delivery, .oneRequest) {
      $0.commitsBlindly = true
    },
    TimetableFault("a change before all is stored", .whole, .delivery, .patience, .imports) {
      $0.commitsEarly = true
    },
    TimetableFault("missing parts that count, without a last check", .whole, .forward) {
      $0.countsMissingParts = true
      $0.installsBlindly = true
    },
    TimetableFault("checksums that are not compared", .whole) { $0.comparesNothing = true },
    TimetableFault("lost notifications and no checks", .delivery) {
      $0.losesNotifications = true
      $0.limits = { $0.watchEvery = .seconds(1_000) }
    },
    TimetableFault("no sweeps", .clean) { $0.sweepsNothing = true },
    TimetableFault("a sweep that compares no fence", .imports, .delivery, .whole) {
      $0.sweepsBlindly = true
    },
    TimetableFault("a retention that removes what serves", .delivery, .patience) {
      $0.removesServing = true
    },
    TimetableFault("late answers that count, without a last check", .forward) {
      $0.installsBlindly = true
    },
    TimetableFault("a commit without an answer that counts as not made", .honesty) {
      $0.trustsSilence = true
    },
    TimetableFault("positions instead of ids", .delivery, .whole, .forward) {
      $0.positionsAreIDs = true
    },
    TimetableFault("damage that is not checked before the first day", .repair) {
      $0.verifiesNothing = true
    },
    TimetableFault("sources that each server asks", .oneRequest, .oneAsker) { $0.asksAlone = true },
    TimetableFault("a schedule in each data folder", .oneRequest) { $0.keepsSchedule = true },
    TimetableFault("requests without the last tag", .oneRequest) { $0.forgetsTag = true },
    TimetableFault("a server that asks after its lease", .oneAsker, .oneRequest) {
      $0.asksLate = true
    },
    TimetableFault("sources that are asked without the database", .idleWithoutDatabase, .oneAsker) {
      $0.asksWithoutDatabase = true
    },
    TimetableFault("a server that serves nothing without the database", .keepsServing) {
      $0.dropsServing = true
    },
    TimetableFault("no wait after a failure", .patience) {
      $0.limits = {
        $0.firstRetry = .zero
        $0.longestRetry = .zero
      }
    },
  ]
}

extension TimetableWorld {
  // MARK: The database

  /// Sends a statement and its answer; without an answer the closure gets `nil`, once the client gives up.
  func transmit<Value>(
    _ server: Int,
    _ statement: @escaping () -> Value,
    answer: @escaping (Value?) -> Void
  ) {
    let isSlow = servers[server].slowUntil > now
    let forth = isSlow && random.oneIn(2) ? random.between(500, 7_000) : random.between(1, 20)
    let back = isSlow && random.oneIn(2) ? random.between(500, 7_000) : random.between(1, 20)
    let token = servers[server].token
    // An answer is for the process that asked.
    func reply(in wait: Int64, _ run: @escaping () -> Void) {
      if servers[server].token == token { onServer(server, in: wait, run) }
    }
    func lose() { reply(in: random.between(100, 2_500)) { answer(nil) } }
    if servers[server].cutUntil > now { return lose() }
    schedule(in: forth) {
      guard self.downUntil <= self.now, self.servers[server].cutUntil <= self.now else {
        return lose()
      }
      let value = statement()
      reply(in: back) {
        if self.servers[server].cutUntil > self.now { return lose() }
        self.servers[server].heardAt = self.now
        answer(value)
      }
    }
  }

  /// Tells every server that listens; one in a few notifications is lost.
  func announce(_ position: Int64) {
    for server in servers.indices where servers[server].isAlive {
      guard servers[server].cutUntil <= now, !random.oneIn(10), fault?.losesNotifications != true
      else { continue }
      onServer(server, in: random.between(1, 30)) { self.step(server, .noticed(position)) }
    }
  }

  /// Removes what no feed names and was stored under a fence that is over.
  func sweep(_ server: Int) {
    transmit(server) { () -> ([String: LeaseRow], Set<String>) in
      (self.leases, Set(self.rows.values.flatMap(\.generations).map(\.name)))
    } answer: { answer in
      guard let (leases, named) = answer else { return }
      let seen = self.servers[server].seen
      self.servers[server].seen = [:]
      for key in Self.keys {
        guard let row = leases[key] else { continue }
        let before = seen[key].flatMap { $0.row == row ? $0 : nil }
        let mark = before ?? SeenLease(row: row, since: self.now)
        self.servers[server].seen[key] = mark
        let most = Int64(self.limits.leaseDuration / .milliseconds(1))
        let isOver = row.owner != 0 && self.now - mark.since > most
        self.transmit(server) {
          self.sweep(key, row, named, isOver: isOver)
        } answer: { _ in
        }
      }
    }
  }

  private func sweep(_ key: String, _ row: LeaseRow, _ named: Set<String>, isOver: Bool) {
    var fence = row.owner == 0 ? row.fence : row.fence - 1
    if isOver {
      guard leases[key] == row else { return }
      leases[key] = LeaseRow(fence: row.fence + 1, beat: row.beat + 1, owner: 0)
      fence = row.fence
    }
    for (name, generation) in stored
    where generation.key == key && !named.contains(name)
      && (generation.fence <= fence || fault?.sweepsBlindly == true)
    {
      stored[name] = nil
    }
  }

  // MARK: What goes wrong

  /// Disturbs something, and again later.
  func disturb() {
    schedule(in: random.between(1_000, 15_000)) { self.disturb() }
    let server = Int(random.between(0, Int64(servers.count) - 1))
    let wait = random.between(100, 12_000)
    rot(server)
    switch random.between(0, 9) {
    case 0, 1: kill(server)
    case 2:
      // Longer than a lease lasts, now and then.
      pause(server, for: random.between(100, 25_000))
    case 3, 4: cut(server, for: wait)
    case 5:
      servers[server].slowUntil = now + wait
      // What was sent slowly arrives later.
      recover(server, in: wait + 15_000)
    case 6:
      servers[server].fullUntil = now + wait
      // It is tried again after a minute at the latest.
      recover(server, in: wait + 62_000)
    case 7:
      guard downUntil <= now else { return }
      downUntil = now + wait
      databaseHealthySince = downUntil + 3_000
      if random.oneIn(2) { schedule(in: wait - 1) { self.restore(withoutKnowledgeOf: server) } }
      // Connections are opened again.
      for server in servers.indices {
        onServer(server, in: wait + random.between(0, 2_000)) { self.gap(server) }
      }
    default:
      guard let name = stored.keys.sorted().last else { return }
      stored[name]?.damagedUntil = now + wait
      // A server that met the damage waits for a minute at most.
      databaseHealthySince = max(databaseHealthySince, now + wait + 62_000)
    }
  }

  /// Damages a generation in a data folder that waits.
  private func rot(_ server: Int) {
    guard random.oneIn(3), let key = Self.keys.first(where: { _ in random.oneIn(2) }),
      let waiting = servers[server].folder.installed[key]?.generations.dropFirst().first?.name,
      servers[server].folder.present.contains(waiting)
    else { return }
    servers[server].folder.rottenSince[waiting] = now
  }

  /// Replaces the database by its backup; a server that is cut off meanwhile does not see it until others have gone on.
  private func restore(withoutKnowledgeOf server: Int) {
    guard let backup else { return }
    restores += 1
    (rows, stored, leases) = (backup.rows, backup.stored, backup.leases)
    (position, changes) = (backup.position, backup.changes)
    source = backup.source
    source.isRestored(at: now)
    let wait = random.between(3_000, 15_000)
    cut(server, for: wait)
    for key in rows.keys.sorted() {
      changedAt[key] = now
      schedule(in: random.between(10, 4_000)) { self.importOnce(key) }
    }
  }

  /// Cuts a server off from the database for a time.
  func cut(_ server: Int, for wait: Int64) {
    servers[server].cutUntil = max(servers[server].cutUntil, now + wait)
    recover(server, in: wait)
  }

  /// Stops a process for a time.
  func pause(_ server: Int, for wait: Int64) {
    servers[server].pausedUntil = max(servers[server].pausedUntil, now + wait)
    recover(server, in: wait)
  }

  private func recover(_ server: Int, in wait: Int64) {
    servers[server].healthySince = max(servers[server].healthySince, now + wait + 3_100)
    onServer(server, in: wait + random.between(0, 500)) { self.gap(server) }
  }

  /// Ends a server without a word, and with it the imports on its machine; starts another one in its place later.
  private func kill(_ server: Int) {
    kills += 1
    servers[server].isAlive = false
    // Imports on its machine end with it.
    for (number, importer) in importers where importer.server == server {
      importers[number]?.isOver = true
      importers[number]?.hasBegun = false
    }
    // A disk may be replaced by an empty one.
    if random.oneIn(4) { servers[server].folder = Folder() }
    schedule(in: random.between(100, 8_000)) {
      if !self.servers[server].isAlive { self.start(server) }
    }
  }
}
