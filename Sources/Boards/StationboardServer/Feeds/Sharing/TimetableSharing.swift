import Foundation
import GTFS
package import Logging
package import PostgresClient
import PostgresSharing
package import Serving
import Synchronization
import Timetable

/// Timetables that several servers share through a database: an import on any machine stores the timetable there, and each
/// server fetches it once into its data folder and lets it serve.
///
/// A server without the database serves what it has.
package final class TimetableSharing: Sendable {
  struct State {
    var follower: TimetableFollower?
    /// The newest change of each feed, or why it cannot be read.
    var feeds: [String: PostgresTimetables.FoundFeed] = [:]
    var tasks: [Int: Task<Void, Never>] = [:]
    var timer: Task<Void, Never>?
    var failure: String?
    var fetchedBytes = 0
    var fetches = 0
    var refusals = 0
    var stored = 0
    var removed = 0
    /// The last refusal of each feed that was logged.
    var logged: [String: String] = [:]
  }

  let store: PostgresTimetables
  let folder: DataFolder
  let clock: ServiceClock
  let logger: Logger
  let limits: TimetableSharingLimits
  let state = Mutex(State())
  private let origin = ContinuousClock.now
  private let events: AsyncStream<TimetableFollower.Event>
  private let inbox: AsyncStream<TimetableFollower.Event>.Continuation

  /// Creates what servers share; nothing is asked yet.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - folder: The data folder of this server.
  ///   - clock: The service clock.
  ///   - limits: The limits.
  ///   - name: What operators of other servers see of this one.
  ///   - schema: The name of the schema.
  ///   - logger: Logs what an operator should know.
  package init(
    _ address: PostgresAddress,
    folder: DataFolder,
    clock: ServiceClock,
    limits: TimetableSharingLimits = TimetableSharingLimits(),
    name: String,
    schema: String = "freshet_timetables",
    logger: Logger
  ) {
    self.folder = folder
    self.clock = clock
    self.limits = limits
    self.logger = logger
    store = PostgresTimetables(address, limits: limits, name: name, schema: schema)
    (events, inbox) = AsyncStream.makeStream()
  }

  /// Closes all connections.
  package func close() { store.close() }

  /// The time of the follower.
  var now: Duration { origin.duration(to: .now) }

  // MARK: Following

  /// Follows what the database has until the task is canceled.
  func run(_ feeds: FeedStore) async {
    // What the folder says is in place is not believed: its manifest may be of a backup. What is there is not fetched again.
    state.withLock { $0.follower = TimetableFollower(limits, at: now) }
    inbox.yield(.woke)
    await withTaskGroup { group in
      group.addTask { await self.listen() }
      group.addTask { await self.sweep() }
      group.addTask { await self.watch(feeds) }
      for await event in events { handle(event, feeds) }
      group.cancelAll()
    }
    let tasks = state.withLock { state in
      state.timer?.cancel()
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    store.close()
  }

  private func listen() async {
    await store.database.watch { event in
      switch event {
      case .gap: inbox.yield(.missed)
      case .stored(let position): inbox.yield(.noticed(position))
      // A server that waits for a lease checks it often.
      case .freed: break
      case .lost(let reason): failed(reason)
      }
    }
  }

  /// Periodically removes what killed importers left.
  private func sweep() async {
    var memory = PostgresTimetables.SweepMemory()
    while !Task.isCancelled {
      // Servers that started together do not do it together.
      try? await Task.sleep(for: limits.sweepEvery * Double.random(in: 0.5...1.5))
      guard !Task.isCancelled else { return }
      do {
        let removed = try await store.sweep(&memory)
        guard removed > 0 else { continue }
        state.withLock { $0.removed += removed }
        logger.notice(
          "timetables were removed from the database that no feed names",
          metadata: ["count": "\(removed)"]
        )
      } catch {
        failed("\(error)")
      }
    }
  }

  /// Has a generation fetched again that is damaged in the data folder.
  private func watch(_ feeds: FeedStore) async {
    repair(feeds)
    for await _ in feeds.changes() { repair(feeds) }
  }

  private func repair(_ feeds: FeedStore) {
    for key in state.withLock({ $0.follower?.keys ?? [] }) {
      if let generation = feeds.broken(key) {
        inbox.yield(.damaged(key: key, generation: generation))
      }
    }
  }

  private func handle(_ event: TimetableFollower.Event, _ feeds: FeedStore) {
    let now = now
    let effects = state.withLock { $0.follower?.handle(event, at: now) ?? [] }
    for effect in effects {
      switch effect {
      case .list(let number, let known):
        start(number) { await self.list(number, knowing: known, feeds) }
      case .fetch(let number, let key, let generation):
        start(number) { await self.fetch(number, generation, of: key) }
      case .install(let number, let key, let change):
        start(number) { await self.install(number, key, change, feeds) }
      case .verify(let number, let key, let generation):
        start(number) { await self.verify(number, generation, of: key) }
      case .stop(let number): state.withLock { $0.tasks[number] }?.cancel()
      }
    }
    wake()
  }

  private func start(_ number: Int, _ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      state.tasks[number] = Task {
        await work()
        self.state.withLock { _ = $0.tasks.removeValue(forKey: number) }
      }
    }
  }

  /// Schedules the next wake-up of the follower.
  private func wake() {
    state.withLock { state in
      guard let follower = state.follower else { return }
      state.timer?.cancel()
      let at = origin + follower.wakesAt
      state.timer = Task { [inbox] in
        guard (try? await Task.sleep(until: at, clock: .continuous)) != nil else { return }
        inbox.yield(.woke)
      }
    }
  }

  private func list(_ number: Int, knowing known: Set<Int64>, _ feeds: FeedStore) async {
    do {
      let listing = try await store.feeds(knowing: known)
      state.withLock { state in
        guard state.follower?.isChecking(number) == true else { return }
        for row in listing.found { state.feeds[row.key] = row.feed }
      }
      let rows = listing.found.map { row($0, feeds) }
      answered()
      inbox.yield(.listed(number: number, rows, keys: listing.keys, upTo: listing.end))
      repair(feeds)
    } catch {
      failed("\(error)")
      inbox.yield(.failed(number: number))
    }
  }

  /// The generation that represents an entry that this program cannot read.
  private static let unreadableEntry = "entry"

  private func row(
    _ found: PostgresTimetables.Listing.Found,
    _ feeds: FeedStore
  ) -> TimetableFollower.Row {
    let key = found.key
    guard case .success(let feed) = found.feed else {
      let entry = Self.unreadableEntry
      return TimetableFollower.Row(
        key: key,
        change: found.change,
        sequence: found.sequence,
        serving: entry,
        missing: [entry]
      )
    }
    let entry = feed.entry(at: clock.now)
    var present = folder.presentGenerations(of: key)
    if let broken = feeds.broken(key) { present.remove(broken) }
    return TimetableFollower.Row(
      key: key,
      change: found.change,
      sequence: found.sequence,
      serving: entry?.generation,
      missing: entry?.generationsByNeed.filter { !present.contains($0) } ?? [],
      waiting: entry?.waiting.map { waiting in
        let wait = (waiting.startsAt ?? clock.now) - clock.now
        return TimetableFollower.Waiting(
          generation: waiting.name,
          startsAt: now + .seconds(max(wait, 0))
        )
      }
    )
  }

  private func answered() {
    let before = state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
    if before != nil { logger.notice("the database that shares timetables answers again") }
  }

  private func failed(_ reason: String) {
    guard !Task.isCancelled else { return }
    let before = state.withLock { state in
      defer { state.failure = reason }
      return state.failure
    }
    if before == nil {
      logger.warning(
        "the database that shares timetables does not answer: what is here serves on",
        metadata: ["reason": "\(reason)"]
      )
    }
  }

  // MARK: Fetching

  private func fetch(_ number: Int, _ generation: String, of key: String) async {
    if case .failure(let fault) = state.withLock({ $0.feeds[key] }) {
      return refuse(number, key, .unreadable(fault.description))
    }
    if let failure = await fetch(
      generation,
      of: key,
      began: { inbox.yield(.began(number: number)) }
    ) {
      guard !Task.isCancelled else { return }
      refuse(number, key, failure)
    } else {
      logger.info(
        "a timetable was fetched",
        metadata: ["feed": "\(key)", "generation": "\(generation)"]
      )
      inbox.yield(.fetched(number: number))
    }
  }

  private func refuse(_ number: Int, _ key: String, _ failure: TimetableFollower.Failure) {
    switch failure {
    case .gone, .missing, .away, .busy: break
    case .unreadable(let reason), .broken(let reason):
      let isNew = state.withLock { state in
        state.refusals += 1
        return state.logged.updateValue(reason, forKey: key) != reason
      }
      if isNew {
        logger.error(
          "a timetable of the database cannot be used: what serves goes on",
          metadata: ["feed": "\(key)", "reason": "\(reason)"]
        )
      }
    }
    inbox.yield(.refused(number: number, failure))
  }

  private func verify(_ number: Int, _ generation: String, of key: String) async {
    let failure = await verify(generation, of: key)
    guard !Task.isCancelled else { return }
    guard let failure else {
      inbox.yield(.verified(number: number))
      return
    }
    if case .missing = failure {
      logger.warning(
        "a timetable that waits for its first day is damaged in the data folder: it is fetched again",
        metadata: ["feed": "\(key)", "generation": "\(generation)"]
      )
    }
    inbox.yield(.refused(number: number, failure))
  }

  /// Compares a generation of the data folder with its checksums.
  ///
  /// - Returns: ``TimetableFollower/Failure/missing(_:)`` if it differs or cannot be read; `nil` if it is as it was stored.
  func verify(_ generation: String, of key: String) async -> TimetableFollower.Failure? {
    do {
      guard let (_, artifact) = try await store.artifact(generation, of: key) else { return .gone }
      let files = StoredFiles(
        path: folder.folder(of: key, generation: generation),
        chunkBytes: artifact.chunkBytes
      )
      let isSound = try await Self.offload { () throws(FeedError) in files.match(artifact) }
      return isSound ? nil : .missing(generation)
    } catch let fault as TimetableArtifact.Fault {
      return .broken("\(fault)")
    } catch {
      failed("\(error)")
      return .away
    }
  }

  /// Fetches a generation into the data folder.
  ///
  /// - Parameters:
  ///   - generation: The generation.
  ///   - key: The feed.
  ///   - began: Called once the database has it and no other process of this machine fetches it.
  ///   - progress: Called as parts arrive, with the step `fetch`.
  /// - Returns: Why it is not there; `nil` if it is.
  func fetch(
    _ generation: String,
    of key: String,
    began: () -> Void = {},
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async -> TimetableFollower.Failure? {
    do {
      guard let lock = try folder.lockForFetching(generation, of: key) else { return .busy }
      defer { withExtendedLifetime(lock) {} }
      guard let (id, artifact) = try await store.artifact(generation, of: key) else { return .gone }
      began()
      let files = FetchedFiles(folder: folder, key: key, generation: generation, artifact: artifact)
      let missing = try await Self.offload { () throws(FeedError) in
        try files.prepare()
        return artifact.files.flatMap { file in
          file.checksums.indices.filter { !files.holds($0, of: file) }.map { (file, $0) }
        }
      }
      guard try await receive(missing, into: files, id, progress) else { return .gone }
      try await Self.offload { () throws(FeedError) in try files.finish() }
      state.withLock { $0.fetches += 1 }
      return nil
    } catch let error as FeedError {
      if error.code == .cannotWrite {
        // Gives the room back.
        try? FileManager.default.removeItem(
          atPath: folder.fetchedFolder(of: key, generation: generation) + ".partial"
        )
      }
      return .broken("\(generation): \(error.message)")
    } catch let fault as TimetableArtifact.Fault {
      switch fault {
      case .unreadable(let reason): return .unreadable("\(generation): \(reason)")
      case .damaged(let reason): return .broken("\(generation): \(reason)")
      }
    } catch {
      failed("\(error)")
      return .away
    }
  }

  /// How many parts are under way at once.
  private static let partsAtOnce = 2

  /// Fetches parts and writes them.
  ///
  /// - Returns: Whether the database had them all.
  private func receive(
    _ parts: [(TimetableArtifact.File, Int)],
    into files: FetchedFiles,
    _ generation: Int64,
    _ progress: @escaping @Sendable (ImportProgress) -> Void
  ) async throws -> Bool {
    let total = parts.reduce(0) { $0 + files.artifact.bytes(of: $1.0, part: $1.1) }
    progress(ImportProgress(step: "fetch", done: 0, total: total))
    return try await withThrowingTaskGroup(of: Int?.self) { group in
      var next = 0
      func add() {
        guard next < parts.count else { return }
        let (file, number) = parts[next]
        next += 1
        group.addTask {
          guard let bytes = try await self.store.chunk(number, of: file.name, generation) else {
            return nil
          }
          try await Self.offload { () throws(FeedError) in
            try files.write(bytes, part: number, of: file)
          }
          self.state.withLock { $0.fetchedBytes += bytes.count }
          return bytes.count
        }
      }
      for _ in 0..<Self.partsAtOnce { add() }
      var arrived = 0
      while let count = try await group.next() {
        guard let count else {
          group.cancelAll()
          return false
        }
        arrived += count
        progress(ImportProgress(step: "fetch", done: arrived, total: total))
        add()
      }
      return true
    }
  }

  /// Installs a change if it is still the newest; a newer one is installed under the same lock.
  private func install(
    _ number: Int,
    _ key: String,
    _ change: Int64,
    _ feeds: FeedStore
  ) async {
    guard case .success(let feed) = state.withLock({ $0.feeds[key] }), feed.change == change
    else { return refuse(number, key, .gone) }
    do {
      let (folder, now, database) = (folder, clock.now, "\(store.address)")
      let lock = try await Self.offload { () throws(FeedError) in
        try folder.lockForImport(mayBeShared: true)
      }
      defer { withExtendedLifetime(lock) {} }
      guard try await store.newest(key) == change else {
        return refuse(number, key, .gone)
      }
      inbox.yield(.began(number: number))
      let missing = try await Self.offload { () throws(FeedError) in
        try folder.install(feed, of: database, now: now)
      }
      if let missing { return refuse(number, key, .missing(missing)) }
      feeds.repaired(key)
      state.withLock { _ = $0.logged.removeValue(forKey: key) }
      inbox.yield(.installed(number: number))
    } catch let error as FeedError {
      refuse(number, key, error.code == .busy ? .busy : .broken(error.message))
    } catch {
      failed("\(error)")
      refuse(number, key, .away)
    }
  }

  /// Reads and writes files without occupying the threads that handle requests.
  @concurrent
  static func offload<Value: Sendable>(
    _ work: @escaping @Sendable () throws(FeedError) -> Value
  ) async throws(FeedError) -> Value {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .utility).async {
        continuation.resume(returning: Result { () throws(FeedError) in try work() })
      }
    }
    return try result.get()
  }
}
