import ConditionalHTTP
import Foundation
import Jobs

/// Copies of the files of jobs, for pipelines, which read files: fetched from the database when they are needed.
struct JobInputFolder: Sendable {
  let path: String

  /// Creates the folder, readable by its owner only.
  init(_ path: String) throws {
    self.path = path
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: path,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
  }

  /// The files that are there.
  var places: Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return Set(names.map { "\(path)/\($0)" })
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

  /// Writes a file, whole or not at all.
  func write(_ content: [UInt8], to place: String) throws {
    try Data(content).write(to: URL(fileURLWithPath: place), options: .atomic)
  }

  /// Removes files.
  func remove(_ places: Set<String>) {
    for place in places { try? FileManager.default.removeItem(atPath: place) }
  }
}
