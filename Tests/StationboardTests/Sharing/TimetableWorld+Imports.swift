import PostgresSharing
import StationboardServer
import TestSimulation

// Imports by commands, each under the lease of its feed.
extension TimetableWorld {
  /// Imports a feed on some machine, and again later.
  func importSometimes(_ key: String) {
    // At last no importer follows one that was killed.
    guard now < Self.importsEnd else { return }
    schedule(in: random.between(3_000, 30_000)) { self.importSometimes(key) }
    importOnce(key)
  }

  func importOnce(_ key: String) {
    let server = Int(random.between(0, Int64(servers.count) - 1))
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
  func stepLease(_ number: Int, _ event: Lease.Event) {
    guard let importer = importers[number], importer.token == servers[importer.server].token else {
      return
    }
    let sample = Double(random.between(0, 1_000)) / 1_001
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
    if importer.check != nil, !importer.hasBegun, lease.owner == .another, lease.hasSeenRenewal {
      // Another one asks the source, or imports.
      return end(number)
    }
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
      case .observe: break
      case .acquire(let fence, let beat):
        if row.fence == fence, row.beat == beat {
          row = LeaseRow(fence: fence + 1, beat: beat + 1, owner: number)
        }
      case .renew(let fence): if row.fence == fence, row.owner == number { row.beat += 1 }
      }
      self.leases[key] = row
      return (row, row != before)
    } answer: { answer in
      guard let (row, hasCounted) = answer else {
        return self.stepLease(number, .failed(number: count))
      }
      let found = Lease.Row(
        fence: row.fence,
        beat: row.beat,
        owner: row.owner == 0 ? .nobody : row.owner == number ? .thisServer : .another
      )
      self.stepLease(number, .answered(number: count, found, hasCounted: hasCounted))
    }
  }

  /// Whether an importer owns the lease of its feed under a fence, as the database has it.
  func owns(_ number: Int, _ fence: Int64) -> Bool {
    guard fault?.commitsBlindly != true, fault?.leasesNothing != true else { return true }
    guard let key = importers[number]?.key else { return false }
    return leases[key]?.owner == number && leases[key]?.fence == fence
  }

  private func begin(_ number: Int, fence: Int64) {
    guard let importer = importers[number] else { return }
    importers[number]?.hasBegun = true
    if importer.check != nil { return beginCheck(number, fence: fence) }
    // The command is killed, and its server is not.
    if random.oneIn(8) {
      schedule(in: random.between(500, 4_000)) { self.importers[number] = nil }
    }
    transmit(importer.server) { () -> Row in
      self.rows[importer.key] ?? Row()
    } answer: { base in
      guard let base else { return self.end(number) }
      let generation = Generation(
        name: "\(importer.key)-\(number)",
        parts: Int(self.random.between(1, 6))
      )
      // Building takes its time.
      self.onServer(importer.server, in: self.random.between(100, 3_000)) {
        if self.fault?.commitsEarly == true { self.commit(number, fence, generation, base) }
        self.upload(number, fence, generation, base, part: 0)
      }
    }
  }

  /// Ends an import, which gives its lease back.
  func end(_ number: Int) {
    guard importers[number]?.isOver == false else { return }
    if finishCheck(number) { return }
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

  func upload(
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
      if self.random.oneIn(10) { self.cut(server, for: self.random.between(100, 3_000)) }
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
      if row != nil { self.importers[number]?.check?.isStored = true }
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
    if random.oneIn(4) {
      backup = Backup(
        rows: rows,
        stored: stored,
        leases: leases,
        position: position,
        changes: changes,
        source: source
      )
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
}
