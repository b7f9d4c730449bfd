package import ConditionalHTTP
import Foundation
package import GTFS
package import Logging
package import Serving
import Synchronization
import Timetable

/// Keeps the timetables of a server current: asks their sources when they are due, lets waiting generations
/// serve on their first day, and warns before a timetable ends.
package final class StaticFeeds: Sendable {
  /// How often schedules and sources are checked, in seconds.
  package static let checkSeconds = 2.0

  private let folder: DataFolder
  private let configured: [StaticSource]
  private let exchange: any HTTPStreaming
  private let clock: ServiceClock
  private let store: FeedStore
  private let logger: Logger
  private let random: @Sendable () -> Double
  /// The interval of every source if it is not its own; for tests.
  private let every: Double?
  /// The database that shares the timetables; `nil` for none.
  package let sharing: TimetableSharing?
  private let state = Mutex(State())

  private struct State {
    /// The feeds whose source is being asked.
    var requesting: Set<String> = []
    /// The day on which the end of a feed was last warned of.
    var warned: [String: Int] = [:]
    var listFailure: String?
    /// Of a feed whose source cannot be followed: why, and until when it is left alone.
    var faults: [String: (reason: String, until: ContinuousClock.Instant)] = [:]
  }

  /// Creates the sources of a server; nothing is asked yet.
  ///
  /// - Parameters:
  ///   - folder: The data folder, whose own list of sources is followed too.
  ///   - configured: The sources of the configuration; they win over the list.
  ///   - store: The feeds that serve.
  ///   - exchange: Sends the requests.
  ///   - clock: The service clock.
  ///   - every: The seconds between two checks of every source, instead of its own.
  ///   - sharing: The database that shares the timetables; `nil` for none.
  ///   - random: Gives numbers of 0 to 1.
  ///   - logger: Logs what an operator should know.
  package init(
    folder: DataFolder,
    configured: [StaticSource],
    store: FeedStore,
    exchange: any HTTPStreaming,
    clock: ServiceClock,
    every: Double? = nil,
    sharing: TimetableSharing? = nil,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    logger: Logger
  ) {
    self.folder = folder
    self.configured = configured
    self.store = store
    self.exchange = exchange
    self.clock = clock
    self.every = every
    self.sharing = sharing
    self.random = random
    self.logger = logger
  }

  /// Runs until the task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      if let sharing { group.addTask { await sharing.run(self.store) } }
      while !Task.isCancelled {
        for source in sources() where begin(source) {
          group.addTask {
            await TraceScope.$current.withValue(.own()) { await self.check(source) }
            self.state.withLock { _ = $0.requesting.remove(source.key) }
          }
        }
        promote()
        warn()
        let rest = min(Self.checkSeconds, every ?? Self.checkSeconds)
        try? await Task.sleep(for: .seconds(rest))
      }
      group.cancelAll()
    }
  }

  /// The sources, each feed once.
  private func sources() -> [StaticSource] {
    var sources = configured
    do throws(FeedError) {
      for source in try StaticSourceList(of: folder).all
      where !sources.contains(where: { $0.key == source.key }) { sources.append(source) }
      state.withLock { $0.listFailure = nil }
    } catch {
      let isNew = state.withLock { state in
        defer { state.listFailure = error.message }
        return state.listFailure != error.message
      }
      if isNew { logger.error("the list of sources cannot be read: \(error.message)") }
    }
    guard let every else { return sources }
    for place in sources.indices { sources[place].interval = every }
    return sources
  }

  /// Whether a source is due and not being asked; it counts as being asked from then on.
  private func begin(_ source: StaticSource) -> Bool {
    var schedule = folder.schedule(of: source.key)
    schedule.follow(fingerprint: source.fingerprint, now: clock.now)
    guard schedule.isDue(now: clock.now, interval: source.interval) else { return false }
    return state.withLock { state in
      if let fault = state.faults[source.key], fault.until > .now { return false }
      return state.requesting.insert(source.key).inserted
    }
  }

  private func check(_ source: StaticSource) async {
    var check = StaticCheck(
      folder: folder,
      source: source,
      exchange: exchange,
      clock: clock,
      sharing: sharing
    )
    check.brokenGeneration = store.broken(source.key)
    let before = folder.schedule(of: source.key).error
    var metadata: Logger.Metadata = ["feed": "\(source.key)", "source": "\(source.title)"]
    do throws(FeedError) {
      guard let report = try await check.run(isForced: false, random: (random(), random())) else {
        return
      }
      state.withLock { _ = $0.faults.removeValue(forKey: source.key) }
      if let generation = report.generation { metadata["generation"] = "\(generation)" }
      if let reason = report.reason { metadata["reason"] = "\(reason)" }
      if let changes = report.changes {
        metadata["lost"] = "\(ServiceChanges.percent(changes.lostShare))"
      }
      metadata["importSeconds"] = report.imported.map { "\(hundredths($0.seconds))" }
      metadata["comparisonSeconds"] = report.comparisonSeconds.map { "\(hundredths($0))" }
      switch report.outcome {
      case .unchanged: logger.debug("the timetable is current", metadata: metadata)
      case .serves: logger.info("a new timetable serves", metadata: metadata)
      case .waits: logger.info("a new timetable waits for its first day", metadata: metadata)
      case .held: logger.warning("a new timetable is held back", metadata: metadata)
      case .refused, .failed:
        guard report.reason != before else { return }
        logger.warning("a new timetable cannot be used", metadata: metadata)
      }
    } catch {
      // Another process asks it or imports: it is checked again.
      guard error.code != .busy, !Task.isCancelled else { return }
      if error.code == .conflict, sharing != nil { return }
      // The schedule could not be written, so it does not say when to try again.
      let rest = min(StaticFeedLimits.firstRetry, source.interval)
      let isNew = state.withLock { state in
        let before = state.faults.updateValue(
          (error.message, .now + .seconds(rest)),
          forKey: source.key
        )
        return before?.reason != error.message
      }
      guard isNew else { return }
      metadata["reason"] = "\(error.message)"
      logger.error("the source of a timetable cannot be followed", metadata: metadata)
    }
  }

  private func hundredths(_ seconds: Double) -> Double { (seconds * 100).rounded() / 100 }

  /// Lets waiting generations serve whose first day has come.
  private func promote() {
    let now = clock.now
    guard store.manifest.feeds.contains(where: { ($0.waiting?.startsAt ?? .infinity) <= now })
    else {
      return
    }
    do throws(FeedError) {
      for key in try folder.promote(now: now) {
        logger.info("the first day of a timetable has come", metadata: ["feed": "\(key)"])
      }
    } catch {
      guard error.code != .busy else { return }
      logger.error("a waiting timetable cannot serve: \(error.message)")
    }
  }

  /// Warns once a day of timetables that end soon.
  private func warn() {
    for feed in store.feeds {
      let left = feed.daysLeft(at: clock.now)
      guard left < StaticFeedLimits.expiryDays else { continue }
      let isNew = state.withLock { state in
        defer { state.warned[feed.entry.key] = left }
        return state.warned[feed.entry.key] != left
      }
      guard isNew else { continue }
      logger.warning(
        "\(left < 0 ? "a timetable is over" : "a timetable ends soon")",
        metadata: [
          "feed": "\(feed.entry.key)", "lastDay": "\(feed.timetable.lastDay)",
          "daysLeft": "\(max(left, 0))",
        ]
      )
    }
  }
}

extension Feed {
  /// The days after today on which the timetable still has service; negative once it is over.
  package func daysLeft(at now: Double) -> Int {
    let today = ServiceDay(zone: timetable.zone).date(at: Int64(now))
    return timetable.lastDay.daysSinceEpoch - today.daysSinceEpoch
  }
}

extension DataFolder {
  /// Lets waiting generations serve whose first day has come; one that cannot be opened is dropped, so that its source
  /// is asked for it again.
  ///
  /// - Returns: The keys of the feeds that changed.
  /// - Throws: ``FeedError`` with code `busy` during an import.
  package func promote(now: Double) throws(FeedError) -> [String] {
    // All servers that share a timetable do it by themselves, each at the same instant.
    let (changed, dropped) = try changeManifest(mayBeShared: true) { manifest throws(FeedError) in
      let dropped = manifest.feeds.filter { feed in
        guard let waiting = feed.waiting, waiting.startsAt ?? now <= now else { return false }
        return fault(of: waiting.name, feed) != nil
      }
      for feed in dropped { manifest.dropWaiting(key: feed.key) }
      return (manifest.promote(now: now), dropped.map(\.key))
    }
    for key in dropped { removeSchedule(of: key) }
    return changed
  }

  /// Lets the generation serve that is held back.
  ///
  /// - Throws: ``FeedError`` if none is held back, or if it cannot be opened; nothing is changed then.
  package func accept(key: String, now: Double) throws(FeedError) -> FeedManifest.Generation {
    try changeManifest(patience: StaticFeedLimits.commandWaitSeconds) {
      manifest throws(FeedError) in
      try accept(key: key, now: now, in: &manifest)
    }
  }

  /// Lets the generation serve, in a manifest, that is held back.
  func accept(
    key: String,
    now: Double,
    in manifest: inout FeedManifest
  ) throws(FeedError) -> FeedManifest.Generation {
    if let feed = manifest.feed(key), let held = feed.held?.generation {
      try check(held.name, feed, "freshet feeds check")
    }
    guard let accepted = manifest.accept(key: key, now: now) else {
      throw FeedError(.unreadable, "\(path): the feed \(key) has no timetable that is held back")
    }
    return accepted
  }

  /// Lets the generation serve again that served before, passing over those that cannot be opened.
  ///
  /// - Throws: ``FeedError`` if none is kept that can be opened; nothing is changed then.
  package func rollBack(key: String) throws(FeedError) -> FeedManifest.Generation {
    try changeManifest(patience: StaticFeedLimits.commandWaitSeconds) {
      manifest throws(FeedError) in
      try rollBack(key: key, in: &manifest)
    }
  }

  /// Lets the generation serve again, in a manifest, that served before.
  ///
  /// - Parameters:
  ///   - key: The feed.
  ///   - manifest: The manifest.
  ///   - passingOver: Whether it passes over generations that cannot be opened.
  /// - Returns: The generation.
  /// - Throws: ``FeedError`` if none is kept that can be opened.
  func rollBack(
    key: String,
    in manifest: inout FeedManifest,
    passingOver: Bool = true
  ) throws(FeedError) -> FeedManifest.Generation {
    if let feed = manifest.feed(key) {
      var usable = manifest
      if !passingOver, let next = feed.earlier?.first {
        try check(next.name, feed, "freshet feeds list")
      }
      while let next = usable.feed(key)?.earlier?.first, fault(of: next.name, feed) != nil {
        usable.dropEarlier(next.name, key: key)
      }
      if let target = usable.rollBack(key: key) {
        manifest = usable
        return target
      }
      if let next = feed.earlier?.first { try check(next.name, feed, "freshet feeds list") }
    }
    throw FeedError(.unreadable, "\(path): no earlier timetable of the feed \(key) is kept")
  }

  /// Stops following a source, and takes its feed out of service.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the feed; `nil` for the feed without one.
  ///   - keepServing: Whether its timetable serves on.
  /// - Throws: ``FeedError`` if there is neither a source nor a feed.
  package func removeSource(prefix: String?, keepServing: Bool) throws(FeedError) {
    let key = prefix ?? FeedManifest.defaultKey
    // First the lock, so that what fails has changed nothing.
    let lock =
      keepServing ? nil : try lockForImport(patience: StaticFeedLimits.commandWaitSeconds)
    defer { withExtendedLifetime(lock) {} }
    let hadSource = try removeFollowed(prefix: prefix)
    let hadFeed = keepServing ? false : try takeOut(key: key)
    guard hadSource || hadFeed else {
      throw FeedError(.unreadable, "\(path): the feed \(key) has no source")
    }
  }

  /// Stops following a source; its timetable serves on.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``FeedError`` if the list cannot be written.
  package func removeFollowed(prefix: String?) throws(FeedError) -> Bool {
    let hadSource = try StaticSourceList.change(of: self) { list throws(FeedError) in
      list.remove(prefix: prefix)
    }
    if hadSource { removeSchedule(of: prefix ?? FeedManifest.defaultKey) }
    return hadSource
  }

  /// Why a generation of a feed cannot be opened; `nil` if it can.
  private func fault(of generation: String, _ feed: FeedManifest.Feed) -> FeedError? {
    var entry = feed
    entry.generation = generation
    do throws(FeedError) {
      _ = try Feed(entry, in: self)
      return nil
    } catch {
      return error
    }
  }

  private func check(
    _ generation: String,
    _ feed: FeedManifest.Feed,
    _ command: String
  ) throws(FeedError) {
    guard let fault = fault(of: generation, feed) else { return }
    throw FeedError(
      .damagedTimetable,
      "\(generation) cannot be opened, so nothing is changed; see \(command): \(fault.message)"
    )
  }

  private func changeManifest<Result>(
    patience: Double = 0,
    mayBeShared: Bool = false,
    _ change: (inout FeedManifest) throws(FeedError) -> Result
  ) throws(FeedError) -> Result {
    let lock = try lockForImport(patience: patience, mayBeShared: mayBeShared)
    defer { withExtendedLifetime(lock) {} }
    var manifest = try manifest()
    let before = manifest
    let result = try change(&manifest)
    if manifest != before { try replace(manifest: manifest) }
    removeUnused(keeping: manifest)
    return result
  }
}
