import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file that a command is given: a file, or something that can be read once (a pipe, `/dev/stdin`, `<(…)`).
enum InputFile {
  /// The most bytes that a command sends to a server, whose own limits are told by the server.
  static let mostBytes = 64 << 20
  /// How many bytes are read at once.
  private static let blockBytes = 64 << 10

  /// Why a file cannot be used.
  struct Fault: Error, CustomStringConvertible {
    /// What is wrong, for people.
    let description: String
  }

  /// Whether a path is a file that can be read again; false for a pipe, a terminal or a device.
  ///
  /// - Throws: ``Fault`` if there is nothing, or a folder.
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

  /// All bytes.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - most: The most bytes.
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
