import FeedSimulation
import StationboardServer
import Synchronization
import Timetable

/// The world of the published feed; a new import creates a new one, with the same seed.
final class FeedStage: Sendable {
  private let store: FeedStore
  private let key: String
  private let options: FeedWorld.Options
  /// The feed, which protects its generation from removal while its world is in use.
  private let current: Mutex<(feed: Feed, world: FeedWorld)>

  /// Creates the world of a feed; returns `nil` if the store does not have the feed.
  init?(store: FeedStore, key: String, options: FeedWorld.Options) {
    guard let feed = store.feeds.first(where: { $0.entry.key == key }) else { return nil }
    self.store = store
    self.key = key
    self.options = options
    current = Mutex((feed, Self.world(of: feed, options)))
  }

  /// The world.
  var world: FeedWorld { current.withLock { $0.world } }

  /// Returns the world of a feed, with alerts about its own agencies.
  private static func world(of feed: Feed, _ options: FeedWorld.Options) -> FeedWorld {
    var options = options
    options.agencyIDs = feed.timetable.agencyIds
    return FeedWorld(feed.timetable, options: options)
  }

  /// Switches to new imports until the task is canceled.
  func watch() async {
    await withTaskGroup { group in
      group.addTask { await self.store.watch() }
      group.addTask {
        while (try? await Task.sleep(for: FeedStore.checkEvery)) != nil { await self.refresh() }
      }
    }
  }

  @concurrent
  private func refresh() async {
    guard let feed = store.feeds.first(where: { $0.entry.key == key }),
      current.withLock({ $0.feed !== feed })
    else { return }
    let world = Self.world(of: feed, options)
    current.withLock { $0 = (feed, world) }
  }
}
