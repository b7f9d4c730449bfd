import Foundation

/// A folder that goes away.
final class TestFolder: Sendable {
  /// Where it is.
  let path: String

  /// Makes an empty folder.
  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("books-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and gives its path.
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = path + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }
}
