import PostgresSharing
import StationboardServer
import TestSimulation

/// A few simulated minutes of servers that share timetables through one database, with everything that goes wrong between them.
///
/// Everything is a function of the seed. Times are milliseconds of the simulation. The data folder of a server outlives its
/// process. The database is a model of the statements that ``PostgresTimetables`` sends: each is carried out at one instant,
/// whenever it arrives.
final class TimetableWorld: SimulatedWorld {
  /// The rules that are checked.
  enum Rule: String, CaseIterable {
    /// Only what was committed serves, whole and as it was stored.
    case whole
    /// No data folder goes back to an older change, unless the database does.
    case forward
    /// Every change serves on each server that is connected.
    case delivery
    /// Each change is made of the one before.
    case noLostChange
    /// The database has no more than what feeds name, and what is being stored.
    case clean
    /// An import that nothing disturbs ends with a change.
    case imports
    /// An importer does not say that nothing was changed when its change is stored.
    case honesty
    /// A generation that waits, and was damaged in the data folder, is whole again before its first day.
    case repair
    /// What cannot be fetched is not asked for all the time.
    case patience
    /// Only the owner of a feed's lease asks its source (ST7).
    case oneAsker
    /// A source sees one request for each interval, with the tag of the last response (ST7).
    case oneRequest
    /// A server without the database asks no source (ST8).
    case idleWithoutDatabase
    /// A server without the database serves what it has (ST8).
    case keepsServing
  }

  /// A rule that was broken.
  struct Violation: Hashable {
    var rule: Rule
    var at: Int64
    var reason: String
  }

  static let keys = ["city", "default"]
  static let length: Int64 = 180_000
  static let importsEnd: Int64 = 110_000
  /// A check, the parts of all kept generations of all feeds over the slowest answers of a healthy network, and waits after
  /// failures of a moment before.
  static let deliveryBound: Int64 = 10_000
  /// The end of a lease that is not renewed, and two sweeps at their latest.
  static let cleanBound: Int64 = 50_000
  static let kept = 3
  static let verifyEvery: Int64 = 15_000

  /// A generation.
  struct Generation: Hashable {
    var name: String
    var parts: Int
  }

  /// The data folder of a server.
  struct Folder {
    var present: Set<String> = []
    /// The parts that were written, and whether each is as it was stored.
    var partial: [String: [Int: Bool]] = [:]
    /// The row of each feed that is in place.
    var installed: [String: Row] = [:]
    var serving: [String: String] = [:]
    /// What is in place although it is not whole.
    var spoiled: Set<String> = []
    /// When a generation was damaged that waits.
    var rottenSince: [String: Int64] = [:]
    /// The schedule of the source, as it was here last.
    var schedule = StaticSchedule()
  }

  /// A server.
  struct Server: SimulatedServer {
    var token = 0
    var isAlive = false
    var pausedUntil: Int64 = 0
    var cutUntil: Int64 = 0
    var slowUntil: Int64 = 0
    var fullUntil: Int64 = 0
    /// Since when nothing disturbs it.
    var healthySince: Int64 = 0
    /// When the database answered last.
    var heardAt: Int64 = 0
    var follower = TimetableFollower(at: .zero)
    var stopped: Set<Int> = []
    var rows: [String: Row] = [:]
    /// The leases that its last sweep saw.
    var seen: [String: SeenLease] = [:]
    /// When it began to fetch which generation.
    var attempts: [String: [Int64]] = [:]
    var folder = Folder()
  }

  /// The row of a feed.
  struct Row: Hashable {
    /// The id of the change; 0 for none.
    var change: Int64 = 0
    /// Its position.
    var sequence: Int64 = 0
    /// Its number among all changes, also across backups.
    var order = 0
    /// The serving generation and those before it; empty if the feed was taken out of service.
    var generations: [Generation] = []
  }

  /// A generation in the database.
  struct Stored {
    var generation: Generation
    var key: String
    /// The fence of the lease under which it was stored.
    var fence: Int64 = 0
    var parts: Set<Int> = []
    var isWhole = false
    var damagedUntil: Int64 = 0
  }

  /// The row of a lease; its owner is an importer, 0 for none.
  struct LeaseRow: Hashable {
    var fence: Int64 = 0
    var beat: Int64 = 0
    var owner = 0
  }

  /// An import by a command, on the machine of a server.
  struct Importer {
    var server: Int
    var token: Int
    var key: String
    var lease: Lease
    /// When it gives up if it has not got the lease.
    var endsAt: Int64
    /// Since when nothing has disturbed it.
    var began: Int64
    var hasBegun = false
    var isOver = false
    /// The check of a source that it belongs to.
    var check: SourceCheck?
  }

  /// What a sweep has seen of a lease.
  struct SeenLease: Hashable {
    var row: LeaseRow
    var since: Int64
  }

  var random: SimulationRandom
  let fault: TimetableFault?
  let limits: TimetableSharingLimits
  var now: Int64 = 0
  var servers: [Server]
  var rows = Dictionary(uniqueKeysWithValues: TimetableWorld.keys.map { ($0, Row()) })
  var stored: [String: Stored] = [:]
  var committed: Set<String> = []
  var position: Int64 = 0
  /// The ids of the changes that the database has.
  var changes: Set<Int64> = []
  /// What the database may be restored to.
  var backup: Backup?
  /// When the row of each feed was changed.
  var changedAt: [String: Int64] = [:]
  var leases = Dictionary(uniqueKeysWithValues: TimetableWorld.keys.map { ($0, LeaseRow()) })
  var importers: [Int: Importer] = [:]
  var source = SourceState()
  var downUntil: Int64 = 0
  var databaseHealthySince: Int64 = 0
  /// Since when the database has no more than it should.
  var cleanSince: Int64 = 0
  private(set) var violation: Violation?
  var commits = 0
  var fetches = 0
  var kills = 0
  var restores = 0
  var requests = 0
  var names = 0
  var queue = SimulationQueue()
  private var tokens = 0

  init(seed: UInt64, fault: TimetableFault? = nil) {
    random = SimulationRandom(seed: seed)
    self.fault = fault
    var limits = TimetableSharingLimits()
    limits.verifyEvery = .milliseconds(Self.verifyEvery)
    fault?.limits?(&limits)
    self.limits = limits
    servers = (0..<Int(random.between(2, 4))).map { _ in Server() }
  }

  /// Runs to the end, or to the first rule that is broken.
  func run() -> Violation? {
    for server in servers.indices { start(server) }
    for key in Self.keys { schedule(in: random.between(0, 5_000)) { self.importSometimes(key) } }
    schedule(in: 500) { self.watch() }
    schedule(in: random.between(2_000, 8_000)) { self.disturb() }
    play { violation == nil && now < Self.length }
    return violation
  }

  func breaks(_ rule: Rule, _ reason: String) {
    if violation == nil { violation = Violation(rule: rule, at: now, reason: reason) }
  }

  // MARK: Servers

  func start(_ server: Int) {
    tokens += 1
    var new = Server()
    new.token = tokens
    new.isAlive = true
    new.healthySince = now
    new.folder = servers[server].folder
    new.follower = TimetableFollower(limits, at: .milliseconds(now))
    servers[server] = new
    step(server, .woke)
    gap(server)
    sweepSometimes(server)
    servers[server].heardAt = now
    checkSometimes(server)
  }

  /// A connection that listens was opened: announcements may be missing.
  func gap(_ server: Int) { step(server, .missed) }

  /// Applies an event to a follower and does what it leads to.
  func step(_ server: Int, _ event: TimetableFollower.Event) {
    for effect in servers[server].follower.handle(event, at: .milliseconds(now)) {
      switch effect {
      case .list(let number, let known): list(server, number, knowing: known)
      case .fetch(let number, let key, let generation): fetch(server, number, key, generation)
      case .install(let number, let key, let change): install(server, number, key, change)
      case .verify(let number, _, let generation): verify(server, number, generation)
      case .stop(let number): servers[server].stopped.insert(number)
      }
    }
    let at = servers[server].follower.wakesAt
    onServer(server, in: Int64(at / .milliseconds(1)) - now + 1) {
      // Something else has happened since.
      guard self.servers[server].follower.wakesAt == at else { return }
      self.step(server, .woke)
    }
  }

  private func list(_ server: Int, _ number: Int, knowing known: Set<Int64>) {
    transmit(server) { () -> ([(String, Row)], Set<String>, Int64) in
      let rows = self.rows.filter { $0.value.change != 0 }
      let found = rows.filter { !known.contains($0.value.change) }
      return (found.map { ($0.key, $0.value) }, Set(rows.keys), self.position)
    } answer: { found in
      guard let (rows, keys, end) = found else { return self.step(server, .failed(number: number)) }
      let present = self.servers[server].folder.present
      guard
        self.servers[server].follower.isChecking(number) || self.fault?.installsBlindly == true
      else { return }
      for (key, row) in rows { self.servers[server].rows[key] = row }
      let listed = rows.map { key, row in
        TimetableFollower.Row(
          key: key,
          change: row.change,
          sequence: row.sequence,
          serving: row.generations.first?.name,
          missing: row.generations.map(\.name).filter { !present.contains($0) },
          // The second one is like one that waits for a day after the simulation.
          waiting: row.generations.dropFirst().first.map {
            TimetableFollower.Waiting(generation: $0.name, startsAt: .seconds(86_400))
          }
        )
      }
      self.step(server, .listed(number: number, listed, keys: keys, upTo: end))
    }
  }

  private func fetch(_ server: Int, _ number: Int, _ key: String, _ generation: String) {
    noteAttempt(server, generation)
    transmit(server) { () -> Stored? in
      self.stored[generation].flatMap { $0.isWhole || self.fault?.commitsEarly == true ? $0 : nil }
    } answer: { answer in
      guard let found = answer else { return self.step(server, .refused(number: number, .away)) }
      guard let stored = found else { return self.step(server, .refused(number: number, .gone)) }
      self.receive(server, number, stored.generation, part: 0)
    }
  }

  /// Fetches the parts one after another.
  private func receive(_ server: Int, _ number: Int, _ generation: Generation, part: Int) {
    let name = generation.name
    guard !servers[server].stopped.contains(number) else { return }
    let isHere = servers[server].folder.partial[name]?[part] != nil
    guard part < generation.parts else { return finish(server, number, generation) }
    // Parts of an earlier attempt are compared with their checksums.
    if isHere, servers[server].folder.partial[name]?[part] == true || fault?.comparesNothing == true
    {
      return receive(server, number, generation, part: part + 1)
    }
    transmit(server) { () -> Bool? in
      guard let stored = self.stored[name], stored.parts.contains(part) else { return nil }
      return stored.damagedUntil <= self.now
    } answer: { found in
      guard let found else { return self.step(server, .refused(number: number, .away)) }
      guard !self.servers[server].stopped.contains(number) else { return }
      if self.servers[server].fullUntil > self.now {
        self.servers[server].folder.partial[name] = nil
        return self.step(server, .refused(number: number, .broken("no room")))
      }
      guard let isSound = found else {
        if self.fault?.countsMissingParts == true {
          return self.receive(server, number, generation, part: part + 1)
        }
        return self.step(server, .refused(number: number, .gone))
      }
      if !isSound, self.fault?.comparesNothing != true {
        return self.step(server, .refused(number: number, .broken("checksum")))
      }
      self.servers[server].folder.partial[name, default: [:]][part] = isSound
      self.receive(server, number, generation, part: part + 1)
    }
  }

  /// Compares a generation with its checksums, which the database has.
  private func verify(_ server: Int, _ number: Int, _ generation: String) {
    transmit(server) {
      self.stored[generation] != nil
    } answer: { isThere in
      guard !self.servers[server].stopped.contains(number) else { return }
      guard let isThere else { return self.step(server, .refused(number: number, .away)) }
      guard isThere else { return self.step(server, .refused(number: number, .gone)) }
      let isRotten = self.servers[server].folder.rottenSince[generation] != nil
      guard isRotten, self.fault?.verifiesNothing != true else {
        return self.step(server, .verified(number: number))
      }
      self.step(server, .refused(number: number, .missing(generation)))
    }
  }

  private func finish(_ server: Int, _ number: Int, _ generation: Generation) {
    let name = generation.name
    let parts = servers[server].folder.partial[name] ?? [:]
    if parts.count < generation.parts || parts.values.contains(false) {
      servers[server].folder.spoiled.insert(name)
    }
    servers[server].folder.partial[name] = nil
    servers[server].folder.present.insert(name)
    servers[server].folder.rottenSince[name] = nil
    fetches += 1
    step(server, .fetched(number: number))
  }

  private func install(_ server: Int, _ number: Int, _ key: String, _ change: Int64) {
    transmit(server) { () -> Int64 in
      self.rows[key]?.change ?? 0
    } answer: { newest in
      guard let newest else { return self.step(server, .refused(number: number, .away)) }
      guard let row = self.servers[server].rows[key] else { return }
      guard row.change == change && newest == change || self.fault?.installsBlindly == true
      else { return self.step(server, .refused(number: number, .gone)) }
      self.put(server, number, key, row)
    }
  }

  /// Lets the generations of a change serve.
  private func put(_ server: Int, _ number: Int, _ key: String, _ row: Row) {
    if let serving = row.generations.first?.name {
      guard servers[server].folder.present.contains(serving) else {
        return step(server, .refused(number: number, .missing(serving)))
      }
      if !committed.contains(serving) || servers[server].folder.spoiled.contains(serving) {
        breaks(.whole, "\(server) serves \(serving)")
      }
    }
    if let before = servers[server].folder.installed[key], row.order < before.order,
      // Another history of the database does not have it.
      changes.contains(before.change)
    {
      breaks(.forward, "\(server): \(key) goes back to \(row.sequence)")
    }
    servers[server].folder.installed[key] = row
    servers[server].folder.serving[key] = row.generations.first?.name
    let kept = Set(servers[server].rows.values.flatMap(\.generations).map(\.name))
    servers[server].folder.present.formIntersection(kept)
    step(server, .installed(number: number))
  }

  private func noteAttempt(_ server: Int, _ generation: String) {
    var attempts = servers[server].attempts[generation, default: []].filter { $0 > now - 10_000 }
    attempts.append(now)
    servers[server].attempts[generation] = attempts
    if attempts.count > 25 { breaks(.patience, "\(server) asks for \(generation) all the time") }
  }

  private func sweepSometimes(_ server: Int) {
    let most = Int64(limits.sweepEvery / .milliseconds(1))
    onServer(server, in: random.between(most / 2, most * 3 / 2)) {
      if self.fault?.sweepsNothing != true { self.sweep(server) }
      self.sweepSometimes(server)
    }
  }

  // MARK: Oracle

  func isHealthy(_ server: Server) -> Bool {
    server.isAlive && server.pausedUntil <= now && server.cutUntil <= now
      && server.slowUntil <= now && server.fullUntil <= now
  }

  /// Checks what should have happened by now.
  private func watch() {
    schedule(in: 500) { self.watch() }
    checkServing()
    let named = Set(rows.values.flatMap(\.generations).map(\.name))
    let extra = stored.keys.filter { !named.contains($0) }
    if extra.count <= importers.values.count(where: \.hasBegun) { cleanSince = now }
    if downUntil > now || !servers.contains(where: isHealthy) { cleanSince = now }
    if now - cleanSince > Self.cleanBound { breaks(.clean, "\(extra.sorted()) are left") }
    guard downUntil <= now, databaseHealthySince + Self.deliveryBound <= now else { return }
    checkRepairs()
    // What the database does not have any more serves on.
    for (key, row) in rows
    where row.change != 0 && changedAt[key, default: now] + Self.deliveryBound <= now {
      for (server, state) in servers.enumerated()
      where isHealthy(state) && state.healthySince + Self.deliveryBound <= now {
        checkDelivery(key, row, server)
      }
    }
  }

  /// Checks that a change that was committed now reaches everybody, unless a newer one does.
  func expectDelivery(_ key: String, _ row: Row) {
    let committedAt = now
    let tokens = servers.map(\.token)
    schedule(in: Self.deliveryBound) {
      guard self.databaseHealthySince <= committedAt, self.downUntil <= self.now,
        // A timetable that is replaced while it is fetched is not waited for.
        self.rows[key] == row
      else { return }
      for (server, state) in self.servers.enumerated()
      where state.token == tokens[server] && self.isHealthy(state)
        && state.healthySince <= committedAt
      {
        self.checkDelivery(key, row, server)
      }
    }
  }

  private func checkRepairs() {
    let bound = Self.verifyEvery + Self.deliveryBound
    for (server, state) in servers.enumerated()
    where isHealthy(state) && state.healthySince + bound <= now {
      for (name, since) in state.folder.rottenSince
      where max(since, databaseHealthySince) + bound <= now
        && rows.contains(where: { key, row in
          row.generations.dropFirst().first?.name == name
            && changedAt[key, default: now] + bound <= now
        })
      {
        breaks(.repair, "\(server) still has a damaged \(name)")
      }
    }
  }

  private func checkDelivery(_ key: String, _ row: Row, _ server: Int) {
    let installed = servers[server].folder.installed[key]
    guard installed != row else { return }
    breaks(
      .delivery,
      "\(server) has \(installed?.sequence ?? 0) of \(key), not \(row.sequence)"
    )
  }
}
