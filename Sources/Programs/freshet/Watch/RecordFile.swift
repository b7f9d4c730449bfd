import Commands
import Foundation
import Storage

/// A file to which lines are appended as they arrive.
final class RecordFile {
  private let path: String
  private let handle: FileHandle

  /// Opens a file, or creates it.
  ///
  /// - Throws: ``RecordFileError`` with the name of the file.
  init(_ path: String) throws {
    self.path = path
    // Every line is appended at the end, even if another process writes there.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw RecordFileError(description: "--record \(path): \(reason)")
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Appends a line.
  func write(_ line: String) throws {
    do {
      try handle.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      let reason = ErrorText.of(error, showsPath: false)
      throw RecordFileError(description: "--record \(path): \(reason)")
    }
  }
}

/// The reason why a recording cannot be written.
struct RecordFileError: ExitingError, CustomStringConvertible {
  let exit = ProgramExit.cannotCreate
  /// A readable description of the problem.
  let description: String
}
