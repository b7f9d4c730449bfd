import StationboardServer

/// A way to break the rules.
struct TimetableFault: Sendable {
  var name: String
  /// The rules that may find it.
  var breaks: [TimetableWorld.Rule]
  var limits: (@Sendable (inout TimetableSharingLimits) -> Void)?
  /// Importers take no lock.
  var locksNothing = false
  /// A commit compares nothing.
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
      "imports without a lock that compare nothing",
      .noLostChange,
      .imports,
      .delivery
    ) {
      $0.locksNothing = true
      $0.commitsBlindly = true
    },
    TimetableFault("a lock that is trusted after its connection ended", .noLostChange) {
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
    TimetableFault("a sweep without the lock", .imports, .delivery, .whole) {
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

  /// Removes what no feed names, of feeds that nobody changes.
  func sweep() {
    for (name, generation) in stored
    where rows[generation.key]?.generations.contains(where: { $0.name == name }) != true
      && (locks[generation.key] == nil || fault?.sweepsBlindly == true)
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
    let token = servers[server].token
    let began = now
    var opened: Int?
    transmit(server) { () -> (connection: Int, base: Row)? in
      guard self.locks[key] == nil || self.fault?.locksNothing == true else { return nil }
      self.names += 1
      self.importing += 1
      opened = self.names
      self.connections[self.names] = Connection(importer: token)
      if self.fault?.locksNothing != true { self.locks[key] = self.names }
      return (self.names, self.rows[key] ?? Row())
    } answer: { found in
      guard let found, let (connection, base) = found else {
        // Whoever gets no answer gives the connection up.
        if let opened { self.close(opened) }
        return
      }
      self.expectEnd(of: connection, server, token, since: began)
      let generation = Generation(
        name: "\(key)-\(connection)",
        parts: Int(self.chance.between(1, 6))
      )
      // Building takes its time.
      self.onServer(server, in: self.chance.between(100, 3_000)) {
        self.stored[generation.name] = nil
        if self.fault?.commitsEarly == true {
          self.commit(server, connection, key, generation, base)
        }
        self.upload(server, connection, key, generation, base, part: 0)
      }
    }
  }

  /// Carries out a statement on a connection, if it is still open.
  private func onConnection<Value>(
    _ server: Int,
    _ connection: Int,
    _ statement: @escaping () -> Value,
    answer: @escaping (Value) -> Void,
    lost: @escaping () -> Void = {}
  ) {
    transmit(server) { () -> Value? in
      guard self.connections[connection]?.isOpen == true || self.fault?.commitsBlindly == true
      else {
        return nil
      }
      return statement()
    } answer: { found in
      guard let found, let value = found else {
        self.close(connection)
        return lost()
      }
      answer(value)
    }
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

  /// Ends a connection, and with it the lock that it has.
  func close(_ connection: Int) {
    guard connections[connection]?.isOpen == true else { return }
    connections[connection]?.isOpen = false
    importing -= 1
    for (key, holder) in locks where holder == connection { locks[key] = nil }
  }

  private func upload(
    _ server: Int,
    _ connection: Int,
    _ key: String,
    _ generation: Generation,
    _ base: Row,
    part: Int
  ) {
    let name = generation.name
    guard part < generation.parts else {
      return onConnection(server, connection) { () -> Bool in
        guard self.stored[name]?.parts.count == generation.parts else { return false }
        self.stored[name]?.isWhole = true
        return true
      } answer: { isWhole in
        guard isWhole else { return self.close(connection) }
        if self.fault?.commitsEarly != true {
          self.commit(server, connection, key, generation, base)
        }
      }
    }
    onConnection(server, connection) { () -> Bool in
      if part == 0 { self.stored[name] = Stored(generation: generation, key: key) }
      self.stored[name]?.parts.insert(part)
      return true
    } answer: { _ in
      self.upload(server, connection, key, generation, base, part: part + 1)
    }
  }

  private func commit(
    _ server: Int,
    _ connection: Int,
    _ key: String,
    _ generation: Generation,
    _ base: Row
  ) {
    names += 1
    let id = Int64(names)
    onConnection(server, connection) { () -> Bool in
      let current = self.rows[key]?.change ?? 0
      if self.fault?.commitsBlindly != true {
        guard current == base.change else { return false }
        guard self.stored[generation.name]?.isWhole == true || self.fault?.commitsEarly == true
        else {
          return false
        }
      }
      if current != base.change {
        self.breaks(.noLostChange, "\(key): \(current) is lost, the next one is of \(base.change)")
      }
      self.position += 1
      let generations = Array(([generation] + base.generations).prefix(Self.kept))
      let row = Row(
        change: self.fault?.positionsAreIDs == true ? self.position : id,
        sequence: self.position,
        order: self.commits,
        generations: generations
      )
      self.rows[key] = row
      self.changedAt[key] = self.now
      self.changes.insert(row.change)
      self.committed.insert(generation.name)
      self.commits += 1
      let names = Set(generations.map(\.name))
      for (name, stored) in self.stored where stored.key == key && !names.contains(name) {
        self.stored[name] = nil
      }
      if self.fault?.removesServing == true { self.stored[generation.name] = nil }
      self.expectDelivery(key, row)
      self.announce(self.position)
      if self.chance.oneIn(4) {
        self.backup = Backup(
          rows: self.rows,
          stored: self.stored,
          position: self.position,
          changes: self.changes
        )
      }
      return true
    } answer: { isCommitted in
      // The command puts it in place on its machine, beside the server.
      if isCommitted, let row = self.rows[key], row.generations.first == generation,
        self.connections[connection]?.isOpen == true
      {
        self.servers[server].folder.present.insert(generation.name)
        self.servers[server].folder.installed[key] = row
        self.servers[server].folder.serving[key] = generation.name
      }
      self.close(connection)
    } lost: {
      self.findOut(server, id)
    }
  }

  /// Checks that an import that nothing disturbed made a change.
  private func expectEnd(of connection: Int, _ server: Int, _ token: Int, since: Int64) {
    let before = commits
    schedule(in: 6_000) {
      let state = self.servers[server]
      guard state.token == token, self.isHealthy(state), state.healthySince <= since,
        self.databaseHealthySince <= since, self.downUntil <= self.now
      else { return }
      if self.connections[connection]?.isOpen == true || self.commits == before {
        self.breaks(.imports, "an import on \(server) did not end with a change")
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
      servers[server].pausedUntil = now + wait
      recover(server, in: wait)
      // A machine that stands still, and its network with it, is as one that is gone.
      endConnections(of: server, in: Self.connectionEnd) {
        self.servers[server].pausedUntil > self.now
      }
    case 3, 4:
      servers[server].cutUntil = now + wait
      recover(server, in: wait)
      endConnections(of: server, in: Self.connectionEnd) {
        self.servers[server].cutUntil > self.now
      }
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
      for connection in Array(connections.keys) { close(connection) }
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
    (rows, stored) = (backup.rows, backup.stored)
    (position, changes) = (backup.position, backup.changes)
    let wait = chance.between(3_000, 15_000)
    servers[server].cutUntil = max(servers[server].cutUntil, now + wait)
    recover(server, in: wait)
    for key in rows.keys.sorted() {
      changedAt[key] = now
      schedule(in: chance.between(10, 4_000)) { self.importOnce(key) }
    }
  }

  private func recover(_ server: Int, in wait: Int64) {
    servers[server].healthySince = max(servers[server].healthySince, now + wait + 3_100)
    onServer(server, in: wait + chance.between(0, 500)) { self.gap(server) }
  }

  private func endConnections(of server: Int, in wait: Int64, if isDue: @escaping () -> Bool) {
    let token = servers[server].token
    schedule(in: wait) {
      guard isDue() else { return }
      for (number, connection) in self.connections where connection.importer == token {
        self.close(number)
      }
    }
  }

  /// Ends a server without a word, and with it the imports on its machine; starts another one in its place later.
  private func kill(_ server: Int) {
    kills += 1
    servers[server].isAlive = false
    endConnections(of: server, in: 5) { true }
    // A disk may be replaced by an empty one.
    if chance.oneIn(4) { servers[server].folder = Folder() }
    schedule(in: chance.between(100, 8_000)) {
      if !self.servers[server].isAlive { self.start(server) }
    }
  }
}
