import Foundation
package import GTFS
package import Storage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension DataFolder {
  /// What a backup of the folder holds.
  ///
  /// The generations in it are not removed as long as the value lives.
  package struct Contents {
    /// The files; the manifest is the one that the generations belong to.
    package let items: [BackupItem]
    private let locks: [FileLock]

    fileprivate init(items: [BackupItem], locks: [FileLock]) {
      self.items = items
      self.locks = locks
    }
  }

  /// How often the manifest is read again because an import replaced it meanwhile.
  private static let manifestReads = 20

  /// Returns what a backup holds.
  ///
  /// These are the generations that are kept, the sources of feeds, the history, and the small files beside them. Downloads and imports
  /// under way are left out.
  ///
  /// - Throws: ``FeedError`` if there is no folder, it cannot be read, or imports keep replacing the manifest.
  package func contents() throws(FeedError) -> Contents {
    guard access(path, R_OK | X_OK) == 0 else {
      throw FeedError(.unreadable, "\(path): \(SystemFailure.text(errno))")
    }
    try refuseForeignLinks()
    var items: [BackupItem] = []
    var locks: [FileLock] = []
    if hasManifest {
      let (bytes, manifest, held) = try lockedManifest()
      locks = held
      for feed in manifest.feeds {
        for generation in feed.keptGenerations {
          items += files(in: "feeds/\(feed.key)/\(generation)").map { name in
            BackupItem(name, .file("\(path)/\(name)", isOptional: false))
          }
        }
      }
      items.append(BackupItem("manifest.json", .bytes(Array(bytes))))
    } else if let generation = someGeneration {
      throw FeedError(
        .unreadable,
        "\(manifestPath): is missing, but not \(generation); restore it from a backup, or import the feed again"
      )
    }
    // Of the files of sources, only those that are replaced whole: what they know of the last check, and the addresses.
    let small = files(in: "").filter { $0 != "manifest.json" } + files(in: "static")
    for name in small where !name.hasSuffix(".lock") && !name.hasSuffix(".new") {
      if name.hasSuffix(".sqlite") {
        items.append(BackupItem(name, .database("\(path)/\(name)")))
      } else if !name.hasSuffix(".download"), !Self.isPartOfDatabase(name) {
        items.append(BackupItem(name, .file("\(path)/\(name)", isOptional: true)))
      }
    }
    return Contents(items: items, locks: locks)
  }

  /// Reads the manifest and locks all of its generations.
  private func lockedManifest() throws(FeedError) -> (Data, FeedManifest, [FileLock]) {
    for _ in 0..<Self.manifestReads {
      let bytes = try manifestBytes()
      let manifest = try manifest(from: bytes)
      var locks: [FileLock] = []
      for feed in manifest.feeds {
        for generation in feed.keptGenerations {
          let lock = folder(of: feed.key, generation: generation) + "/in-use.lock"
          if let lock = try FileLock(path: lock, kind: .shared) { locks.append(lock) }
        }
      }
      // A generation that was removed between the two reads is not in the second one.
      if try manifestBytes() == bytes { return (bytes, manifest, locks) }
    }
    throw FeedError(.busy, "\(path): imports keep replacing its manifest; try again")
  }

  /// The regular files of a folder in this one, with the name of that folder before theirs, in the order of their names.
  private func files(in folder: String) -> [String] {
    let place = folder.isEmpty ? path : "\(path)/\(folder)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    return names.sorted().compactMap { name in
      let file = URL(fileURLWithPath: "\(place)/\(name)").resolvingSymlinksInPath().path
      let kind =
        try? FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
      guard kind == .typeRegular else { return nil }
      return folder.isEmpty ? name : "\(folder)/\(name)"
    }
  }

  /// A folder that a finished import has left; `nil` without imports.
  private var someGeneration: String? {
    let manager = FileManager.default
    func names(_ folder: String) -> [String] {
      ((try? manager.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
    for feed in names("\(path)/feeds") {
      let found = names("\(path)/feeds/\(feed)").first { !$0.hasSuffix(".partial") }
      if let found { return "\(path)/feeds/\(feed)/\(found)" }
    }
    return nil
  }

  private static func isPartOfDatabase(_ name: String) -> Bool {
    ["-wal", "-shm", "-journal"].contains { name.hasSuffix(".sqlite" + $0) }
  }
}
