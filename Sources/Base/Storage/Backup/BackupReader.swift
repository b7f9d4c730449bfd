import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Reads a backup that ``BackupWriter`` made.
package struct BackupReader: Sendable {
  /// The name of the list of checksums, which `sha256sum --check` reads too.
  static let listName = "SHA256SUMS"

  /// The folder.
  package let path: String
  /// What the backup says of itself.
  package let about: BackupDescription
  private let sums: [(name: String, digest: String)]

  /// Opens a backup.
  ///
  /// Of its files only the description and the list are read.
  ///
  /// - Throws: ``BackupFailure`` if the folder is not a backup, has a newer format, or its list cannot be read.
  package init(_ path: String) throws(BackupFailure) {
    self.path = path
    about = try BackupDescription(of: path)
    sums = try Self.list(of: path)
    guard sums.count - 1 == about.files else {
      throw BackupFailure(
        .damaged,
        "\(path)/\(Self.listName): lists \(sums.count - 1) files instead of \(about.files); use another backup"
      )
    }
    for file in sums where file.name == BackupDescription.fileName {
      _ = try check(file.name, file.digest, at: "\(path)/\(file.name)")
    }
    for part in about.parts where !BackupItem.isSafe(part) || part.contains("/") {
      throw BackupFailure(.damaged, "\(path): \"\(part)\" is not the name of a part")
    }
  }

  /// The number of files.
  package var files: Int { sums.count }

  /// The bytes of all files together, as far as they exist.
  package var bytes: Int {
    sums.reduce(0) { sum, file in
      var status = stat()
      return sum + (stat("\(path)/\(file.name)", &status) == 0 ? Int(status.st_size) : 0)
    }
  }

  /// Compares every file with its checksum.
  ///
  /// - Parameter checked: Called with the bytes of each file that is right.
  /// - Throws: ``BackupFailure`` for the first file that is missing or different.
  package func check(checked: (Int) throws(BackupFailure) -> Void = { _ in }) throws(BackupFailure)
  {
    for file in sums {
      try refuseLinks(file.name)
      try checked(try check(file.name, file.digest, at: "\(path)/\(file.name)"))
    }
  }

  /// Copies a part into a new folder and compares every copy with its checksum.
  ///
  /// - Parameters:
  ///   - part: The part.
  ///   - folder: The folder, which must not exist. It is removed if this fails.
  ///   - attributes: Its owner and permissions.
  ///   - copied: Called with the bytes of each chunk that is written; what it throws ends the copy.
  /// - Throws: ``BackupFailure``.
  package func extract(
    _ part: String,
    to folder: String,
    as attributes: RestoredFolder,
    copied: (Int) throws(BackupFailure) -> Void = { _ in }
  ) throws(BackupFailure) {
    guard mkdir(folder, 0o750) == 0 else {
      throw BackupFailure(.unwritable, "\(folder): cannot be created: \(FileCopy.reason())")
    }
    do throws(BackupFailure) {
      var folders: Set<String> = [folder]
      for file in sums where file.name.hasPrefix(part + "/") {
        let name = file.name.dropFirst(part.utf8.count + 1)
        let copy = "\(folder)/\(name)"
        let around = copy.enclosingFolder
        if folders.insert(around).inserted {
          do {
            try FileManager.default.createDirectory(
              atPath: around,
              withIntermediateDirectories: true,
              attributes: [.posixPermissions: 0o750]
            )
          } catch {
            throw BackupFailure(
              .unwritable,
              "\(around): cannot be created: \(ErrorText.of(error, showsPath: false))"
            )
          }
        }
        try refuseLinks(file.name)
        guard try FileCopy.copy("\(path)/\(file.name)", to: copy, copied: copied) else {
          throw missing(file.name)
        }
        _ = try check(file.name, file.digest, at: copy)
      }
      attributes.apply(to: folder)
      for folder in folders.sorted(by: >) { try FileCopy.synchronizeFolder(folder) }
      try FileCopy.synchronizeFolder(folder.enclosingFolder)
    } catch {
      try? FileManager.default.removeItem(atPath: folder)
      throw error
    }
  }

  private func check(
    _ name: String,
    _ digest: String,
    at copy: String
  ) throws(BackupFailure) -> Int {
    var status = stat()
    guard stat(copy, &status) == 0 else { throw missing(name) }
    guard status.st_mode & S_IFMT == S_IFREG, try FileCopy.digest(of: copy) == digest else {
      throw BackupFailure(
        .damaged,
        "\(path)/\(name): is damaged: its bytes do not have the checksum in \(Self.listName); use another backup"
      )
    }
    return Int(status.st_size)
  }

  /// Refuses a file whose name leads over a symbolic link: no backup has one.
  private func refuseLinks(_ name: String) throws(BackupFailure) {
    var place = path
    for component in name.split(separator: "/") {
      place += "/\(component)"
      var status = stat()
      guard lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { continue }
      throw BackupFailure(.damaged, "\(place): is a symbolic link; use another backup")
    }
  }

  private func missing(_ name: String) -> BackupFailure {
    BackupFailure(.damaged, "\(path)/\(name): is missing; use another backup")
  }

  private static func list(of backup: String) throws(BackupFailure) -> [(String, String)] {
    let path = "\(backup)/\(listName)"
    let bytes: Data
    do throws(UnreadableFile) {
      bytes = try RegularFile.bytes(of: path, atMost: BackupLimits.listBytes, followsLink: false)
    } catch {
      throw BackupFailure(
        error.isAbsent ? .damaged : .unreadable,
        "\(path): cannot be read: \(error)"
      )
    }
    var found: [(String, String)] = []
    for (number, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      let text = String(decoding: line, as: UTF8.self)
      let digest = text.prefix(64)
      let name = String(text.dropFirst(66))
      guard digest.utf8.count == 64, text.dropFirst(64).hasPrefix("  "), BackupItem.isSafe(name),
        number < BackupLimits.files + 1
      else {
        throw BackupFailure(
          .damaged,
          "\(path):\(number + 1): is not a checksum and the name of a file"
        )
      }
      found.append((name, String(digest)))
    }
    guard found.contains(where: { $0.0 == BackupDescription.fileName }) else {
      throw BackupFailure(
        .damaged,
        "\(path): is incomplete: \(BackupDescription.fileName) is missing"
      )
    }
    return found
  }
}
