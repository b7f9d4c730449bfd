import HTTPTypes
import PostgresSharing
import StationboardServer
import TestSimulation

// A source that all servers are told of, which each of them asks when it is due, under the lease of its feed.
extension TimetableWorld {
  /// The source, and what the database has of it.
  struct SourceState {
    /// The schedule that is stored; `nil` before the first check.
    var schedule: StaticSchedule?
    /// The tag of the last response whose check is stored.
    var tag: String?
    /// When it was asked last, in this history of the database.
    var askedAt: Int64?
    /// When the database was restored from a backup.
    var restoredAt: Int64 = -1

    /// Notes that the database was restored, which forgets requests.
    mutating func isRestored(at now: Int64) {
      askedAt = nil
      restoredAt = now
    }
  }

  /// A check of a source.
  struct SourceCheck {
    var fence: Int64 = 0
    var schedule = StaticSchedule()
    /// The tag of the response; `nil` without one.
    var tag: String?
    var isUnchanged = false
    /// Whether the source was asked, so that what became of it is to be stored.
    var isAsked = false
    /// Whether the new timetable is stored.
    var isStored = false
  }

  /// A backup of the database.
  struct Backup {
    var rows: [String: Row]
    var stored: [String: Stored]
    var leases: [String: LeaseRow]
    var position: Int64
    var changes: Set<Int64>
    var source: SourceState
  }

  static let sourceKey = "city"
  /// The seconds between two checks.
  static let sourceInterval = 20.0
  /// The least time between two requests: the next one is due nine tenths of an interval after a check began, which may send its
  /// request at the end of its lease.
  static let leastBetweenRequests: Int64 = 18_000 - 10_000

  private var seconds: Double { Double(now) / 1_000 }

  private func sample() -> Double { Double(random.between(0, 1_000)) / 1_000 }

  /// Checks the source if it is due by what the server knows, and looks again later.
  func checkSometimes(_ server: Int) {
    onServer(server, in: random.between(500, 1_500)) {
      self.checkSometimes(server)
      self.check(server)
    }
  }

  private func check(_ server: Int) {
    // Finally, no importer follows one that was killed.
    guard now < Self.importsEnd else { return }
    let schedule = servers[server].folder.schedule
    let token = servers[server].token
    let isRequesting = importers.values.contains {
      $0.check != nil && !$0.isOver && $0.server == server && $0.token == token
    }
    guard schedule.isDue(now: seconds, interval: Self.sourceInterval), !isRequesting else { return }
    names += 1
    let number = names
    importers[number] = Importer(
      server: server,
      token: token,
      key: Self.sourceKey,
      lease: Lease(limits.lease, at: .milliseconds(now)),
      endsAt: now + 30_000,
      began: now,
      check: SourceCheck()
    )
    if fault?.asksAlone == true {
      importers[number]?.hasBegun = true
      return start(number, schedule, Row())
    }
    if fault?.asksWithoutDatabase == true {
      onServer(server, in: 12_000) {
        guard self.now - self.servers[server].heardAt > 11_000 else { return }
        self.ask(number, schedule, Row())
      }
    }
    stepLease(number, .woke)
  }

  /// Reads the schedule that all servers share, under the lease.
  func beginCheck(_ number: Int, fence: Int64) {
    guard let importer = importers[number] else { return }
    importers[number]?.check?.fence = fence
    let server = importer.server
    transmit(server) { () -> (Row, StaticSchedule?) in
      (self.rows[importer.key] ?? Row(), self.source.schedule)
    } answer: { found in
      guard let (base, shared) = found else { return self.end(number) }
      let local = self.servers[server].folder.schedule
      let schedule = self.fault?.keepsSchedule == true ? local : shared ?? local
      guard schedule.isDue(now: self.seconds, interval: Self.sourceInterval) else {
        // Another server has asked it.
        self.servers[server].folder.schedule = schedule
        return self.end(number)
      }
      self.start(number, schedule, base)
    }
  }

  /// Stores that the source is being asked, and asks it.
  private func start(_ number: Int, _ schedule: StaticSchedule, _ base: Row) {
    guard let importer = importers[number] else { return }
    var schedule = schedule
    schedule.follow(fingerprint: Self.sourceKey, now: seconds)
    schedule.start(now: seconds, interval: Self.sourceInterval, random: sample())
    importers[number]?.check?.schedule = schedule
    servers[importer.server].folder.schedule = schedule
    if fault?.asksAlone == true { return ask(number, schedule, base) }
    // The process is stopped at the worst instant.
    if random.oneIn(25) { pause(importer.server, for: random.between(11_000, 20_000)) }
    write(number) { isStored in
      guard isStored else { return self.end(number) }
      let fence = self.importers[number]?.check?.fence
      // A process that was stopped until now may have lost the lease.
      guard
        self.importers[number]?.lease.fence(at: .milliseconds(self.now)) == fence
          || self.fault?.asksLate == true
      else { return self.end(number) }
      self.ask(number, schedule, base)
    }
  }

  private func write(_ number: Int, then: @escaping (Bool) -> Void) {
    guard let importer = importers[number], let check = importer.check else { return }
    transmit(importer.server) { () -> Bool in
      guard self.owns(number, check.fence) else { return false }
      self.source.schedule = check.schedule
      if let tag = check.tag, check.isStored || check.isUnchanged { self.source.tag = tag }
      return true
    } answer: { isStored in
      then(isStored == true)
    }
  }

  /// Sends a request to the source, whose content is new now and then.
  private func ask(_ number: Int, _ schedule: StaticSchedule, _ base: Row) {
    guard let importer = importers[number], let check = importer.check else { return }
    var request = HTTPRequest(method: .get, scheme: "https", authority: "p.example", path: "/")
    request = schedule.conditional(request)
    if fault?.forgetsTag == true { request.headerFields[.ifNoneMatch] = nil }
    let tag = request.headerFields[.ifNoneMatch]
    noteRequest(importer, number, check, tag)
    importers[number]?.check?.isAsked = true
    let current = "\"\(now / 35_000)\""
    onServer(importer.server, in: random.between(50, 2_500)) {
      if self.random.oneIn(8) { return self.end(number) }
      self.importers[number]?.check?.tag = current
      self.importers[number]?.check?.isUnchanged = tag == current
      guard tag != current, self.fault?.asksAlone != true else { return self.end(number) }
      let generation = Generation(
        name: "\(importer.key)-\(number)",
        parts: Int(self.random.between(1, 6))
      )
      self.upload(number, check.fence, generation, base, part: 0)
    }
  }

  private func noteRequest(
    _ importer: Importer,
    _ number: Int,
    _ check: SourceCheck,
    _ tag: String?
  ) {
    requests += 1
    let state = servers[importer.server]
    if Double(now - state.heardAt) > limits.lease.duration / .milliseconds(1) {
      breaks(.idleWithoutDatabase, "\(importer.server) asks without the database")
    }
    // A database that was restored knows older leases.
    guard importer.began > source.restoredAt else { return }
    let row = leases[importer.key]
    if row?.owner != number || row?.fence != check.fence {
      breaks(.oneAsker, "\(importer.server) asks without the lease")
    }
    if let asked = source.askedAt, now - asked < Self.leastBetweenRequests {
      breaks(.oneRequest, "\(importer.server) asks \(now - asked) ms after another request")
    }
    if let last = source.tag, tag != last {
      breaks(.oneRequest, "\(importer.server) asks with \(tag ?? "no tag"), not \(last)")
    }
    source.askedAt = now
  }

  /// Stores what became of a check, before its lease is given back.
  ///
  /// - Returns: Whether the end of the importer waits for that.
  func finishCheck(_ number: Int) -> Bool {
    guard let importer = importers[number], var check = importer.check, check.isAsked else {
      return false
    }
    let response = StaticSchedule.Response(entityTag: check.tag)
    let ending: StaticSchedule.Ending =
      if check.isUnchanged {
        .notModified(response)
      } else if check.isStored, let tag = check.tag {
        .content(response, digest: tag, .serves, reason: nil)
      } else {
        .failed("the source or the database did not answer", retryAfter: nil)
      }
    check.schedule.finish(
      ending,
      now: seconds,
      interval: Self.sourceInterval,
      random: sample()
    )
    check.isAsked = false
    importers[number]?.check = check
    servers[importer.server].folder.schedule = check.schedule
    guard fault?.asksAlone != true else { return false }
    write(number) { _ in self.end(number) }
    return true
  }

  /// Checks that servers serve what they have.
  func checkServing() {
    for server in servers.indices where servers[server].isAlive {
      if fault?.dropsServing == true, now - servers[server].heardAt > 5_000 {
        servers[server].folder.serving = [:]
      }
      for (key, row) in servers[server].folder.installed {
        guard let first = row.generations.first, servers[server].folder.serving[key] == nil else {
          continue
        }
        breaks(.keepsServing, "\(server) does not serve \(first.name)")
      }
    }
  }
}
