import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Writes a backup: a folder with `backup.json`, `SHA256SUMS` and a folder for each part.
///
/// The folder has its name only when everything in it is on disk. Until then it is `NAME.partial`.
package final class BackupWriter {
  /// The folder.
  package let destination: String
  private let partial: String
  private let program: String
  private var sums: [(name: String, digest: String)] = []
  /// The parts of the backup so far.
  package private(set) var parts: [String] = []
  private var madeFolders: Set<String> = []
  /// The bytes that the backup has so far.
  package private(set) var bytes = 0
  /// The files that the backup has so far.
  package var files: Int { sums.count }

  /// Begins a backup.
  ///
  /// - Parameters:
  ///   - destination: The folder; it must not exist, the folder around it must.
  ///   - program: The version of this program.
  /// - Throws: ``BackupFailure``.
  package init(at destination: String, program: String) throws(BackupFailure) {
    self.destination = destination
    self.program = program
    partial = destination + ".partial"
    var status = stat()
    guard lstat(destination, &status) != 0 else {
      throw BackupFailure(.unwritable, "\(destination): exists already; name a new folder")
    }
    guard mkdir(partial, 0o700) == 0 else {
      let rest =
        errno == EEXIST
        ? "is left of a backup that was stopped, or is being written; remove it if it is not"
        : "cannot be created: \(FileCopy.reason())"
      throw BackupFailure(.unwritable, "\(partial): \(rest)")
    }
  }

  /// Adds a file to a part.
  ///
  /// - Parameters:
  ///   - item: The file.
  ///   - part: The part's name.
  ///   - copied: Called with the bytes of each chunk that is written; what it throws ends the copy.
  /// - Returns: Whether it was added; `false` for an optional file that does not exist.
  /// - Throws: ``BackupFailure``.
  @discardableResult
  package func add(
    _ item: BackupItem,
    to part: String,
    copied: (Int) throws(BackupFailure) -> Void = { _ in }
  ) throws(BackupFailure) -> Bool {
    let name = "\(part)/\(item.name)"
    guard BackupItem.isSafe(name) else {
      throw BackupFailure(.unreadable, "\(item.name): a backup cannot hold a file of this name")
    }
    guard sums.count < BackupLimits.files else {
      throw BackupFailure(.unreadable, "a backup holds at most \(BackupLimits.files) files")
    }
    if !parts.contains(part) { parts.append(part) }
    let path = "\(partial)/\(name)"
    try makeFolders(for: path)
    switch item.source {
    case .file(let source, let isOptional):
      guard try FileCopy.copy(source, to: path, copied: copied) else {
        guard isOptional else { throw BackupFailure(.unreadable, "\(source): does not exist") }
        return false
      }
    case .database(let source):
      try DatabaseFile.copy(source, to: path)
      try copied(Self.size(of: path))
    case .bytes(let bytes):
      try FileCopy.write(bytes, to: path, mode: 0o644)
      try copied(bytes.count)
    }
    sums.append((name, try FileCopy.digest(of: path)))
    bytes += Self.size(of: path)
    return true
  }

  /// Completes the backup and gives it its name.
  ///
  /// - Parameter madeAt: The time, as in RFC 3339.
  /// - Throws: ``BackupFailure``.
  package func finish(madeAt: String) throws(BackupFailure) {
    let about = BackupDescription(
      program: program,
      madeAt: madeAt,
      parts: parts,
      files: sums.count
    )
    let path = "\(partial)/\(BackupDescription.fileName)"
    try FileCopy.write(about.bytes, to: path)
    sums.append((BackupDescription.fileName, try FileCopy.digest(of: path)))
    // As sha256sum(1) writes and checks it.
    let list = sums.map { "\($0.digest)  \($0.name)\n" }.joined()
    try FileCopy.write(Array(list.utf8), to: "\(partial)/\(BackupReader.listName)")
    for folder in madeFolders.sorted(by: >) { try FileCopy.synchronizeFolder(folder) }
    try FileCopy.synchronizeFolder(partial)
    guard rename(partial, destination) == 0 else {
      throw BackupFailure(.unwritable, "\(destination): cannot be created: \(FileCopy.reason())")
    }
    try FileCopy.synchronizeFolder(destination.enclosingFolder)
  }

  /// Removes what was written.
  package func abandon() { try? FileManager.default.removeItem(atPath: partial) }

  private func makeFolders(for path: String) throws(BackupFailure) {
    var folder = path.enclosingFolder
    var missing: [String] = []
    while folder.count > partial.count, !madeFolders.contains(folder) {
      missing.append(folder)
      folder = folder.enclosingFolder
    }
    for folder in missing.reversed() {
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
        throw BackupFailure(.unwritable, "\(folder): cannot be created: \(FileCopy.reason())")
      }
      madeFolders.insert(folder)
    }
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
