package import ConditionalHTTP
import Foundation
package import GTFS
package import Serving
import Synchronization
package import Timetable

/// One check of a source: ask, download, import, judge, and let serve what may.
///
/// The manifest is replaced once, at the end. A process that is killed before has changed nothing that
/// serves; one that is killed after asks again later and recognizes the file.
package struct StaticCheck: Sendable {
  /// What became of a check.
  package struct Report: Sendable {
    /// The result.
    package var outcome: StaticSchedule.Outcome
    /// Why the content is not used, or why there is none; `nil` if nothing is wrong.
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

  /// Creates a check.
  package init(
    folder: DataFolder,
    source: StaticSource,
    exchange: any HTTPStreaming,
    clock: ServiceClock
  ) {
    self.folder = folder
    self.source = source
    self.exchange = exchange
    self.clock = clock
  }

  /// Asks the source, if it is due.
  ///
  /// - Parameters:
  ///   - isForced: Whether to ask even if it is not due.
  ///   - chance: Two numbers of 0 to 1, for the next waits.
  ///   - progress: Called during an import.
  /// - Returns: What became of it; `nil` if the source is not due, or if the task was cancelled. An import that has
  ///   begun by then goes on, and the schedule says that the check was interrupted.
  /// - Throws: ``FeedError`` with code `busy` if another process asks it, `cannotWrite` if the data folder
  ///   cannot be written.
  package func run(
    isForced: Bool,
    chance: (Double, Double),
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) -> Report? {
    let key = source.key
    guard let lock = try folder.lockSource(key) else {
      throw FeedError(.busy, "\(folder.path): the source of the feed \(key) is being asked already")
    }
    defer { withExtendedLifetime(lock) {} }
    var schedule = folder.schedule(of: key)
    schedule.follow(fingerprint: source.fingerprint, now: clock.now)
    // What served has been removed by hand or is damaged, or the folder is another one.
    let entry = try folder.manifest().feed(key)
    let isBroken =
      entry.map { $0.generation == brokenGeneration || !canOpen($0.generation) } ?? true
    if isBroken || lacksKept(entry) { schedule.forget() }
    guard isForced || schedule.isDue(now: clock.now, interval: source.interval) else { return nil }
    schedule.start(now: clock.now, interval: source.interval, chance: chance.0)
    try folder.write(schedule, of: key)
    let path = folder.downloadPath(of: key)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let download = StaticDownload(exchange: exchange, path: path)
    let result = await download.run(
      schedule.conditional(source.request),
      isConditional: schedule.isConditional,
      now: clock.now
    )
    guard !Task.isCancelled else { return nil }
    let before = schedule
    var importLock: FileLock?
    if case .content = result { importLock = try await waitForImport() }
    guard
      let (report, ending) = await Self.offload({ [importLock] in
        defer { withExtendedLifetime(importLock) {} }
        return handle(result, schedule: before, isBroken: isBroken, progress: progress)
      })
    else { return nil }
    importLock = nil
    schedule.finish(ending, now: clock.now, interval: source.interval, chance: chance.1)
    try folder.write(schedule, of: key)
    var shown = report
    shown.reason = report.reason ?? schedule.error
    return shown
  }

  /// Takes the import lock, when other imports of the data folder have ended.
  ///
  /// The sources of a server are often due together, and what was downloaded must not be thrown away for that.
  private func waitForImport() async throws(FeedError) -> FileLock {
    let end = ContinuousClock.now + .seconds(StaticFeedLimits.importWaitSeconds)
    while true {
      do throws(FeedError) {
        return try folder.lockForImport()
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

  private typealias Handled = (report: Report, ending: StaticSchedule.Ending)

  private func handle(
    _ result: StaticDownload.Result,
    schedule: StaticSchedule,
    isBroken: Bool,
    progress: @escaping (ImportProgress) -> Void
  ) -> Handled {
    switch result {
    case .failed(let reason, let retryAfter):
      return (Report(outcome: .failed, reason: reason), .failed(reason, retryAfter: retryAfter))
    case .notModified(let response):
      return (Report(outcome: .unchanged), .notModified(response))
    case .content(var content):
      content.digest += source.reading
      do throws(FeedError) {
        let report = try take(
          content,
          handled: schedule.digest,
          isBroken: isBroken,
          progress: progress
        )
        return (
          report,
          .content(content.response, digest: content.digest, report.outcome, reason: report.reason)
        )
      } catch {
        // Files of the data folder are nobody's business in a report that the server publishes.
        let reason = error.message.replacing(
          folder.downloadPath(of: source.key),
          with: source.title
        )
        guard isOfContent(error, content) else {
          return (Report(outcome: .failed, reason: reason), .failed(reason, retryAfter: nil))
        }
        return (
          Report(outcome: .refused, reason: reason),
          .content(content.response, digest: content.digest, .refused, reason: reason)
        )
      }
    }
  }

  /// Whether the same file would fail again, so that it need not be asked for again.
  private func isOfContent(_ error: FeedError, _ content: StaticDownload.Content) -> Bool {
    switch error.code {
    case .cannotWrite, .busy, .unreadable, .damagedTimetable: false
    // Perhaps the rest of the file did not arrive.
    case .brokenArchive: content.isDelimited
    default: true
    }
  }

  /// Imports a file, judges it, and changes the manifest; the caller holds the import lock.
  private func take(
    _ content: StaticDownload.Content,
    handled: String?,
    isBroken: Bool,
    progress: @escaping (ImportProgress) -> Void
  ) throws(FeedError) -> Report {
    let key = source.key
    var manifest = try folder.manifest()
    folder.removeUnused(keeping: manifest)
    let entry = manifest.feed(key)
    if let entry, !isBroken, entry.origin?.digest == content.digest {
      if entry.held != nil {
        manifest.dropHeld(key: key)
        try folder.replace(manifest: manifest)
        folder.removeUnused(keeping: manifest)
      }
      return Report(outcome: .unchanged)
    }
    let known = [entry?.held?.generation, entry?.waiting].compactMap(\.self)
      .filter { canOpen($0.name) }.compactMap { $0.origin?.digest }
    if handled == content.digest || known.contains(content.digest) {
      return Report(outcome: .unchanged)
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
      let report = try apply(judgement, imported, to: &manifest)
      try folder.replace(manifest: manifest)
      folder.removeUnused(keeping: manifest)
      return report
    } catch {
      try? FileManager.default.removeItem(atPath: folder.folder(of: key, generation: name))
      throw error
    }
  }

  /// What a new generation is, and what may become of it.
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
    let verdict = GenerationVerdict(
      GenerationVerdict.Facts(
        today: today.daysSinceEpoch,
        days: next.firstDay.daysSinceEpoch...max(next.firstDay, next.lastDay).daysSinceEpoch,
        servingLastDay: serving?.lastDay.daysSinceEpoch,
        isOlder: isOlder(content, entry),
        changes: changes,
        maxLostShare: source.maxLostShare
      )
    )
    let generation = FeedManifest.Generation(
      name: name,
      origin: nil,
      startsAt: Double(next.starts(of: next.firstDay).lowerBound),
      lastDay: next.lastDay.daysSinceEpoch
    )
    return Judgement(
      verdict: verdict,
      generation: generation,
      changes: changes,
      seconds: seconds
    )
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
  ) throws(FeedError) -> Report {
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

  /// Does work that takes long without occupying the threads that handle requests.
  ///
  /// - Returns: The result; `nil` as soon as the task is cancelled, so that a server that ends does not wait for an
  ///   import. The end of the process then ends the work, which is no worse than a kill.
  @concurrent
  private static func offload<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result
  ) async -> Result? {
    let answer = FirstAnswer<Result?>()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answer.wait(continuation)
        DispatchQueue.global(qos: .utility).async { answer.give(work()) }
      }
    } onCancel: {
      answer.give(nil)
    }
  }
}

/// Resumes a continuation with the first of several answers, which may come before it.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Value, Never>)
    case answered(Value)
    case over
  }

  private let state = Mutex(State.open)

  func wait(_ continuation: CheckedContinuation<Value, Never>) {
    let early = state.withLock { state -> Value? in
      if case .answered(let value) = state {
        state = .over
        return .some(value)
      }
      state = .waiting(continuation)
      return nil
    }
    if let early { continuation.resume(returning: early) }
  }

  func give(_ value: Value) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
      switch state {
      case .open:
        state = .answered(value)
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      case .answered, .over: return nil
      }
    }
    waiting?.resume(returning: value)
  }
}

extension DataFolder {
  /// What passengers lose by a generation, if it was compared with another one.
  package func changes(of key: String, generation: String) -> ServiceChanges? {
    let path = folder(of: key, generation: generation) + "/" + StaticCheck.changesName
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return try? JSONDecoder().decode(ServiceChanges.self, from: data)
  }
}

extension FeedManifest.HoldReason {
  /// Why a generation is held back, in a sentence.
  package func sentence(_ changes: ServiceChanges?, maxLostShare: Double?) -> String {
    switch self {
    case .losses:
      let share = changes.map { ServiceChanges.percent($0.lostShare) } ?? "too many"
      let limit = maxLostShare.map { " (allowed: \(ServiceChanges.percent($0)))" } ?? ""
      let first = changes?.lines.first.map { "; \($0.sentence)" } ?? ""
      return "held back: \(share) of the departures would be lost\(limit)\(first)"
    case .expired: return "held back: its last day is over"
    case .older: return "held back: the file is older than the one that serves"
    case .rolledBack: return "held back: it was rolled back"
    }
  }
}
