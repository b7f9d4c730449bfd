import Foundation
import FreshnessServer
package import GTFS
import HTTPTypes
package import Logging
import Serving
import Synchronization

/// The feeds that serve now; a new import takes their place without a request noticing.
package final class FeedStore: Sendable {
  /// How often the manifest is checked.
  package static let checkEvery = Duration.milliseconds(500)

  let folder: DataFolder
  private let logger: Logger
  private let state: Mutex<State>
  private let broadcaster = UpdateBroadcaster()
  private let changeCount = Atomic<UInt64>(0)

  private struct State {
    var manifest = FeedManifest()
    var feeds: [Feed] = []
    var failure: String?
    /// The newest generation of each feed where it cannot be opened.
    var broken: [String: String] = [:]
    /// When a feed that could not be opened is tried again.
    var retryAt: ContinuousClock.Instant?
    /// How often files that could not be opened were replaced.
    var repairs = 0
  }

  /// How long after a failure a feed is tried again.
  package static let retryAfter = Duration.seconds(30)

  /// Opens the feeds of a data folder.
  ///
  /// A feed that cannot be opened is reported and left out, unless none is left.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - mayBeEmpty: Whether having none left is not a failure, because a source can bring one again.
  ///   - logger: Where failures are reported.
  /// - Throws: ``FeedError`` if the manifest, or every feed that it names, cannot be read.
  package init(
    folder: DataFolder,
    mayBeEmpty: Bool = false,
    logger: Logger
  ) throws(FeedError) {
    self.folder = folder
    self.logger = logger
    let manifest = try folder.manifest()
    let (opened, failures) = Self.open(manifest, in: folder, keeping: [])
    if !mayBeEmpty, opened.isEmpty, let failure = failures.first { throw failure.error }
    for failure in failures { Self.report(failure, to: logger) }
    state = Mutex(
      State(
        manifest: manifest,
        feeds: opened,
        failure: failures.first.map { Self.public($0) },
        broken: Self.broken(failures),
        retryAt: failures.isEmpty ? nil : .now + Self.retryAfter
      )
    )
  }

  /// A feed of the manifest that cannot be opened.
  private struct Failure {
    var key: String
    var generation: String
    var error: FeedError
  }

  /// Opens what a manifest names; of a feed that cannot be opened, the generation before stays.
  private static func open(
    _ manifest: FeedManifest,
    in folder: DataFolder,
    keeping current: [Feed]
  ) -> (feeds: [Feed], failures: [Failure]) {
    var feeds: [Feed] = []
    var failures: [Failure] = []
    for entry in manifest.feeds {
      if let same = current.first(where: { $0.entry.isSameGeneration(as: entry) }) {
        feeds.append(same)
        continue
      }
      do throws(FeedError) {
        feeds.append(try Feed(entry, in: folder))
      } catch {
        failures.append(Failure(key: entry.key, generation: entry.generation, error: error))
        if let before = current.first(where: { $0.entry.key == entry.key }) { feeds.append(before) }
      }
    }
    return (feeds, failures)
  }

  private static func broken(_ failures: [Failure]) -> [String: String] {
    failures.reduce(into: [:]) { $0[$1.key] = $1.generation }
  }

  /// The public description of a failure, without paths.
  private static func `public`(_ failure: Failure) -> String {
    "the newest import of the feed \(failure.key) cannot be opened (\(failure.error.code.rawValue))"
  }

  private static func report(_ failure: Failure, to logger: Logger) {
    logger.error("the feed \(failure.key) cannot be opened: \(failure.error.message)")
  }

  /// The feeds, in the order of their first import.
  ///
  /// A request keeps the ones it began with.
  package var feeds: [Feed] { state.withLock { $0.feeds } }

  /// The number of changes of the feeds so far; the feeds that are read after it are as new.
  var version: UInt64 { changeCount.load(ordering: .acquiring) }

  /// The feeds, of which there is at least one.
  ///
  /// - Throws: ``Problem`` 503 `no_timetable`.
  func serving() throws(Problem) -> [Feed] {
    let feeds = feeds
    guard feeds.isEmpty else { return feeds }
    throw Problem(
      .serviceUnavailable,
      "no_timetable",
      detail: "no timetable has been imported yet; run: freshet import FEED.zip",
      fields: [.retryAfter: "5"]
    )
  }

  /// The manifest as it was last read, with the generations that do not serve.
  package var manifest: FeedManifest { state.withLock { $0.manifest } }

  /// Why the newest import does not serve; `nil` if it does.
  package var failure: String? { state.withLock { $0.failure } }

  /// The newest generation of a feed if it cannot be opened.
  func broken(_ key: String) -> String? { state.withLock { $0.broken[key] } }

  /// Opens a feed at the next check that could not be opened: its files have been replaced.
  ///
  /// Until then it does not count as broken.
  func repaired(_ key: String) {
    state.withLock { state in
      guard state.broken.removeValue(forKey: key) != nil else { return }
      state.retryAt = .now
      state.repairs += 1
    }
  }

  /// Waits for imports that are taken over.
  ///
  /// - Returns: An element after each, or after several; ends when the task is cancelled.
  func changes() -> AsyncStream<Void> { broadcaster.changes() }

  /// Reads the manifest and applies what is new.
  ///
  /// A generation that cannot be opened is reported once, and the one before keeps serving.
  package func reload() {
    let (manifest, feeds, retryAt, repairs) = state.withLock {
      ($0.manifest, $0.feeds, $0.retryAt, $0.repairs)
    }
    do throws(FeedError) {
      let next = try folder.manifest(checksLinks: false)
      // Taking the last feed out of service writes a manifest without feeds; none at all is a fault.
      guard !next.feeds.isEmpty || feeds.isEmpty || folder.hasManifest else {
        throw FeedError(.unreadable, "\(folder.manifestPath): is gone")
      }
      let isRetry = retryAt.map { $0 <= .now } ?? false
      guard next != manifest || isRetry else {
        state.withLock { if $0.failure == Self.unreadable { $0.failure = nil } }
        return
      }
      let (opened, failures) = Self.open(next, in: folder, keeping: feeds)
      for failure in failures { Self.report(failure, to: logger) }
      for feed in opened where !feeds.contains(where: { $0 === feed }) {
        logger.info(
          "feed taken over",
          metadata: ["feed": "\(feed.entry.key)", "generation": "\(feed.entry.generation)"]
        )
      }
      state.withLock { state in
        // What was replaced while it was being opened is opened again.
        let isRepaired = state.repairs != repairs
        state = State(
          manifest: next,
          feeds: opened,
          failure: failures.first.map { Self.public($0) },
          broken: isRepaired ? [:] : Self.broken(failures),
          retryAt: failures.isEmpty ? nil : isRepaired ? .now : .now + Self.retryAfter,
          repairs: state.repairs
        )
        changeCount.add(1, ordering: .releasing)
      }
      broadcaster.send()
    } catch {
      let isNew = state.withLock { state in
        let isNew = state.failure != Self.unreadable
        state.failure = Self.unreadable
        return isNew
      }
      if isNew { logger.error("the manifest cannot be read: \(error.message)") }
    }
  }

  private static let unreadable = "the manifest of the data folder cannot be read"

  /// Polls the manifest until the task is cancelled.
  package func watch() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.checkEvery)
      await Self.offload { self.reload() }
    }
  }

  /// Opening a feed reads its whole file, which must not block the threads that handle requests.
  @concurrent
  private static func offload(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .utility).async {
        work()
        continuation.resume()
      }
    }
  }
}
