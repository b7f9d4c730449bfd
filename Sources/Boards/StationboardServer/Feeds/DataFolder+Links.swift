import Foundation
package import GTFS

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

// Anyone who can write to the data folder decides which timetables serve, but nothing more: a command run by root does not
// read, write or remove the target of another user's link.
extension DataFolder {
  /// How many folders below the data folder are searched: those of feeds, keys and generations.
  private static let linkDepth = 3

  /// Checks that no link on the way to the folder, or in it, was placed by a user other than root and the one that runs
  /// the program.
  ///
  /// - Throws: ``FeedError`` with code `cannotWrite` that names the link and its owner.
  package func refuseForeignLinks() throws(FeedError) {
    // Links on the way are followed one by one, as the system does.
    let absolute = URL(fileURLWithPath: path).path
    var place = ""
    for part in absolute.split(separator: "/") {
      place += "/" + part
      try refuse(place)
    }
    try refuseForeignLinks(in: path, depth: Self.linkDepth)
  }

  private func refuseForeignLinks(in folder: String, depth: Int) throws(FeedError) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() {
      let place = folder + "/" + name
      guard let kind = try refuse(place) else { continue }
      if kind == .typeDirectory, depth > 0 { try refuseForeignLinks(in: place, depth: depth - 1) }
    }
  }

  /// Refuses a link of another user.
  ///
  /// - Returns: The kind of the file; for a link, the kind of its target; `nil` if the file does not exist.
  @discardableResult
  func refuse(_ place: String) throws(FeedError) -> FileAttributeType? {
    // Of a link these are its own.
    guard let facts = try? FileManager.default.attributesOfItem(atPath: place),
      let kind = facts[.type] as? FileAttributeType
    else { return nil }
    guard kind == .typeSymbolicLink else { return kind }
    let owner = (facts[.ownerAccountID] as? NSNumber)?.uint32Value
    guard owner == 0 || owner == geteuid() else {
      let user = owner.map { "the user \($0)" } ?? "another user"
      throw FeedError(
        .cannotWrite,
        "\(place): is a link that \(user) placed; run freshet as that user, or remove the link"
      )
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder) else { return nil }
    return isFolder.boolValue ? .typeDirectory : .typeRegular
  }

  /// Creates a folder and those above it, which others can read and not write.
  ///
  /// - Throws: ``FeedError`` if it cannot be created, or leads through a link of another user.
  func create(_ folder: String) throws(FeedError) {
    var place = folder.hasPrefix("/") ? "" : "."
    for part in folder.split(separator: "/") where part != "." {
      place += "/" + part
      if let kind = try refuse(place) {
        guard kind == .typeDirectory else { throw failure(folder, "\(place) is not a folder") }
        continue
      }
      // Another process may create it too.
      guard mkdir(place, 0o755) == 0 || errno == EEXIST else {
        throw failure(folder, SystemFailure.text(errno))
      }
    }
  }

  private func failure(_ folder: String, _ reason: String) -> FeedError {
    FeedError(.cannotWrite, "\(folder): cannot be created: \(reason)")
  }

  /// Creates an empty file in place of the one that is there; a link is replaced, not followed.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isPrivate: Whether only its owner may read it.
  /// - Returns: The file, open for writing.
  /// - Throws: ``FeedError`` if it cannot be created.
  static func createFile(_ path: String, isPrivate: Bool = false) throws(FeedError) -> FileHandle {
    unlink(path)
    let descriptor = open(
      path,
      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
      isPrivate ? 0o600 : 0o644
    )
    guard descriptor >= 0 else {
      throw FeedError(.cannotWrite, "\(path): cannot be written: \(SystemFailure.text(errno))")
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
