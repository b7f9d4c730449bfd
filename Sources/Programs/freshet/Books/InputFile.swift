import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The input of a command: a file, or something that can be read once (a pipe, `/dev/stdin`,
/// `<(…)`).
enum InputFile {
  /// The maximum number of bytes that a command sends to a server, which has its own limits.
  static let mostBytes = 64 << 20
  /// The number of bytes per read.
  private static let blockBytes = 64 << 10

  /// The reason why a file cannot be used.
  struct Fault: Error, CustomStringConvertible {
    /// A readable description of the problem.
    let description: String
  }

  /// Returns whether a path is a file that can be read again; false for a pipe, a terminal or a
  /// device.
  ///
  /// - Throws: ``Fault`` if it does not exist, or is a folder.
  static func isLasting(_ path: String) throws(Fault) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Fault(description: "\(path): there is no such file")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw Fault(description: "\(path): that is a folder")
    }
    return status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns all bytes.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - most: The maximum number of bytes.
  /// - Returns: The bytes.
  /// - Throws: ``Fault`` if it cannot be read or is longer.
  static func bytes(_ path: String, most: Int = mostBytes) throws(Fault) -> [UInt8] {
    _ = try isLasting(path)
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw Fault(description: "\(path): it cannot be read")
    }
    defer { try? handle.close() }
    var bytes: [UInt8] = []
    do {
      while let block = try handle.read(upToCount: blockBytes), !block.isEmpty {
        bytes += block
        if bytes.count > most { break }
      }
    } catch {
      throw Fault(description: "\(path): it cannot be read")
    }
    guard bytes.count <= most else {
      throw Fault(description: "\(path): it is longer than \(most) bytes")
    }
    return bytes
  }
}
