import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The owner and permissions of a folder that is restored, which are those of the folder that it replaces.
package struct RestoredFolder: Sendable {
  private let mode: mode_t
  private let owner: (user: uid_t, group: gid_t)

  /// Reads them from a folder, or, if it does not exist, its owner from the nearest folder around it.
  package init(replacing folder: String) {
    var status = stat()
    if stat(folder, &status) == 0 {
      mode = status.st_mode & 0o777
    } else {
      mode = 0o750
      var around = folder
      repeat {
        around = around.enclosingFolder
      } while stat(around, &status) != 0 && around != "." && around != "/"
    }
    owner = (status.st_uid, status.st_gid)
  }

  /// Creates a folder with them, and those above it that are missing.
  ///
  /// - Throws: ``BackupFailure``.
  package func create(_ folder: String) throws(BackupFailure) {
    var status = stat()
    guard stat(folder, &status) != 0 else { return }
    try create(folder.enclosingFolder)
    guard mkdir(folder, 0o750) == 0 else {
      throw BackupFailure(.unwritable, "\(folder): cannot be created: \(FileCopy.reason())")
    }
    apply(to: folder)
    try FileCopy.synchronizeFolder(folder.enclosingFolder)
  }

  /// Gives a folder and what is in it to the owner, if this process may, and the folder its permissions.
  func apply(to folder: String) {
    _ = chmod(folder, mode)
    guard geteuid() == 0 else { return }
    _ = lchown(folder, owner.user, owner.group)
    for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
      _ = lchown("\(folder)/\(name)", owner.user, owner.group)
    }
  }

  /// Gives a restored folder its place.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - place: A path at which there is nothing, or an empty folder.
  /// - Throws: ``BackupFailure``.
  package static func move(_ folder: String, to place: String) throws(BackupFailure) {
    guard rename(folder, place) == 0 else {
      throw BackupFailure(
        .unwritable,
        "\(place): cannot be replaced by \(folder): \(FileCopy.reason())"
      )
    }
    try FileCopy.synchronizeFolder(place.enclosingFolder)
  }
}
