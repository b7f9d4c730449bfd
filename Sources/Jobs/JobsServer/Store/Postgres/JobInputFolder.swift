import ConditionalHTTP
import Foundation
import Jobs

/// Copies of the files of jobs, for pipelines, which read files: fetched from the database when they are needed.
///
/// A copy is written into a folder of its own and gets its name whole. So no unfinished copy is among the ``places``,
/// which are removed once no job has them.
struct JobInputFolder: Sendable {
  /// The folder of the copies.
  let path: String
  private let unfinished: String

  /// Creates the folders, readable by their owner only.
  ///
  /// - Parameter folder: The folder in which they are.
  /// - Throws: An error of the file system.
  init(_ folder: String) throws {
    path = folder + "/fetched"
    unfinished = folder + "/fetching"
    let manager = FileManager.default
    for path in [path, unfinished] {
      try manager.createDirectory(
        atPath: path,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }
  }

  /// The copies that are there.
  var places: Set<String> { Set(Self.files(in: path)) }

  private static func files(in path: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.map { "\(path)/\($0)" }
  }

  /// The place of a file of a job; an id may have any characters.
  func place(of job: String, _ number: Int) -> String {
    "\(path)/\(JobToken.hex(SHA256.hash(job.utf8)))-\(number)"
  }

  /// Whether a file is there.
  func has(_ place: String, bytes: Int) -> Bool {
    let size = try? FileManager.default.attributesOfItem(atPath: place)[.size] as? Int
    return size == bytes
  }

  /// Adds a file, whole or not at all.
  ///
  /// - Parameters:
  ///   - place: Its place.
  ///   - write: Writes it under another path.
  /// - Throws: What `write` throws; `POSIXError` if the file cannot be given its place.
  func add(_ place: String, _ write: (String) throws -> Void) throws {
    let new = "\(unfinished)/\(UUID())"
    do {
      try write(new)
      guard rename(new, place) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    } catch {
      try? FileManager.default.removeItem(atPath: new)
      throw error
    }
  }

  /// Removes files.
  func remove(_ places: Set<String>) {
    for place in places { try? FileManager.default.removeItem(atPath: place) }
  }

  /// Removes what a process has left that ended while it wrote; call it before ``add(_:_:)`` only.
  func removeUnfinished() { remove(Set(Self.files(in: unfinished))) }
}
