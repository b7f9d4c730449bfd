package import ConditionalHTTP
import Foundation
package import GTFS
package import Serving
package import Timetable

/// One check of a source: ask, download, import, judge, and let serve what may.
///
/// The manifest is replaced once, at the end. A process that is killed before has changed nothing that
/// serves; one that is killed after asks again later and recognizes the file.
package struct StaticCheck: Sendable {
  /// The outcome of a check.
  package struct Report: Sendable {
    /// The result.
    package var outcome: StaticSchedule.Outcome
    /// Why the content is not used, or the reason for its absence; `nil` if nothing is wrong.
    package var reason: String?
    /// The new generation; `nil` without one.
    package var generation: String?
    /// What passengers lose by it; `nil` if nothing was compared.
    package var changes: ServiceChanges?
    /// How long the comparison took, in seconds of wall time; `nil` if nothing was compared.
    package var comparisonSeconds: Double?
    /// The report of the import; `nil` without one.
    package var imported: ImportReport?
  }

  /// Where the feeds lie.
  package var folder: DataFolder
  /// The source.
  package var source: StaticSource
  /// Sends the request.
  package var exchange: any HTTPStreaming
  /// The service clock.
  package var clock: ServiceClock
  /// A generation that is known to be damaged: if it is the serving one, the same file is worth having again.
  package var brokenGeneration: String?
  /// The database that shares the timetables of the folder; `nil` for none.
  var sharing: TimetableSharing?

  /// Creates a check.
  package init(
    folder: DataFolder,
    source: StaticSource,
    exchange: any HTTPStreaming,
    clock: ServiceClock,
    sharing: TimetableSharing? = nil
  ) {
    self.sharing = sharing
    self.folder = folder
    self.source = source
    self.exchange = exchange
    self.clock = clock
  }

  /// Asks the source, if it is due.
  ///
  /// - Parameters:
  ///   - isForced: Whether to ask even if it is not due.
  ///   - random: Two numbers of 0 to 1, for the next waits.
  ///   - progress: Called during a download and an import.
  /// - Returns: The outcome; `nil` if the source is not due, or if the task was cancelled. An import that has
  ///   begun by then continues, and the schedule says that the check was interrupted.
  /// - Throws: ``FeedError`` with code `busy` if another process asks it, `cannotWrite` if the data folder
  ///   cannot be written.
  package func run(
    isForced: Bool,
    random: (Double, Double),
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) -> Report? {
    let key = source.key
    guard let lock = try folder.lockSource(key) else {
      throw FeedError(.busy, "\(folder.path): the source of the feed \(key) is being asked already")
    }
    defer { withExtendedLifetime(lock) {} }
    guard let sharing else { return try await run(nil, isForced, random, progress) }
    // The owner of the feed's lease asks its source for all servers (rule ST7).
    let change = try await sharing.change(key)
    do throws(FeedError) {
      try await sharing.bring(change.base, progress: progress)
      let report = try await run((sharing, change), isForced, random, progress)
      await change.release()
      return report
    } catch {
      await change.release()
      throw error
    }
  }

  /// The right to change the feed for all servers.
  private typealias Shared = (sharing: TimetableSharing, change: FeedChange)

  private func run(
    _ shared: Shared?,
    _ isForced: Bool,
    _ random: (Double, Double),
    _ progress: @escaping @Sendable (ImportProgress) -> Void
  ) async throws(FeedError) -> Report? {
    let key = source.key
    var schedule = shared?.change.sharedSchedule ?? folder.schedule(of: key)
    schedule.follow(fingerprint: source.fingerprint, now: clock.now)
    // What served has been removed by hand or is damaged, or the folder is another one.
    let start = try manifest(shared)
    let entry = start.feed(key)
    let isBroken =
      entry.map { $0.generation == brokenGeneration || !canOpen($0.generation) } ?? true
    if isBroken || lacksKept(entry) { schedule.forget() }
    guard isForced || schedule.isDue(now: clock.now, interval: source.interval) else {
      // Another server has asked it.
      if shared != nil { try folder.write(schedule, of: key) }
      return nil
    }
    schedule.start(now: clock.now, interval: source.interval, random: random.0)
    try await write(schedule, shared)
    // A process that was stopped until now may have lost the lease, and another server asks.
    if let (sharing, change) = shared, !change.isHeld { throw sharing.lost(change) }
    let path = folder.downloadPath(of: key)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var download = StaticDownload(exchange: exchange, path: path)
    download.progress = progress
    progress(ImportProgress(step: "download", done: 0, total: 0))
    let result = await download.run(
      schedule.conditional(source.request),
      isConditional: schedule.isConditional,
      now: clock.now
    )
    guard !Task.isCancelled else { return nil }
    let before = schedule
    var importLock: FileLock?
    if case .content = result { importLock = try await waitForImport() }
    let current = try manifest(shared)
    guard
      var handled = await Self.offload({ [importLock] in
        defer { withExtendedLifetime(importLock) {} }
        return handle(
          result,
          schedule: before,
          current: current,
          isBroken: isBroken,
          progress: progress
        )
      })
    else { return nil }
    if let next = handled.next {
      do throws(FeedError) {
        try await put(next, shared, progress)
      } catch {
        // A change that may be stored names the generation.
        if let generation = handled.report.generation, error.code != .unknownOutcome {
          let path = folder.folder(of: key, generation: generation)
          try? FileManager.default.removeItem(atPath: path)
        }
        guard !Task.isCancelled else { return nil }
        handled.report = Report(outcome: .failed, reason: error.message)
        handled.ending = .failed(error.message, retryAfter: nil)
      }
    }
    importLock = nil
    schedule.finish(handled.ending, now: clock.now, interval: source.interval, random: random.1)
    try await write(schedule, shared)
    var shown = handled.report
    shown.reason = handled.report.reason ?? schedule.error
    return shown
  }

  /// The manifest, in which the feed is as the database has it.
  private func manifest(_ shared: Shared?) throws(FeedError) -> FeedManifest {
    guard let (sharing, change) = shared else { return try folder.manifest() }
    return try sharing.manifest(change)
  }

  /// Lets a manifest take the place of the one that serves; the caller holds the import lock.
  private func put(
    _ next: FeedManifest,
    _ shared: Shared?,
    _ progress: (ImportProgress) -> Void
  ) async throws(FeedError) {
    guard let (sharing, change) = shared else {
      try folder.replace(manifest: next)
      folder.removeUnused(keeping: next)
      return
    }
    // Once it is stored it is done: the server puts it in place here, if that fails now.
    _ = await sharing.install(
      try await sharing.commit(next.feed(source.key), change, progress: progress)
    )
  }

  /// Keeps the schedule, for all servers if they share the feed.
  private func write(_ schedule: StaticSchedule, _ shared: Shared?) async throws(FeedError) {
    if let (sharing, change) = shared { try await sharing.write(schedule, change) }
    try folder.write(schedule, of: source.key)
  }

  /// Takes the import lock, when other imports of the data folder have ended.
  ///
  /// The sources of a server are often due together, and what was downloaded must not be thrown away for that.
  private func waitForImport() async throws(FeedError) -> FileLock {
    let end = ContinuousClock.now + .seconds(StaticFeedLimits.importWaitSeconds)
    while true {
      do throws(FeedError) {
        return try folder.lockForImport(mayBeShared: sharing != nil)
      } catch {
        guard error.code == .busy, ContinuousClock.now < end, !Task.isCancelled else { throw error }
      }
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Whether the files of a generation are there and begin as they should.
  private func canOpen(_ generation: String) -> Bool {
    (try? timetable(generation)) != nil
  }

  /// Whether a generation that is held back or waiting cannot be opened.
  private func lacksKept(_ entry: FeedManifest.Feed?) -> Bool {
    guard let entry else { return false }
    return [entry.held?.generation, entry.waiting].compactMap(\.self)
      .contains { !canOpen($0.name) }
  }

  /// The outcome of a response, and the manifest that is to serve; `nil` if nothing changes.
  private struct Handled: Sendable {
    var report: Report
    var ending: StaticSchedule.Ending
    var next: FeedManifest?
  }

  private func handle(
    _ result: StaticDownload.Result,
    schedule: StaticSchedule,
    current: FeedManifest,
    isBroken: Bool,
    progress: @escaping (ImportProgress) -> Void
  ) -> Handled {
    switch result {
    case .failed(let reason, let retryAfter):
      return Handled(
        report: Report(outcome: .failed, reason: reason),
        ending: .failed(reason, retryAfter: retryAfter)
      )
    case .notModified(let response):
      return Handled(report: Report(outcome: .unchanged), ending: .notModified(response))
    case .content(var content):
      content.digest += source.reading
      do throws(FeedError) {
        let (report, next) = try importContent(
          content,
          handled: schedule.digest,
          current: current,
          isBroken: isBroken,
          progress: progress
        )
        return Handled(
          report: report,
          ending: .content(
            content.response,
            digest: content.digest,
            report.outcome,
            reason: report.reason
          ),
          next: next
        )
      } catch {
        // Files of the data folder do not belong in a report that the server publishes.
        let reason = error.message.replacing(
          folder.downloadPath(of: source.key),
          with: source.title
        )
        guard isOfContent(error, content) else {
          return Handled(
            report: Report(outcome: .failed, reason: reason),
            ending: .failed(reason, retryAfter: nil)
          )
        }
        return Handled(
          report: Report(outcome: .refused, reason: reason),
          ending: .content(content.response, digest: content.digest, .refused, reason: reason)
        )
      }
    }
  }

  /// Whether the same file would fail again, so that it need not be asked for again.
  private func isOfContent(_ error: FeedError, _ content: StaticDownload.Content) -> Bool {
    switch error.code {
    case .cannotWrite, .busy, .unreadable, .damagedTimetable, .unavailable, .conflict,
      .unknownOutcome, .notInPlace:
      false
    // Perhaps the rest of the file did not arrive.
    case .brokenArchive: content.isDelimited
    default: true
    }
  }

  /// Imports a file and judges it; the caller holds the import lock.
  ///
  /// - Returns: The outcome, and the manifest that is to serve; `nil` if nothing changes.
  private func importContent(
    _ content: StaticDownload.Content,
    handled: String?,
    current: FeedManifest,
    isBroken: Bool,
    progress: @escaping (ImportProgress) -> Void
  ) throws(FeedError) -> (Report, next: FeedManifest?) {
    let key = source.key
    var manifest = current
    folder.removeUnused(keeping: try folder.manifest())
    let entry = manifest.feed(key)
    if let entry, !isBroken, entry.origin?.digest == content.digest {
      manifest.dropHeld(key: key)
      return (Report(outcome: .unchanged), manifest == current ? nil : manifest)
    }
    let known = [entry?.held?.generation, entry?.waiting].compactMap(\.self)
      .filter { canOpen($0.name) }.compactMap { $0.origin?.digest }
    if handled == content.digest || known.contains(content.digest) {
      return (Report(outcome: .unchanged), nil)
    }
    let importer = FeedImporter(
      folder: folder,
      limit: source.limit,
      encoding: source.encoding
    )
    let now = clock.now
    let (name, imported) = try importer.build(
      source: folder.downloadPath(of: key),
      prefix: source.prefix,
      aliases: nil,
      now: now,
      progress: progress
    )
    do throws(FeedError) {
      let compared = isBroken ? nil : entry
      var judgement = try judge(name, content, compared, now: now)
      judgement.generation.origin = FeedManifest.Origin(
        digest: content.digest,
        modifiedAt: content.modifiedAt
      )
      let report = apply(judgement, imported, to: &manifest)
      return (report, manifest)
    } catch {
      try? FileManager.default.removeItem(atPath: folder.folder(of: key, generation: name))
      throw error
    }
  }

  /// The kind of a new generation, and what may be done with it.
  private struct Judgement {
    var verdict: GenerationVerdict
    var generation: FeedManifest.Generation
    var changes: ServiceChanges?
    var seconds: Double?
  }

  /// Compares a new generation with the serving one.
  private func judge(
    _ name: String,
    _ content: StaticDownload.Content,
    _ entry: FeedManifest.Feed?,
    now: Double
  ) throws(FeedError) -> Judgement {
    let key = source.key
    let start = ContinuousClock.now
    let next = try timetable(name)
    let today = ServiceDay(zone: next.zone).date(at: Int64(now))
    // One that serves and is damaged or gone cannot be compared with; anything is better.
    let serving = entry.flatMap { try? timetable($0.generation) }
    let changes = serving.map {
      ServiceChanges(from: $0, to: next, on: max(today, next.firstDay))
    }
    if let changes {
      try folder.replace(
        folder.folder(of: key, generation: name) + "/" + Self.changesName,
        with: changes
      )
    }
    let seconds = changes.map { _ in (ContinuousClock.now - start) / .seconds(1) }
    let startsAt = Self.startsAt(next, after: serving)
    let verdict = GenerationVerdict(
      GenerationVerdict.Facts(
        today: today.daysSinceEpoch,
        days: next.firstDay.daysSinceEpoch...max(next.firstDay, next.lastDay).daysSinceEpoch,
        startsLater: now < startsAt,
        servingLastDay: serving?.lastDay.daysSinceEpoch,
        isOlder: isOlder(content, entry),
        changes: changes,
        maxLostShare: source.maxLostShare
      )
    )
    let generation = FeedManifest.Generation(
      name: name,
      origin: nil,
      startsAt: startsAt,
      lastDay: next.lastDay.daysSinceEpoch
    )
    return Judgement(
      verdict: verdict,
      generation: generation,
      changes: changes,
      seconds: seconds
    )
  }

  /// When a generation starts: on its first day, once the trips of the evening before have ended, which only the one that
  /// serves has.
  private static func startsAt(_ next: Timetable, after serving: Timetable?) -> Double {
    let midnight = Double(next.starts(of: next.firstDay).lowerBound)
    guard let serving,
      serving.lastDay.daysSinceEpoch >= next.firstDay.daysSinceEpoch - 1
    else { return midnight }
    let night = serving.metadata.latestTime - 86_400
    return midnight + Double(min(max(night, 0), StaticFeedLimits.longestNight))
  }

  private func timetable(_ generation: String) throws(FeedError) -> Timetable {
    let path = folder.folder(of: source.key, generation: generation)
    return try Timetable(path: path + "/" + Feed.timetableName, checkingContents: false)
  }

  /// Whether a file is older than the serving one: by the dates of both, else because it served before.
  private func isOlder(_ content: StaticDownload.Content, _ entry: FeedManifest.Feed?) -> Bool {
    if let modified = content.modifiedAt, let serving = entry?.origin?.modifiedAt,
      StaticSchedule.isPlausible(serving, now: clock.now)
    {
      return modified < serving
    }
    return entry?.earlier?.contains { $0.origin?.digest == content.digest } ?? false
  }

  private func apply(
    _ judgement: Judgement,
    _ imported: ImportReport,
    to manifest: inout FeedManifest
  ) -> Report {
    let key = source.key
    let (generation, changes) = (judgement.generation, judgement.changes)
    var report = Report(
      outcome: .serves,
      reason: nil,
      generation: generation.name,
      changes: changes,
      comparisonSeconds: judgement.seconds,
      imported: imported
    )
    switch judgement.verdict {
    case .serves:
      manifest.serve(generation, key: key, prefix: source.prefix)
      if let end = generation.lastDay { manifest.dropWaiting(endingBy: end, key: key) }
    case .waits:
      manifest.wait(generation, key: key)
      report.outcome = .waits
    case .held(let reason):
      manifest.hold(generation, reason, key: key)
      report.outcome = .held
      report.reason = reason.sentence(changes, maxLostShare: source.maxLostShare)
    }
    return report
  }

  /// The name of the file of a generation that says what passengers lose by it.
  static let changesName = "changes.json"
}
