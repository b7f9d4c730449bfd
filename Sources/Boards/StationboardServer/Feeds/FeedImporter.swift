import Foundation
package import GTFS
import Storage
package import Timetable

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Imports a feed into a data folder and lets it serve.
package struct FeedImporter: Sendable {
  /// Where the feeds lie.
  package var folder: DataFolder
  /// Which files refuse an import because of their rejected rows.
  package var limit: RejectedRowLimit
  /// The encoding of the files; `nil` if it is to be found.
  package var encoding: TextEncoding?

  /// Creates an importer.
  package init(
    folder: DataFolder,
    limit: RejectedRowLimit = .usual,
    encoding: TextEncoding? = nil
  ) {
    self.folder = folder
    self.limit = limit
    self.encoding = encoding
  }

  /// Reads a feed, builds its timetable and stop search, checks them, and swaps them in.
  ///
  /// Until the swap, and if anything fails, the feed that was serving before still serves.
  ///
  /// - Parameters:
  ///   - source: A zip archive or a folder.
  ///   - prefix: Put before the feed's ids, with a colon; the import replaces the feed of that prefix.
  ///   - aliases: A file of stop aliases (``StopAliases``); the data folder's own if `nil`.
  ///   - now: The instant of the import, in seconds since 1970-01-01T00:00:00Z.
  ///   - progress: Called during the import.
  /// - Returns: The final report.
  /// - Throws: ``FeedError`` that says what is wrong and where.
  package func run(
    source: String,
    prefix: String?,
    aliases: String?,
    now: Double,
    progress: @escaping (ImportProgress) -> Void
  ) throws(FeedError) -> ImportReport {
    let staged = try stage(
      source: source,
      prefix: prefix,
      aliases: aliases,
      now: now,
      progress: progress
    )
    do throws(FeedError) {
      try folder.replace(manifest: staged.manifest)
    } catch {
      discard(staged)
      throw error
    }
    folder.removeUnused(keeping: staged.manifest)
    return staged.report
  }

  /// An import that is built and checked, and does not serve yet; nothing else changes the data folder meanwhile.
  struct Staged: Sendable {
    /// The manifest in which it serves.
    var manifest: FeedManifest
    var key: String
    var generation: String
    var report: ImportReport
    fileprivate var lock: FileLock
  }

  /// Reads a feed, builds its timetable and stop search, and checks them.
  ///
  /// - Parameters:
  ///   - source: A zip archive or a folder.
  ///   - prefix: Put before the feed's ids, with a colon.
  ///   - aliases: A file of stop aliases (``StopAliases``); the data folder's own if `nil`.
  ///   - now: The instant of the import, in seconds since 1970-01-01T00:00:00Z.
  ///   - shared: Reads the manifest to start from, if the timetables of the folder are shared.
  ///   - progress: Called during the import.
  /// - Returns: The import.
  /// - Throws: ``FeedError`` that says what is wrong and where.
  func stage(
    source: String,
    prefix: String?,
    aliases: String?,
    now: Double,
    sharing shared: (() throws(FeedError) -> FeedManifest)? = nil,
    progress: @escaping (ImportProgress) -> Void
  ) throws(FeedError) -> Staged {
    if let prefix, !FeedManifest.isPrefix(prefix) || prefix == FeedManifest.defaultKey {
      throw FeedError(
        .invalid,
        "the prefix \"\(prefix)\" is not 1 to 32 letters, digits, - and _, or it is reserved"
      )
    }
    let lock = try folder.lockForImport(mayBeShared: shared != nil)
    var manifest = try folder.manifest()
    folder.removeUnused(keeping: manifest)
    if let shared { manifest = try shared() }
    let (name, report) = try build(
      source: source,
      prefix: prefix,
      aliases: aliases,
      now: now,
      progress: progress
    )
    let key = prefix ?? FeedManifest.defaultKey
    manifest.serve(FeedManifest.Generation(name: name, origin: nil), key: key, prefix: prefix)
    return Staged(manifest: manifest, key: key, generation: name, report: report, lock: lock)
  }

  /// Removes an import that is not to serve.
  func discard(_ staged: Staged) {
    let path = folder.folder(of: staged.key, generation: staged.generation)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Builds and checks a generation that no manifest names yet.
  ///
  /// The caller holds the import lock; what fails leaves nothing behind.
  ///
  /// - Returns: The generation's name and the report of its import.
  /// - Throws: ``FeedError`` that says what is wrong and where.
  func build(
    source: String,
    prefix: String?,
    aliases: String?,
    now: Double,
    progress: @escaping (ImportProgress) -> Void
  ) throws(FeedError) -> (name: String, report: ImportReport) {
    let clock = ContinuousClock()
    let began = clock.now
    let key = prefix ?? FeedManifest.defaultKey
    let name = Self.generationName(now: now)
    let target = folder.folder(of: key, generation: name)
    let partial = target + ".partial"
    var report: ImportReport
    var onDemand: OnDemandServices?
    do throws(FeedError) {
      try folder.create(partial)
      report = try FeedImport.run(
        path: source,
        prefix: prefix,
        target: partial + "/" + Feed.timetableName,
        now: now,
        limit: limit,
        encoding: encoding,
        progress: progress,
        onDemand: { onDemand = $0 }
      )
      progress(ImportProgress(step: "check", done: 0, total: 0))
      let checked = clock.now
      let timetable = try Timetable(path: partial + "/" + Feed.timetableName)
      try timetable.check()
      report.phases["check"] = seconds(clock.now - checked)
      progress(ImportProgress(step: "search", done: 0, total: 0))
      let indexed = clock.now
      let names = try StopAliases(path: aliases, or: folder.aliasesPath)
      report.searchBytes = try StopIndexBuilder(timetable: timetable, aliases: names)
        .write(to: partial + "/" + Feed.searchName)
      try folder.synchronize(partial + "/" + Feed.searchName)
      report.phases["search"] = seconds(clock.now - indexed)
      report.seconds = seconds(clock.now - began)
      report.peakMemoryBytes = Self.peakMemory()
      try write(report, to: partial + "/" + Feed.reportName)
      if let onDemand { try write(onDemand, to: partial + "/" + Feed.onDemandName) }
      try folder.prepareLock(in: partial)
      try folder.synchronize(partial)
      guard rename(partial, target) == 0 else {
        throw FeedError(.cannotWrite, "\(partial): \(SystemFailure.text(errno))")
      }
      try folder.synchronize("\(folder.path)/feeds/\(key)")
      try folder.synchronize("\(folder.path)/feeds")
    } catch {
      try? FileManager.default.removeItem(atPath: partial)
      throw error
    }
    return (name, report)
  }

  /// Takes a feed out of service; a running server stops serving it at once.
  ///
  /// - Parameter prefix: The feed's prefix; `nil` for the feed without one.
  /// - Throws: ``FeedError`` with code `unreadable` if the feed does not exist.
  package func remove(prefix: String?) throws(FeedError) {
    guard folder.hasManifest else {
      throw FeedError(.unreadable, "\(folder.path): no feed has been imported")
    }
    let lock = try folder.lockForImport()
    defer { withExtendedLifetime(lock) {} }
    let key = prefix ?? FeedManifest.defaultKey
    guard try folder.takeOut(key: key) else {
      throw FeedError(.unreadable, "\(folder.path): there is no feed \(key)")
    }
  }

  private func write(_ report: some Encodable, to path: String) throws(FeedError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      let bytes = try encoder.encode(report)
      let file = try DataFolder.createFile(path)
      try file.write(contentsOf: bytes)
      try file.close()
    } catch let error as FeedError {
      throw error
    } catch {
      let reason = ErrorText.of(error, showsPath: false)
      throw FeedError(.cannotWrite, "\(path): cannot be written: \(reason)")
    }
    try folder.synchronize(path)
  }

  /// A folder name that sorts by time and is never used twice.
  private static func generationName(now: Double) -> String {
    let seconds = Int64(now)
    let date = ServiceDate(daysSinceEpoch: Int(seconds / 86_400))
    let time = TimeOfDay.text(Int(seconds % 86_400)).replacing(":", with: "")
    let unique = UInt32.random(in: .min ... .max)
    let suffix = String(unique, radix: 16)
    return "\(date)T\(time)Z-" + String(repeating: "0", count: 8 - suffix.count) + suffix
  }

  private func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  /// The largest resident memory this process has had, in bytes.
  static func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Glibc)
    // Linux counts in kilobytes.
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
    #else
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #endif
  }
}
