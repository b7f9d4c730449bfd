import PostgresSharing
import StationboardServer

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
  /// Nobody removes what importers left.
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
  /// Late answers count, and a change is put in place without a look at whether it still is the newest.
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
    TimetableFault("a lease that is trusted after its end", .noLostChange, .delivery) {
      $0.commitsBlindly = true
    },
    TimetableFault("a change before all is stored", .whole, .delivery, .patience, .imports) {
      $0.commitsEarly = true
    },
    TimetableFault("missing parts that count, without a last look", .whole, .forward) {
      $0.countsMissingParts = true
      $0.installsBlindly = true
    },
    TimetableFault("checksums that nobody compares", .whole) { $0.comparesNothing = true },
    TimetableFault("lost notifications and no looks", .delivery) {
      $0.losesNotifications = true
      $0.limits = { $0.watchEvery = .seconds(1_000) }
    },
    TimetableFault("nobody sweeps", .clean) { $0.sweepsNothing = true },
    TimetableFault("a sweep that compares no fence", .imports, .delivery, .whole) {
      $0.sweepsBlindly = true
    },
    TimetableFault("a retention that removes what serves", .delivery, .patience) {
      $0.removesServing = true
    },
    TimetableFault("late answers that count, without a last look", .forward) {
      $0.installsBlindly = true
    },
    TimetableFault("a commit without an answer that counts as not made", .honesty) {
      $0.trustsSilence = true
    },
    TimetableFault("positions instead of ids", .delivery, .whole, .forward) {
      $0.positionsAreIDs = true
    },
    TimetableFault("damage that nobody looks for before the first day", .repair) {
      $0.verifiesNothing = true
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
    let forth = isSlow && chance.oneIn(2) ? chance.between(500, 7_000) : chance.between(1, 20)
    let back = isSlow && chance.oneIn(2) ? chance.between(500, 7_000) : chance.between(1, 20)
    let token = servers[server].token
    // An answer is for the process that asked.
    func reply(in wait: Int64, _ run: @escaping () -> Void) {
      if servers[server].token == token { onServer(server, in: wait, run) }
    }
    func lose() { reply(in: chance.between(100, 2_500)) { answer(nil) } }
    if servers[server].cutUntil > now { return lose() }
    schedule(in: forth) {
      guard self.downUntil <= self.now, self.servers[server].cutUntil <= self.now else {
        return lose()
      }
      let value = statement()
      reply(in: back) {
        if self.servers[server].cutUntil > self.now { return lose() }
        answer(value)
      }
    }
  }

  /// Tells every server that listens; one in a few notifications is lost.
  private func announce(_ position: Int64) {
    for server in servers.indices where servers[server].isAlive {
      guard servers[server].cutUntil <= now, !chance.oneIn(10), fault?.losesNotifications != true
      else { continue }
      onServer(server, in: chance.between(1, 30)) { self.step(server, .noticed(position)) }
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

  // MARK: Imports

  /// Imports a feed on some machine, and again later.
  func importSometimes(_ key: String) {
    // At last nobody comes after an importer that was killed.
    guard now < Self.importsEnd else { return }
    schedule(in: chance.between(3_000, 30_000)) { self.importSometimes(key) }
    importOnce(key)
  }

  private func importOnce(_ key: String) {
    let server = Int(chance.between(0, Int64(servers.count) - 1))
    guard isHealthy(servers[server]) else { return }
    names += 1
    let number = names
    importers[number] = Importer(
      server: server,
      token: servers[server].token,
      key: key,
      lease: Lease(limits.lease, at: .milliseconds(now)),
      endsAt: now + 30_000,
      began: now
    )
    expectEnd(of: number)
    if fault?.leasesNothing == true { return begin(number, fence: 0) }
    stepLease(number, .woke)
  }

  /// Applies an event to the lease of an importer.
  private func stepLease(_ number: Int, _ event: Lease.Event) {
    guard let importer = importers[number], importer.token == servers[importer.server].token else {
      return
    }
    let sample = Double(chance.between(0, 1_000)) / 1_001
    let effects = importers[number]?.lease.handle(event, at: .milliseconds(now), sample: sample)
    for effect in effects ?? [] {
      switch effect {
      case .send(let count, let statement): send(number, count, statement)
      case .lead(let fence): if !importer.hasBegun, !importer.isOver { begin(number, fence: fence) }
      // What it sends after that is refused.
      case .stop: break
      case .release(let fence):
        transmit(importer.server) {
          guard self.leases[importer.key]?.fence == fence,
            self.leases[importer.key]?.owner == number
          else { return }
          self.leases[importer.key]?.owner = 0
        } answer: { _ in
        }
      }
    }
    guard let lease = importers[number]?.lease, !importer.isOver else { return }
    if !importer.hasBegun, lease.role == .following, now >= importer.endsAt { return end(number) }
    let at = lease.wakesAt
    onServer(importer.server, in: Int64(at / .milliseconds(1)) - now + 1) {
      guard self.importers[number]?.lease.wakesAt == at else { return }
      self.stepLease(number, .woke)
    }
  }

  private func send(_ number: Int, _ count: Int, _ statement: Lease.Statement) {
    guard let importer = importers[number] else { return }
    let key = importer.key
    transmit(importer.server) { () -> (LeaseRow, Bool) in
      var row = self.leases[key] ?? LeaseRow()
      let before = row
      switch statement {
      case .look: break
      case .take(let fence, let beat):
        if row.fence == fence, row.beat == beat {
          row = LeaseRow(fence: fence + 1, beat: beat + 1, owner: number)
        }
      case .renew(let fence): if row.fence == fence, row.owner == number { row.beat += 1 }
      }
      self.leases[key] = row
      return (row, row != before)
    } answer: { answer in
      guard let (row, hasCounted) = answer else { return self.stepLease(number, .failed(number: count)) }
      let found = Lease.Row(
        fence: row.fence,
        beat: row.beat,
        owner: row.owner == 0 ? .nobody : row.owner == number ? .thisServer : .another
      )
      self.stepLease(number, .answered(number: count, found, hasCounted: hasCounted))
    }
  }

  /// Whether an importer owns the lease of its feed under a fence, as the database has it.
  private func owns(_ number: Int, _ fence: Int64) -> Bool {
    guard fault?.commitsBlindly != true, fault?.leasesNothing != true else { return true }
    guard let key = importers[number]?.key else { return false }
    return leases[key]?.owner == number && leases[key]?.fence == fence
  }

  private func begin(_ number: Int, fence: Int64) {
    guard let importer = importers[number] else { return }
    importers[number]?.hasBegun = true
    // The command is killed, and its server is not.
    if chance.oneIn(8) {
      schedule(in: chance.between(500, 4_000)) { self.importers[number] = nil }
    }
    transmit(importer.server) { () -> Row in
      self.rows[importer.key] ?? Row()
    } answer: { base in
      guard let base else { return self.end(number) }
      let generation = Generation(
        name: "\(importer.key)-\(number)",
        parts: Int(self.chance.between(1, 6))
      )
      // Building takes its time.
      self.onServer(importer.server, in: self.chance.between(100, 3_000)) {
        if self.fault?.commitsEarly == true { self.commit(number, fence, generation, base) }
        self.upload(number, fence, generation, base, part: 0)
      }
    }
  }

  /// Ends an import, which gives its lease back.
  private func end(_ number: Int) {
    guard importers[number]?.isOver == false else { return }
    importers[number]?.isOver = true
    importers[number]?.hasBegun = false
    stepLease(number, .ended)
  }

  /// Finds out whether a change is stored whose commit was not answered, as long as the importer lives.
  private func findOut(_ server: Int, _ change: Int64) {
    guard fault?.trustsSilence != true else { return report(isStored: false, change) }
    transmit(server) {
      self.changes.contains(change)
    } answer: { isStored in
      guard let isStored else { return self.findOut(server, change) }
      self.report(isStored: isStored, change)
    }
  }

  private func report(isStored: Bool, _ change: Int64) {
    if !isStored, changes.contains(change) { breaks(.honesty, "\(change) is stored") }
  }

  private func upload(
    _ number: Int,
    _ fence: Int64,
    _ generation: Generation,
    _ base: Row,
    part: Int
  ) {
    guard let importer = importers[number] else { return }
    let name = generation.name
    guard part < generation.parts else {
      return transmit(importer.server) { () -> Bool in
        guard self.stored[name]?.parts.count == generation.parts else { return false }
        self.stored[name]?.isWhole = true
        return true
      } answer: { isWhole in
        guard isWhole == true else { return self.end(number) }
        if self.fault?.commitsEarly != true { self.commit(number, fence, generation, base) }
      }
    }
    transmit(importer.server) { () -> Bool in
      if part == 0 {
        guard self.owns(number, fence) else { return false }
        self.stored[name] = Stored(generation: generation, key: importer.key, fence: fence)
      }
      guard self.stored[name] != nil else {
        if self.leases[importer.key]?.owner == number, self.leases[importer.key]?.fence == fence {
          self.breaks(.imports, "\(name) was removed while its importer had the lease")
        }
        return false
      }
      self.stored[name]?.parts.insert(part)
      return true
    } answer: { isStored in
      guard isStored == true else { return self.end(number) }
      self.upload(number, fence, generation, base, part: part + 1)
    }
  }

  private func commit(_ number: Int, _ fence: Int64, _ generation: Generation, _ base: Row) {
    guard let importer = importers[number] else { return }
    let (server, key) = (importer.server, importer.key)
    names += 1
    let id = Int64(names)
    transmit(server) { () -> Row? in
      guard self.owns(number, fence) else { return nil }
      let current = self.rows[key]?.change ?? 0
      if self.fault?.commitsBlindly != true {
        guard current == base.change else { return nil }
        guard self.stored[generation.name]?.isWhole == true || self.fault?.commitsEarly == true
        else { return nil }
      }
      if current != base.change {
        self.breaks(.noLostChange, "\(key): \(current) is lost, the next one is of \(base.change)")
      }
      // The network fails at the worst instant.
      if self.chance.oneIn(10) { self.cut(server, for: self.chance.between(100, 3_000)) }
      return self.store(generation, key, id: id, base)
    } answer: { answer in
      guard let row = answer else {
        self.findOut(server, id)
        return self.end(number)
      }
      // The command puts it in place on its machine, beside the server, if it still is the newest.
      if let row, self.rows[key] == row, self.servers[server].cutUntil <= self.now {
        self.servers[server].folder.present.insert(generation.name)
        self.servers[server].folder.installed[key] = row
        self.servers[server].folder.serving[key] = generation.name
      }
      self.end(number)
    }
  }

  /// Carries out a commit.
  private func store(_ generation: Generation, _ key: String, id: Int64, _ base: Row) -> Row {
    position += 1
    let generations = Array(([generation] + base.generations).prefix(Self.kept))
    let row = Row(
      change: fault?.positionsAreIDs == true ? position : id,
      sequence: position,
      order: commits,
      generations: generations
    )
    rows[key] = row
    changedAt[key] = now
    changes.insert(row.change)
    committed.insert(generation.name)
    commits += 1
    let names = Set(generations.map(\.name))
    for (name, found) in stored where found.key == key && !names.contains(name) {
      stored[name] = nil
    }
    if fault?.removesServing == true { stored[generation.name] = nil }
    expectDelivery(key, row)
    announce(position)
    if chance.oneIn(4) {
      backup = Backup(rows: rows, stored: stored, leases: leases, position: position, changes: changes)
    }
    return row
  }

  /// Checks that an import that nothing disturbed ended, and was refused only if another one was first.
  private func expectEnd(of number: Int) {
    let before = commits
    // A lease of a killed importer ends, and others may be first.
    schedule(in: 45_000) {
      guard let importer = self.importers[number] else { return }
      let state = self.servers[importer.server]
      guard state.token == importer.token, self.isHealthy(state),
        state.healthySince <= importer.began, self.databaseHealthySince <= importer.began,
        self.downUntil <= self.now
      else { return }
      if !importer.isOver || self.commits == before {
        self.breaks(.imports, "an import on \(importer.server) did not end with a change")
      }
    }
  }

  // MARK: What goes wrong

  /// Disturbs something, and again later.
  func disturb() {
    schedule(in: chance.between(1_000, 15_000)) { self.disturb() }
    let server = Int(chance.between(0, Int64(servers.count) - 1))
    let wait = chance.between(100, 12_000)
    rot(server)
    switch chance.between(0, 9) {
    case 0, 1: kill(server)
    case 2:
      // Longer than a lease lasts, now and then.
      let wait = chance.between(100, 25_000)
      servers[server].pausedUntil = now + wait
      recover(server, in: wait)
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
      if chance.oneIn(2) { schedule(in: wait - 1) { self.restore(withoutKnowledgeOf: server) } }
      // Connections are opened again.
      for server in servers.indices {
        onServer(server, in: wait + chance.between(0, 2_000)) { self.gap(server) }
      }
    default:
      guard let name = stored.keys.sorted().last else { return }
      stored[name]?.damagedUntil = now + wait
      // Whoever met the damage waits for a minute at most.
      databaseHealthySince = max(databaseHealthySince, now + wait + 62_000)
    }
  }

  /// Damages a generation in a data folder that waits.
  private func rot(_ server: Int) {
    guard chance.oneIn(3), let key = Self.keys.first(where: { _ in chance.oneIn(2) }),
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
    let wait = chance.between(3_000, 15_000)
    cut(server, for: wait)
    for key in rows.keys.sorted() {
      changedAt[key] = now
      schedule(in: chance.between(10, 4_000)) { self.importOnce(key) }
    }
  }

  /// Cuts a server off from the database for a time.
  func cut(_ server: Int, for wait: Int64) {
    servers[server].cutUntil = max(servers[server].cutUntil, now + wait)
    recover(server, in: wait)
  }

  private func recover(_ server: Int, in wait: Int64) {
    servers[server].healthySince = max(servers[server].healthySince, now + wait + 3_100)
    onServer(server, in: wait + chance.between(0, 500)) { self.gap(server) }
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
    if chance.oneIn(4) { servers[server].folder = Folder() }
    schedule(in: chance.between(100, 8_000)) {
      if !self.servers[server].isAlive { self.start(server) }
    }
  }
}
