import Foundation
package import GTFS
import Storage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// What a data folder has of a database of timetables: `shared.json`.
struct SharedRecord: Codable, Hashable, Sendable {
  /// A feed.
  struct Known: Codable, Hashable, Sendable {
    /// The id of the change that is in place; `nil` if an older version of the program wrote the record.
    var change: Int64?
    /// The position of the first change of the feed.
    var added: Int64
  }

  /// The database, without a password.
  var database: String
  /// The feeds by their keys.
  var feeds: [String: Known] = [:]
}

// A data folder whose timetables come from a database:
//
//     shared.json                      which change of each feed is in place
//     shared/KEY/GENERATION.partial/   a generation that is being fetched, or the remains of it
//     shared/KEY/GENERATION/           a generation that was fetched and checked, and does not serve yet
//     shared/KEY/GENERATION.lock       held (flock) while it is fetched
extension DataFolder {
  private var sharedRecordPath: String { path + "/shared.json" }

  /// Whether the timetables of the folder come from a database.
  package var isShared: Bool { FileManager.default.fileExists(atPath: sharedRecordPath) }

  /// What is in place; `nil` if no database shares the timetables of the folder.
  ///
  /// - Throws: ``FeedError`` if the file cannot be read.
  func sharedRecord() throws(FeedError) -> SharedRecord? {
    guard isShared else { return nil }
    do {
      let data = try RegularFile.bytes(of: sharedRecordPath)
      return try JSONDecoder().decode(SharedRecord.self, from: data)
    } catch {
      throw FeedError(
        error is UnreadableFile ? .unreadable : .damagedTimetable,
        "\(sharedRecordPath): cannot be read: \(ErrorText.of(error, showsPath: false))"
      )
    }
  }

  /// Creates the folder if it does not exist, for a server whose timetables are to come.
  ///
  /// - Throws: ``FeedError`` if it cannot be created.
  package func prepare() throws(FeedError) { try create(path) }

  /// The folder of what is fetched of a feed.
  private func fetchedFolder(of key: String) -> String { "\(path)/shared/\(key)" }

  /// The folder of a generation that was fetched.
  func fetchedFolder(of key: String, generation: String) -> String {
    fetchedFolder(of: key) + "/" + generation
  }

  /// The generations of a feed that are in the folder, whole.
  func presentGenerations(of key: String) -> Set<String> {
    let files = FileManager.default
    var present: Set<String> = []
    for folder in ["\(path)/feeds/\(key)", fetchedFolder(of: key)] {
      for name in (try? files.contentsOfDirectory(atPath: folder)) ?? []
      where !name.hasSuffix(".partial")
        && files.fileExists(atPath: "\(folder)/\(name)/\(Feed.timetableName)")
      {
        present.insert(name)
      }
    }
    return present
  }

  /// Takes the lock of a generation that is to be fetched; `nil` if another process fetches it.
  func lockForFetching(_ generation: String, of key: String) throws(FeedError) -> FileLock? {
    try create(fetchedFolder(of: key))
    return try FileLock(
      path: fetchedFolder(of: key, generation: generation) + ".lock",
      kind: .exclusive
    )
  }

  /// Lets the generations of a change serve that are in the folder; the caller holds the import lock.
  ///
  /// - Parameters:
  ///   - feed: The change.
  ///   - database: The database, without a password.
  ///   - now: Seconds since 1970-01-01T00:00:00Z.
  /// - Returns: The generation that is to serve and is not there; `nil` if all is done.
  /// - Throws: ``FeedError`` if the folder cannot be written.
  func install(
    _ feed: SharedFeed,
    of database: String,
    now: Double
  ) throws(FeedError) -> String? {
    let key = feed.key
    var record = try sharedRecord() ?? SharedRecord(database: database)
    record.database = database
    var manifest = try manifest()
    if let entry = feed.entry(at: now) {
      let present = presentGenerations(of: key)
      guard let usable = entry.limited(to: present) else { return entry.generation }
      for generation in usable.generationsByNeed { try moveFetched(generation, of: key) }
      if let place = manifest.feeds.firstIndex(where: { $0.key == key }) {
        manifest.feeds[place] = usable
      } else {
        manifest.feeds.append(usable)
      }
    } else {
      manifest.feeds.removeAll { $0.key == key }
    }
    record.feeds[key] = SharedRecord.Known(change: feed.change, added: feed.added)
    // All servers have the feeds in one order: those that only this one has come last.
    let order = record.feeds
    let places = Dictionary(
      manifest.feeds.enumerated().map { ($0.element.key, $0.offset) }
    ) { first, _ in first }
    manifest.feeds.sort { left, right in
      let added = [left, right].map { order[$0.key]?.added ?? Int64.max }
      return added[0] != added[1]
        ? added[0] < added[1] : places[left.key, default: 0] < places[right.key, default: 0]
    }
    if try manifest != self.manifest() || !hasManifest { try replace(manifest: manifest) }
    try replace(sharedRecordPath, with: record)
    removeUnused(keeping: manifest)
    removeFetched(of: key, keeping: feed.entry?.generationsByNeed ?? [])
    return nil
  }

  /// Moves a generation that was fetched to where generations are, in place of one that is damaged; the caller holds the import
  /// lock.
  func moveFetched(_ generation: String, of key: String) throws(FeedError) {
    let fetched = fetchedFolder(of: key, generation: generation)
    guard FileManager.default.fileExists(atPath: fetched) else { return }
    let target = folder(of: key, generation: generation)
    try create("\(path)/feeds/\(key)")
    // Servers that have mapped it keep their mapping.
    try? FileManager.default.removeItem(atPath: target)
    guard rename(fetched, target) == 0 else {
      throw FeedError(.cannotWrite, "\(fetched): \(SystemFailure.text(errno))")
    }
    try synchronize("\(path)/feeds/\(key)")
    try synchronize("\(path)/feeds")
  }

  /// Removes what was fetched of generations that no change names any more, and that are not being fetched.
  private func removeFetched(of key: String, keeping kept: [String]) {
    let files = FileManager.default
    let folder = fetchedFolder(of: key)
    for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
      var generation = name
      for suffix in [".partial", ".lock"] where name.hasSuffix(suffix) {
        generation = String(name.dropLast(suffix.count))
      }
      guard !kept.contains(generation) else { continue }
      guard (try? FileLock(path: "\(folder)/\(generation).lock", kind: .exclusive)) != nil else {
        continue
      }
      try? files.removeItem(atPath: "\(folder)/\(generation).partial")
      try? files.removeItem(atPath: "\(folder)/\(generation)")
      try? files.removeItem(atPath: "\(folder)/\(generation).lock")
    }
  }
}
