import Foundation
import GTFS
import Storage
import Timetable

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The files of a generation that is being fetched: parts are written where they belong, and checked.
///
/// Parts that a killed process has written stay. The next process compares their checksums and fetches only what is missing
/// or damaged.
struct FetchedFiles: Sendable {
  let folder: DataFolder
  let key: String
  let generation: String
  let artifact: TimetableArtifact

  private var target: String { folder.fetchedFolder(of: key, generation: generation) }
  private var partial: String { target + ".partial" }

  /// Creates the folder for the parts.
  func prepare() throws(FeedError) { try folder.create(partial) }

  /// Removes the parts.
  func remove() { try? FileManager.default.removeItem(atPath: partial) }

  /// Whether a part is there, as it was stored.
  func holds(_ part: Int, of file: TimetableArtifact.File) -> Bool {
    let descriptor = open("\(partial)/\(file.name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let size = artifact.bytes(of: file, part: part)
    guard let bytes = Self.read(descriptor, size, at: part * artifact.chunkBytes) else {
      return false
    }
    return TimetableArtifact.checksum(bytes) == file.checksums[part]
  }

  /// Reads bytes of a file; `nil` if there are fewer.
  static func read(_ descriptor: Int32, _ count: Int, at offset: Int) -> [UInt8]? {
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
        )
        let found = pread(descriptor, rest.baseAddress, count - filled, off_t(offset + filled))
        if found < 0, errno == EINTR { continue }
        guard found > 0 else {
          isWhole = false
          return
        }
        filled += found
      }
    }
    return isWhole ? bytes : nil
  }

  /// Writes a part.
  ///
  /// - Throws: ``FeedError`` with code `damagedTimetable` if it is not what was stored, `cannotWrite` if there is no room.
  func write(_ bytes: [UInt8], part: Int, of file: TimetableArtifact.File) throws(FeedError) {
    guard bytes.count == artifact.bytes(of: file, part: part),
      TimetableArtifact.checksum(bytes) == file.checksums[part]
    else {
      throw FeedError(
        .damagedTimetable,
        "part \(part) of \(file.name) in the database is damaged (checksum): import the feed again"
      )
    }
    let path = "\(partial)/\(file.name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        pwrite(
          descriptor,
          buffer.baseAddress?.advanced(by: written),
          bytes.count - written,
          off_t(part * artifact.chunkBytes + written)
        )
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(path) }
      written += count
    }
  }

  private func failure(_ path: String) -> FeedError {
    FeedError(.cannotWrite, "\(path): \(SystemFailure.text(errno))")
  }

  /// Checks the files as a whole, and puts them where ``DataFolder/install(_:of:now:)`` finds them.
  ///
  /// - Throws: ``FeedError`` if the program cannot use them.
  func finish() throws(FeedError) {
    for file in artifact.files {
      let path = "\(partial)/\(file.name)"
      if file.bytes == 0 {
        _ = try DataFolder.createFile(path)
      }
      // A file of an earlier attempt may be longer.
      guard truncate(path, off_t(file.bytes)) == 0 else { throw failure(path) }
      try folder.synchronize(path)
    }
    // Checksums find damage; what the numbers in it refer to is checked as after an import.
    try Timetable(path: "\(partial)/\(Feed.timetableName)").check()
    do {
      _ = try StopIndex(path: "\(partial)/\(Feed.searchName)")
    } catch {
      throw FeedError(.damagedTimetable, "\(partial)/\(Feed.searchName): \(error)")
    }
    try folder.prepareLock(in: partial)
    try folder.synchronize(partial)
    guard rename(partial, target) == 0 || replace() else { throw failure(partial) }
    try folder.synchronize(target.enclosingFolder)
  }

  /// Takes the place of what was fetched before.
  private func replace() -> Bool {
    try? FileManager.default.removeItem(atPath: target)
    return rename(partial, target) == 0
  }
}

/// The files of a generation that is to be stored.
struct StoredFiles: Sendable {
  /// The folder of the generation.
  let path: String
  let chunkBytes: Int

  /// Which files there are, with their bytes.
  ///
  /// - Throws: ``FeedError`` if one that is needed is missing.
  func files() throws(FeedError) -> [(name: String, bytes: Int)] {
    var found: [(name: String, bytes: Int)] = []
    for (place, name) in TimetableArtifact.names.enumerated() {
      let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        guard place < 2 else { continue }
        throw FeedError(.unreadable, "\(path)/\(name): \(SystemFailure.text(errno))")
      }
      defer { close(descriptor) }
      found.append((name, Int(lseek(descriptor, 0, SEEK_END))))
    }
    return found
  }

  /// The version of the timetable file.
  ///
  /// - Throws: ``FeedError`` if it is not one.
  func version() throws(FeedError) -> Int {
    let head = try part(0, of: (Feed.timetableName, 64))
    guard let version = head.withUnsafeBytes({ Timetable.version(head: $0) }) else {
      throw FeedError(.damagedTimetable, "\(path)/\(Feed.timetableName): not a timetable file")
    }
    return version
  }

  /// Whether the files are those of an artifact, byte for byte.
  func match(_ artifact: TimetableArtifact) -> Bool {
    for file in artifact.files {
      for (number, checksum) in file.checksums.enumerated() {
        guard let bytes = try? part(number, of: (file.name, file.bytes)),
          TimetableArtifact.checksum(bytes) == checksum
        else { return false }
      }
    }
    return true
  }

  /// Reads a part of a file.
  func part(_ number: Int, of file: (name: String, bytes: Int)) throws(FeedError) -> [UInt8] {
    let descriptor = open("\(path)/\(file.name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw FeedError(.unreadable, "\(path)/\(file.name): \(SystemFailure.text(errno))")
    }
    defer { close(descriptor) }
    let offset = number * chunkBytes
    let size = min(chunkBytes, file.bytes - offset)
    guard let bytes = FetchedFiles.read(descriptor, size, at: offset) else {
      throw FeedError(.unreadable, "\(path)/\(file.name): has changed")
    }
    return bytes
  }
}
