import Foundation
package import GTFS
import HTTPTypes
package import Logging
import Serving
import Synchronization

/// The feeds that serve now; a new import takes their place without a request noticing.
package final class FeedStore: Sendable {
  /// How often the manifest is looked at.
  package static let lookEvery = Duration.milliseconds(500)

  private let folder: DataFolder
  private let logger: Logger
  private let state: Mutex<State>

  private struct State {
    var manifest = FeedManifest()
    var feeds: [Feed] = []
    var failure: String?
  }

  /// Opens the feeds of a data folder.
  ///
  /// - Throws: ``FeedError`` if the manifest or a feed it names cannot be read.
  package init(folder: DataFolder, logger: Logger) throws(FeedError) {
    self.folder = folder
    self.logger = logger
    let manifest = try folder.manifest()
    var feeds: [Feed] = []
    for entry in manifest.feeds { feeds.append(try Feed(entry, in: folder)) }
    state = Mutex(State(manifest: manifest, feeds: feeds))
  }

  /// The feeds, in the order of their first import.
  ///
  /// A request keeps the ones it began with.
  package var feeds: [Feed] { state.withLock { $0.feeds } }

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

  /// Why the newest import does not serve; `nil` if it does.
  package var failure: String? { state.withLock { $0.failure } }

  /// Looks at the manifest and takes over what is new.
  ///
  /// A generation that cannot be opened is reported and the one before keeps serving.
  package func reload() {
    let current = state.withLock { ($0.manifest, $0.feeds) }
    do throws(FeedError) {
      let manifest = try folder.manifest()
      guard manifest != current.0 else { return }
      var feeds: [Feed] = []
      for entry in manifest.feeds {
        if let same = current.1.first(where: { $0.entry == entry }) {
          feeds.append(same)
        } else {
          feeds.append(try Feed(entry, in: folder))
          logger.info(
            "feed taken over",
            metadata: ["feed": "\(entry.key)", "generation": "\(entry.generation)"]
          )
        }
      }
      let opened = feeds
      state.withLock { $0 = State(manifest: manifest, feeds: opened) }
    } catch {
      let isNew = state.withLock { state in
        let isNew = state.failure != error.message
        state.failure = error.message
        return isNew
      }
      if isNew { logger.error("the new feed does not serve: \(error.message)") }
    }
  }

  /// Looks at the manifest until the task is cancelled.
  package func watch() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.lookEvery)
      await Self.offload { self.reload() }
    }
  }

  /// Opening a feed reads its whole file; that is no work for the threads that answer requests.
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
