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

/// The folder that holds the imported feeds.
///
///     manifest.json                    which generation of each feed serves, and which are kept
///     feeds/KEY/GENERATION/            one import: timetable, stops.sqlite, report.json
///     feeds/KEY/GENERATION.partial/    an import under way, or one that was killed
///     import.lock                      held (flock) by the import that runs
///     sources.json                     the sources of feeds that were added (``StaticSourceList``)
///     sources.lock                     held (flock) while the list of sources is changed
///     static/KEY.json                  when and how the source of a feed was asked (``StaticSchedule``)
///     static/KEY.download              what arrives from it, or the remains of it
///     static/KEY.lock                  held (flock) while a source is asked
///     shared.json, shared/             if the timetables come from a database (``TimetableSharing``)
///
/// The manifest is the only thing that ever changes in place, and it changes by `rename`: a reader
/// sees the old feed or the new one, whatever moment the importer dies at. A generation that a
/// server has open is locked (flock, shared) and is not removed.
package struct DataFolder: Sendable {
  /// The folder's path.
  package let path: String

  /// Names a data folder; nothing is touched.
  package init(path: String) { self.path = path }

  /// The path of the manifest.
  package var manifestPath: String { path + "/manifest.json" }
  /// The aliases of stops that every import uses unless it is given a file of its own.
  package var aliasesPath: String { path + "/aliases.csv" }
  /// Whether there is a manifest.
  var hasManifest: Bool { FileManager.default.fileExists(atPath: manifestPath) }
  private var lockPath: String { path + "/import.lock" }

  /// The folder of a generation.
  package func folder(of feed: FeedManifest.Feed) -> String {
    folder(of: feed.key, generation: feed.generation)
  }

  /// The folder of any generation of a feed.
  package func folder(of key: String, generation: String) -> String {
    "\(path)/feeds/\(key)/\(generation)"
  }

  /// The manifest; an empty one if nothing was ever imported.
  ///
  /// - Parameter checksLinks: Whether to look for links of other users in all of the folder first, and not only in the place
  ///   of the manifest.
  /// - Returns: The manifest.
  /// - Throws: ``FeedError`` with code `unreadable` if it cannot be read, `damagedTimetable` if it is damaged or has a newer
  ///   layout, `cannotWrite` if another user has placed a link in the folder.
  package func manifest(checksLinks: Bool = true) throws(FeedError) -> FeedManifest {
    if checksLinks { try refuseForeignLinks() } else { try refuse(manifestPath) }
    guard access(manifestPath, F_OK) == 0 else {
      guard errno == ENOENT else {
        throw FeedError(.unreadable, "\(manifestPath): \(SystemFailure.text(errno))")
      }
      return FeedManifest()
    }
    return try manifest(from: manifestBytes())
  }

  /// The bytes of the manifest.
  func manifestBytes() throws(FeedError) -> Data {
    do throws(UnreadableFile) {
      return try RegularFile.bytes(of: manifestPath)
    } catch {
      throw FeedError(.unreadable, "\(manifestPath): cannot be read: \(error)")
    }
  }

  /// Reads a manifest.
  func manifest(from bytes: Data) throws(FeedError) -> FeedManifest {
    struct Layout: Decodable { var version: Int }
    let decoder = JSONDecoder()
    if let found = try? decoder.decode(Layout.self, from: bytes).version,
      found > FeedManifest.newestVersion
    {
      throw FeedError(
        .damagedTimetable,
        "\(manifestPath): has version \(found) of the layout; this program reads versions up to \(FeedManifest.newestVersion): use the newer program, or restore a backup"
      )
    }
    let manifest: FeedManifest
    do {
      manifest = try decoder.decode(FeedManifest.self, from: bytes)
    } catch {
      throw FeedError(
        .damagedTimetable,
        "\(manifestPath): is damaged: \(ErrorText.of(error)); restore it from a backup"
      )
    }
    let names = manifest.feeds.flatMap { [$0.key] + $0.keptGenerations }
    if let name = names.first(where: { $0.contains("/") || ["", ".", ".."].contains($0) }) {
      throw FeedError(
        .damagedTimetable,
        "\(manifestPath): is damaged: \"\(name)\" is not the name of a folder; restore it from a backup"
      )
    }
    return manifest
  }

  /// Replaces the manifest atomically and durably.
  func replace(manifest: FeedManifest) throws(FeedError) {
    try replace(manifestPath, with: manifest)
  }

  /// Replaces a file of JSON atomically and durably; only its owner may read a private one.
  func replace(
    _ file: String,
    with value: some Encodable,
    isPrivate: Bool = false
  ) throws(FeedError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let temporary = file + ".new"
    do {
      let data = try encoder.encode(value)
      // A file is private before it has contents.
      let handle = try Self.createFile(temporary, isPrivate: isPrivate)
      defer { try? handle.close() }
      try handle.write(contentsOf: data)
    } catch let error as FeedError {
      throw error
    } catch {
      let reason = ErrorText.of(error, showsPath: false)
      throw FeedError(.cannotWrite, "\(temporary): cannot be written: \(reason)")
    }
    try synchronize(temporary)
    guard rename(temporary, file) == 0 else {
      throw FeedError(.cannotWrite, "\(file): \(SystemFailure.text(errno))")
    }
    try synchronize(file.enclosingFolder)
  }

  /// Waits until a file or a folder's entries are on disk.
  func synchronize(_ path: String) throws(FeedError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw FeedError(.cannotWrite, "\(path): \(SystemFailure.text(errno))")
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw FeedError(.cannotWrite, "\(path): \(SystemFailure.text(errno))")
    }
  }

  /// Takes the import lock, which the operating system releases when the process ends.
  ///
  /// - Parameters:
  ///   - patience: How long to wait for another import, in seconds; the thread is occupied that long.
  ///   - mayBeShared: Whether the caller may change a folder whose timetables come from a database.
  /// - Returns: The lock.
  /// - Throws: ``FeedError`` with code `busy` if another import still runs then, `conflict` if the folder's timetables come
  ///   from a database.
  func lockForImport(patience: Double = 0, mayBeShared: Bool = false) throws(FeedError) -> FileLock
  {
    try create(path)
    try refuseForeignLinks()
    if !mayBeShared, let record = try sharedRecord() {
      throw FeedError(
        .conflict,
        "\(path): its timetables come from the database \(record.database): name it with --database or $DATABASE_URL,"
          + " or remove shared.json to leave it"
      )
    }
    let end = ContinuousClock.now + .seconds(patience)
    while true {
      if let lock = try FileLock(path: lockPath, kind: .exclusive) { return lock }
      guard ContinuousClock.now < end else {
        throw FeedError(.busy, "\(path): another import is running in this data folder")
      }
      usleep(50_000)
    }
  }

  /// Creates the file that readers of a generation lock, so that a reader need not write.
  func prepareLock(in generation: String) throws(FeedError) {
    _ = try FileLock(path: generation + "/in-use.lock", kind: .exclusive)
  }

  /// Takes the lock that keeps a generation from being removed.
  func lockForReading(_ feed: FeedManifest.Feed) throws(FeedError) -> FileLock? {
    let generation = folder(of: feed)
    guard access(generation, F_OK) == 0 || errno != ENOENT else {
      throw FeedError(
        .damagedTimetable,
        "\(generation): is missing; restore it from a backup, or import the feed again"
      )
    }
    return try FileLock(path: generation + "/in-use.lock", kind: .shared)
  }

  /// Takes a feed out of the manifest; the caller holds the import lock.
  ///
  /// - Returns: Whether there was one.
  func takeOut(key: String) throws(FeedError) -> Bool {
    var manifest = try manifest()
    guard let place = manifest.feeds.firstIndex(where: { $0.key == key }) else { return false }
    manifest.feeds.remove(at: place)
    try replace(manifest: manifest)
    removeUnused(keeping: manifest)
    return true
  }

  /// Removes what no server reads any more: generations that are not in the manifest and not locked,
  /// and the remains of imports that were killed.
  func removeUnused(keeping manifest: FeedManifest) {
    let files = FileManager.default
    let kept = Set(
      manifest.feeds.flatMap { feed in
        feed.keptGenerations.map { folder(of: feed.key, generation: $0) }
      }
    )
    let feeds = path + "/feeds"
    for key in (try? files.contentsOfDirectory(atPath: feeds)) ?? [] {
      for name in (try? files.contentsOfDirectory(atPath: "\(feeds)/\(key)")) ?? [] {
        let generation = "\(feeds)/\(key)/\(name)"
        guard !kept.contains(generation) else { continue }
        let lock = try? FileLock(path: generation + "/in-use.lock", kind: .exclusive)
        guard lock != nil || name.hasSuffix(".partial") else { continue }
        try? files.removeItem(atPath: generation)
      }
    }
  }
}
