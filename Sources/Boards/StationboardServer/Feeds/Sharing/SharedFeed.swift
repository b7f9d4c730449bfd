import Foundation
import GTFS

/// The newest change of a feed, as the database has it.
struct SharedFeed: Hashable, Sendable {
  /// The name of the feed.
  var key: String
  /// The id of the change, which no other change has in any database; `nil` if the database does not have the feed.
  var change: Int64?
  /// The position of the change among all changes of this database; 0 if it does not have the feed.
  var sequence: Int64
  /// The position of its first change, by which feeds are in order.
  var added: Int64
  /// Its entry of the manifest; `nil` if it was taken out of service.
  var entry: FeedManifest.Feed?
  /// The name of the server or the command that made it.
  var changedBy: String

  /// A feed that the database does not have.
  init(unknown key: String) {
    (self.key, change, sequence, added, entry, changedBy) = (key, nil, 0, 0, nil, "")
  }

  /// Reads a row.
  ///
  /// - Throws: `TimetableArtifact.Fault` if another version of the program wrote it.
  init(
    key: String,
    change: Int64,
    sequence: Int64,
    added: Int64,
    entry: String?,
    changedBy: String
  ) throws(TimetableArtifact.Fault) {
    self.key = key
    self.change = change
    self.sequence = sequence
    self.added = added
    self.changedBy = changedBy
    guard let entry else { return }
    guard let read = try? JSONDecoder().decode(FeedManifest.Feed.self, from: Data(entry.utf8))
    else {
      throw .unreadable(
        "the entry of the feed \(key) cannot be read: install the newer version of freshet"
      )
    }
    // Names become folders.
    guard read.key == key, key == read.prefix ?? FeedManifest.defaultKey,
      FeedManifest.isPrefix(key), read.keptGenerations.allSatisfy(Self.isGenerationName)
    else { throw .damaged("the entry of the feed \(key) is damaged") }
    self.entry = read
  }

  /// Whether a text can be the name of a generation's folder.
  private static func isGenerationName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text != "." && text != ".."
      && !text.hasSuffix(".partial")
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
      }
  }

  /// The entry at an instant: a generation whose first day has come serves.
  func entry(at now: Double) -> FeedManifest.Feed? {
    guard let entry else { return nil }
    var manifest = FeedManifest()
    manifest.feeds = [entry]
    _ = manifest.promote(now: now)
    return manifest.feeds.first
  }
}

extension FeedManifest.Feed {
  /// The names of the kept generations in the order in which a server needs them.
  var generationsByNeed: [String] {
    let names =
      [generation] + [waiting?.name, held?.generation.name].compactMap(\.self)
      + (earlier ?? []).map(\.name)
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// The entry with the generations that are in a set; `nil` if the serving one is not.
  func limited(to present: Set<String>) -> FeedManifest.Feed? {
    guard present.contains(generation) else { return nil }
    var feed = self
    let earlier = (earlier ?? []).filter { present.contains($0.name) }
    feed.earlier = earlier.isEmpty ? nil : earlier
    if let held, !present.contains(held.generation.name) { feed.held = nil }
    if let waiting, !present.contains(waiting.name) { feed.waiting = nil }
    return feed
  }
}
