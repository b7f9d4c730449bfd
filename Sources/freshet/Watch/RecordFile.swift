import Foundation

/// A file to which lines are appended as they come.
final class RecordFile {
  private let path: String
  private let handle: FileHandle

  /// Opens a file, or makes it.
  ///
  /// - Throws: ``RecordFileError`` that names the file.
  init(_ path: String) throws {
    self.path = path
    if !FileManager.default.fileExists(atPath: path) {
      guard FileManager.default.createFile(atPath: path, contents: nil) else {
        throw RecordFileError(description: "--record \(path): the file cannot be made")
      }
    }
    guard let handle = FileHandle(forWritingAtPath: path) else {
      throw RecordFileError(description: "--record \(path): the file cannot be written")
    }
    self.handle = handle
    try handle.seekToEnd()
  }

  /// Appends a line.
  func write(_ line: String) throws {
    do {
      try handle.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      throw RecordFileError(description: "--record \(path): \(error.localizedDescription)")
    }
  }

  deinit { try? handle.close() }
}

/// Why a recording cannot be written.
struct RecordFileError: Error, CustomStringConvertible {
  /// What is wrong, for people.
  let description: String
}
