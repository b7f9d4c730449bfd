import Commands
import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file that is written beside its destination and moved there when it is complete.
///
/// Until then, and if writing fails, an existing file is unchanged. A pipe or a device is written
/// directly.
struct ExportFile {
  private let place: String
  private let partial: String?
  private let handle: FileHandle

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - path: The destination; a symbolic link is followed.
  ///   - sources: Files that must not be overwritten, under any of their names.
  /// - Throws: ``CommandFailure`` if the path is one of the sources or cannot be written.
  init(path: String, sparing sources: [String]) throws {
    var old = stat()
    let isThere = stat(path, &old) == 0
    for source in sources where isThere {
      var kept = stat()
      guard stat(source, &kept) == 0 else { continue }
      guard (kept.st_dev, kept.st_ino) != (old.st_dev, old.st_ino) else {
        throw Self.failure("\(path): that is the library itself (\(source)); name another file")
      }
    }
    if isThere, old.st_mode & S_IFMT != S_IFREG {
      guard let file = FileHandle(forWritingAtPath: path) else {
        throw Self.failure("\(path): cannot be written")
      }
      (place, partial, handle) = (path, nil, file)
      return
    }
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let partial = "\(place).\(ProcessInfo.processInfo.processIdentifier).partial"
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw Self.failure("\(path): cannot be written: \(String(cString: strerror(errno)))")
    }
    if isThere { fchmod(descriptor, old.st_mode & 0o777) }
    self.place = place
    self.partial = partial
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  private static func failure(_ reason: String) -> CommandFailure {
    CommandFailure("freshet library export: \(reason)", .cannotCreate)
  }

  /// Writes the next bytes.
  func write(_ bytes: [UInt8]) throws { try handle.write(contentsOf: Data(bytes)) }

  /// Moves the file to its destination.
  ///
  /// - Throws: An error of writing; ``CommandFailure`` if the file cannot be moved.
  func finish() throws {
    guard let partial else { return try handle.close() }
    try handle.synchronize()
    try handle.close()
    guard rename(partial, place) == 0 else {
      throw Self.failure("\(place): \(String(cString: strerror(errno)))")
    }
  }

  /// Removes what has been written; an existing file is unchanged.
  func discard() {
    try? handle.close()
    if let partial { unlink(partial) }
  }
}
